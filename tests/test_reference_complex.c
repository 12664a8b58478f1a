/* The reference numerics of complex numbers, against mpmath and worked by hand. */
#include "exec/interpret/interpret.h"
#include "tests/check.h"

#include <cotangent/op.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 256 };

static const ct__numerics *const numerics = &ct__reference_numerics;

typedef struct one_case {
    char text[LINE];
    ct__op op;
    bool by_parts;
    size_t n_operands;
    double operand[2][2], value[2];
} one_case;

static bool read_number(double *number)
{
    for (int part = 0; part < 2; part++) {
        char *word = strtok(NULL, " \n"), *end;
        if (!word || strcmp(word, "=") == 0)
            return false;
        number[part] = strtod(word, &end);
        CHECK(*end == '\0');
    }
    return true;
}

static void read_case(const char *line, one_case *c)
{
    char copy[LINE];
    snprintf(c->text, sizeof c->text, "%.*s", (int)strcspn(line, "\n"), line);
    snprintf(copy, sizeof copy, "%s", line);
    const char *name = strtok(copy, " ");
    for (c->op = (ct__op)0; c->op < CT__OP_COUNT; c->op = (ct__op)(c->op + 1))
        if (strcmp(ct__op_describe(c->op)->name, name) == 0)
            break;
    CHECK_MSG(c->op < CT__OP_COUNT, "%s", c->text);
    c->by_parts = strcmp(strtok(NULL, " "), "PARTS") == 0;
    for (c->n_operands = 0; c->n_operands < 2 && read_number(c->operand[c->n_operands]);)
        c->n_operands++;
    if (c->n_operands == 2)
        CHECK_MSG(strcmp(strtok(NULL, " "), "=") == 0, "%s", c->text);
    CHECK_MSG(c->n_operands > 0 && read_number(c->value), "%s", c->text);
}

static void evaluate(const one_case *c, ct_dtype dtype, const void *x, const void *y, void *z)
{
    if (c->n_operands == 1)
        numerics->unary(c->op, dtype, 1, z, x);
    else
        numerics->binary(c->op, dtype, 1, z, x, 1, y, 1);
}

/* In units of the last place of the part, or of the magnitude. */
static void check_c128(const one_case *c)
{
    const double bound = c->by_parts ? 4 : c->op == CT__OP_power || c->op == CT__OP_atan2 ? 24 : 6;
    double found[2];
    evaluate(c, CT_C128, c->operand[0], c->operand[1], found);
    for (int part = 0; part < 2; part++) {
        double scale = c->by_parts ? fabs(c->value[part]) : hypot(c->value[0], c->value[1]);
        double error = fabs(found[part] - c->value[part]);
        CHECK_MSG(error <= bound * (DBL_EPSILON * scale + 5e-324), "%s gave %a %a", c->text,
                  found[0], found[1]);
    }
}

/* In c64 the operands that it has exactly give the f64's result, rounded. */
static void check_c64(const one_case *c)
{
    float x[2][2] = {{0}}, found[2];
    double wide[2][2], expected[2];
    for (size_t i = 0; i < c->n_operands; i++)
        for (int part = 0; part < 2; part++) {
            x[i][part] = (float)c->operand[i][part];
            wide[i][part] = (double)x[i][part];
        }
    evaluate(c, CT_C64, x[0], x[1], found);
    evaluate(c, CT_C128, wide[0], wide[1], expected);
    for (int part = 0; part < 2; part++)
        CHECK_MSG(found[part] == (float)expected[part] || isnan(expected[part]),
                  "%s as c64 gave %a %a, not %a %a", c->text, (double)found[0], (double)found[1],
                  expected[0], expected[1]);
}

TEST(as_mpmath)
{
    FILE *file = fopen(CT_SOURCE_DIR "/tests/data/complex.txt", "r");
    char line[LINE];
    int cases = 0;
    CHECK(file);
    while (fgets(line, sizeof line, file)) {
        one_case c;
        read_case(line, &c);
        check_c128(&c);
        check_c64(&c);
        cases++;
    }
    fclose(file);
    CHECK(cases > 400);
}

/* ---- Special values. */

static void divide(const double *x, const double *y, double *z)
{
    numerics->binary(CT__OP_divide, CT_C128, 1, z, x, 1, y, 1);
}

TEST(quotients_of_special_values)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    double z[2];
    divide((double[]){1, 2}, (double[]){0, 0}, z);
    CHECK(z[0] == inf && z[1] == inf);
    divide((double[]){-1, 2}, (double[]){-0.0, 0}, z);
    CHECK(z[0] == inf && z[1] == -inf);
    divide((double[]){0, 0}, (double[]){0, 0}, z);
    CHECK(isnan(z[0]) && isnan(z[1]));
    divide((double[]){3, -4}, (double[]){inf, 1}, z);
    CHECK(z[0] == 0 && z[1] == 0);
    divide((double[]){3, -4}, (double[]){nan, inf}, z);
    CHECK(z[0] == 0 && z[1] == 0);
    divide((double[]){inf, nan}, (double[]){2, 0}, z);
    CHECK(isinf(z[0]) || isinf(z[1]));
    divide((double[]){inf, 1}, (double[]){inf, 1}, z);
    CHECK(isnan(z[0]) && isnan(z[1]));
    divide((double[]){nan, 1}, (double[]){2, 3}, z);
    CHECK(isnan(z[0]) && isnan(z[1]));
}

/* Neither infinities nor zeros multiply to anything but what the formula says. */
TEST(products_are_the_formula)
{
    float z[2];
    numerics->binary(CT__OP_multiply, CT_C64, 1, z, (const float[]){INFINITY, 0}, 1,
                     (const float[]){1, 0}, 1);
    CHECK(isnan(z[1]) && z[0] == INFINITY);
    const float x[] = {0x1.000002p0F, 1}, y[] = {0x1.000002p0F, 1};
    numerics->binary(CT__OP_multiply, CT_C64, 1, z, x, 1, y, 1);
    CHECK(z[0] == 0x1p-22F &&
          z[1] == 0x1.000002p1F); /* each product rounded, then the difference */
}

/* The guarded product: 0 where t is 0, and where f is 0 and t is no NaN. */
TEST(scale_is_guarded)
{
    const float inf = INFINITY, nan = NAN;
    const struct {
        float t[2], f[2], z[2];
    } rows[] = {{{0, -0.0F}, {inf, nan}, {0, 0}}, {{inf, 1}, {0, 0}, {0, 0}},
                {{2, 3}, {0, 0}, {0, 0}},         {{2, 3}, {5, -7}, {31, 1}},
                {{0, 2}, {inf, 0}, {nan, inf}},   {{0, nan}, {0, 0}, {nan, nan}},
                {{nan, 0}, {0, 0}, {nan, nan}},   {{1, 0}, {nan, 0}, {nan, nan}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        float z[2];
        numerics->binary(CT__OP_scale, CT_C64, 1, z, rows[i].t, 1, rows[i].f, 1);
        for (int k = 0; k < 2; k++)
            CHECK_MSG(isnan(rows[i].z[k]) ? isnan(z[k]) : z[k] == rows[i].z[k],
                      "row %zu, part %d: %g", i, k, (double)z[k]);
    }
}

/* 0 where either is 0, whatever the other. */
TEST(scale_either_is_guarded)
{
    const float inf = INFINITY, nan = NAN;
    const struct {
        float t[2], u[2], z[2];
    } rows[] = {{{0, -0.0F}, {inf, nan}, {0, 0}}, {{nan, 1}, {0, 0}, {0, 0}},
                {{2, 3}, {0, -0.0F}, {0, 0}},     {{2, 3}, {5, -7}, {31, 1}},
                {{0, 2}, {inf, 0}, {nan, inf}},   {{1, 0}, {nan, 0}, {nan, nan}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        float z[2];
        numerics->binary(CT__OP_scale_either, CT_C64, 1, z, rows[i].t, 1, rows[i].u, 1);
        for (int k = 0; k < 2; k++)
            CHECK_MSG(isnan(rows[i].z[k]) ? isnan(z[k]) : z[k] == rows[i].z[k],
                      "row %zu, part %d: %g", i, k, (double)z[k]);
    }
}

TEST(order_is_lexicographic)
{
    const float x[] = {1, 2, 1, 3, -1, 9, NAN, 0}, y[] = {1, 3, 1, 3, 1, 0, 0, 0};
    static const bool less[] = {true, false, true, false}, at_most[] = {true, true, true, false};
    bool z[4];
    float most[8], least[8];
    numerics->compare(CT_LT, CT_COMPARE_DEFAULT, CT_C64, 4, z, x, y);
    CHECK(memcmp(z, less, sizeof z) == 0);
    numerics->compare(CT_LE, CT_COMPARE_DEFAULT, CT_C64, 4, z, x, y);
    CHECK(memcmp(z, at_most, sizeof z) == 0);
    numerics->compare(CT_GT, CT_COMPARE_DEFAULT, CT_C64, 4, z, y, x);
    CHECK(memcmp(z, less, sizeof z) == 0);
    numerics->compare(CT_GE, CT_COMPARE_DEFAULT, CT_C64, 4, z, y, x);
    CHECK(memcmp(z, at_most, sizeof z) == 0);
    numerics->binary(CT__OP_maximum, CT_C64, 4, most, x, 1, y, 1);
    numerics->binary(CT__OP_minimum, CT_C64, 4, least, x, 1, y, 1);
    CHECK(memcmp(most, y, 6 * sizeof *y) == 0 && isnan(most[6]));
    CHECK(memcmp(least, x, 6 * sizeof *x) == 0 && isnan(least[6]));
}

/* The extremes do not depend on the order of the operands: of equals, zeros are chosen part by
 * part, and any NaN is all of the result. */
TEST(extremes_of_any_order)
{
    const double nan = (double)NAN;
    const struct {
        double x[2], y[2], most[2], least[2];
    } rows[] = {{{0.0, -0.0}, {-0.0, 0.0}, {0.0, 0.0}, {-0.0, -0.0}},
                {{-0.0, 1}, {0.0, -1}, {-0.0, 1}, {0.0, -1}},
                {{-0.0, 1}, {0.0, 1}, {0.0, 1}, {-0.0, 1}},
                {{nan, 1}, {2, nan}, {nan, nan}, {nan, nan}},
                {{nan, 1}, {2, 3}, {nan, nan}, {nan, nan}},
                {{1, nan}, {nan, nan}, {nan, nan}, {nan, nan}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int turn = 0; turn < 2; turn++) {
            const double *x = turn ? rows[i].y : rows[i].x, *y = turn ? rows[i].x : rows[i].y;
            double most[2], least[2];
            numerics->binary(CT__OP_maximum, CT_C128, 1, most, x, 1, y, 1);
            numerics->binary(CT__OP_minimum, CT_C128, 1, least, x, 1, y, 1);
            for (int k = 0; k < 2; k++) {
                CHECK(isnan(rows[i].most[k]) ? isnan(most[k])
                                             : memcmp(&most[k], &rows[i].most[k], 8) == 0);
                CHECK(isnan(rows[i].least[k]) ? isnan(least[k])
                                              : memcmp(&least[k], &rows[i].least[k], 8) == 0);
            }
        }
}

/* x - n y, both parts of n = x / y truncated; of reals as they have it. */
TEST(remainders)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const struct {
        double x[2], y[2], z[2];
    } rows[] = {{{7, 5}, {2, 0}, {1, 1}},         {{-7, 5}, {2, 0}, {-1, 1}},
                {{5, 7}, {0, 2}, {1, 1}},         {{7, 1}, {2, 1}, {0, 0}},
                {{10, 1}, {2, -3}, {2, 0}},       {{5.5, 0}, {-2, 0}, {1.5, 0}},
                {{0x1p60, -0.0}, {3, 0}, {1, 0}}, {{1, 2}, {3, 4}, {1, 2}},
                {{1, 2}, {inf, 1}, {1, 2}},       {{1, 0}, {0, 0}, {nan, nan}},
                {{1, 2}, {0, 0}, {nan, nan}},     {{inf, 2}, {1, 1}, {nan, nan}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double z[2];
        numerics->binary(CT__OP_remainder, CT_C128, 1, z, rows[i].x, 1, rows[i].y, 1);
        for (int k = 0; k < 2; k++)
            CHECK_MSG(isnan(rows[i].z[k]) ? isnan(z[k]) : z[k] == rows[i].z[k],
                      "row %zu, part %d: %g", i, k, z[k]);
    }
}

TEST(signs_and_magnitudes)
{
    float z[2], magnitude;
    numerics->unary(CT__OP_sign, CT_C64, 1, z, (const float[]){NAN, 2});
    CHECK(isnan(z[0]) && isnan(z[1]));
    numerics->unary(CT__OP_sign, CT_C64, 1, z, (const float[]){0, -5});
    CHECK(z[0] == 0 && z[1] == -1);
    numerics->unary(CT__OP_abs, CT_C64, 1, &magnitude, (const float[]){-INFINITY, NAN});
    CHECK(magnitude == INFINITY);
    numerics->unary(CT__OP_abs, CT_C64, 1, &magnitude, (const float[]){3e-45F, 4e-45F});
    CHECK(magnitude > 0);
}
