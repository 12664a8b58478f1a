/* Zip archives as far as .npz needs them: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 and 4.5. */
#include "interop/npy.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

/* Sizes of the fixed parts of records, and what they begin with. */
enum { END_BYTES = 22, END64_BYTES = 56, LOCATOR_BYTES = 20, ENTRY_BYTES = 46, LOCAL_BYTES = 30 };
static const char end_mark[] = "PK\5\6", end64_mark[] = "PK\6\6", locator_mark[] = "PK\6\7",
                  entry_mark[] = "PK\1\2", local_mark[] = "PK\3\4";

#define MAX_COMMENT 65535
/* Deflate gains at most this factor: two bits for a match of 258 bytes. */
#define MAX_GAIN 1032

static uint64_t little(const unsigned char *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static bool broken(ct__fault *fault, const char *what)
{
    return ct__npy_fail(fault, CT_ERR_FILE, "is no .npz file, or a damaged one: %s", what);
}

static bool read_at(const ct__zip *zip, uint64_t offset, void *bytes, size_t count,
                    ct__fault *fault)
{
    if (offset > zip->length || count > zip->length - offset)
        return broken(fault, "it is too short");
    if (fseeko(zip->file, (off_t)offset, SEEK_SET) != 0 ||
        fread(bytes, 1, count, zip->file) != count)
        return ct__npy_fail(fault, CT_ERR_FILE, "cannot be read");
    return true;
}

/* ---- The end: where the directory is. */

typedef struct directory {
    uint64_t disk, count, total, bytes, offset;
    uint64_t prefix; /* bytes before the archive, from whose beginning offsets count */
} directory;

/* In the 64-bit form, to which the record before the end points; behind a prefix it stands before
 * that record. Moves *place there. */
static bool read_end64(const ct__zip *zip, uint64_t *place, directory *d, ct__fault *fault)
{
    const uint64_t end = *place;
    unsigned char locator[LOCATOR_BYTES] = {0}, record[END64_BYTES] = {0};
    if (end < LOCATOR_BYTES)
        return broken(fault, "its 64-bit end is missing");
    if (!read_at(zip, end - LOCATOR_BYTES, locator, sizeof locator, fault))
        return false;
    if (memcmp(locator, locator_mark, 4) != 0)
        return broken(fault, "its 64-bit end is missing");
    *place = little(locator + 8, 8);
    if (!read_at(zip, *place, record, sizeof record, fault))
        return false;
    if (memcmp(record, end64_mark, 4) != 0 && end >= LOCATOR_BYTES + END64_BYTES) {
        *place = end - LOCATOR_BYTES - END64_BYTES;
        if (!read_at(zip, *place, record, sizeof record, fault))
            return false;
    }
    if (memcmp(record, end64_mark, 4) != 0)
        return broken(fault, "its 64-bit end is missing");
    *d = (directory){little(record + 16, 4), little(record + 24, 8), little(record + 32, 8),
                     little(record + 40, 8), little(record + 48, 8), 0};
    return true;
}

static bool read_end(const ct__zip *zip, const unsigned char *end, uint64_t place, directory *d,
                     ct__fault *fault)
{
    *d = (directory){little(end + 4, 2),  little(end + 8, 2),  little(end + 10, 2),
                     little(end + 12, 4), little(end + 16, 4), 0};
    if ((d->count == UINT16_MAX || d->bytes == UINT32_MAX || d->offset == UINT32_MAX) &&
        !read_end64(zip, &place, d, fault))
        return false;
    if (d->disk != 0 || d->count != d->total)
        return ct__npy_fail(fault, CT_ERR_FILE, "is one part of an archive of several");
    if (d->offset > place || d->bytes > place - d->offset)
        return broken(fault, "its directory lies outside");
    d->prefix = place - d->bytes - d->offset;
    if (d->count > d->bytes / ENTRY_BYTES)
        return broken(fault, "its directory is too short");
    return true;
}

/* The end is the last record; only its comment may follow. */
static bool find_end(const ct__zip *zip, directory *d, ct__fault *fault)
{
    size_t span = END_BYTES + MAX_COMMENT;
    if (zip->length < span)
        span = (size_t)zip->length;
    unsigned char *tail = ct__arena_alloc(zip->arena, span);
    if (!tail)
        return ct__npy_fail(fault, CT_ERR_MEMORY, "out of memory");
    if (!read_at(zip, zip->length - span, tail, span, fault))
        return false;
    for (size_t i = span; i-- > 0;) {
        if (span - i < END_BYTES || memcmp(tail + i, end_mark, 4) != 0)
            continue;
        if (little(tail + i + 20, 2) == span - i - END_BYTES)
            return read_end(zip, tail + i, zip->length - span + i, d, fault);
    }
    return broken(fault, "it has no directory of members");
}

/* ---- Entries of the directory. */

/* A field of all ones has its value in the extra field 1, which lists such values in order. */
static bool take_wide(uint64_t *value, const unsigned char **at, const unsigned char *end)
{
    if (*value != UINT32_MAX)
        return true;
    if (end - *at < 8)
        return false;
    *value = little(*at, 8);
    *at += 8;
    return true;
}

static bool read_extra(ct__zip_member *m, const unsigned char *extra, size_t bytes)
{
    const unsigned char *end = extra + bytes;
    while (end - extra >= 4) {
        size_t length = (size_t)little(extra + 2, 2);
        const unsigned char *at = extra + 4;
        if ((size_t)(end - at) < length)
            return false;
        if (little(extra, 2) == 1)
            return take_wide(&m->bytes, &at, at + length) &&
                   take_wide(&m->packed, &at, extra + 4 + length) &&
                   take_wide(&m->header, &at, extra + 4 + length);
        extra = at + length;
    }
    return m->bytes != UINT32_MAX && m->packed != UINT32_MAX && m->header != UINT32_MAX;
}

static char *copy_name(ct__arena *arena, const unsigned char *name, size_t length)
{
    char *copy = ct__arena_alloc(arena, length + 1);
    if (copy) {
        memcpy(copy, name, length);
        copy[length] = '\0';
    }
    return copy;
}

/* The entry at *at; moves behind it. */
static bool read_entry(const ct__zip *zip, const unsigned char **at, const unsigned char *end,
                       ct__zip_member *m, ct__fault *fault)
{
    const unsigned char *e = *at;
    if (end - e < ENTRY_BYTES || memcmp(e, entry_mark, 4) != 0)
        return broken(fault, "its directory is cut");
    size_t name = (size_t)little(e + 28, 2), extra = (size_t)little(e + 30, 2);
    size_t comment = (size_t)little(e + 32, 2);
    if ((size_t)(end - e) - ENTRY_BYTES < name + extra + comment)
        return broken(fault, "its directory is cut");
    *m = (ct__zip_member){.name = copy_name(zip->arena, e + ENTRY_BYTES, name),
                          .flags = (uint16_t)little(e + 8, 2),
                          .method = (uint16_t)little(e + 10, 2),
                          .crc = (uint32_t)little(e + 16, 4),
                          .packed = little(e + 20, 4),
                          .bytes = little(e + 24, 4),
                          .header = little(e + 42, 4)};
    if (!m->name)
        return ct__npy_fail(fault, CT_ERR_MEMORY, "out of memory");
    if (!read_extra(m, e + ENTRY_BYTES + name, extra))
        return broken(fault, "an entry's sizes are missing");
    if (memchr(m->name, '\0', name))
        return broken(fault, "a member's name holds a 0");
    *at = e + ENTRY_BYTES + name + extra + comment;
    return true;
}

/* Members that share bytes could make much out of little; so could one with a false size. */
static bool check_sizes(const ct__zip *zip, ct__fault *fault)
{
    uint64_t room = zip->length;
    for (size_t i = 0; i < zip->count; i++) {
        const ct__zip_member *m = &zip->member[i];
        if (m->packed > room)
            return broken(fault, "its members overlap");
        room -= m->packed;
        if (m->bytes / MAX_GAIN > m->packed)
            return ct__npy_fail(fault, CT_ERR_FILE,
                                "member %.100s: %" PRIu64 " bytes cannot be packed in %" PRIu64,
                                m->name, m->bytes, m->packed);
    }
    return true;
}

bool ct__zip_open(ct__zip *zip, FILE *file, ct__arena *arena, ct__fault *fault)
{
    directory d = {0, 0, 0, 0, 0, 0};
    *zip = (ct__zip){.file = file, .arena = arena};
    off_t length = fseeko(file, 0, SEEK_END) == 0 ? ftello(file) : -1;
    if (length < 0)
        return ct__npy_fail(fault, CT_ERR_FILE, "cannot be read from its end");
    zip->length = (uint64_t)length;
    if (!find_end(zip, &d, fault))
        return false;
    if (d.bytes > SIZE_MAX)
        return broken(fault, "its directory is too long");
    unsigned char *bytes = ct__arena_alloc(arena, (size_t)d.bytes);
    zip->member = CT__NEW_ARRAY(arena, ct__zip_member, (size_t)d.count);
    if (!bytes || !zip->member)
        return ct__npy_fail(fault, CT_ERR_MEMORY, "out of memory");
    zip->prefix = d.prefix;
    if (!read_at(zip, d.prefix + d.offset, bytes, (size_t)d.bytes, fault))
        return false;
    const unsigned char *at = bytes;
    for (; zip->count < d.count; zip->count++)
        if (!read_entry(zip, &at, bytes + d.bytes, &zip->member[zip->count], fault))
            return false;
    return check_sizes(zip, fault);
}

/* ---- The bytes of a member. */

struct ct__zip_source {
    ct__source source;
    const ct__zip *zip;
    const ct__zip_member *member;
    uint64_t next, packed; /* where the next packed byte stands, and how many there are still */
    uint32_t crc;
    bool is_inflating, is_checked;
    z_stream stream;
    unsigned char buffer[16384];
};

static void *allocate_zlib(void *arena, unsigned items, unsigned size)
{
    return ct__arena_array(arena, items, size);
}

/* The arena gives it back. */
static void release_zlib(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

/* The next packed bytes into `bytes`. */
static size_t read_packed(ct__zip_source *s, void *bytes, size_t count)
{
    size_t n = count < s->packed ? count : (size_t)s->packed;
    ct__fault fault = {.status = CT_OK};
    if (!read_at(s->zip, s->next, bytes, n, &fault)) {
        s->source.trouble = "the archive is too short or cannot be read";
        return 0;
    }
    s->next += n;
    s->packed -= n;
    return n;
}

static size_t read_deflated(ct__zip_source *s, unsigned char *bytes, size_t count)
{
    size_t done = 0;
    while (done < count) {
        size_t room = count - done < UINT32_MAX ? count - done : UINT32_MAX;
        if (s->stream.avail_in == 0) {
            s->stream.avail_in = (unsigned)read_packed(s, s->buffer, sizeof s->buffer);
            s->stream.next_in = s->buffer;
        }
        s->stream.next_out = bytes + done;
        s->stream.avail_out = (unsigned)room;
        int status = inflate(&s->stream, Z_NO_FLUSH);
        done += room - s->stream.avail_out;
        if (status == Z_STREAM_END)
            break;
        if (status != Z_OK) {
            s->source.is_out_of_memory = status == Z_MEM_ERROR;
            if (!s->source.trouble)
                s->source.trouble = status == Z_MEM_ERROR ? "out of memory"
                                                          : "its packed data is damaged";
            break;
        }
    }
    return done;
}

/* All bytes have been read: no more may come, and they must be those that were packed. */
static void check_end(ct__zip_source *s)
{
    unsigned char extra;
    s->is_checked = true;
    if (s->source.trouble)
        return;
    if (s->is_inflating && read_deflated(s, &extra, 1) == 1)
        s->source.trouble = "it inflates to more than the archive says";
    else if (!s->source.trouble && s->crc != s->member->crc)
        s->source.trouble = "its data does not fit its checksum (CRC)";
}

static void add_crc(ct__zip_source *s, const unsigned char *bytes, size_t count)
{
    for (size_t n; count > 0; bytes += n, count -= n) {
        n = count < UINT32_MAX ? count : UINT32_MAX;
        s->crc = (uint32_t)crc32(s->crc, bytes, (unsigned)n);
    }
}

static size_t read_member(ct__source *source, void *bytes, size_t count)
{
    ct__zip_source *s = (ct__zip_source *)source;
    size_t n = count < source->left ? count : (size_t)source->left;
    if (source->trouble)
        return 0;
    size_t got = s->is_inflating ? read_deflated(s, bytes, n) : read_packed(s, bytes, n);
    add_crc(s, bytes, got);
    source->left -= got;
    if (got < n && !source->trouble)
        source->trouble = "it inflates to less than the archive says";
    if (source->left == 0 && !s->is_checked)
        check_end(s);
    return got;
}

/* The member's own header repeats the directory's entry; its name and extra field may differ. */
static bool find_data(const ct__zip *zip, const ct__zip_member *m, uint64_t *place,
                      ct__fault *fault)
{
    unsigned char local[LOCAL_BYTES] = {0};
    if (m->header > zip->length) /* so that the sum does not wrap */
        return broken(fault, "it is too short");
    if (!read_at(zip, zip->prefix + m->header, local, sizeof local, fault))
        return false;
    if (memcmp(local, local_mark, 4) != 0)
        return broken(fault, "a member has no header");
    *place = zip->prefix + m->header + LOCAL_BYTES + little(local + 26, 2) + little(local + 28, 2);
    if (*place > zip->length || m->packed > zip->length - *place)
        return broken(fault, "it is too short");
    return true;
}

ct__zip_source *ct__zip_source_new(const ct__zip *zip, const ct__zip_member *m, ct__arena *arena,
                                   ct__fault *fault)
{
    enum { STORED = 0, DEFLATED = 8, ENCRYPTED = 1 };
    uint64_t place = 0;
    if (m->flags & ENCRYPTED)
        return ct__npy_fail(fault, CT_ERR_FILE, "it is encrypted"), NULL;
    if (m->method != STORED && m->method != DEFLATED)
        return ct__npy_fail(fault, CT_ERR_FILE, "compression method %d is not known", m->method),
               NULL;
    if (m->method == STORED && m->packed != m->bytes)
        return broken(fault, "a stored member has two sizes"), NULL;
    if (!find_data(zip, m, &place, fault))
        return NULL;
    ct__zip_source *s = CT__NEW(arena, ct__zip_source);
    if (!s)
        return ct__npy_fail(fault, CT_ERR_MEMORY, "out of memory"), NULL;
    s->source = (ct__source){.read = read_member, .left = m->bytes};
    s->zip = zip;
    s->member = m;
    s->next = place;
    s->packed = m->packed;
    s->is_inflating = m->method == DEFLATED;
    s->stream.zalloc = allocate_zlib;
    s->stream.zfree = release_zlib;
    s->stream.opaque = arena;
    if (s->is_inflating && inflateInit2(&s->stream, -MAX_WBITS) != Z_OK)
        return ct__npy_fail(fault, CT_ERR_MEMORY, "out of memory"), NULL;
    return s;
}

ct__source *ct__zip_source_bytes(ct__zip_source *source)
{
    return &source->source;
}

void ct__zip_source_free(ct__zip_source *source)
{
    if (source && source->is_inflating)
        inflateEnd(&source->stream);
}
