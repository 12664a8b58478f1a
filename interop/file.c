#include "interop/interop.h"

#include <errno.h>
#include <string.h>

FILE *ct__file_open(ct_context *ctx, ct_place at, const char *what, const char *path,
                    const char *mode)
{
    char reason[128];
    if (!path) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: the path is NULL", what);
        return NULL;
    }
    FILE *file = fopen(path, mode);
    if (!file)
        ct__error(ctx, at, CT_ERR_FILE, "%s: %s: %s", what, path,
                  strerror_r(errno, reason, sizeof reason) == 0 ? reason : "cannot be opened");
    return file;
}

bool ct__file_close(ct_context *ctx, ct_place at, const char *what, const char *path, FILE *file)
{
    char reason[128];
    bool failed = fflush(file) != 0 || ferror(file);
    int number = errno;
    failed = fclose(file) != 0 || failed;
    if (failed)
        ct__error(ctx, at, CT_ERR_FILE, "%s: %s: %s", what, path,
                  strerror_r(number, reason, sizeof reason) == 0 ? reason : "cannot be written");
    return !failed;
}
