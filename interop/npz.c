#include "interop/npy.h"

#include "interop/map.h"

#include <string.h>

struct ct_npz {
    ct__handle handle;
    size_t count, capacity;
    struct array {
        const char *name;
        ct_tensor *tensor; /* pinned: it goes with the scope, as the archive does */
    } * array;
    ct__arena arena; /* of the names */
    ct__map names;   /* name -> count: position */
};

/* Never written. */
static const ct_npz static_poison = {.handle = {.kind = CT__HANDLE_ARCHIVE}};

static ct_npz *poison(void)
{
    return (ct_npz *)(uintptr_t)&static_poison;
}

static void finish(ct__handle *handle)
{
    ct_npz *archive = (ct_npz *)handle;
    ct__release(&handle->ctx->allocator, archive->array,
                archive->capacity * sizeof *archive->array);
    ct__arena_free(&archive->arena);
}

/* ---- Reading. */

static bool is_array(const char *name)
{
    size_t length = strlen(name);
    return length >= 4 && strcmp(name + length - 4, ".npy") == 0;
}

/* A member's tensor, of which errors speak as "FILE: member NAME". NULL after an error. */
static ct_tensor *read_member(ct_context *ctx, ct_place at, const char *path, const ct__zip *zip,
                              const ct__zip_member *member)
{
    ct__fault fault = {.status = CT_OK};
    char name[600];
    ct_tensor *x = ct__poison(ctx);
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    snprintf(name, sizeof name, "%.440s: member %.100s", path, member->name);
    ct__zip_source *source = ct__zip_source_new(zip, member, &arena, &fault);
    if (source)
        x = ct__read_npy_source(ctx, at, "read_npz", name, ct__zip_source_bytes(source));
    else
        ct__error(ctx, at, fault.status, "read_npz: %s: %s", name, fault.message);
    ct__zip_source_free(source);
    ct__arena_free(&arena);
    return x->kind == CT__POISON ? NULL : ct__pin(x);
}

/* Enter the name; false when memory is short or it is there already, after reporting that. */
static bool add_name(ct_npz *archive, ct_place at, const char *path, const char *member,
                     const char **name)
{
    ct_context *ctx = archive->handle.ctx;
    size_t length = strlen(member) - 4;
    if (ct__map_find(&archive->names, member, length)) {
        ct__error(ctx, at, CT_ERR_FILE, "read_npz: %s: two members are called %.100s", path,
                  member);
        return false;
    }
    ct__map_entry *entry = ct__map_add(&archive->names, member, length);
    if (!entry) {
        ct__error_memory(ctx, at, "read_npz");
        return false;
    }
    entry->count = archive->count;
    *name = entry->key;
    return true;
}

static bool add(ct_npz *archive, ct_place at, const char *path, const ct__zip *zip,
                const ct__zip_member *member)
{
    ct_context *ctx = archive->handle.ctx;
    const char *name;
    if (!ct__grow(&ctx->allocator, &archive->array, &archive->capacity, archive->count + 1,
                  sizeof *archive->array)) {
        ct__error_memory(ctx, at, "read_npz");
        return false;
    }
    if (!add_name(archive, at, path, member->name, &name))
        return false;
    ct_tensor *x = read_member(ctx, at, path, zip, member);
    if (x)
        archive->array[archive->count++] = (struct array){name, x};
    return x != NULL;
}

/* All arrays of an open file; members that are none are passed over. False after an error. */
static bool read_arrays(ct_npz *archive, ct_place at, const char *path, FILE *file)
{
    ct_context *ctx = archive->handle.ctx;
    ct__fault fault = {.status = CT_OK};
    ct__arena arena;
    ct__zip zip;
    ct__arena_init(&arena, &ctx->allocator);
    bool fine = ct__zip_open(&zip, file, &arena, &fault);
    if (!fine)
        ct__error(ctx, at, fault.status, "read_npz: %s: %s", path, fault.message);
    for (size_t i = 0; fine && i < zip.count; i++)
        fine = !is_array(zip.member[i].name) || add(archive, at, path, &zip, &zip.member[i]);
    ct__arena_free(&arena);
    return fine;
}

/* Closes the file. */
static ct_npz *read_archive(ct_context *ctx, ct_place at, const char *path, FILE *file)
{
    ct_npz *archive = ct__handle_new(ctx, CT__HANDLE_ARCHIVE, sizeof *archive, finish);
    if (archive) {
        ct__arena_init(&archive->arena, &ctx->allocator);
        ct__map_init(&archive->names, &archive->arena);
    } else {
        ct__error_memory(ctx, at, "read_npz");
    }
    bool fine = archive && read_arrays(archive, at, path, file);
    fclose(file);
    if (archive && !fine) {
        for (size_t i = 0; i < archive->count; i++)
            ct__handle_free(&archive->array[i].tensor->handle);
        ct__handle_free(&archive->handle);
    }
    return fine ? archive : poison();
}

ct_npz *ct_read_npz_at(ct_place at, ct_context *ctx, const char *path)
{
    FILE *file = ct_failed(ctx) ? NULL : ct__file_open(ctx, at, "read_npz", path, "rb");
    return file ? read_archive(ctx, at, path, file) : poison();
}

ct_npz *ct__read_npz_bytes(ct_context *ctx, ct_place at, const char *name, const void *bytes,
                           size_t count)
{
    /* fmemopen takes no constant memory, of which "rb" only reads; nor none at all */
    FILE *file = ct_failed(ctx) || count == 0 ? NULL
                                              : fmemopen((void *)(uintptr_t)bytes, count, "rb");
    if (!file && !ct_failed(ctx))
        ct__error(ctx, at, CT_ERR_FILE, "read_npz: %s: is no .npz file: it is empty", name);
    return file ? read_archive(ctx, at, name, file) : poison();
}

/* ---- Asking. */

size_t ct_npz_count(const ct_npz *archive)
{
    return archive ? archive->count : 0;
}

const char *ct_npz_name(const ct_npz *archive, size_t i)
{
    return i < ct_npz_count(archive) ? archive->array[i].name : "";
}

ct_tensor *ct_npz_tensor(ct_npz *archive, size_t i)
{
    return i < ct_npz_count(archive) ? archive->array[i].tensor
                                     : ct__poison(archive ? archive->handle.ctx : NULL);
}

ct_tensor *ct_npz_find(ct_npz *archive, const char *name)
{
    if (!name || ct_npz_count(archive) == 0)
        return NULL;
    const ct__map_entry *entry = ct__map_find(&archive->names, name, strlen(name));
    return entry ? archive->array[entry->count].tensor : NULL;
}
