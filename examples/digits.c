/* Reads handwritten digits, traces the loss of a 64-32-10 network, differentiates it, checks the
 * gradient in two ways, trains with Adam, and draws the loss as digits.svg.
 *
 *     digits [EPOCHS [SVG]]        run from the top folder of the source tree */
#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum { PIXELS = 64, HIDDEN = 32, CLASSES = 10, ROWS = 1797, TRAIN = 1347, TEST = ROWS - TRAIN };
enum { BATCH = 32, BATCHES = TRAIN / BATCH, EPOCHS = 30 };

/* ---- The network: plain C over tensors. A struct of tensors is a tree of parameters. */

typedef struct network {
    ct_tensor *w1, *b1, *w2, *b2;
} network;

enum { LEAVES = sizeof(network) / sizeof(ct_tensor *) };

static ct_tensor *logits(ct_tensor **leaves, ct_tensor *x)
{
    network *p = (network *)leaves;
    ct_tensor *hidden = ct_name(ct_relu(ct_add(ct_matmul(x, p->w1), p->b1)), "hidden");
    return ct_add(ct_matmul(hidden, p->w2), p->b2);
}

/* The mean of -log softmax(logits)[label]; x [n, 64], label [n]. */
static ct_tensor *loss(ct_tensor **leaves, ct_tensor *x, ct_tensor *label)
{
    ct_tensor *log_p = ct_log_softmax(logits(leaves, x), CT_AXES(-1));
    ct_tensor *picked = ct_take_along_axis(log_p, ct_expand_dims(label, CT_AXES(1)), 1, CT_STRICT);
    return ct_neg(ct_mean(picked, CT_ALL_AXES, CT_DROP_AXES));
}

/* He's initialisation: normal with variance 2 / fan-in; biases zero. */
static network initial_network(ct_context *ctx, ct_dtype dtype, ct_key key)
{
    ct_tensor *w1 = ct_random_normal(ctx, ct_key_fold(key, 1), dtype, CT_SHAPE(PIXELS, HIDDEN));
    ct_tensor *w2 = ct_random_normal(ctx, ct_key_fold(key, 2), dtype, CT_SHAPE(HIDDEN, CLASSES));
    return (network){.w1 = ct_mul(w1, sqrt(2.0 / PIXELS)),
                     .b1 = ct_zeros(ctx, dtype, CT_SHAPE(HIDDEN)),
                     .w2 = ct_mul(w2, sqrt(2.0 / HIDDEN)),
                     .b2 = ct_zeros(ctx, dtype, CT_SHAPE(CLASSES))};
}

/* ---- Adam (Kingma, Ba 2014): one step as a traced function, gradient included. */

static const double rate = 0.003, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;

/* Parameters: the network, the two moments of each leaf, the step's number, x, labels. Results: the
 * new network and moments, then the loss before the step. */
static void adam_step(void *value_and_grad, ct_list in, ct_tensor **out)
{
    ct_tensor *const *leaf = in.item, *const *m = leaf + LEAVES, *const *v = m + LEAVES;
    ct_tensor *step = in.item[3 * LEAVES], *x = in.item[3 * LEAVES + 1],
              *y = in.item[3 * LEAVES + 2];
    ct_tensor *result[1 + LEAVES];
    ct_apply(value_and_grad, CT_ARGV(leaf[0], leaf[1], leaf[2], leaf[3], x, y), result, 1 + LEAVES);
    ct_tensor *scale1 = ct_sub(1, ct_pow(beta1, step)), *scale2 = ct_sub(1, ct_pow(beta2, step));
    for (int i = 0; i < LEAVES; i++) {
        ct_tensor *g = result[1 + i];
        ct_tensor *mean = ct_add(ct_mul(m[i], beta1), ct_mul(g, 1 - beta1));
        ct_tensor *square = ct_add(ct_mul(v[i], beta2), ct_mul(ct_square(g), 1 - beta2));
        ct_tensor *size = ct_add(ct_sqrt(ct_div(square, scale2)), epsilon);
        out[i] = ct_sub(leaf[i], ct_mul(ct_div(ct_div(mean, scale1), size), rate));
        out[LEAVES + i] = mean;
        out[2 * LEAVES + i] = square;
    }
    out[3 * LEAVES] = result[0];
}

/* ---- Data. */

typedef struct digits {
    ct_tensor *x;     /* [1797, 64], grey values in 0…1 */
    ct_tensor *label; /* i32[1797] */
} digits;

static bool parse_row(const char *line, double *pixel, int32_t *label)
{
    for (int i = 0; i <= PIXELS; i++) {
        char *end;
        long value = strtol(line, &end, 10);
        if (end == line || (i < PIXELS && *end != ','))
            return false;
        if (i < PIXELS)
            pixel[i] = (double)value / 16;
        else
            *label = (int32_t)value;
        line = end + 1;
    }
    return true;
}

static bool read_digits(ct_context *ctx, const char *path, digits *data)
{
    double *x = malloc(sizeof(double[ROWS][PIXELS]));
    int32_t *label = malloc(sizeof(int32_t[ROWS]));
    gzFile file = gzopen(path, "rb");
    char line[512];
    int row = 0;
    while (file && x && label && row < ROWS && gzgets(file, line, sizeof line) &&
           parse_row(line, x + (size_t)row * PIXELS, &label[row]))
        row++;
    if (file)
        gzclose(file);
    if (row == ROWS) {
        data->x = ct_from_doubles(ctx, CT_F32, CT_SHAPE(ROWS, PIXELS), x);
        data->label = ct_from_data(ctx, CT_I32, CT_SHAPE(ROWS), label);
    } else {
        fprintf(stderr, "%s: %s\n", path,
                file ? "a row is missing or malformed" : "cannot be read");
    }
    free(x);
    free(label);
    return row == ROWS;
}

static ct_tensor *rows(ct_tensor *x, int64_t first, int64_t count)
{
    ct_tensor *index = ct_arange(ct_context_of(x), CT_I64, (double)first, (double)(first + count),
                                 1);
    return ct_take(x, index, 0, CT_CLAMP);
}

/* ---- Checking the gradient, in f64 on 100 rows. */

static double inner(ct_list a, ct_list b)
{
    double sum = 0;
    for (size_t i = 0; i < a.count; i++)
        sum += ct_item(ct_sum(ct_mul(a.item[i], b.item[i]), CT_ALL_AXES, CT_DROP_AXES));
    return sum;
}

static network random_direction(ct_context *ctx, ct_key key)
{
    return (network){
        .w1 = ct_random_normal(ctx, ct_key_fold(key, 1), CT_F64, CT_SHAPE(PIXELS, HIDDEN)),
        .b1 = ct_random_normal(ctx, ct_key_fold(key, 2), CT_F64, CT_SHAPE(HIDDEN)),
        .w2 = ct_random_normal(ctx, ct_key_fold(key, 3), CT_F64, CT_SHAPE(HIDDEN, CLASSES)),
        .b2 = ct_random_normal(ctx, ct_key_fold(key, 4), CT_F64, CT_SHAPE(CLASSES))};
}

static double loss_at(const network *p, const network *d, double h, ct_tensor *x, ct_tensor *label)
{
    network moved = {ct_add(p->w1, ct_mul(d->w1, h)), ct_add(p->b1, ct_mul(d->b1, h)),
                     ct_add(p->w2, ct_mul(d->w2, h)), ct_add(p->b2, ct_mul(d->b2, h))};
    return ct_item(loss((ct_tensor **)&moved, x, label)); /* the same C code, run directly */
}

/* The largest relative difference between <gradient, d> and a central difference along d. */
static double difference_error(ct_function *f, network *p, ct_tensor *x, ct_tensor *label)
{
    ct_context *ctx = ct_context_of(x);
    ct_tensor *g[LEAVES];
    double worst = 0, h = 1e-6;
    ct_apply(ct_grad(f, CT_ARGS(0)), CT_ARGV(p->w1, p->b1, p->w2, p->b2, x, label), g, LEAVES);
    for (uint64_t i = 0; i < 5; i++) {
        network d = random_direction(ctx, ct_key_new(100 + i));
        double slope = (loss_at(p, &d, h, x, label) - loss_at(p, &d, -h, x, label)) / (2 * h);
        worst = fmax(worst, fabs(inner(CT_LIST(LEAVES, g), CT_TREE(&d)) - slope) / fabs(slope));
    }
    return worst;
}

/* |<ybar, J d> - <J' ybar, d>| / |<ybar, J d>| for the logits. */
static double adjoint_error(network *p, ct_tensor *x)
{
    ct_context *ctx = ct_context_of(x);
    ct_function *f = ct_trace_tree(ctx, logits, CT_TREE(p), CT_LIKE(x));
    network d = random_direction(ctx, ct_key_new(7));
    ct_tensor *forward[2], *backward[LEAVES];
    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(p->w1, p->b1, p->w2, p->b2, x, d.w1, d.b1, d.w2, d.b2),
             forward, 2);
    ct_tensor *ybar = ct_random_normal(ctx, ct_key_new(8), CT_F64, ct_shape_of(forward[1]));
    ct_apply(ct_vjp(f, CT_ARGS(0)), CT_ARGV(p->w1, p->b1, p->w2, p->b2, x, ybar), backward, LEAVES);
    double left = inner(CT_ARGV(ybar), CT_ARGV(forward[1]));
    return fabs(left - inner(CT_LIST(LEAVES, backward), CT_TREE(&d))) / fabs(left);
}

static bool check_gradient(ct_context *ctx, const digits *data)
{
    ct_scope scope = ct_scope_begin(ctx);
    ct_tensor *x = ct_cast(rows(data->x, 0, 100), CT_F64), *label = rows(data->label, 0, 100);
    network p = initial_network(ctx, CT_F64, ct_key_new(2));
    ct_function *f = ct_trace_tree(ctx, loss, CT_TREE(&p), CT_LIKE(x, label));
    double differences = difference_error(f, &p, x, label), adjoint = adjoint_error(&p, x);
    printf("gradient against central differences, 5 directions: relative error %.1e\n",
           differences);
    printf("forward against reverse, <ybar, J d> = <J' ybar, d>: relative error %.1e\n", adjoint);
    ct_scope_end(scope);
    return differences < 1e-6 && adjoint < 1e-12;
}

/* ---- Training. */

static double accuracy(ct_executable *f, const network *p, ct_tensor *x, ct_tensor *label)
{
    ct_tensor *y = ct_call1(f, CT_ARGV(p->w1, p->b1, p->w2, p->b2, x));
    int64_t n = ct_dim(y, 0), right = 0;
    for (int64_t i = 0; i < n && !ct_is_poison(y); i++) {
        int64_t best = 0;
        for (int64_t c = 1; c < CLASSES; c++)
            if (ct_at(y, i, c) > ct_at(y, i, best))
                best = c;
        right += best == ct_at_int(label, i);
    }
    return (double)right / (double)n;
}

static void show_progress(int epoch, int epochs, double loss_now)
{
    if (!isatty(STDOUT_FILENO)) {
        printf("epoch %2d of %d: loss %.4f\n", epoch, epochs, loss_now);
        return;
    }
    int filled = 30 * epoch / epochs;
    printf("\r[%.*s%*s] epoch %2d of %d, loss %.4f ", filled, "##############################",
           30 - filled, "", epoch, epochs, loss_now);
    if (epoch == epochs)
        putchar('\n');
    fflush(stdout);
}

/* One pass over shuffled batches; state holds the network and its moments. The mean loss. */
static double train_epoch(ct_executable *step, ct_tensor **state, const digits *data, int epoch)
{
    ct_context *ctx = ct_context_of(data->x);
    ct_tensor *order = ct_random_permutation(ctx, ct_key_new((uint64_t)epoch), TRAIN);
    double total = 0;
    for (int b = 0; b < BATCHES; b++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *index = ct_slice(order, CT_SHAPE(b * BATCH), CT_SHAPE((b + 1) * BATCH),
                                    CT_SHAPE(1));
        ct_tensor *argument[3 * LEAVES + 3], *result[3 * LEAVES + 1];
        for (int i = 0; i < 3 * LEAVES; i++)
            argument[i] = state[i];
        argument[3 * LEAVES] = ct_scalar(ctx, CT_F32, (epoch - 1) * BATCHES + b + 1);
        argument[3 * LEAVES + 1] = ct_take(data->x, index, 0, CT_STRICT);
        argument[3 * LEAVES + 2] = ct_take(data->label, index, 0, CT_STRICT);
        ct_call(step, CT_LIST(3 * LEAVES + 3, argument), result, 3 * LEAVES + 1);
        for (int i = 0; i < 3 * LEAVES; i++)
            ct_replace(&state[i], result[i]);
        total += ct_item(result[3 * LEAVES]);
        ct_scope_end(scope);
    }
    return total / BATCHES;
}

/* Trace, differentiate, trace the step around the gradient, compile. */
static ct_executable *compile_step(ct_context *ctx, ct_tensor **state)
{
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(BATCH, PIXELS));
    ct_tensor *label = ct_spec(ctx, CT_I32, CT_SHAPE(BATCH));
    ct_function *f = ct_trace_tree(ctx, loss, CT_LIST(LEAVES, state), CT_LIKE(x, label));
    ct_function *g = ct_value_and_grad(f, CT_ARGS(0));
    ct_tensor *example[3 * LEAVES + 3];
    for (int i = 0; i < 3 * LEAVES; i++)
        example[i] = state[i];
    example[3 * LEAVES] = ct_spec(ctx, CT_F32, CT_SHAPE());
    example[3 * LEAVES + 1] = x;
    example[3 * LEAVES + 2] = label;
    printf("loss: %zu operations; with its gradient: %zu\n", ct_function_operations(f),
           ct_function_operations(g));
    ct_list examples = {3 * LEAVES + 3, example};
    return ct_compile(ct_trace_many(ctx, adam_step, g, 3 * LEAVES + 1, examples), NULL);
}

/* ---- The loss curve. */

static bool draw(const char *path, const double *curve, int count)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 360\" "
                  "font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<rect width=\"640\" height=\"360\" fill=\"white\"/>\n"
                  "<text x=\"320\" y=\"22\" text-anchor=\"middle\" font-size=\"14\">"
                  "Digits, 64-32-10 network: training loss</text>\n");
    for (int i = 0; i <= 4; i++) {
        double y = 320 - 70 * i, value = curve[0] * i / 4;
        fprintf(file,
                "<path d=\"M50 %gH620\" stroke=\"#ddd\"/><text x=\"44\" y=\"%g\" "
                "text-anchor=\"end\">%.2f</text>\n",
                y, y + 4, value);
    }
    fprintf(file, "<polyline fill=\"none\" stroke=\"#c33\" stroke-width=\"2\" points=\"");
    for (int i = 0; i < count; i++)
        fprintf(file, "%g,%g ", 50 + 570.0 * i / (count > 1 ? count - 1 : 1),
                320 - 280 * curve[i] / curve[0]);
    fprintf(file,
            "\"/>\n<text x=\"50\" y=\"340\">1</text>"
            "<text x=\"620\" y=\"340\" text-anchor=\"end\">epoch %d</text>\n</svg>\n",
            count);
    return fclose(file) == 0;
}

/* ---- All of it. */

static bool train(ct_context *ctx, const digits *data, int epochs, const char *svg)
{
    network p = initial_network(ctx, CT_F32, ct_key_new(1));
    ct_tensor *state[3 * LEAVES] = {p.w1, p.b1, p.w2, p.b2};
    for (int i = LEAVES; i < 3 * LEAVES; i++)
        state[i] = ct_zeros(ctx, CT_F32, ct_shape_of(state[i % LEAVES]));
    ct_executable *step = compile_step(ctx, state);
    double *curve = calloc((size_t)epochs, sizeof *curve);
    for (int epoch = 1; curve && epoch <= epochs && !ct_failed(ctx); epoch++) {
        curve[epoch - 1] = train_epoch(step, state, data, epoch);
        show_progress(epoch, epochs, curve[epoch - 1]);
    }
    p = (network){state[0], state[1], state[2], state[3]};
    double result[2];
    for (int part = 0; part < 2; part++) {
        ct_tensor *x = rows(data->x, part ? TRAIN : 0, part ? TEST : TRAIN);
        ct_tensor *label = rows(data->label, part ? TRAIN : 0, part ? TEST : TRAIN);
        ct_function *f = ct_trace_tree(ctx, logits, CT_TREE(&p), CT_LIKE(x));
        result[part] = accuracy(ct_compile(f, NULL), &p, x, label);
    }
    printf("accuracy: %.1f %% on the %d training rows, %.1f %% on the %d test rows\n",
           100 * result[0], TRAIN, 100 * result[1], TEST);
    bool drawn = curve && draw(svg, curve, epochs);
    printf(drawn ? "loss curve: %s\n" : "loss curve: %s cannot be written\n", svg);
    free(curve);
    return drawn && (epochs < EPOCHS || result[1] >= 0.90);
}

int main(int argc, char **argv)
{
    int epochs = argc > 1 ? atoi(argv[1]) : EPOCHS;
    if (epochs < 1 || argc > 3) {
        fprintf(stderr, "usage: digits [EPOCHS [SVG]]\n");
        return 2;
    }
    ct_context *ctx = ct_context_new();
    digits data;
    bool fine = read_digits(ctx, "examples/data/digits.csv.gz", &data) &&
                check_gradient(ctx, &data) &&
                train(ctx, &data, epochs, argc > 2 ? argv[2] : "digits.svg");
    if (ct_failed(ctx)) {
        fprintf(stderr, "%s\n", ct_error_message(ctx));
        fine = false;
    }
    ct_context_free(ctx);
    return fine ? 0 : 1;
}
