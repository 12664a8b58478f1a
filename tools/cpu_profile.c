#include "tools/cpu_profile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int start_function(const char *path);
typedef void stop_function(void);

static stop_function *stop;

static void *open_library(void)
{
    static const char *const names[] = {"libprofiler.so.0", "libprofiler.so",
                                        "libtcmalloc_and_profiler.so.4"};
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW);
    return library;
}

bool begin_cpu_profile(const char *path)
{
    void *library = open_library(), *symbol[2] = {NULL, NULL};
    start_function *start;
    if (library) {
        symbol[0] = dlsym(library, "ProfilerStart");
        symbol[1] = dlsym(library, "ProfilerStop");
    }
    memcpy(&start, &symbol[0], sizeof start);
    memcpy(&stop, &symbol[1], sizeof stop);
    if (start && stop && start(path))
        return true;
    fprintf(stderr,
            start && stop ? "cotangent: %s: the profile cannot be written\n"
                          : "cotangent: %s: gperftools' profiler is not installed "
                            "(Debian: libgoogle-perftools4)\n",
            path);
    return false;
}

void end_cpu_profile(void)
{
    stop();
}
