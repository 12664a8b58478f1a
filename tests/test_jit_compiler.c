/* Compiled C when there is no compiler, or one that fails, hangs or is killed, and when what is on
 * disk cannot be used. Programs run in any case, with the same bits, and say why they are not
 * compiled. */
#include "tests/same.h"

#include <cotangent/cotangent.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- A folder for each test, with a compiler that leaves a line in `calls` for each run. */

typedef struct place {
    char folder[64], cache[96], compiler[96], calls[96];
} place;

static void write_compiler(const place *p, const char *script)
{
    FILE *file = fopen(p->compiler, "w");
    CHECK(file && fprintf(file, "#!/bin/sh\necho >>%s\n%s\n", p->calls, script) > 0);
    CHECK(fclose(file) == 0 && chmod(p->compiler, 0700) == 0);
}

static void begin(place *p, const char *script)
{
    strcpy(p->folder, "/tmp/cotangent-test-XXXXXX");
    CHECK(mkdtemp(p->folder) != NULL);
    snprintf(p->cache, sizeof p->cache, "%s/cache/below", p->folder);
    snprintf(p->compiler, sizeof p->compiler, "%s/compiler", p->folder);
    snprintf(p->calls, sizeof p->calls, "%s/calls", p->folder);
    write_compiler(p, script);
    setenv("CT_CC", p->compiler, 1);
    setenv("CT_CACHE_DIR", p->cache, 1);
    setenv("CT_CC_SECONDS", "60", 1);
    unsetenv("CT_CACHE_BYTES");
}

static void end(const place *p)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", p->folder);
    CHECK(system(command) == 0);
}

static int n_calls(const place *p)
{
    int n = 0;
    FILE *file = fopen(p->calls, "r");
    while (file && getc(file) != EOF)
        n++;
    if (file)
        fclose(file);
    return n;
}

static const char with_cc[] = "exec cc \"$@\"";

/* ---- A program. */

static ct_tensor *code(ct_tensor *x)
{
    return ct_softmax(ct_mul(ct_tanh(x), 3.0), CT_AXES(1));
}

enum { ROWS = 5, COLUMNS = 67 };

static ct_tensor *argument(ct_context *ctx)
{
    return ct_random_normal(ctx, ct_key_new(3), CT_F32, CT_SHAPE(ROWS, COLUMNS));
}

static ct_executable *compile(ct_tensor *x, ct_executor executor, ct_jit jit)
{
    ct_compile_options options = {.size = sizeof options, .executor = executor, .jit = jit};
    return ct_compile(ct_trace(ct_context_of(x), code, CT_LIKE(x)), &options);
}

/* Compiled at once: its state, after a run with the right bits. */
static ct_executable_state try_it(void)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = argument(ctx);
    CHECK(same_as_machine(ct_trace(ctx, code, CT_LIKE(x)), CT_ARGV(x), CT_EXECUTOR_JIT, "softmax"));
    const ct_executable_state state = ct_executable_status(compile(x, CT_EXECUTOR_JIT, 0));
    CHECK(state.kernels > 0 && state.waiting == 0 && state.declined == 0);
    ct_context_free(ctx);
    return state;
}

static void check_failure(const char *script, const char *reason)
{
    place p;
    begin(&p, script);
    setenv("CT_CC_SECONDS", "0.2", 1);
    const ct_executable_state state = try_it();
    CHECK(state.compiled == 0 && state.failed == state.kernels);
    CHECK_MSG(strstr(state.reason, reason) != NULL, "%s", state.reason);
    end(&p);
}

/* ---- Compilers. */

TEST(compilers_that_fail)
{
    check_failure("exit 3", "failed with status 3");
    check_failure("echo 'kernel.c:7: error: a tree is in the way'; exit 1", "a tree is in the way");
    check_failure("kill -9 $$", "ended by signal 9");
    check_failure("sleep 100", "took longer than 0.2 s");
    check_failure("exit 0", "kernel.so");
    check_failure("echo nonsense >kernel.so", "kernel.so");
}

TEST(no_compiler)
{
    place p;
    begin(&p, with_cc);
    setenv("CT_CC", "/nowhere/cc", 1);
    ct_executable_state state = try_it();
    CHECK(state.compiled == 0 && strstr(state.reason, "no compiler /nowhere/cc"));
    char *path = strdup(getenv("PATH"));
    unsetenv("CT_CC");
    setenv("PATH", p.folder, 1);
    state = try_it();
    CHECK(state.compiled == 0 && strstr(state.reason, "no C compiler"));
    setenv("PATH", path, 1);
    free(path);
    end(&p);
}

/* ---- What is on disk. */

static void check_compiled(const place *p, int calls, const char *what)
{
    const ct_executable_state state = try_it();
    CHECK_MSG(state.compiled == state.kernels, "%s: %s", what, state.reason);
    CHECK_MSG(n_calls(p) == calls, "%s: %d calls", what, n_calls(p));
}

/* The path of the only entry. */
static void find_entry(const place *p, char path[256])
{
    DIR *folder = opendir(p->cache);
    int n = 0;
    CHECK(folder != NULL);
    for (struct dirent *file; (file = readdir(folder));)
        if (file->d_name[0] != '.') {
            snprintf(path, 256, "%s/%.100s", p->cache, file->d_name);
            n++;
        }
    closedir(folder);
    CHECK_MSG(n == 1, "%d entries", n);
}

static void change_byte(const char *path, long at)
{
    FILE *file = fopen(path, "r+");
    CHECK(file && fseek(file, at, at < 0 ? SEEK_END : SEEK_SET) == 0);
    const int byte = getc(file);
    CHECK(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET) == 0);
    CHECK(putc(byte ^ 4, file) != EOF && fclose(file) == 0);
}

TEST(cold_and_warm)
{
    place p;
    begin(&p, with_cc);
    check_compiled(&p, 1, "cold"); /* try_it compiles twice */
    check_compiled(&p, 1, "warm");
    write_compiler(&p, "# another one\nexec cc \"$@\"");
    check_compiled(&p, 2, "by another compiler");
    end(&p);
}

TEST(entries_that_are_not_whole)
{
    static const long places[] = {0, 1000, -1, -20, -1000};
    struct stat status;
    char path[256];
    place p;
    int calls = 1;
    begin(&p, with_cc);
    check_compiled(&p, calls, "cold");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        find_entry(&p, path);
        change_byte(path, places[i]);
        check_compiled(&p, ++calls, "changed");
        check_compiled(&p, calls, "replaced");
    }
    for (int cut = 0; cut < 4; cut++) {
        find_entry(&p, path);
        CHECK(stat(path, &status) == 0);
        CHECK(truncate(path, cut == 3 ? 0 : status.st_size - (cut ? 3000L * cut : 1)) == 0);
        check_compiled(&p, ++calls, "truncated");
    }
    find_entry(&p, path);
    CHECK(chmod(path, 0622) == 0);
    check_compiled(&p, ++calls, "writable to others");
    end(&p);
}

/* Nothing is kept, and everything works. */
TEST(folders_that_cannot_be_used)
{
    place p;
    begin(&p, with_cc);
    setenv("CT_CACHE_DIR", "", 1);
    check_compiled(&p, 2, "none");
    setenv("CT_CACHE_DIR", p.compiler, 1);
    check_compiled(&p, 4, "a file");
    setenv("CT_CACHE_DIR", "/proc/no/folder", 1);
    check_compiled(&p, 6, "cannot be made");
    CHECK(mkdir(p.cache, 0700) != 0); /* the folder above is not there either */
    setenv("CT_CACHE_DIR", p.cache, 1);
    check_compiled(&p, 7, "made");
    CHECK(chmod(p.cache, 0777) == 0);
    check_compiled(&p, 9, "writable to others");
    CHECK(chmod(p.cache, 0700) == 0);
    check_compiled(&p, 9, "ours again");
    end(&p);
}

TEST(bounded)
{
    place p;
    char path[256];
    begin(&p, with_cc);
    setenv("CT_CACHE_BYTES", "1", 1);
    check_compiled(&p, 2, "too small for anything");
    unsetenv("CT_CACHE_BYTES");
    check_compiled(&p, 3, "large enough");
    find_entry(&p, path);
    end(&p);
}

/* ---- In the background. */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

TEST(waiting)
{
    place p;
    ct_context *ctx = ct_context_new();
    ct_tensor *x = argument(ctx);
    begin(&p, with_cc);
    ct_executable *f = compile(x, CT_EXECUTOR_CPU, CT_JIT_BACKGROUND);
    CHECK(ct_executable_status(f).waiting == 1 && n_calls(&p) == 0);
    CHECK(ct_executable_wait(f, 60));
    CHECK(ct_executable_status(f).compiled == 1 && n_calls(&p) == 1);
    ct_executable *off = compile(x, CT_EXECUTOR_JIT, CT_JIT_OFF);
    CHECK(ct_executable_wait(off, 60) && ct_executable_status(off).kernels == 0);
    CHECK(ct_executable_wait(NULL, 60) && ct_executable_status(NULL).kernels == 0);
    ct_compile_options options = {.size = sizeof options, .jit = (ct_jit)9};
    CHECK(ct_executable_is_poison(ct_compile(ct_trace(ctx, code, CT_LIKE(x)), &options)));
    CHECK(ct_error_status(ctx) == CT_ERR_ARGUMENT);
    ct_context_free(ctx);
    end(&p);
}

/* An executable that is released while it is compiled, and one behind it in the queue. */
TEST(released_while_it_is_compiled)
{
    place p;
    ct_context *ctx = ct_context_new();
    ct_tensor *x = argument(ctx);
    begin(&p, "sleep 100");
    const double began = seconds_now();
    ct_executable *f = compile(x, CT_EXECUTOR_CPU, CT_JIT_BACKGROUND);
    ct_executable *g = compile(x, CT_EXECUTOR_CPU, CT_JIT_BACKGROUND);
    CHECK(!ct_executable_wait(f, 0.1) && !ct_executable_wait(g, 0.1));
    CHECK(ct_executable_status(f).waiting == 1);
    ct_release_executable(f);
    ct_context_free(ctx);
    CHECK(seconds_now() - began < 30);
    end(&p);
}

/* To the leak sanitizer, what a thread of the parent holds is lost in the child. */
static void end_child(bool fine)
{
#ifdef CT_SANITIZED
    _exit(fine ? 0 : 1);
#else
    exit(fine ? 0 : 1);
#endif
}

/* A process that ends, and one that forks, while it compiles. */
TEST(process_ends_while_it_compiles)
{
#ifdef __SANITIZE_THREAD__
    SKIP("the thread sanitizer ends children that start threads");
#endif
    place p;
    ct_context *ctx = ct_context_new();
    ct_tensor *x = argument(ctx);
    begin(&p, "sleep 100");
    ct_executable *f = compile(x, CT_EXECUTOR_CPU, CT_JIT_BACKGROUND);
    const double began = seconds_now();
    CHECK(!ct_executable_wait(f, 0.1));
    for (int i = 0; i < 3; i++) {
        int status;
        const pid_t child = fork();
        if (child == 0) {
            ct_executable *g = compile(x, CT_EXECUTOR_CPU, CT_JIT_BACKGROUND);
            const bool fine = !ct_executable_wait(g, 0.05) && ct_executable_status(f).failed == 1;
            end_child(ct_equal(ct_call1(f, CT_ARGV(x)), ct_call1(g, CT_ARGV(x))) && fine);
        }
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK(ct_executable_status(f).waiting == 1);
    ct_context_free(ctx);
    CHECK(seconds_now() - began < 30);
    end(&p);
}
