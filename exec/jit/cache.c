#define _GNU_SOURCE /* secure_getenv */
#include "exec/jit/cache.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

/* ---- The folder. */

static bool is_ours(const struct stat *status)
{
    return status->st_uid == geteuid() && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* With the folders above it. */
static void make_folders(char *path)
{
    for (char *at = path + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    mkdir(path, 0700);
}

static bool name_folder(char folder[CT__PATH_BYTES])
{
    const char *own = secure_getenv("CT_CACHE_DIR"), *cache = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    int n = 0;
    if (own)
        n = snprintf(folder, CT__PATH_BYTES, "%s", own);
    else if (cache && cache[0] == '/')
        n = snprintf(folder, CT__PATH_BYTES, "%s/cotangent", cache);
    else if (home && home[0] == '/')
        n = snprintf(folder, CT__PATH_BYTES, "%s/.cache/cotangent", home);
    return n > 0 && n < CT__PATH_BYTES - 64; /* a file's name fits behind it */
}

static bool find_folder(char folder[CT__PATH_BYTES])
{
    struct stat status;
    if (!name_folder(folder))
        return false;
    if (stat(folder, &status) != 0)
        make_folders(folder);
    return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) && is_ours(&status);
}

/* ---- The key. */

enum { FORMAT = 1 }; /* of the files; the code says all else of this library */

static bool is_of_processor(const char *line)
{
    static const char *const names[] = {"model name", "flags",       "Features", "CPU implementer",
                                        "CPU part",   "CPU variant", "isa",      "uarch"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(line, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The first processor: its name, and what it can do. */
static bool add_processor(ct__text *key)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char *line = NULL;
    size_t bytes = 0, found = 0;
    while (file && getline(&line, &bytes, file) > 1) /* up to an empty line */
        if (is_of_processor(line)) {
            ct__text_add(key, "%s", line);
            found++;
        }
    free(line);
    if (file)
        fclose(file);
    return found > 0;
}

static bool add_compiler(ct__text *key, const char *compiler)
{
    struct stat status;
    char *path = realpath(compiler, NULL);
    const bool fine = path && stat(path, &status) == 0;
    if (fine)
        ct__text_add(key, "%s %lld bytes of %lld.%09ld\n", path, (long long)status.st_size,
                     (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    free(path);
    for (size_t i = 0; ct__compiler_options[i]; i++)
        ct__text_add(key, "%s\n", ct__compiler_options[i]);
    return fine;
}

static uint64_t hash_of(const ct__text *key, uint64_t hash)
{
    for (size_t i = 0; i < key->length; i++)
        hash = (hash ^ (unsigned char)key->data[i]) * 0x100000001b3;
    return hash;
}

bool ct__cache_begin(ct__cache *cache, const char *compiler, const char *code)
{
    ct__text_init(&cache->key, &ct__libc_allocator);
    ct__text_add(&cache->key, "%d\n", FORMAT);
    if (!find_folder(cache->folder) || !add_compiler(&cache->key, compiler) ||
        !add_processor(&cache->key))
        return false;
    ct__text_add(&cache->key, "%s", code);
    if (cache->key.failed)
        return false;
    snprintf(cache->file, sizeof cache->file, "%.*s/%016" PRIx64 "%016" PRIx64 ".so",
             CT__PATH_BYTES - 64, cache->folder, hash_of(&cache->key, 0xcbf29ce484222325),
             hash_of(&cache->key, 0x84222325cbf29ce4));
    return true;
}

void ct__cache_end(ct__cache *cache)
{
    ct__text_free(&cache->key);
}

/* ---- Entries: the object, the key, and this behind them, which loaders do not see. */

typedef struct ending {
    char magic[8];
    uint64_t object_bytes, key_bytes;
    uint32_t check; /* of all before */
    uint32_t own;   /* of this, up to here */
} ending;

static const char magic[8] = "ctkernel";

static uint32_t check_of(uint32_t check, const void *data, size_t bytes)
{
    return (uint32_t)crc32_z(check, data, bytes);
}

static ending make_ending(const ct__cache *cache, const void *object, size_t bytes)
{
    ending e = {.object_bytes = bytes, .key_bytes = cache->key.length};
    memcpy(e.magic, magic, sizeof magic);
    e.check = check_of(check_of(0, object, bytes), cache->key.data, cache->key.length);
    e.own = check_of(0, &e, offsetof(ending, own));
    return e;
}

/* All of a file, to be freed; NULL when it cannot be read. */
static unsigned char *read_all(int file, size_t bytes)
{
    unsigned char *data = malloc(bytes + 1);
    size_t done = 0;
    while (data && done < bytes) {
        const ssize_t n = read(file, data + done, bytes - done);
        if (n <= 0) {
            free(data);
            return NULL;
        }
        done += (size_t)n;
    }
    return data;
}

static bool is_whole(const ct__cache *cache, const unsigned char *data, size_t bytes)
{
    ending found;
    if (bytes < sizeof found + cache->key.length)
        return false;
    const size_t object_bytes = bytes - sizeof found - cache->key.length;
    const ending want = make_ending(cache, data, object_bytes);
    memcpy(&found, data + bytes - sizeof found, sizeof found);
    return memcmp(&found, &want, sizeof found) == 0 &&
           memcmp(data + object_bytes, cache->key.data, cache->key.length) == 0;
}

/* The bytes that have been looked at are those that are loaded: the name still is this file's. */
static void *load_checked(const ct__cache *cache, int file)
{
    struct stat looked_at, loaded;
    if (fstat(file, &looked_at) != 0 || !S_ISREG(looked_at.st_mode) || !is_ours(&looked_at))
        return NULL;
    unsigned char *data = read_all(file, (size_t)looked_at.st_size);
    const bool whole = data && is_whole(cache, data, (size_t)looked_at.st_size);
    free(data);
    void *library = whole ? dlopen(cache->file, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library && (stat(cache->file, &loaded) != 0 || loaded.st_ino != looked_at.st_ino ||
                    loaded.st_dev != looked_at.st_dev)) {
        dlclose(library);
        library = NULL;
    }
    return library;
}

void *ct__cache_load(const ct__cache *cache)
{
    const int file = open(cache->file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return NULL;
    void *library = load_checked(cache, file);
    if (library)
        futimens(file, NULL); /* the oldest are those that nobody used for long */
    close(file);
    return library;
}

/* ---- Storing. */

static bool write_all(int file, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    while (bytes > 0) {
        const ssize_t n = write(file, at, bytes);
        if (n <= 0)
            return false;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

static bool write_entry(const ct__cache *cache, int to, const char *object)
{
    struct stat status;
    const int from = open(object, O_RDONLY | O_CLOEXEC);
    unsigned char *data = NULL;
    if (from >= 0 && fstat(from, &status) == 0)
        data = read_all(from, (size_t)status.st_size);
    if (from >= 0)
        close(from);
    if (!data)
        return false;
    const ending e = make_ending(cache, data, (size_t)status.st_size);
    const bool fine = write_all(to, data, (size_t)status.st_size) &&
                      write_all(to, cache->key.data, cache->key.length) &&
                      write_all(to, &e, sizeof e);
    free(data);
    return fine;
}

/* ---- Bounding. */

typedef struct entry {
    char name[64];
    struct timespec time;
    size_t bytes;
} entry;

typedef struct entries {
    size_t count, capacity, bytes;
    entry *item;
} entries;

static bool is_entry(const char *name)
{
    const size_t digits = strspn(name, "0123456789abcdef");
    return digits == 32 && strcmp(name + digits, ".so") == 0;
}

/* What a process that ended while it wrote has left. */
static bool is_left_over(const char *name, const struct stat *status)
{
    return strncmp(name, "new-", 4) == 0 && time(NULL) - status->st_mtime > 3600;
}

static void list_entries(int folder, DIR *files, entries *list)
{
    struct dirent *file;
    struct stat status;
    while ((file = readdir(files))) {
        if (fstatat(folder, file->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (is_left_over(file->d_name, &status))
            unlinkat(folder, file->d_name, 0);
        if (!is_entry(file->d_name) || !ct__grow(&ct__libc_allocator, &list->item, &list->capacity,
                                                 list->count + 1, sizeof *list->item))
            continue;
        entry *e = &list->item[list->count++];
        memcpy(e->name, file->d_name, strlen(file->d_name) + 1); /* as long as is_entry says */
        e->time = status.st_mtim;
        e->bytes = (size_t)status.st_size;
        list->bytes += e->bytes;
    }
}

static int by_time(const void *x, const void *y)
{
    const struct timespec a = ((const entry *)x)->time, b = ((const entry *)y)->time;
    if (a.tv_sec != b.tv_sec)
        return a.tv_sec < b.tv_sec ? -1 : 1;
    return a.tv_nsec < b.tv_nsec ? -1 : a.tv_nsec > b.tv_nsec;
}

static size_t most_bytes(void)
{
    const char *text = secure_getenv("CT_CACHE_BYTES");
    const double bytes = text ? strtod(text, NULL) : 0;
    return bytes > 0 ? (size_t)bytes : (size_t)256 << 20;
}

static void trim(const ct__cache *cache)
{
    entries list = {0};
    const size_t most = most_bytes();
    DIR *files = opendir(cache->folder);
    if (!files)
        return;
    list_entries(dirfd(files), files, &list);
    if (list.count > 0)
        qsort(list.item, list.count, sizeof *list.item, by_time);
    for (size_t i = 0; i < list.count && list.bytes > most; i++)
        if (unlinkat(dirfd(files), list.item[i].name, 0) == 0)
            list.bytes -= list.item[i].bytes;
    closedir(files);
    ct__release(&ct__libc_allocator, list.item, list.capacity * sizeof *list.item);
}

bool ct__cache_store(const ct__cache *cache, const char *object)
{
    char path[CT__PATH_BYTES + 16];
    snprintf(path, sizeof path, "%s/new-XXXXXX", cache->folder);
    const int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return false;
    bool fine = write_entry(cache, file, object);
    fine = close(file) == 0 && fine;
    fine = fine && rename(path, cache->file) == 0;
    if (!fine)
        unlink(path);
    else
        trim(cache);
    return fine;
}
