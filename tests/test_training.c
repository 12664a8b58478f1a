/* Softmax regression on the digits, by full-batch gradient descent in f64 from zeros: losses and
 * counts of right test rows that were computed independently. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { PIXELS = 64, CLASSES = 10, ROWS = 1797, TRAIN = 1347, TEST_ROWS = 450 };

static const struct milestone {
    int step;
    double loss;
    int right;
} milestones[] = {
    {0, 2.30258509299405, 43},     {1, 2.20335603704956, 388},    {2, 2.10949695973023, 385},
    {10, 1.52195652007140, 385},   {50, 0.600595463013488, 394},  {100, 0.376428206016758, 395},
    {200, 0.243873236969569, 401}, {500, 0.144022986193137, 409},
};

/* Sanitizers slow the interpreter down; fewer steps tell as much about memory. */
#ifdef CT_SANITIZED
enum { LAST_STEP = 50 };
#else
enum { LAST_STEP = 500 };
#endif

static ct_tensor *loss(ct_tensor *w, ct_tensor *b, ct_tensor *x, ct_tensor *target)
{
    ct_tensor *log_p = ct_log_softmax(ct_add(ct_matmul(x, w), b), CT_AXES(1));
    ct_tensor *picked = ct_sum(ct_mul(log_p, target), CT_AXES(1), CT_DROP_AXES);
    return ct_neg(ct_mean(picked, CT_ALL_AXES, CT_DROP_AXES));
}

static void read_digits(double *x, int32_t *label)
{
    char path[1024], line[512];
    snprintf(path, sizeof path, "%s/examples/data/digits.csv.gz", CT_SOURCE_DIR);
    gzFile file = gzopen(path, "rb");
    CHECK(file != NULL);
    for (int row = 0; row < ROWS; row++) {
        CHECK(gzgets(file, line, sizeof line) != NULL);
        char *at = line;
        for (int i = 0; i < PIXELS; i++, at++)
            x[row * PIXELS + i] = (double)strtol(at, &at, 10) / 16;
        label[row] = (int32_t)strtol(at, &at, 10);
    }
    gzclose(file);
}

static int count_right(ct_tensor *w, ct_tensor *b, ct_tensor *x, const int32_t *label)
{
    ct_tensor *y = ct_add(ct_matmul(x, w), b);
    int right = 0;
    for (int64_t i = 0; i < TEST_ROWS; i++) {
        int64_t best = 0;
        for (int64_t c = 1; c < CLASSES; c++)
            if (ct_at(y, i, c) > ct_at(y, i, best))
                best = c;
        right += best == label[i];
    }
    return right;
}

TEST(softmax_regression_reaches_the_known_losses)
{
    double *x_data = malloc(sizeof(double[ROWS * PIXELS]));
    int32_t *label = malloc(sizeof(int32_t[ROWS]));
    CHECK(x_data && label);
    read_digits(x_data, label);
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_from_data(ctx, CT_F64, CT_SHAPE(TRAIN, PIXELS), x_data);
    ct_tensor *x_test = ct_from_data(ctx, CT_F64, CT_SHAPE(TEST_ROWS, PIXELS),
                                     x_data + TRAIN * PIXELS);
    ct_tensor *labels = ct_from_data(ctx, CT_I32, CT_SHAPE(TRAIN), label);
    ct_tensor *target = ct_one_hot(labels, CLASSES, CT_F64);
    ct_tensor *w = ct_zeros(ctx, CT_F64, CT_SHAPE(PIXELS, CLASSES));
    ct_tensor *b = ct_zeros(ctx, CT_F64, CT_SHAPE(CLASSES));
    ct_function *f = ct_trace(ctx, loss, CT_LIKE(w, b, x, target));
    ct_executable *step = ct_compile(ct_value_and_grad(f, CT_ARGS(0, 1)), NULL);

    const struct milestone *next = milestones;
    for (int k = 0; k <= LAST_STEP; k++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *result[3];
        ct_call(step, CT_ARGV(w, b, x, target), result, 3);
        CHECK_OK(ctx);
        if (k == next->step) {
            double value = ct_item(result[0]);
            int right = count_right(w, b, x_test, label + TRAIN);
            CHECK_MSG(fabs(value - next->loss) <= 1e-10 * next->loss && right == next->right,
                      "after %d steps: loss %.15g, %d right", k, value, right);
            next++;
        }
        ct_replace(&w, ct_sub(w, ct_mul(result[1], 0.5)));
        ct_replace(&b, ct_sub(b, ct_mul(result[2], 0.5)));
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
    free(x_data);
    free(label);
}
