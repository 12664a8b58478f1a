/* Newton's method without a Hessian: the derivative of the gradient along v is H v, which is all
 * that conjugate gradients need to solve H d = -g. Two classifications reach their exact minima. */
#include <cotangent/cotangent.h>

#include "csv.h"
#include <stdio.h>

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

/* Softmax regression of three classes; x ends with a column of ones, w with a row of biases. */
static ct_tensor *iris_loss(ct_tensor *w, ct_tensor *x, ct_tensor *species)
{
    ct_tensor *loss = ct_cross_entropy(ct_matmul(x, w), species, -1, CT_STRICT);
    return ct_add(ct_mean(loss, CT_ALL_AXES, CT_DROP_AXES), ct_mul(total(ct_square(w)), 0.0005));
}

/* Logistic regression of labels 0 and 1; w[30], the bias, is free of the penalty. */
static ct_tensor *cancer_loss(ct_tensor *w, ct_tensor *x, ct_tensor *benign)
{
    ct_tensor *z = ct_matmul(x, w), *loss = ct_sub(ct_softplus(z), ct_mul(benign, z));
    ct_tensor *slopes = ct_slice(w, CT_SHAPE(0), CT_SHAPE(-1), CT_SHAPE());
    return ct_add(ct_mean(loss, CT_ALL_AXES, CT_DROP_AXES), ct_mul(ct_dot(slopes, slopes), 0.005));
}

/* d with H d = -g, where h computes H v; the residual is r = -g - H d. */
static ct_tensor *solve(ct_executable *h, ct_tensor *w, ct_tensor *x, ct_tensor *y, ct_tensor *g)
{
    ct_tensor *d = ct_mul(g, 0), *r = ct_neg(g), *v = r, *along[2]; /* the gradient and H v */
    double start = ct_item(total(ct_square(r))), now = start;
    for (int i = 0; i < 200 && now > 1e-20 * start; i++) {
        ct_call(h, CT_ARGV(w, x, y, v), along, 2);
        double before = now, length = before / ct_item(total(ct_mul(v, along[1])));
        d = ct_add(d, ct_mul(v, length));
        r = ct_sub(r, ct_mul(along[1], length));
        now = ct_item(total(ct_square(r)));
        v = ct_add(r, ct_mul(v, now / before));
    }
    return d;
}

static ct_tensor *minimise(ct_function *loss, ct_tensor *w, ct_tensor *x, ct_tensor *y)
{
    ct_executable *value_and_grad = ct_compile(ct_value_and_grad(loss, CT_ARGS(0)), NULL);
    ct_executable *hessian = ct_compile(ct_jvp(ct_grad(loss, CT_ARGS(0)), CT_ARGS(0)), NULL);
    for (int i = 0; i < 10; i++) {
        ct_tensor *now[2]; /* the loss and its gradient */
        ct_call(value_and_grad, CT_ARGV(w, x, y), now, 2);
        printf("%d: %.8f\n", i, ct_item(now[0]));
        w = ct_add(w, solve(hessian, w, x, y, now[1]));
    }
    return w;
}

int main(void)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *iris = read_csv(ctx, "examples/data/iris.csv", 150, 5);
    ct_tensor *x = with_ones(columns(iris, 0, 4)), *y = ct_cast(column(iris, 4), CT_I64);
    ct_tensor *w = ct_zeros(ctx, CT_F64, CT_SHAPE(5, 3));
    w = minimise(ct_trace(ctx, iris_loss, CT_LIKE(w, x, y)), w, x, y);
    ct_tensor *wrong = ct_ne(ct_argmax(ct_matmul(x, w), 1, CT_DROP_AXES), y);
    printf("iris: minimum %.13f, %g of 150 wrong\n", ct_item(iris_loss(w, x, y)),
           ct_item(total(ct_cast(wrong, CT_F64))));

    ct_tensor *cells = read_csv(ctx, "examples/data/breast_cancer.csv", 569, 31);
    x = with_ones(standardised(columns(cells, 0, 30)));
    y = column(cells, 30);
    w = ct_zeros(ctx, CT_F64, CT_SHAPE(31));
    w = minimise(ct_trace(ctx, cancer_loss, CT_LIKE(w, x, y)), w, x, y);
    wrong = ct_ne(ct_gt(ct_matmul(x, w), 0), ct_gt(y, 0));
    printf("cancer: minimum %.13f, %g of 569 wrong\n", ct_item(cancer_loss(w, x, y)),
           ct_item(total(ct_cast(wrong, CT_F64))));
    int status = ct_failed(ctx) ? 1 : 0;
    fputs(ct_error_message(ctx), stderr);
    ct_context_free(ctx);
    return status;
}
