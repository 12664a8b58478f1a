#include "interop/npy.h"

#include "interop/map.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

/* Members are stored, as by numpy.savez, each with its sizes in 64 bits (extra field 1), so that
 * all archives have one form. */

enum { VERSION = 45 };

typedef struct member {
    char *name; /* with ".npy" */
    uint64_t bytes, header;
    uint32_t crc;
} member;

typedef struct writer {
    ct_context *ctx;
    ct_place at;
    FILE *file;
    uint64_t place; /* of the next byte */
    uint32_t crc;   /* of the member being written */
    ct__arena arena;
    size_t count;
    member *member;
} writer;

static bool put(void *user, const void *bytes, size_t count)
{
    writer *w = user;
    w->place += count;
    return fwrite(bytes, 1, count, w->file) == count; /* the file remembers a failure */
}

/* Numbers from the lowest byte on. */
static void put_number(writer *w, uint64_t value, size_t bytes)
{
    unsigned char text[8];
    for (size_t i = 0; i < bytes; i++)
        text[i] = (unsigned char)(value >> (8 * i) & 255);
    put(w, text, bytes);
}

typedef struct field {
    uint64_t value;
    size_t bytes;
} field;

static void put_fields(writer *w, const char *mark, const field *list, size_t count)
{
    put(w, mark, 4);
    for (size_t i = 0; i < count; i++)
        put_number(w, list[i].value, list[i].bytes);
}
#define PUT(w, mark, ...)                                                                          \
    put_fields(w, mark, (const field[]){__VA_ARGS__},                                              \
               sizeof((const field[]){__VA_ARGS__}) / sizeof(field))

/* Names are UTF-8 (flag 11); the date is the first one there is, 1980-01-01. */
#define FLAGS (1U << 11)
#define DATE (1U << 5 | 1U)

static void put_local(writer *w, const member *m)
{
    PUT(w, "PK\3\4", {VERSION, 2}, {FLAGS, 2}, {0, 2}, {0, 2}, {DATE, 2}, {m->crc, 4},
        {UINT32_MAX, 4}, {UINT32_MAX, 4}, {strlen(m->name), 2}, {20, 2});
    put(w, m->name, strlen(m->name));
    put_number(w, 1, 2);
    put_number(w, 16, 2);
    put_number(w, m->bytes, 8);
    put_number(w, m->bytes, 8);
}

static void put_entry(writer *w, const member *m)
{
    PUT(w, "PK\1\2", {VERSION, 2}, {VERSION, 2}, {FLAGS, 2}, {0, 2}, {0, 2}, {DATE, 2}, {m->crc, 4},
        {UINT32_MAX, 4}, {UINT32_MAX, 4}, {strlen(m->name), 2}, {28, 2}, {0, 2}, {0, 2}, {0, 2},
        {0, 4}, {UINT32_MAX, 4});
    put(w, m->name, strlen(m->name));
    put_number(w, 1, 2);
    put_number(w, 24, 2);
    put_number(w, m->bytes, 8);
    put_number(w, m->bytes, 8);
    put_number(w, m->header, 8);
}

static void put_directory(writer *w)
{
    uint64_t start = w->place;
    for (size_t i = 0; i < w->count; i++)
        put_entry(w, &w->member[i]);
    uint64_t end = w->place, bytes = end - start;
    if (w->count == 0) { /* NumPy knows an archive without members by the short end alone */
        PUT(w, "PK\5\6", {0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 4}, {0, 4}, {0, 2});
        return;
    }
    PUT(w, "PK\6\6", {44, 8}, {VERSION, 2}, {VERSION, 2}, {0, 4}, {0, 4}, {w->count, 8},
        {w->count, 8}, {bytes, 8}, {start, 8});
    PUT(w, "PK\6\7", {0, 4}, {end, 8}, {1, 4});
    PUT(w, "PK\5\6", {0, 2}, {0, 2}, {UINT16_MAX, 2}, {UINT16_MAX, 2}, {UINT32_MAX, 4},
        {UINT32_MAX, 4}, {0, 2});
}

/* ---- Members: their checksum stands before their data, so the array is gone through twice. */

static bool sum_crc(void *user, const void *bytes, size_t count)
{
    writer *w = user;
    const unsigned char *next = bytes;
    for (size_t n; count > 0; next += n, count -= n) {
        n = count < UINT32_MAX ? count : UINT32_MAX;
        w->crc = (uint32_t)crc32(w->crc, next, (unsigned)n);
    }
    return true;
}

static bool put_member(writer *w, member *m, ct_tensor *x)
{
    w->crc = 0;
    if (!ct__npy_bytes(w->ctx, w->at, "write_npz", x, &m->bytes) ||
        !ct__write_npy_sink(w->ctx, w->at, "write_npz", x, sum_crc, w))
        return false;
    m->crc = w->crc;
    m->header = w->place;
    put_local(w, m);
    return ct__write_npy_sink(w->ctx, w->at, "write_npz", x, put, w);
}

/* "NAME.npy", "arr_0.npy" */
static char *member_name(ct__arena *arena, const char *const *names, size_t i)
{
    char number[32];
    snprintf(number, sizeof number, "arr_%zu", i);
    const char *name = names ? names[i] : number;
    size_t bytes = strlen(name) + 5;
    char *text = ct__arena_alloc(arena, bytes);
    if (text)
        snprintf(text, bytes, "%s.npy", name);
    return text;
}

static bool name_members(writer *w, const char *const *names)
{
    w->member = CT__NEW_ARRAY(&w->arena, member, w->count);
    for (size_t i = 0; w->member && i < w->count; i++)
        w->member[i].name = member_name(&w->arena, names, i);
    if (w->arena.failed)
        ct__error_memory(w->ctx, w->at, "write_npz");
    return !w->arena.failed;
}

/* names[i] is one, and none before it; enters it. */
static bool check_name(ct_context *ctx, ct_place at, const char *const *names, size_t i,
                       ct__map *seen)
{
    const size_t length = names[i] ? strlen(names[i]) : SIZE_MAX;
    if (length > UINT16_MAX - 4) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "write_npz: names[%zu] is NULL or too long", i);
        return false;
    }
    ct__map_entry *entry = ct__map_find(seen, names[i], length);
    if (entry) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "write_npz: names[%zu] and names[%zu] are %s",
                  entry->count, i, names[i]);
        return false;
    }
    entry = ct__map_add(seen, names[i], length);
    if (entry)
        entry->count = i;
    else
        ct__error_memory(ctx, at, "write_npz");
    return entry != NULL;
}

static bool check_names(ct_context *ctx, ct_place at, const char *const *names, size_t count)
{
    ct__arena arena;
    ct__map seen;
    bool fine = true;
    ct__arena_init(&arena, &ctx->allocator);
    ct__map_init(&seen, &arena);
    for (size_t i = 0; names && fine && i < count; i++)
        fine = check_name(ctx, at, names, i, &seen);
    ct__arena_free(&arena);
    return fine;
}

static bool check_arrays(ct_context *ctx, ct_place at, ct_list x)
{
    uint64_t bytes;
    if (x.count > 0 && !x.item) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "write_npz: the list of tensors is NULL");
        return false;
    }
    for (size_t i = 0; i < x.count; i++)
        if (!ct__npy_check(ctx, at, "write_npz", x.item[i]) ||
            !ct__npy_bytes(ctx, at, "write_npz", x.item[i], &bytes))
            return false;
    return true;
}

void ct_write_npz_at(ct_place at, ct_context *ctx, const char *path, const char *const *names,
                     ct_list x)
{
    writer state = {.ctx = ctx, .at = at, .count = x.count}, *w = &state;
    if (ct_failed(ctx) || !check_arrays(ctx, at, x) || !check_names(ctx, at, names, x.count))
        return;
    ct__arena_init(&w->arena, &ctx->allocator);
    w->file = name_members(w, names) ? ct__file_open(ctx, at, "write_npz", path, "wb") : NULL;
    bool fine = w->file != NULL;
    for (size_t i = 0; fine && i < x.count; i++)
        fine = put_member(w, &w->member[i], x.item[i]);
    if (w->file) {
        put_directory(w);
        ct__file_close(ctx, at, "write_npz", path, w->file);
    }
    ct__arena_free(&w->arena);
}
