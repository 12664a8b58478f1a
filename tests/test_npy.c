#include "interop/npy.h"
#include "tests/values.h"

#include <cotangent/elementwise.h>
#include <cotangent/shape.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* tests/data/npy holds files that NumPy wrote; make.py there says what is in them. */

static const char *data_path(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/npy/%s.npy", CT_SOURCE_DIR, name);
    return path;
}

static ct_tensor *load(ct_context *ctx, const char *name)
{
    return ct_read_npy(ctx, data_path(name));
}

/* A file's bytes, to be freed. */
static unsigned char *bytes_of(const char *path, size_t *count)
{
    unsigned char *bytes = malloc(1 << 16);
    FILE *file = fopen(path, "rb");
    CHECK_MSG(bytes && file, "%s cannot be read", path);
    *count = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

static const char *temporary(char path[64])
{
    strcpy(path, "/tmp/ct_npy_XXXXXX");
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    return path;
}

/* ---- What NumPy writes. */

typedef struct row {
    ct_dtype dtype;
    const char *code;
} row;

static const row rows[] = {{CT_BOOL, "b1"}, {CT_I8, "i1"},   {CT_I16, "i2"}, {CT_I32, "i4"},
                           {CT_I64, "i8"},  {CT_U8, "u1"},   {CT_U16, "u2"}, {CT_U32, "u4"},
                           {CT_U64, "u8"},  {CT_F16, "f2"},  {CT_F32, "f4"}, {CT_F64, "f8"},
                           {CT_C64, "c8"},  {CT_C128, "c16"}};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* x[i][j] = 10 i + j, with the additions that make.py names. */
static ct_tensor *expected_of(ct_context *ctx, ct_dtype dtype)
{
    int64_t wide[6];
    double parts[12];
    float narrow[12];
    for (int i = 0; i < 6; i++) {
        wide[i] = (INT64_C(1) << 60) + 10 * (i / 3) + i % 3;
        parts[2 * i] = 10 * (i / 3) + i % 3;
        parts[2 * i + 1] = -1;
        narrow[2 * i] = (float)parts[2 * i];
        narrow[2 * i + 1] = -1;
    }
    switch (dtype) {
    case CT_BOOL: return given(ctx, CT_BOOL, CT_SHAPE(2, 3), {0, 1, 0, 1, 0, 1});
    case CT_I64:
    case CT_U64: return ct_from_data(ctx, dtype, CT_SHAPE(2, 3), wide);
    case CT_C64: return ct_from_data(ctx, dtype, CT_SHAPE(2, 3), narrow);
    case CT_C128: return ct_from_data(ctx, dtype, CT_SHAPE(2, 3), parts);
    default: return coded(ctx, dtype, 2, 3);
    }
}

TEST(every_dtype_in_either_byte_order)
{
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < N_ROWS; i++) {
        ct_tensor *expected = expected_of(ctx, rows[i].dtype);
        char name[32];
        if (ct_dtype_bytes(rows[i].dtype) == 1) {
            CHECK_BITS(load(ctx, rows[i].code), expected);
            continue;
        }
        snprintf(name, sizeof name, "%s_little", rows[i].code);
        CHECK_BITS(load(ctx, name), expected);
        snprintf(name, sizeof name, "%s_big", rows[i].code);
        CHECK_BITS(load(ctx, name), expected);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(shapes_and_versions)
{
    ct_context *ctx = ct_context_new();
    CHECK_BITS(load(ctx, "columns"), coded(ctx, CT_F32, 2, 3, 4));
    CHECK_VALUES(ct_add(load(ctx, "columns"), 1), CT_SHAPE(2, 3, 4),
                 {1,   2,   3,   4,   11,  12,  13,  14,  21,  22,  23,  24,
                  101, 102, 103, 104, 111, 112, 113, 114, 121, 122, 123, 124});
    CHECK_VALUES(load(ctx, "scalar"), CT_SHAPE(), {2.5});
    CHECK_EMPTY(load(ctx, "empty"), CT_SHAPE(3, 0, 2));
    CHECK(ct_dtype_of(load(ctx, "empty")) == CT_I16);
    CHECK_BITS(load(ctx, "version_2"), coded(ctx, CT_F32, 2, 3));
    CHECK_BITS(load(ctx, "version_3"), coded(ctx, CT_F32, 2, 3));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Two raw bytes are a bfloat16; of one raw byte only the bits are known. */
TEST(types_of_ml_dtypes)
{
    ct_context *ctx = ct_context_new();
    CHECK_BITS(load(ctx, "bfloat16"), coded(ctx, CT_BF16, 2, 3));
    CHECK_VALUES(load(ctx, "float8_e5m2"), CT_SHAPE(3), {1, -2, 0.5});
    CHECK(ct_dtype_of(load(ctx, "float8_e5m2")) == CT_F8E5M2);
    CHECK_VALUES(load(ctx, "float8_e4m3fn"), CT_SHAPE(3), {0x38, 0xC0, 0x30});
    CHECK(ct_dtype_of(load(ctx, "float8_e4m3fn")) == CT_U8);
    CHECK_VALUES(load(ctx, "named_float8_e4m3fn"), CT_SHAPE(3), {1, -2, 0.5});
    CHECK(ct_dtype_of(load(ctx, "named_float8_e4m3fn")) == CT_F8E4M3FN);
    CHECK_VALUES(load(ctx, "named_int4"), CT_SHAPE(4), {1, -1, -8, 7});
    CHECK(ct_dtype_of(load(ctx, "named_int4")) == CT_I4);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(a_pipe)
{
    ct_context *ctx = ct_context_new();
    char path[64], command[2048];
    temporary(path);
    unlink(path);
    snprintf(command, sizeof command, "mkfifo %s && (cat '%s' >%s &)", path, data_path("columns"),
             path);
    CHECK(system(command) == 0);
    CHECK_BITS(ct_read_npy(ctx, path), coded(ctx, CT_F32, 2, 3, 4));
    CHECK_OK(ctx);
    unlink(path);
    ct_context_free(ctx);
}

/* ---- Writing. */

/* What we write is, byte by byte, what NumPy writes. */
TEST(written_as_numpy_does)
{
    ct_context *ctx = ct_context_new();
    char path[64];
    temporary(path);
    for (size_t i = 0; i < N_ROWS; i++) {
        char name[32];
        size_t want_count, count;
        snprintf(name, sizeof name, ct_dtype_bytes(rows[i].dtype) == 1 ? "%s" : "%s_little",
                 rows[i].code);
        ct_write_npy(expected_of(ctx, rows[i].dtype), path);
        CHECK_OK(ctx);
        unsigned char *want = bytes_of(data_path(name), &want_count);
        unsigned char *got = bytes_of(path, &count);
        CHECK_MSG(count == want_count && memcmp(got, want, count) == 0, "%s differs", name);
        free(want);
        free(got);
    }
    unlink(path);
    ct_context_free(ctx);
}

static void round_trip(ct_context *ctx, ct_tensor *x)
{
    char path[64];
    temporary(path);
    ct_write_npy(x, path);
    CHECK_BITS(ct_read_npy(ctx, path), x);
    CHECK_OK(ctx);
    unlink(path);
}

TEST(written_and_read)
{
    ct_context *ctx = ct_context_new();
    int64_t ones[64], wide[3] = {3, 0, INT64_C(1) << 60};
    for (int d = 0; d < 64; d++)
        ones[d] = 1;
    for (int dtype = 1; dtype < CT_DTYPE_COUNT; dtype++)
        round_trip(ctx, ct_ones(ctx, (ct_dtype)dtype, CT_SHAPE(2, 3)));
    round_trip(ctx, given(ctx, CT_I4, CT_SHAPE(4), {-8, -1, 0, 7}));
    round_trip(ctx, given(ctx, CT_U2, CT_SHAPE(4), {3, 2, 1, 0}));
    round_trip(ctx, ct_transpose(coded(ctx, CT_I16, 2, 3, 4), CT_AXES(2, 0, 1)));
    round_trip(ctx, ct_full(ctx, CT_F16, CT_SHAPE(300, 70), 0.5));
    round_trip(ctx, ct_full(ctx, CT_F32, (ct_shape){64, ones}, 7));
    round_trip(ctx, ct_zeros(ctx, CT_F64, (ct_shape){3, wide}));
    round_trip(ctx, ct_scalar(ctx, CT_I32, -5));
    ct_context_free(ctx);
}

TEST(what_is_not_written)
{
    ct_context *ctx = ct_context_new();
    ct_write_npy(ct_ones(ctx, CT_F32, CT_SHAPE(2)), "/no such folder/x.npy");
    CHECK_ERROR(ctx, CT_ERR_FILE, "write_npy: /no such folder/x.npy: No such file");
    ct_write_npy(ct_ones(ctx, CT_F32, CT_SHAPE(2)), NULL);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "write_npy: the path is NULL");
    ct_write_npy(ct_spec(ctx, CT_F32, CT_SHAPE(2)), "/tmp/x.npy");
    CHECK(ct_failed(ctx));
    ct_error_clear(ctx);
    if (access("/dev/full", W_OK) == 0) {
        ct_write_npy(ct_ones(ctx, CT_F32, CT_SHAPE(2)), "/dev/full");
        CHECK_ERROR(ctx, CT_ERR_FILE, "write_npy: /dev/full: No space left");
    }
    ct_write_npy(NULL, "/tmp/x.npy");
    ct_context_free(ctx);
}

/* ---- Malformed files. */

/* A file of version 1 with this dictionary and `count` bytes of data. */
static size_t make(unsigned char *bytes, const char *dictionary, size_t count)
{
    size_t length = strlen(dictionary);
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (unsigned char)(length & 255);
    bytes[9] = (unsigned char)(length >> 8);
    memcpy(bytes + 10, dictionary, length);
    memset(bytes + 10 + length, 1, count);
    return 10 + length + count;
}

/* Reading it is one line that names the file and says this. */
static void check_wrong(int line, const unsigned char *bytes, size_t count, const char *part)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct__read_npy_bytes(ctx, CT_HERE, "a.npy", bytes, count);
    const char *message = ct_error_message(ctx);
    if (!ct_is_poison(x) || ct_error_status(ctx) != CT_ERR_FILE || strchr(message, '\n') ||
        !strstr(message, "read_npy: a.npy: ") || !strstr(message, part))
        check_fail(__FILE__, line, "%s: %s", ct_status_name(ct_error_status(ctx)), message);
    ct_context_free(ctx);
}

#define WRONG(dictionary, data_bytes, part)                                                        \
    check_wrong(__LINE__, bytes, make(bytes, dictionary, data_bytes), part)
#define HEADER(descr, order, shape)                                                                \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }\n"
#define F4(shape) HEADER("'<f4'", "False", shape)

TEST(wrong_dictionaries)
{
    unsigned char bytes[4096];
    WRONG("", 4, "not the dictionary of an array: expected '{' at byte 0");
    WRONG("[1, 2]", 4, "expected '{' at byte 0");
    WRONG("{'descr': '<f4'", 4, "expected ',' or '}' at byte 15");
    WRONG("{'descr' '<f4'}", 4, "expected ':'");
    WRONG("{'descr': '<f4}", 4, "expected the end of the string");
    WRONG("{descr: '<f4'}", 4, "expected a key");
    WRONG("{'descr': 4}", 4, "expected a string or a list");
    WRONG("{'descr': '<f4', 'descr': '<f4'}", 4, "has 'descr' twice");
    WRONG("{'descr': '<f4', 'colour': 1}", 4, "has a key 'colour'");
    WRONG("{'descr': '<f4', 'fortran_order': False}", 4, "has no 'shape'");
    WRONG("{}", 4, "has no 'descr'");
    WRONG(F4("(1,)") "junk", 4, "expected its end");
    WRONG(HEADER("'<f4'", "0", "(1,)"), 4, "expected True or False");
    WRONG(F4("1"), 4, "expected '('");
    WRONG(F4("(-1,)"), 4, "expected an extent");
    WRONG(F4("(1.5,)"), 4, "expected ',' or ')'");
    WRONG(F4("(1 2)"), 4, "expected ',' or ')'");
}

TEST(wrong_types_and_shapes)
{
    unsigned char bytes[4096];
    WRONG(HEADER("'<U5'", "False", "(1,)"), 20, "no dtype here is NumPy's '<U5'");
    WRONG(HEADER("'|O'", "False", "(1,)"), 8, "NumPy's '|O'");
    WRONG(HEADER("'<f16'", "False", "(1,)"), 16, "NumPy's '<f16'");
    WRONG(HEADER("'<V3'", "False", "(1,)"), 3, "NumPy's '<V3'");
    WRONG(HEADER("''", "False", "(1,)"), 4, "NumPy's ''");
    WRONG(HEADER("'<f99999999999999999999'", "False", "(1,)"), 4, "NumPy's '<f999");
    WRONG(HEADER("[('a', '<f4'), ('b', '<f4')]", "False", "(1,)"), 8, "several fields");
    WRONG(HEADER("[('a', '<f4')]", "False", "(1,)"), 4, "a field 'a'");
    WRONG(HEADER("[]", "False", "(1,)"), 4, "expected '('");
    WRONG(F4("(99999999999999999999,)"), 4, "does not fit 64 bits");
    WRONG(F4("(9223372036854775807, 9223372036854775807)"), 4, "the size of the shape overflows");
    WRONG(F4("(4611686018427387904,)"), 4, "the size of the shape overflows");
    WRONG(F4("(1000000000000,)"), 4, "needs 4000000000000 bytes of data, and there are 4");
    WRONG(F4("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
             "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
          4, "the rank is above 64");
    WRONG(F4("(2,)"), 7, "needs 8 bytes of data, and there are 7");
    WRONG(F4("(2,)"), 9, "1 bytes follow the data");
    WRONG(F4("(0,)"), 1, "1 bytes follow the data");
    WRONG(F4("()"), 0, "needs 4 bytes of data, and there are 0");
    size_t count = make(bytes, HEADER("'|b1'", "False", "(2,)"), 2);
    bytes[count - 1] = 2;
    check_wrong(__LINE__, bytes, count, "element 1 holds 2, which is no bool");
}

TEST(wrong_beginnings)
{
    unsigned char bytes[4096];
    size_t count = make(bytes, F4("(1,)"), 4);
    for (size_t n = 0; n < 8; n++)
        check_wrong(__LINE__, bytes, n, "is no .npy file: it does not begin with \\x93NUMPY");
    for (size_t n = 8; n < count - 4; n++)
        check_wrong(__LINE__, bytes, n, "ends inside the header");
    bytes[6] = 4;
    check_wrong(__LINE__, bytes, count, "version 4.0 of .npy is not known");
    bytes[6] = 2;
    bytes[11] = 0x7F;
    check_wrong(__LINE__, bytes, count, "a header of ");
    check_wrong(__LINE__, (const unsigned char *)"PK\3\4 and more", 13, "is no .npy file");
}

TEST(wrong_files)
{
    ct_context *ctx = ct_context_new();
    ct_read_npy(ctx, "/no such folder/x.npy");
    CHECK_ERROR(ctx, CT_ERR_FILE, "read_npy: /no such folder/x.npy: No such file");
    ct_read_npy(ctx, "/");
    CHECK_ERROR(ctx, CT_ERR_FILE, "read_npy: /: cannot be read");
    ct_read_npy(ctx, NULL);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "read_npy: the path is NULL");
    load(ctx, "text");
    CHECK_ERROR(ctx, CT_ERR_FILE, "text.npy: no dtype here is NumPy's '<U2'");
    load(ctx, "record");
    CHECK_ERROR(ctx, CT_ERR_FILE, "record.npy: an array of records");
    load(ctx, "objects");
    CHECK_ERROR(ctx, CT_ERR_FILE, "objects.npy: no dtype here is NumPy's '|O'");
    CHECK(ct_is_poison(ct_read_npy(NULL, "x.npy")));
    ct_context_free(ctx);
}

/* Other extents beside a zero extent may have any product. */
TEST(empty_columns)
{
    unsigned char bytes[256];
    size_t count = make(bytes, HEADER("'<f2'", "True", "(4, 8999999999999999998, 9999998, 0)"), 0);
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct__read_npy_bytes(ctx, CT_HERE, "a.npy", bytes, count);
    CHECK_OK(ctx);
    CHECK(ct_size(x) == 0 && ct_rank(x) == 4 && ct_dim(x, 1) == 8999999999999999998);
    ct_context_free(ctx);
}

/* Every byte of a good file replaced by others: an array or one line, never a crash. */
TEST(damaged_bytes)
{
    unsigned char bytes[4096];
    size_t count = make(bytes, HEADER("'>c8'", "True", "(2, 3)"), 48);
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < count; i++)
        for (int change = 1; change < 256; change += 5) {
            bytes[i] ^= (unsigned char)change;
            ct_scope scope = ct_scope_begin(ctx);
            ct_tensor *x = ct__read_npy_bytes(ctx, CT_HERE, "a.npy", bytes, count);
            CHECK(ct_is_poison(x) == ct_failed(ctx));
            CHECK(!strchr(ct_error_message(ctx), '\n'));
            ct_error_clear(ctx);
            ct_scope_end(scope);
            bytes[i] ^= (unsigned char)change;
        }
    ct_context_free(ctx);
}

static void read_and_write(ct_context *ctx)
{
    char path[64];
    ct_tensor *x = load(ctx, "columns");
    temporary(path);
    ct_write_npy(x, path);
    unlink(path);
}

TEST(memory_that_runs_out)
{
    CHECK_ALLOCATIONS(read_and_write);
}
