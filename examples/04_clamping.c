/* Indices out of range: they are clamped, forward and in the gradient; and four ways to notice. */
#include <cotangent/cotangent.h>

#include <stdio.h>

static ct_tensor *pick(void *indices, ct_tensor *x)
{
    return ct_take_along_axis(x, indices, 0, CT_CLAMP);
}

int main(void)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_from_data(ctx, CT_F32, CT_SHAPE(3, 2), (float[]){10, 20, 11, 21, 12, 22});
    ct_tensor *indices = ct_from_data(ctx, CT_I32, CT_SHAPE(1, 2), (int32_t[]){5, -1});

    /* 5 reads row 2, -1 reads row 0; the gradient arrives at the places that were read. */
    printf("clamped: %s\n", ct_text(pick(indices, x)));
    ct_tensor *ybar = ct_from_data(ctx, CT_F32, CT_SHAPE(1, 2), (float[]){1, 2});
    ct_function *f = ct_trace_user(ctx, pick, indices, CT_LIKE(x));
    printf("its gradient for [[1 2]]:\n%s\n",
           ct_text(ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(x, ybar))));

    /* Negative indices from the end, or a value instead of a clamped read. */
    printf("wrap:    %s\n", ct_text(ct_take_along_axis(x, indices, 0, CT_WRAP)));
    printf("fill:    %s\n", ct_text(ct_take_along_axis(x, indices, 0, CT_FILL(0))));

    /* Which indices were wrong? On the host, counted in the graph, or as an error. */
    ct_misplaced found[2];
    size_t wrong = ct_find_out_of_range(indices, 3, 1, found, 2);
    printf("host check: %zu out of range, the first is %d at position %d\n", wrong,
           (int)found[0].value, (int)found[0].position);
    printf("counted: %g\n", ct_item(ct_count_out_of_range(indices, 3, 1, CT_CLAMP)));
    ct_take_along_axis(x, indices, 0, CT_STRICT);
    printf("strict:  %s\n", ct_error_message(ctx));

    int status = ct_error_status(ctx) == CT_ERR_INDEX ? 0 : 1;
    ct_context_free(ctx);
    return status;
}
