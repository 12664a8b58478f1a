/* einsum "ab,bc->ac" and unary_einsum "ab->a": terms of letters, one per axis. As NumPy's: a letter
 * that stands twice in a term takes the diagonal, one that the result lacks is summed, and axes
 * that both operands and the result have are batches. So each operand is first reduced to letters
 * that the rest needs, each once; then they meet in one dot_general. */
#include "interop/stablehlo/read_build.h"

#include <inttypes.h>

typedef struct term {
    const char *at; /* in the configuration */
    size_t rank;
    char letter[CT__MAX_RANK];
} term;

/* Place of the letter in the term, from `from` on; -1: not there. */
static int place_of(const term *t, char letter, size_t from)
{
    for (size_t i = from; i < t->rank; i++)
        if (t->letter[i] == letter)
            return (int)i;
    return -1;
}

static bool has(const term *t, char letter)
{
    return place_of(t, letter, 0) >= 0;
}

/* ---- The configuration. */

typedef struct einsum {
    ct__reader *r;
    ct__statement *s;
    const char *config;
    size_t n_terms; /* of operands */
    term in[2], out;
    ct_tensor *x[2]; /* its axes are called as in[i] says */
} einsum;

static bool fail_config(const einsum *q, const char *expected, const char *found)
{
    return ct__read_fail(q->r, q->s->at, "einsum \"%.60s\": expected %s, found \"%.40s\"",
                         q->config, expected, found);
}

/* "ab"; *c moves behind it. */
static bool read_term(const einsum *q, const char **c, term *t)
{
    t->at = *c;
    for (t->rank = 0; ct__is_letter(**c); ++*c) {
        if (t->rank == CT__MAX_RANK)
            return fail_config(q, "a term of at most 64 letters", t->at);
        t->letter[t->rank++] = **c;
    }
    return **c != '.' || fail_config(q, "a letter for each axis", *c);
}

static bool read_config(einsum *q)
{
    const char *c = q->config;
    for (size_t i = 0; i < q->n_terms; i++) {
        if (i > 0 && *c++ != ',')
            return fail_config(q, "',' and another term", c - 1);
        if (!read_term(q, &c, &q->in[i]))
            return false;
    }
    if (strncmp(c, "->", 2) != 0)
        return fail_config(q, "'->' and the result's term", c);
    c += 2;
    return read_term(q, &c, &q->out) && (!*c || fail_config(q, "the end", c));
}

static bool check_operands(const einsum *q)
{
    for (size_t i = 0; i < q->n_terms; i++) {
        const ct_type *type = q->x[i]->type;
        if (type->kind != CT__TENSOR || (size_t)type->rank != q->in[i].rank)
            return ct__read_fail(q->r, q->s->operand_at[i],
                                 "einsum \"%.60s\": expected a tensor of rank %zu, found %s",
                                 q->config, q->in[i].rank, ct__written_type(q->r, type));
    }
    return true;
}

static bool check_result(const einsum *q)
{
    for (size_t i = 0; i < q->out.rank; i++) {
        const char c = q->out.letter[i], letter[] = {c, '\0'};
        if (!has(&q->in[0], c) && !(q->n_terms == 2 && has(&q->in[1], c)))
            return fail_config(q, "letters of the operands in the result", letter);
        if (place_of(&q->out, c, i + 1) >= 0)
            return fail_config(q, "each letter once in the result", q->out.at);
    }
    return true;
}

/* ---- One operand. */

static ct_dims dims(const int64_t *item, size_t count)
{
    return (ct_dims){count, item};
}

static void drop(term *t, size_t place)
{
    t->rank--;
    memmove(t->letter + place, t->letter + place + 1, t->rank - place);
}

/* The order of axes with i and j at the end, and the shape and steps of the others; returns how
 * many these are. */
static size_t put_last(const ct_type *type, size_t i, size_t j, int64_t *order, int64_t *shape,
                       int64_t *stride)
{
    size_t kept = 0;
    for (size_t d = 0; d < (size_t)type->rank; d++) {
        if (d == i || d == j)
            continue;
        shape[kept] = type->dim[d];
        stride[kept] = 1;
        order[kept++] = (int64_t)d;
    }
    order[kept] = (int64_t)i;
    order[kept + 1] = (int64_t)j;
    return kept;
}

/* Axes i < j, of one extent n, as one at the end: of n² elements in a row every (n + 1)-th. */
static bool take_diagonal(einsum *q, size_t which, size_t i, size_t j)
{
    const ct_place at = q->s->place;
    const ct_type *type = q->x[which]->type;
    int64_t order[CT__MAX_RANK], shape[CT__MAX_RANK], start[CT__MAX_RANK] = {0};
    int64_t stride[CT__MAX_RANK];
    const size_t rank = (size_t)type->rank;
    const int64_t n = type->dim[i];
    if (n != type->dim[j])
        return ct__read_fail(q->r, q->s->operand_at[which],
                             "einsum \"%.60s\": expected one extent for '%c', found %s", q->config,
                             q->in[which].letter[i], ct__written_type(q->r, type));
    const size_t last = put_last(type, i, j, order, shape, stride);
    /* overflows only beside an extent of 0 */
    if (!ct__mul_i64(n, n, &shape[last]) || !ct__add_i64(n, 1, &stride[last]))
        return ct__read_fail(q->r, q->s->operand_at[which],
                             "the diagonal of %s has too many elements in a row",
                             ct__written_type(q->r, type));
    ct_tensor *x = ct_op_transpose_at(at, q->x[which], dims(order, rank));
    x = ct_op_reshape_at(at, x, dims(shape, rank - 1));
    q->x[which] = ct_op_slice_at(at, x, dims(start, rank - 1), dims(shape, rank - 1),
                                 dims(stride, rank - 1));
    const char letter = q->in[which].letter[i];
    drop(&q->in[which], j);
    drop(&q->in[which], i);
    q->in[which].letter[q->in[which].rank++] = letter;
    return true;
}

static bool take_diagonals(einsum *q, size_t which)
{
    for (size_t i = 0; i < q->in[which].rank;) {
        const int j = place_of(&q->in[which], q->in[which].letter[i], i + 1);
        if (j < 0)
            i++;
        else if (!take_diagonal(q, which, i, (size_t)j))
            return false;
    }
    return true;
}

/* Letters that nothing else has. */
static void sum_alone(einsum *q, size_t which)
{
    term *t = &q->in[which];
    int64_t axis[CT__MAX_RANK];
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < t->rank; i++)
        if (has(&q->out, t->letter[i]) || (q->n_terms == 2 && has(&q->in[1 - which], t->letter[i])))
            t->letter[kept++] = t->letter[i];
        else
            axis[count++] = (int64_t)i;
    t->rank = kept;
    if (count > 0)
        q->x[which] = ct_op_reduce_add_at(q->s->place, q->x[which], dims(axis, count));
}

/* ---- Two. */

/* The product, whose axes are called as *result says: batches, free ones of the left, of the right.
 */
static ct_tensor *multiply(const einsum *q, term *result)
{
    int64_t batch[2][CT__MAX_RANK], contracting[2][CT__MAX_RANK];
    size_t n_batch = 0, n_contracting = 0;
    const term *x = &q->in[0], *y = &q->in[1];
    result->rank = 0;
    for (size_t i = 0; i < x->rank; i++) {
        const int j = place_of(y, x->letter[i], 0);
        if (j >= 0 && has(&q->out, x->letter[i])) {
            batch[0][n_batch] = (int64_t)i;
            batch[1][n_batch++] = j;
            result->letter[result->rank++] = x->letter[i];
        } else if (j >= 0) {
            contracting[0][n_contracting] = (int64_t)i;
            contracting[1][n_contracting++] = j;
        }
    }
    for (size_t k = 0; k < 2; k++) /* each is in the result, which has at most 64 */
        for (size_t i = 0; i < q->in[k].rank; i++)
            if (!has(&q->in[1 - k], q->in[k].letter[i]))
                result->letter[result->rank++] = q->in[k].letter[i];
    const ct_dot_dims dot = {.lhs_batching = dims(batch[0], n_batch),
                             .rhs_batching = dims(batch[1], n_batch),
                             .lhs_contracting = dims(contracting[0], n_contracting),
                             .rhs_contracting = dims(contracting[1], n_contracting)};
    return ct_op_dot_general_at(q->s->place, q->x[0], q->x[1], &dot);
}

/* The transpose that brings axes called `have` into the order of the result; both have the same
 * letters. */
static ct_tensor *arrange(const einsum *q, ct_tensor *x, const term *have)
{
    int64_t order[CT__MAX_RANK];
    bool is_identity = true;
    for (size_t i = 0; i < q->out.rank; i++) {
        order[i] = place_of(have, q->out.letter[i], 0);
        is_identity = is_identity && order[i] == (int64_t)i;
    }
    return is_identity ? x : ct_op_transpose_at(q->s->place, x, dims(order, q->out.rank));
}

bool ct__build_einsum(ct__reader *r, ct__statement *s)
{
    einsum q = {.r = r, .s = s, .n_terms = ct__span_is(s->spelling, "stablehlo.einsum") ? 2 : 1};
    if (!ct__check_operand_count(r, s, q.n_terms, q.n_terms))
        return false;
    const ct__attribute *value = ct__dict_use(&s->attributes, "einsum_config");
    if (!value || value->kind != CT__ATTRIBUTE_STRING)
        return ct__fail_missing(r, s, "einsum_config");
    q.config = value->text;
    for (size_t i = 0; i < q.n_terms; i++)
        q.x[i] = s->operand[i];
    if (!read_config(&q) || !check_operands(&q) || !check_result(&q))
        return false;
    for (size_t i = 0; i < q.n_terms; i++)
        if (!take_diagonals(&q, i))
            return false;
    for (size_t i = 0; i < q.n_terms; i++)
        sum_alone(&q, i);
    term product = q.in[0];
    ct_tensor *y = q.n_terms == 2 ? multiply(&q, &product) : q.x[0];
    return ct__build_result(r, s, arrange(&q, y, &product));
}
