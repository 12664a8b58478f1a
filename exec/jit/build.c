#define _GNU_SOURCE /* secure_getenv */
#include "exec/jit/build.h"
#include "exec/jit/cache.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool make_folder(char folder[CT__PATH_BYTES], ct__reason *reason)
{
    const char *parent = secure_getenv("TMPDIR");
    const int n = snprintf(folder, CT__PATH_BYTES, "%s/cotangent-XXXXXX",
                           parent && parent[0] ? parent : "/tmp");
    if (n < CT__PATH_BYTES && mkdtemp(folder))
        return true;
    return ct__give_reason(reason, "no folder to compile in: %s: %s", folder, strerror(errno));
}

static void join(char path[CT__PATH_BYTES], const char *folder, const char *name)
{
    snprintf(path, CT__PATH_BYTES, "%.*s/%s", CT__PATH_BYTES - 32, folder, name);
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = {"kernel.c", "kernel.so", "log"};
    char path[CT__PATH_BYTES];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        join(path, folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static bool write_source(const char *folder, const char *code, ct__reason *reason)
{
    char path[CT__PATH_BYTES];
    join(path, folder, "kernel.c");
    FILE *file = fopen(path, "we");
    bool fine = file && fputs(code, file) >= 0;
    fine = file && fclose(file) == 0 && fine;
    return fine || ct__give_reason(reason, "%s cannot be written: %s", path, strerror(errno));
}

static void *compile(const char *compiler, const char *code, const ct__cache *cache,
                     const atomic_bool *cancelled, ct__reason *reason)
{
    char folder[CT__PATH_BYTES], object[CT__PATH_BYTES];
    void *library = NULL;
    if (!make_folder(folder, reason))
        return NULL;
    join(object, folder, "kernel.so");
    if (write_source(folder, code, reason) &&
        ct__run_compiler(compiler, folder, cancelled, reason)) {
        const bool stored = cache && ct__cache_store(cache, object);
        library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            ct__give_reason(reason, "%s", dlerror());
        if (!library && stored) /* programs may be allowed there, if not here */
            library = ct__cache_load(cache);
    }
    remove_folder(folder);
    return library;
}

void *ct__load_code(const char *code, const atomic_bool *cancelled, ct__reason *reason)
{
    char compiler[CT__PATH_BYTES];
    ct__cache cache;
    if (!ct__find_compiler(compiler, reason))
        return NULL;
    const bool has_cache = ct__cache_begin(&cache, compiler, code);
    void *library = has_cache ? ct__cache_load(&cache) : NULL;
    if (!library)
        library = compile(compiler, code, has_cache ? &cache : NULL, cancelled, reason);
    ct__cache_end(&cache);
    return library;
}
