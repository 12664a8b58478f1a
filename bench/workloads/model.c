/* Losses of networks, with the gradients of all parameters. */
#include "workload.h"

static ct_tensor *mean(ct_tensor *x)
{
    return ct_mean(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *layer(ct_tensor *x, ct_tensor *w, ct_tensor *b)
{
    return ct_add(ct_matmul(x, w), b);
}

/* w1, b1, w2, b2, w3, b3, x, labels */
static ct_tensor *mlp(const ct_list *p)
{
    ct_tensor *h = ct_relu(layer(p->item[6], p->item[0], p->item[1]));
    h = ct_relu(layer(h, p->item[2], p->item[3]));
    return mean(ct_cross_entropy(layer(h, p->item[4], p->item[5]), p->item[7], 1, CT_CLAMP));
}

/* ---- A transformer: pre-norm blocks, causal attention, logits by the embedding itself. */

enum { BATCH = 8, TOKENS = 64, WIDTH = 64, HEADS = 4, LAYERS = 2, VOCABULARY = 96 };

/* A layer's parameters, in the order of the inputs. */
enum { SCALE, OFFSET, TO_QKV, FROM_HEADS, TO_HIDDEN, FROM_HIDDEN, N_LAYER };

/* [batch, token, width] to [batch, head, token, width / heads] */
static ct_tensor *split_heads(ct_tensor *x)
{
    return ct_transpose(ct_reshape(x, CT_SHAPE(BATCH, TOKENS, HEADS, WIDTH / HEADS)),
                        CT_AXES(0, 2, 1, 3));
}

static ct_tensor *attend(ct_tensor *qkv)
{
    ct_tensor *part[3];
    ct_split(qkv, -1, part, 3);
    ct_tensor *q = split_heads(part[0]), *k = split_heads(part[1]), *v = split_heads(part[2]);
    ct_tensor *score = ct_div(ct_matmul(q, ct_swapaxes(k, -1, -2)), 4.0); /* √(width / heads) */
    ct_tensor *seen = ct_tril(ct_ones(ct_context_of(qkv), CT_BOOL, CT_SHAPE(TOKENS, TOKENS)), 0);
    ct_tensor *out = ct_matmul(ct_softmax(ct_where(seen, score, -1e9), CT_AXES(-1)), v);
    return ct_reshape(ct_transpose(out, CT_AXES(0, 2, 1, 3)), CT_SHAPE(BATCH, TOKENS, WIDTH));
}

static ct_tensor *block(ct_tensor *x, ct_tensor *const *p)
{
    ct_tensor *qkv = ct_matmul(normalise(x, p[SCALE], p[OFFSET]), p[TO_QKV]);
    x = ct_add(x, ct_matmul(attend(qkv), p[FROM_HEADS]));
    ct_tensor *hidden = ct_matmul(normalise(x, p[SCALE], p[OFFSET]), p[TO_HIDDEN]);
    return ct_add(x, ct_matmul(ct_gelu(hidden, CT_GELU_TANH), p[FROM_HIDDEN]));
}

/* the embedding, the layers' parameters, tokens, labels */
static ct_tensor *transformer(const ct_list *p)
{
    ct_tensor *const *in = p->item, *table = in[0];
    ct_tensor *x = ct_take(table, in[1 + LAYERS * N_LAYER], 0, CT_CLAMP);
    for (size_t l = 0; l < LAYERS; l++)
        x = block(x, in + 1 + l * N_LAYER);
    return mean(ct_cross_entropy(ct_matmul(x, ct_swapaxes(table, 0, 1)), in[2 + LAYERS * N_LAYER],
                                 -1, CT_CLAMP));
}

#define MLP_784                                                                                    \
    SMALL(0.05, 784, 256), NORMALS(256), SMALL(0.05, 256, 128), NORMALS(128),                      \
        SMALL(0.05, 128, 10), NORMALS(10), NORMALS(128, 784), INDICES(10, 128)
#define MLP_64                                                                                     \
    NORMALS(64, 32), NORMALS(32), NORMALS(32, 32), NORMALS(32), NORMALS(32, 10), NORMALS(10),      \
        NORMALS(32, 64), INDICES(10, 32)
#define LAYER                                                                                      \
    FILLED(1, WIDTH), FILLED(0, WIDTH), SMALL(0.1, WIDTH, 3 * WIDTH), SMALL(0.1, WIDTH, WIDTH),    \
        SMALL(0.1, WIDTH, 4 * WIDTH), SMALL(0.1, 4 * WIDTH, WIDTH)
#define TEXT INDICES(VOCABULARY, BATCH, TOKENS)

workload_list model_workloads(void)
{
    static const workload rows[] = {
        {.name = "mlp_784_256_128_10_b128",
         .mode = GRADIENT,
         .n_wrt = 6,
         .code = mlp,
         .input = {MLP_784}},
        {.name = "mlp_64_32_10_b32", .mode = GRADIENT, .n_wrt = 6, .code = mlp, .input = {MLP_64}},
        {.name = "transformer_d64_l2_t64_b8",
         .mode = GRADIENT,
         .n_wrt = 1 + LAYERS * N_LAYER,
         .code = transformer,
         .input = {SMALL(0.1, VOCABULARY, WIDTH), LAYER, LAYER, TEXT, TEXT}},
    };
    return WORKLOADS(rows);
}
