/* Every operation of the table, vectorised in every way, against a loop over its lanes. */
#include "tests/lanes.h"
#include "tests/samples.h"

#include <cotangent/custom.h>
#include <cotangent/module.h>

#include <string.h>

/* A function of the program: adds 1 to every byte of what it is given. */
static ct_status successor(void *user, ct_custom_call *call)
{
    (void)user;
    for (size_t i = 0; i < call->n_results; i++) {
        size_t bytes = ct__data_bytes(call->result_type[i]);
        for (size_t k = 0; k < bytes; k++)
            ((unsigned char *)call->result[i])[k] =
                (unsigned char)(((const unsigned char *)call->operand[i])[k] + 1);
    }
    return CT_OK;
}

static ct_context *new_context(void)
{
    static const char *const target[] = {"plain", "a name", "tick"};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof target / sizeof *target; i++)
        ct_register_custom_call(ctx, target[i], successor, NULL);
    return ctx;
}

static void check_nodes(ct_context *ctx, const ct__graph *graph, bool *seen)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        ct_scope scope = ct_scope_begin(ctx);
        ct_function *f = lanes_of_node(ctx, graph, node);
        CHECK_MSG(!ct_failed(ctx), "%s: %s", ct__op_describe(node->op)->name,
                  ct_error_message(ctx));
        lanes_check_all(ctx, f, ct__op_describe(node->op)->name);
        seen[node->op] = true;
        ct_scope_end(scope);
        for (size_t r = 0; r < node->n_regions && ct__has(node->op, CT__CONTROL); r++)
            check_nodes(ctx, node->region[r], seen);
    }
}

TEST(every_operation)
{
    bool seen[CT__OP_COUNT] = {false};
    for (size_t i = 0; i < n_samples; i++) {
        ct_context *ctx = new_context();
        check_nodes(ctx, samples[i].make(ctx)->graph, seen);
        ct_context_free(ctx);
    }
    for (int op = 0; op < CT__OP_COUNT; op++)
        CHECK_MSG(seen[op] || op == CT__OP_transposed_call, "%s: there is no sample of it",
                  ct__op_describe((ct__op)op)->name);
}

/* The same with values in between; but effects happen lane by lane for each operation. */
TEST(every_sample)
{
    for (size_t i = 0; i < n_samples; i++) {
        ct_context *ctx = new_context();
        ct_function *f = lanes_of_function(ctx, samples[i].make(ctx));
        if (!f->graph->has_effect)
            lanes_check_all(ctx, f, samples[i].name);
        ct_context_free(ctx);
    }
}

/* ---- Forms that the samples have not. */

typedef struct form {
    const char *name, *text; /* of a function @main */
} form;

static const form forms[] = {
    {"batch_norm along a middle axis",
     "func.func @main(%x: tensor<2x3x4xf64>, %s: tensor<3xf64>, %o: tensor<3xf64>, "
     "%g: tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, "
     "tensor<2x3x4xf64>, tensor<2x3x4xf64>, tensor<3xf64>) {\n"
     "  %r:3 = \"stablehlo.batch_norm_training\"(%x, %s, %o) {epsilon = 0.1 : f32, "
     "feature_index = 1 : i64} : (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>) -> "
     "(tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>)\n"
     "  %y = \"stablehlo.batch_norm_inference\"(%x, %s, %o, %r#1, %r#2) {epsilon = 0.1 : f32, "
     "feature_index = 1 : i64} : (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, "
     "tensor<3xf64>) -> tensor<2x3x4xf64>\n"
     "  %b:3 = \"stablehlo.batch_norm_grad\"(%x, %s, %r#1, %r#2, %g) {epsilon = 0.1 : f32, "
     "feature_index = 1 : i64} : (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, "
     "tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>)\n"
     "  return %r#0, %r#1, %r#2, %y, %b#0, %b#1 : tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, "
     "tensor<2x3x4xf64>, tensor<2x3x4xf64>, tensor<3xf64>\n"
     "}"},
    {"convolution with feature groups",
     "func.func @main(%x: tensor<2x5x4xf64>, %k: tensor<3x2x6xf64>) -> tensor<2x6x5xf64> {\n"
     "  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, f, 0], "
     "window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : "
     "(tensor<2x5x4xf64>, tensor<3x2x6xf64>) -> tensor<2x6x5xf64>\n"
     "  return %y : tensor<2x6x5xf64>\n"
     "}"},
    {"convolution with batch groups",
     "func.func @main(%x: tensor<4x5x3xf64>, %k: tensor<3x3x6xf64>) -> tensor<5x2x6xf64> {\n"
     "  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[0, b, f], "
     "window = {pad = [[1, 1]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : "
     "(tensor<4x5x3xf64>, tensor<3x3x6xf64>) -> tensor<5x2x6xf64>\n"
     "  return %y : tensor<5x2x6xf64>\n"
     "}"},
    {"gather of rows along two batching axes, vectors along axis 0",
     "func.func @main(%x: tensor<2x5x3xf64>, %i: tensor<1x2x4xi32>) -> tensor<2x3x4xf64> {\n"
     "  %y = \"stablehlo.gather\"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = "
     "[1], "
     "collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], "
     "start_index_map = [1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1, 3>} : "
     "(tensor<2x5x3xf64>, tensor<1x2x4xi32>) -> tensor<2x3x4xf64>\n"
     "  return %y : tensor<2x3x4xf64>\n"
     "}"},
    {"scatter of windows that hang over",
     "func.func @main(%x: tensor<4x5xf64>, %i: tensor<3x2xi8>, %u: tensor<3x2x2xf64>) -> "
     "tensor<4x5xf64> {\n"
     "  %y = \"stablehlo.scatter\"(%x, %i, %u) ({\n"
     "  ^bb0(%a: tensor<f64>, %b: tensor<f64>):\n"
     "    %s = stablehlo.add %a, %b : tensor<f64>\n"
     "    stablehlo.return %s : tensor<f64>\n"
     "  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], "
     "scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>} : (tensor<4x5xf64>, "
     "tensor<3x2xi8>, tensor<3x2x2xf64>) -> tensor<4x5xf64>\n"
     "  return %y : tensor<4x5xf64>\n"
     "}"},
    {"product with batching and free axes in between",
     "func.func @main(%x: tensor<3x2x4xf64>, %y: tensor<5x4x2xf64>) -> tensor<2x3x5xf64> {\n"
     "  %z = stablehlo.dot_general %x, %y, batching_dims = [1] x [2], contracting_dims = [2] x [1] "
     ": "
     "(tensor<3x2x4xf64>, tensor<5x4x2xf64>) -> tensor<2x3x5xf64>\n"
     "  return %z : tensor<2x3x5xf64>\n"
     "}"},
    {"two folds at once that start anywhere",
     "func.func @main(%x: tensor<2x4xf64>, %n: tensor<2x4xi32>, %a: tensor<f64>, %b: tensor<i32>) "
     "-> (tensor<2xf64>, tensor<2xi32>) {\n"
     "  %r:2 = stablehlo.reduce(%x init: %a), (%n init: %b) across dimensions = [1] : "
     "(tensor<2x4xf64>, tensor<2x4xi32>, tensor<f64>, tensor<i32>) -> (tensor<2xf64>, "
     "tensor<2xi32>)\n"
     "  reducer(%p: tensor<f64>, %q: tensor<f64>) (%k: tensor<i32>, %l: tensor<i32>) {\n"
     "    %s = stablehlo.maximum %p, %q : tensor<f64>\n"
     "    %t = stablehlo.add %k, %l : tensor<i32>\n"
     "    stablehlo.return %s, %t : tensor<f64>, tensor<i32>\n"
     "  }\n"
     "  return %r#0, %r#1 : tensor<2xf64>, tensor<2xi32>\n"
     "}"},
};

TEST(every_form)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        ct_context *ctx = new_context();
        ct_module *module = ct_read_stablehlo_text(ctx, forms[i].name, forms[i].text,
                                                   strlen(forms[i].text));
        ct_function *f = ct_module_function(module, "main");
        CHECK_MSG(!ct_failed(ctx), "%s: %s", forms[i].name, ct_error_message(ctx));
        lanes_check_all(ctx, f, forms[i].name);
        ct_context_free(ctx);
    }
}
