#include "tests/check.h"

#include <cotangent/base.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What `cotangent ARGUMENTS` printed, and its exit status. */
typedef struct outcome {
    char text[32768];
    int status;
} outcome;

static void run(outcome *o, const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "\"$CT_BIN_DIR/cotangent\" %s", arguments);
    FILE *pipe = popen(command, "r");
    CHECK(pipe != NULL);
    size_t n = fread(o->text, 1, sizeof o->text - 1, pipe);
    o->text[n] = '\0';
    int status = pclose(pipe);
    o->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static size_t lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Nothing on stdout, exit status 2, and one line on stderr that holds `part`. */
static void check_usage(int line, const char *arguments, const char *part)
{
    char quiet[512], both[512];
    outcome o;
    snprintf(quiet, sizeof quiet, "%s 2>/dev/null", arguments);
    run(&o, quiet);
    if (o.status != 2 || o.text[0])
        check_fail(__FILE__, line, "status %d, stdout: %s", o.status, o.text);
    snprintf(both, sizeof both, "%s 2>&1", arguments);
    run(&o, both);
    if (lines(o.text) != 1 || !strstr(o.text, part))
        check_fail(__FILE__, line, "stderr: %s", o.text);
}
#define CHECK_USAGE(arguments, part) check_usage(__LINE__, arguments, part)

TEST(help_and_version)
{
    outcome o;
    char version[64];
    run(&o, "--version");
    snprintf(version, sizeof version, "cotangent %s\n", ct_version());
    CHECK_MSG(o.status == 0 && strcmp(o.text, version) == 0, "%s", o.text);
    run(&o, "--help");
    CHECK(o.status == 0 && strstr(o.text, "usage: cotangent VERB"));
    CHECK(strstr(o.text, "  ops ") && strstr(o.text, "  --version "));
}

/* A line for every row. */
TEST(ops)
{
    static const char *const name[] = {
#define OP(name, ...) "\n" #name " ",
#include "ops/ops.def"
#undef OP
    };
    outcome o;
    run(&o, "ops");
    CHECK(o.status == 0);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        CHECK_MSG(strstr(o.text, name[i]), "no%s", name[i]);
    CHECK(lines(o.text) == sizeof name / sizeof *name + 1);
    CHECK(strstr(o.text, " floats, complexes ") && strstr(o.text, " any "));
}

TEST(one_operation)
{
    outcome o;
    run(&o, "ops dynamic_slice");
    CHECK(o.status == 0);
    CHECK(strstr(o.text, "spelling    stablehlo.dynamic_slice\n"));
    CHECK(strstr(o.text, "operands    x start...\n"));
    CHECK(strstr(o.text, "traits      moves_data, linear_in(0), indexes\n"));
    CHECK(strstr(o.text, "jvp         yes\n"));
    run(&o, "ops floor");
    CHECK(strstr(o.text, "dtypes      floats\n"));
    CHECK(strstr(o.text, "jvp         piecewise constant\n"));
    CHECK(strstr(o.text, "transpose   not linear\n"));
}

TEST(usage_errors)
{
    CHECK_USAGE("", "a verb is missing");
    CHECK_USAGE("fly", "unknown verb 'fly'");
    CHECK_USAGE("--fly", "unknown option '--fly'");
    CHECK_USAGE("ops fly", "there is no operation 'fly'");
    CHECK_USAGE("ops abs add", "'add'");
    CHECK_USAGE("--help ops", "'ops'");
    CHECK_USAGE("--version 2", "'2'");
}

TEST(full_disk)
{
    outcome o;
    if (access("/dev/full", W_OK) != 0)
        SKIP("there is no /dev/full");
    run(&o, "ops 2>&1 >/dev/full");
    CHECK_MSG(o.status == 2 && strstr(o.text, "cannot write"), "%d %s", o.status, o.text);
}
