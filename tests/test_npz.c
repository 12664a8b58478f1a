#include "interop/npy.h"
#include "tests/values.h"

#include <cotangent/shape.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* tests/data/npy holds archives that NumPy wrote; make.py there says what is in them. */

static const char *data_path(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/npy/%s.npz", CT_SOURCE_DIR, name);
    return path;
}

static void check_arrays(ct_context *ctx, ct_npz *archive, size_t first)
{
    CHECK_OK(ctx);
    CHECK(ct_npz_count(archive) == first + 3);
    CHECK(strcmp(ct_npz_name(archive, first), "x") == 0);
    CHECK(strcmp(ct_npz_name(archive, first + 1), "mask") == 0);
    CHECK(strcmp(ct_npz_name(archive, first + 2), "long name/with.dots") == 0);
    CHECK_BITS(ct_npz_tensor(archive, first), coded(ctx, CT_F32, 2, 3));
    CHECK_VALUES(ct_npz_find(archive, "mask"), CT_SHAPE(2, 3), {0, 1, 0, 1, 0, 1});
    CHECK(ct_at_int(ct_npz_find(archive, "long name/with.dots"), 3) == (INT64_C(1) << 60) + 3);
    CHECK(ct_npz_find(archive, "y") == NULL);
}

TEST(what_numpy_writes)
{
    ct_context *ctx = ct_context_new();
    check_arrays(ctx, ct_read_npz(ctx, data_path("stored")), 0);
    ct_npz *deflated = ct_read_npz(ctx, data_path("deflated"));
    check_arrays(ctx, deflated, 1);
    CHECK_EQUAL(ct_npz_find(deflated, "zeros"), ct_zeros(ctx, CT_F64, CT_SHAPE(40, 50)));
    ct_npz *mixed = ct_read_npz(ctx, data_path("mixed"));
    CHECK(ct_npz_count(mixed) == 1); /* readme.txt is none */
    CHECK_BITS(ct_npz_find(mixed, "x"), coded(ctx, CT_U16, 2, 3));
    ct_context_free(ctx);
}

TEST(asking)
{
    ct_context *ctx = ct_context_new();
    ct_npz *archive = ct_read_npz(ctx, "/no such folder/x.npz");
    CHECK_ERROR(ctx, CT_ERR_FILE, "read_npz: /no such folder/x.npz: No such file");
    CHECK(ct_npz_count(archive) == 0 && ct_npz_count(NULL) == 0);
    CHECK(*ct_npz_name(archive, 0) == '\0' && ct_is_poison(ct_npz_tensor(archive, 0)));
    CHECK(ct_npz_find(archive, "x") == NULL && ct_npz_find(NULL, "x") == NULL);
    CHECK(ct_npz_count(ct_read_npz(NULL, "x.npz")) == 0);
    ct_context_free(ctx);
}

/* ---- Writing. */

static const char *temporary(char path[64])
{
    strcpy(path, "/tmp/ct_npz_XXXXXX");
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    return path;
}

/* As numpy.savez writes it: the end alone, without the 64-bit records, which NumPy would not know.
 */
static void check_empty_archive(const char *path)
{
    static const char expected[22] = "PK\5\6";
    char bytes[64];
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    CHECK(count == sizeof expected && memcmp(bytes, expected, sizeof expected) == 0);
}

TEST(written_and_read)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *y = ct_transpose(x, CT_AXES(1, 0));
    char path[64];
    temporary(path);
    ct_write_npz(ctx, path, NULL, CT_ARGV(x, y));
    ct_npz *archive = ct_read_npz(ctx, path);
    CHECK_OK(ctx);
    CHECK(ct_npz_count(archive) == 2 && strcmp(ct_npz_name(archive, 1), "arr_1") == 0);
    CHECK_BITS(ct_npz_find(archive, "arr_0"), x);
    CHECK_BITS(ct_npz_find(archive, "arr_1"), y);
    ct_write_npz(ctx, path, (const char *const[]){"w\xC3\xA4rme", "b/c"}, CT_ARGV(y, x));
    archive = ct_read_npz(ctx, path);
    CHECK_OK(ctx);
    CHECK_BITS(ct_npz_find(archive, "w\xC3\xA4rme"), y);
    CHECK_BITS(ct_npz_find(archive, "b/c"), x);
    ct_write_npz(ctx, path, NULL, CT_NO_TENSORS);
    CHECK(ct_npz_count(ct_read_npz(ctx, path)) == 0);
    CHECK_OK(ctx);
    check_empty_archive(path);
    unlink(path);
    ct_context_free(ctx);
}

TEST(what_is_not_written)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3);
    ct_write_npz(ctx, "/tmp/x.npz", (const char *const[]){"a", "a"}, CT_ARGV(x, x));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "write_npz: names[0] and names[1] are a");
    ct_write_npz(ctx, "/tmp/x.npz", (const char *const[]){"a", NULL}, CT_ARGV(x, x));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "write_npz: names[1] is NULL");
    ct_write_npz(ctx, "/no such folder/x.npz", NULL, CT_ARGV(x));
    CHECK_ERROR(ctx, CT_ERR_FILE, "write_npz: /no such folder/x.npz: No such file");
    if (access("/dev/full", W_OK) == 0) {
        ct_write_npz(ctx, "/dev/full", NULL, CT_ARGV(x));
        CHECK_ERROR(ctx, CT_ERR_FILE, "write_npz: /dev/full: No space left");
    }
    ct_context_free(ctx);
}

/* ---- Damaged and hostile archives. */

typedef struct image {
    unsigned char bytes[8192];
    size_t count;
} image;

static void load_image(image *im, const char *name)
{
    FILE *file = fopen(data_path(name), "rb");
    CHECK(file != NULL);
    im->count = fread(im->bytes, 1, sizeof im->bytes, file);
    fclose(file);
}

static void check_wrong(int line, const image *im, const char *part)
{
    ct_context *ctx = ct_context_new();
    ct_npz *archive = ct__read_npz_bytes(ctx, CT_HERE, "a.npz", im->bytes, im->count);
    const char *message = ct_error_message(ctx);
    if (ct_npz_count(archive) != 0 || ct_error_status(ctx) != CT_ERR_FILE ||
        strchr(message, '\n') || !strstr(message, "read_npz: a.npz: ") || !strstr(message, part))
        check_fail(__FILE__, line, "%s: %s", ct_status_name(ct_error_status(ctx)), message);
    ct_context_free(ctx);
}

/* Where the n-th record with this mark is. */
static unsigned char *find(image *im, const char *mark, int n)
{
    for (size_t i = 0; i + 4 <= im->count; i++)
        if (memcmp(im->bytes + i, mark, 4) == 0 && n-- == 0)
            return im->bytes + i;
    check_fail(__FILE__, __LINE__, "there is no such record");
    return NULL;
}

#define ENTRY "PK\1\2"
#define LOCAL "PK\3\4"
#define END "PK\5\6"

TEST(damaged_archives)
{
    image im;
    im.count = 0;
    check_wrong(__LINE__, &im, "it is empty");
    load_image(&im, "stored");
    im.count -= 1;
    check_wrong(__LINE__, &im, "it has no directory of members");
    load_image(&im, "stored");
    find(&im, LOCAL, 1)[0] = 'Q';
    check_wrong(__LINE__, &im, "a member has no header");
    load_image(&im, "stored");
    find(&im, ENTRY, 1)[0] = 'Q';
    check_wrong(__LINE__, &im, "its directory is cut");
    load_image(&im, "stored");
    find(&im, ENTRY, 0)[8] |= 1;
    check_wrong(__LINE__, &im, "member x.npy: it is encrypted");
    load_image(&im, "stored");
    find(&im, ENTRY, 0)[10] = 12;
    check_wrong(__LINE__, &im, "member x.npy: compression method 12 is not known");
    load_image(&im, "stored");
    find(&im, ENTRY, 0)[16] ^= 1;
    check_wrong(__LINE__, &im, "member x.npy: its data does not fit its checksum (CRC)");
    load_image(&im, "stored");
    find(&im, END, 0)[4] = 1;
    check_wrong(__LINE__, &im, "one part of an archive of several");
    load_image(&im, "stored");
    find(&im, END, 0)[16] = 0xFF;
    find(&im, END, 0)[17] = 0xFF;
    check_wrong(__LINE__, &im, "its directory lies outside");
    load_image(&im, "stored");
    find(&im, END, 0)[8] = find(&im, END, 0)[10] = 250;
    check_wrong(__LINE__, &im, "its directory is too short");
    load_image(&im, "stored");
    memcpy(find(&im, ENTRY, 1) + 46, "x.npy\0\0\0", 8);
    check_wrong(__LINE__, &im, "a member's name holds a 0");
}

/* As NumPy reads it: offsets count from where the archive begins. */
static void check_behind_prefix(const image *im, const char *prefix)
{
    ct_context *ctx = ct_context_new();
    unsigned char bytes[16384];
    size_t n = strlen(prefix);
    memcpy(bytes, prefix, n);
    memcpy(bytes + n, im->bytes, im->count);
    ct_npz *plain = ct__read_npz_bytes(ctx, CT_HERE, "a.npz", im->bytes, im->count);
    ct_npz *archive = ct__read_npz_bytes(ctx, CT_HERE, "a.npz", bytes, n + im->count);
    CHECK_OK(ctx);
    CHECK(ct_npz_count(plain) > 0 && ct_npz_count(archive) == ct_npz_count(plain));
    for (size_t i = 0; i < ct_npz_count(archive); i++)
        CHECK_BITS(ct_npz_tensor(archive, i), ct_npz_tensor(plain, i));
    ct_context_free(ctx);
}

TEST(archives_behind_a_prefix)
{
    static const char script[] = "#!/bin/sh\nexec unpack \"$0\"\n";
    image im;
    load_image(&im, "stored");
    check_behind_prefix(&im, script);
    load_image(&im, "deflated");
    check_behind_prefix(&im, script);
    char path[64]; /* ours has the 64-bit records */
    ct_context *ctx = ct_context_new();
    temporary(path);
    ct_write_npz(ctx, path, NULL, CT_ARGV(coded(ctx, CT_F32, 2, 3), coded(ctx, CT_I8, 4)));
    CHECK_OK(ctx);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    im.count = fread(im.bytes, 1, sizeof im.bytes, file);
    fclose(file);
    unlink(path);
    ct_context_free(ctx);
    check_behind_prefix(&im, script);
}

TEST(wrong_sizes)
{
    image im;
    load_image(&im, "deflated"); /* its first member inflates to 16128 bytes, 0x3F00 */
    find(&im, ENTRY, 0)[24]--;
    check_wrong(__LINE__, &im, "member zeros.npy: ");
    load_image(&im, "deflated");
    find(&im, ENTRY, 0)[24]++;
    check_wrong(__LINE__, &im, "member zeros.npy: ");
    load_image(&im, "deflated");
    find(&im, ENTRY, 0)[27] = 0x40;
    check_wrong(__LINE__, &im, "bytes cannot be packed in");
    load_image(&im, "stored");
    find(&im, ENTRY, 0)[24]++;
    check_wrong(__LINE__, &im, "a stored member has two sizes");
    load_image(&im, "stored"); /* all of the file is member 0 */
    find(&im, ENTRY, 0)[20] = find(&im, ENTRY, 0)[24] = (unsigned char)(im.count & 255);
    find(&im, ENTRY, 0)[21] = find(&im, ENTRY, 0)[25] = (unsigned char)(im.count >> 8);
    check_wrong(__LINE__, &im, "its members overlap");
    load_image(&im, "stored");
    find(&im, ENTRY, 0)[42] = 200; /* the header of member 0 is not there */
    check_wrong(__LINE__, &im, "a member has no header");
}

/* Every byte replaced by others: an archive or one line, never a crash. */
TEST(damaged_bytes)
{
    static const char *const names[] = {"stored", "deflated", "mixed"};
    image im;
    ct_context *ctx = ct_context_new();
    for (size_t k = 0; k < 3; k++) {
        load_image(&im, names[k]);
        for (size_t i = 0; i < im.count; i++)
            for (int change = 1; change < 256; change += 31) {
                im.bytes[i] ^= (unsigned char)change;
                ct_scope scope = ct_scope_begin(ctx);
                ct_npz *archive = ct__read_npz_bytes(ctx, CT_HERE, "a.npz", im.bytes, im.count);
                CHECK(!ct_failed(ctx) || ct_npz_count(archive) == 0);
                CHECK(!strchr(ct_error_message(ctx), '\n'));
                ct_error_clear(ctx);
                ct_scope_end(scope);
                im.bytes[i] ^= (unsigned char)change;
            }
    }
    ct_context_free(ctx);
}

static void read_and_write(ct_context *ctx)
{
    char path[64];
    ct_npz *archive = ct_read_npz(ctx, data_path("deflated"));
    temporary(path);
    ct_write_npz(ctx, path, NULL, CT_LIST(1, (ct_tensor *[]){ct_npz_tensor(archive, 0)}));
    unlink(path);
}

TEST(memory_that_runs_out)
{
    CHECK_ALLOCATIONS(read_and_write);
}
