/* Compiled objects on disk, found by what they were made from. Several processes share a folder: a
 * file comes in by being renamed and is never changed. Whatever is wrong with it is as if it were
 * not there. */
#ifndef CT_EXEC_JIT_CACHE_H
#define CT_EXEC_JIT_CACHE_H

#include "exec/jit/compiler.h"
#include "ops/text.h"

typedef struct ct__cache {
    char folder[CT__PATH_BYTES];
    char file[CT__PATH_BYTES]; /* of the entry */
    ct__text key;              /* everything that the object depends on */
} ct__cache;

/* The entry for this code. False where there is no folder, or nothing to tell this machine's
 * processor from others; to be ended in any case.
 *
 * The folder is CT_CACHE_DIR, else cotangent in XDG_CACHE_HOME or in ~/.cache; it is made, must
 * belong to this user and be writable to nobody else. An empty CT_CACHE_DIR means none. */
bool ct__cache_begin(ct__cache *cache, const char *compiler, const char *code);
void ct__cache_end(ct__cache *cache);

/* What dlopen gives for the entry; NULL where there is none that is whole. */
void *ct__cache_load(const ct__cache *cache);
/* Make this object the entry, and remove the oldest ones while there are more than CT_CACHE_BYTES
 * of them, else 256 MiB. */
bool ct__cache_store(const ct__cache *cache, const char *object);

#endif
