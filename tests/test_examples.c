/* Every numbered example prints what its file in examples/expected/ says, and README.md shows the
 * first one as it is. */
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything that a stream gives, 0-terminated; NULL when memory is short. */
static char *read_all(FILE *stream)
{
    size_t length = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    for (size_t n = 1; text && n > 0 && length + 1 < capacity; length += n)
        n = fread(text + length, 1, capacity - 1 - length, stream);
    if (text)
        text[length] = '\0';
    return text;
}

static char *read_file(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", CT_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    CHECK_MSG(file != NULL, "%s cannot be read", path);
    char *text = read_all(file);
    fclose(file);
    return text;
}

/* The example's output, and that it ended well. */
static char *run(const char *name)
{
    char command[1024];
    snprintf(command, sizeof command, "cd \"$CT_SOURCE_DIR\" && \"$CT_BIN_DIR/examples/\"%s 2>&1",
             name);
    FILE *pipe = popen(command, "r");
    CHECK_MSG(pipe != NULL, "%s cannot be started", name);
    char *text = read_all(pipe);
    int status = pclose(pipe);
    CHECK_MSG(status == 0, "%s ended with status %d:\n%s", name, status, text);
    return text;
}

static void check_output(const char *name)
{
    char file[256];
    snprintf(file, sizeof file, "examples/expected/%s.txt", name);
    char *expected = read_file(file), *found = run(name);
    CHECK_MSG(strcmp(expected, found) == 0, "%s printed\n%s\nand %s says\n%s", name, found, file,
              expected);
    free(expected);
    free(found);
}

TEST(first)
{
    check_output("01_first");
}

TEST(tracing)
{
    check_output("02_tracing");
}

TEST(derivatives)
{
    check_output("03_derivatives");
}

TEST(clamping)
{
    check_output("04_clamping");
}

TEST(gradient_check)
{
#ifndef CT_ORACLE
    SKIP("without MPFR, differences are known to fewer digits");
#endif
    check_output("05_gradient_check");
}

TEST(fitting_a_curve)
{
    check_output("06_fitting_a_curve");
}

TEST(newton)
{
    check_output("07_newton");
}

TEST(differential_equation)
{
    check_output("08_differential_equation");
}

TEST(minimiser)
{
    check_output("09_minimiser");
}

TEST(xor_network)
{
    check_output("10_xor");
}

TEST(lanes)
{
    check_output("12_lanes");
}

TEST(readme_shows_the_first_example)
{
    char *readme = read_file("README.md"), *example = read_file("examples/01_first.c");
    CHECK_MSG(strstr(readme, example) != NULL, "README.md differs from examples/01_first.c");
    free(readme);
    free(example);
}

/* Three epochs: the checks of the gradient, falling loss, an accuracy that chance does not give. */
TEST(digits)
{
    char *found = run("digits 3 /dev/null");
    double train = 0, test = 0;
    const char *line = strstr(found, "accuracy: ");
    CHECK_MSG(
        line && sscanf(line, "accuracy: %lf %% on the 1347 training rows, %lf", &train, &test) == 2,
        "no accuracy in:\n%s", found);
    CHECK_MSG(train > 85 && test > 80, "%g %% and %g %% after three epochs", train, test);
    free(found);
}
