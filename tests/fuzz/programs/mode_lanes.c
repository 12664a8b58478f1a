/* Lanes: what a vectorised program gives is, lane by lane, what the program gives: bit by bit in
 * reference numerics, where sums are made one after another; in machine numerics their order
 * depends on the shape, which has the lanes. */
#include "tests/fuzz/programs/modes.h"

enum { LANES = 3 };

/* Lane 0 has the input's elements; other lanes have them from another place on. */
static ct_tensor *lanes_of(const program *p, size_t which)
{
    ct_tensor *x = p->input[which], *lane[LANES];
    const int64_t n = ct_size(x);

    for (int64_t l = 0; l < LANES; l++) {
        ct_tensor *flat = ct_op_reshape(x, CT_DIMS(n));
        const int64_t from = n > 0 ? (l * 5 + (int64_t)which) % n : 0;
        if (l > 0 && n > 0)
            flat = ct_op_concatenate(
                CT_ARGV(ct_op_slice(flat, CT_DIMS(from), CT_DIMS(n), CT_DIMS(1)),
                        ct_op_slice(flat, CT_DIMS(0), CT_DIMS(from), CT_DIMS(1))),
                0);
        int64_t dim[CT__MAX_RANK] = {1};
        for (size_t d = 0; d < ct_rank(x); d++)
            dim[d + 1] = ct_dim(x, (int64_t)d);
        lane[l] = ct_op_reshape(flat, (ct_dims){ct_rank(x) + 1, dim});
    }
    return ct_op_concatenate(CT_ARGV(lane[0], lane[1], lane[2]), 0);
}

static ct_tensor *lane_of(ct_tensor *x, int64_t l)
{
    int64_t start[CT__MAX_RANK] = {l}, limit[CT__MAX_RANK], stride[CT__MAX_RANK];
    const size_t rank = ct_rank(x);

    for (size_t d = 0; d < rank; d++) {
        limit[d] = d == 0 ? l + 1 : ct_dim(x, (int64_t)d);
        stride[d] = 1;
    }
    ct_tensor *y = ct_op_slice(x, (ct_dims){rank, start}, (ct_dims){rank, limit},
                               (ct_dims){rank, stride});
    return ct_op_reshape(y, (ct_dims){rank - 1, limit + 1});
}

/* Slices of axes with scales of their own have other types. */
static bool is_per_axis(const ct_tensor *x)
{
    ct_quantization q;

    return ct_type_quantization(x->type, &q) && q.axis >= 0;
}

/* About every third input is the same in all lanes; which ones does not depend on their order. */
static bool is_shared(const ct_tensor *x)
{
    return is_per_axis(x) || (ct_size(x) + (int64_t)ct_rank(x)) % 3 == 2;
}

/* What quantized results store: tensors of lanes have axes that are quantized otherwise. */
static ct_tensor *stored(ct_tensor *x)
{
    return is_per_axis(x) ? ct_op_bitcast_convert(x, ct_dtype_of(x)) : x;
}

/* Bit by bit, unless there is a bound. */
static verdict compare_lane(const program *p, ct_tensor *const *all, const outcome *y, int64_t l,
                            ct_executor executor, double bound, char why[WHY_BYTES])
{
    ct_tensor *input[MOST_INPUTS];
    outcome alone, lane = {.n = y->n};

    for (size_t i = 0; i < p->n_inputs; i++)
        input[i] = is_shared(p->input[i]) ? all[i] : lane_of(all[i], l);
    for (size_t i = 0; i < y->n; i++)
        lane.y[i] = lane_of(stored(y->y[i]), l);
    run(p->f, (ct_list){p->n_inputs, input}, executor, &alone);
    if (has_no_value(&alone))
        return skip(why, alone.message);
    for (size_t i = 0; i < alone.n && alone.status == CT_OK; i++)
        alone.y[i] = stored(alone.y[i]);
    return bound < 0 ? same_outcomes(&alone, &lane, why) : near_outcomes(&alone, &lane, bound, why);
}

static verdict compare_all_lanes(const program *p, ct_executor executor, double bound,
                                 char why[WHY_BYTES])
{
    ct_tensor *all[MOST_INPUTS];
    int64_t axis[MOST_INPUTS];
    outcome y;
    verdict v = SAME;

    if (has_effect(p->f->graph))
        return skip(why, "random numbers are drawn in another order");
    for (size_t i = 0; i < p->n_inputs; i++) {
        axis[i] = is_shared(p->input[i]) ? CT_UNBATCHED : 0;
        all[i] = is_shared(p->input[i]) ? p->input[i] : lanes_of(p, i);
    }
    ct_function *g = ct_vmap(p->f, LANES, ((ct_axes){false, p->n_inputs, axis}), CT_LEADING_AXES);
    if (!went_well(p->ctx, &y))
        return differ(why, "%s", y.message);
    run(g, (ct_list){p->n_inputs, all}, executor, &y);
    if (has_no_value(&y))
        return skip(why, y.message);
    if (y.status != CT_OK)
        return differ(why, "%s", y.message);
    for (int64_t l = 0; l < LANES && v == SAME; l++)
        v = compare_lane(p, all, &y, l, executor, bound, why);
    return v;
}

verdict compare_lanes(const program *p, char why[WHY_BYTES])
{
    return compare_all_lanes(p, CT_EXECUTOR_INTERPRETER, -1, why);
}

verdict compare_lanes_machine(const program *p, char why[WHY_BYTES])
{
    return compare_all_lanes(p, CT_EXECUTOR_CPU, 1e-9, why);
}

/* Quotients, which know no order of sums; what is irrational has none. */
verdict compare_lanes_rational(const program *p, char why[WHY_BYTES])
{
    return compare_all_lanes(p, CT_EXECUTOR_RATIONAL, -1, why);
}
