#define _GNU_SOURCE /* secure_getenv */
#include "exec/jit/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool ct__give_reason(ct__reason *reason, const char *format, ...)
{
    va_list arguments;
    if (reason->text[0])
        return false;
    va_start(arguments, format);
    vsnprintf(reason->text, sizeof reason->text, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- Finding it. */

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static bool find_in_path(const char *name, char path[CT__PATH_BYTES])
{
    const char *folders = secure_getenv("PATH");
    for (const char *at = folders ? folders : "/usr/bin:/bin"; at;) {
        const char *end = strchr(at, ':');
        const int length = end ? (int)(end - at) : (int)strlen(at);
        int n = snprintf(path, CT__PATH_BYTES, "%.*s/%s", length, at, name);
        if (length > 0 && n < CT__PATH_BYTES && is_program(path))
            return true;
        at = end ? end + 1 : NULL;
    }
    return false;
}

static bool find_named(const char *name, char path[CT__PATH_BYTES])
{
    if (!strchr(name, '/'))
        return find_in_path(name, path);
    return snprintf(path, CT__PATH_BYTES, "%s", name) < CT__PATH_BYTES && is_program(path);
}

bool ct__find_compiler(char path[CT__PATH_BYTES], ct__reason *reason)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    const char *asked = secure_getenv("CT_CC");
    if (asked && asked[0])
        return find_named(asked, path) || ct__give_reason(reason, "no compiler %s (CT_CC)", asked);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (find_in_path(names[i], path))
            return true;
    return ct__give_reason(reason, "no C compiler: neither cc, gcc nor clang is in PATH");
}

/* ---- Running it. */

/* The numerics round every operation on its own. gcc 12 drops the rounding of (double)(float)x
 * where it computes two neighbours as one vector of two. */
const char *const ct__compiler_options[] = {"-std=gnu11",
                                            "-O3",
#if defined(__x86_64__) || defined(__i386__)
                                            "-march=native",
#else
                                            "-mcpu=native",
#endif
                                            "-ffp-contract=off",
                                            "-fno-math-errno",
                                            "-fno-trapping-math",
                                            "-fno-strict-aliasing",
                                            "-fno-tree-slp-vectorize",
                                            "-fPIC",
                                            "-shared",
                                            "-nostdlib",
                                            "-w",
                                            "-xc",
                                            "kernel.c",
                                            "-okernel.so",
                                            NULL};

/* A process group of its own, with all signals as they are by default, in the folder. */
static int spawn(const char *compiler, char *const *arguments, const char *folder, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int error = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (error == 0)
        error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_addopen(&actions, 1, "log", O_WRONLY | O_CREAT, 0600);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    if (error == 0)
        error = posix_spawn(child, compiler, &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_limit(void)
{
    const char *text = secure_getenv("CT_CC_SECONDS");
    const double seconds = text ? strtod(text, NULL) : 0;
    return seconds > 0 ? seconds : 30;
}

/* Whether the child has ended, or somebody else has seen it end, who waits for any child: then its
 * status is taken to be 0, and what it wrote decides. */
static bool has_ended(pid_t child, int *status)
{
    pid_t ended = waitpid(child, status, WNOHANG);
    if (ended < 0 && errno == ECHILD)
        *status = 0;
    return ended == child || (ended < 0 && errno == ECHILD);
}

static void stop(pid_t child, int *status)
{
    kill(-child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
}

/* False after stopping it. */
static bool wait_for(pid_t child, const atomic_bool *cancelled, int *status, ct__reason *reason)
{
    const struct timespec pause = {0, 1000000};
    const double end = seconds_now() + time_limit();
    while (!has_ended(child, status)) {
        const bool late = seconds_now() > end;
        if (late || atomic_load(cancelled)) {
            stop(child, status);
            return ct__give_reason(
                reason, late ? "the compiler took longer than %g s" : "cancelled", time_limit());
        }
        nanosleep(&pause, NULL);
    }
    return true;
}

/* The first line of the log that says why. */
static bool read_log(const char *compiler, const char *folder, int status, ct__reason *reason)
{
    char path[CT__PATH_BYTES + 16], line[256] = "";
    snprintf(path, sizeof path, "%s/log", folder);
    FILE *log = fopen(path, "re");
    bool found = false;
    while (log && !found && fgets(line, sizeof line, log))
        found = strstr(line, "error") != NULL;
    if (log)
        fclose(log);
    line[strcspn(line, "\n")] = '\0';
    if (WIFSIGNALED(status))
        return ct__give_reason(reason, "%s was ended by signal %d", compiler, WTERMSIG(status));
    return ct__give_reason(reason, "%s failed with status %d%s%s", compiler, WEXITSTATUS(status),
                           line[0] ? ": " : "", line);
}

bool ct__run_compiler(const char *compiler, const char *folder, const atomic_bool *cancelled,
                      ct__reason *reason)
{
    enum { MOST = 32 };
    char *arguments[MOST] = {(char *)(uintptr_t)compiler};
    pid_t child;
    int status = 0;
    for (size_t i = 0; ct__compiler_options[i]; i++)
        arguments[i + 1] = (char *)(uintptr_t)ct__compiler_options[i];
    int error = spawn(compiler, arguments, folder, &child);
    if (error != 0)
        return ct__give_reason(reason, "%s cannot be run: %s", compiler, strerror(error));
    if (!wait_for(child, cancelled, &status, reason))
        return false;
    return status == 0 || read_log(compiler, folder, status, reason);
}
