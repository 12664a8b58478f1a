/* Arrays that loops read and change at a few places. Random programs of such statements: their
 * values are those of the same statements computed one by one, their gradients those of the
 * program written out, without loops or branches; and what both cost. */
#include "exec/interpret/plan.h"
#include "tests/values.h"
#include "trace/trace.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { ARRAYS = 3, STATEMENTS = 4, ROUNDS = 4 };

/* ---- Random statements. */

typedef struct program {
    uint64_t seed;
    bool written_out; /* no loops, no calls */
    int depth;
    ct_tensor *k, *shift; /* read only; shift moves all indices */
} program;

static unsigned drawn(uint64_t *seed, unsigned n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % n;
}

/* An index that may be out of range at both ends. */
static ct_tensor *place(const program *p, uint64_t *seed, ct_tensor *i)
{
    int factor = (int)drawn(seed, 5) - 2, shift = (int)drawn(seed, 9) - 2;
    return ct_add(ct_add(ct_mul(i, factor), p->shift), shift);
}

static void statements(const program *p, uint64_t seed, int depth, ct_tensor *i, ct_tensor **a);

/* a[x] gets a product of windows of a[y] and k. */
static void update_window(const program *p, uint64_t *seed, ct_tensor *i, ct_tensor **a, unsigned x,
                          unsigned y)
{
    int64_t width = 1 + (int64_t)drawn(seed, 3);
    ct_tensor *of_a = ct_dynamic_slice(a[y], CT_ARGV(place(p, seed, i)), CT_SHAPE(width), CT_CLAMP);
    ct_tensor *of_k = ct_dynamic_slice(p->k, CT_ARGV(place(p, seed, i)), CT_SHAPE(width), CT_CLAMP);
    a[x] = ct_dynamic_update_slice(a[x], ct_mul(of_a, of_k), CT_ARGV(place(p, seed, i)), CT_CLAMP);
}

static ct_tensor *places(const program *p, uint64_t *seed, ct_tensor *i)
{
    ct_tensor *offset = ct_from_doubles(ct_context_of(i), CT_I64, CT_SHAPE(3),
                                        (const double[]){0, (double)drawn(seed, 4), 2});
    return ct_add(place(p, seed, i), offset);
}

static void update_places(const program *p, uint64_t *seed, ct_tensor *i, ct_tensor **a, unsigned x)
{
    ct_tensor *value = drawn(seed, 2) ? ct_take(p->k, places(p, seed, i), 0, CT_CLAMP)
                                      : ct_take_along_axis(p->k, places(p, seed, i), 0, CT_CLAMP);
    ct_tensor *to = places(p, seed, i);
    bool skips = drawn(seed, 2);
    if (drawn(seed, 2))
        a[x] = ct_add_along_axis(a[x], to, value, 0, skips ? CT_SKIP : CT_CLAMP);
    else
        a[x] = ct_put_along_axis(a[x], to, value, 0, skips ? CT_SKIP : CT_CLAMP);
}

typedef struct inner {
    const program *p;
    uint64_t seed;
    int depth;
    ct_tensor *i, **a;
} inner;

static void then(void *user, ct_tensor **result)
{
    const inner *n = user;
    for (int x = 0; x < ARRAYS; x++)
        result[x] = n->a[x];
    statements(n->p, n->seed, n->depth, n->i, result);
}

static void otherwise(void *user, ct_tensor **result)
{
    const inner *n = user;
    for (int x = 0; x < ARRAYS; x++)
        result[x] = n->a[x];
    statements(n->p, n->seed + 17, n->depth, n->i, result);
}

static void choose(const program *p, uint64_t *seed, int depth, ct_tensor *i, ct_tensor **a)
{
    ct_tensor *result[ARRAYS];
    inner n = {p, *seed, depth, i, a};
    ct_if_many(ct_gt(place(p, seed, i), 2), then, otherwise, &n, ARRAYS, result);
    for (int x = 0; x < ARRAYS; x++)
        a[x] = result[x];
}

static void iterate(void *user, ct_tensor *i, ct_tensor **a)
{
    const inner *n = user;
    statements(n->p, n->seed, n->depth, i, a);
}

static void iterate_counting(void *user, ct_tensor **a)
{
    iterate(user, a[ARRAYS], a);
    a[ARRAYS] = ct_add(a[ARRAYS], 1);
}

static void iterate_scanning(void *user, ct_tensor **a, ct_tensor *const *x, ct_tensor **y)
{
    (void)y;
    iterate(user, x[0], a);
}

static ct_tensor *goes_on(void *user, ct_tensor *const *a)
{
    (void)user;
    return ct_lt(a[ARRAYS], ROUNDS);
}

static ct_tensor *number(ct_context *ctx, int64_t value)
{
    return ct_scalar(ctx, CT_I64, (double)value);
}

static void repeat(const program *p, uint64_t *seed, int depth, ct_context *ctx, ct_tensor **a)
{
    inner n = {p, *seed, depth, NULL, NULL};
    unsigned kind = drawn(seed, 3);
    ct_tensor *carry[ARRAYS + 1] = {a[0], a[1], a[2], number(ctx, 0)};
    if (p->written_out)
        for (int64_t i = 0; i < ROUNDS; i++)
            iterate(&n, number(ctx, i), carry);
    else if (kind == 0)
        ct_for(iterate, &n, number(ctx, ROUNDS), ARRAYS, carry);
    else if (kind == 1)
        ct_while(goes_on, iterate_counting, &n, ARRAYS + 1, carry);
    else
        ct_scan(iterate_scanning, &n, .length = ROUNDS, .n_carry = ARRAYS, .carry = carry,
                .xs = CT_ARGV(ct_arange(ctx, CT_I64, 0, ROUNDS, 1)));
    for (int x = 0; x < ARRAYS; x++)
        a[x] = carry[x];
}

/* (k, shift, i, a…) -> a… */
static void callee(void *user, ct_list q, ct_tensor **result)
{
    const inner *n = user;
    program own = *n->p;
    own.k = q.item[0];
    own.shift = q.item[1];
    for (int x = 0; x < ARRAYS; x++)
        result[x] = q.item[3 + x];
    statements(&own, n->seed, n->depth, q.item[2], result);
}

static void call(const program *p, uint64_t *seed, int depth, ct_tensor *i, ct_tensor **a)
{
    inner n = {p, *seed, depth, i, a};
    ct_list q = CT_ARGV(p->k, p->shift, i, a[0], a[1], a[2]);
    bool again = drawn(seed, 2);
    if (p->written_out) {
        statements(p, n.seed, depth, i, a);
        return;
    }
    ct_function *f = ct_trace_many(ct_context_of(i), callee, &n, ARRAYS, q);
    ct_apply(again ? ct_checkpoint(f, NULL) : f, q, a, ARRAYS);
}

static void statement(const program *p, uint64_t *seed, int depth, ct_tensor *i, ct_tensor **a)
{
    unsigned kind = drawn(seed, depth > 0 ? 11 : 8), x = drawn(seed, ARRAYS),
             y = drawn(seed, ARRAYS);
    ct_tensor *old = a[x];
    switch (kind) {
    case 0:
    case 1: update_window(p, seed, i, a, x, y); break;
    case 2:
    case 3: update_places(p, seed, i, a, x); break;
    case 4: /* two arrays change places */
        a[x] = a[y];
        a[y] = old;
        break;
    case 5: a[x] = ct_add(ct_mul(a[x], 0.5), ct_mul(a[y], p->k)); break;
    case 6: a[x] = a[y]; break;
    case 7: /* a fixed window, at a place that is not */
        a[x] = ct_dynamic_update_slice(a[x], ct_slice(a[y], CT_SHAPE(2), CT_SHAPE(4), CT_SHAPE()),
                                       CT_ARGV(place(p, seed, i)), CT_CLAMP);
        break;
    case 8: choose(p, seed, depth - 1, i, a); break;
    case 9: repeat(p, seed, depth - 1, ct_context_of(i), a); break;
    default: call(p, seed, depth - 1, i, a);
    }
}

static void statements(const program *p, uint64_t seed, int depth, ct_tensor *i, ct_tensor **a)
{
    for (int n = 0; n < STATEMENTS; n++)
        statement(p, &seed, depth, i, a);
}

/* ---- What the programs are run on. */

/* (k, a…, shift) -> a… */
static void all_arrays(void *user, ct_list q, ct_tensor **result)
{
    program p = *(const program *)user;
    uint64_t seed = p.seed;
    p.k = q.item[0];
    p.shift = p.written_out ? p.shift : q.item[1 + ARRAYS];
    for (int x = 0; x < ARRAYS; x++)
        result[x] = q.item[1 + x];
    repeat(&p, &seed, p.depth, ct_context_of(p.k), result);
}

/* (k, a…, shift) -> a number */
static void sum_of_all(void *user, ct_list q, ct_tensor **result)
{
    ct_tensor *a[ARRAYS];
    all_arrays(user, q, a);
    result[0] = ct_sum(ct_mul(ct_square(a[0]), a[1]), CT_ALL_AXES, CT_DROP_AXES);
    result[0] = ct_add(result[0], ct_sum(ct_mul(a[2], a[1]), CT_ALL_AXES, CT_DROP_AXES));
}

enum { INPUTS = 2 + ARRAYS };

static ct_list inputs(ct_context *ctx, int64_t extent, double by, int64_t shift, ct_tensor **list)
{
    static const double first[] = {-0.75, 1, -3, 0.3}, last[] = {0.9, 2, -0.5, -1.2};
    for (int i = 0; i <= ARRAYS; i++)
        list[i] = ct_linspace(ctx, CT_F64, by * first[i], last[i], extent);
    list[1 + ARRAYS] = number(ctx, shift);
    return (ct_list){INPUTS, list};
}

/* Some are so long that an update is a small part. */
static int64_t extent_of(const program *p)
{
    return p->seed % 3 == 0 ? 72 : 6;
}

static program written_out(const program *p, ct_tensor *shift)
{
    program result = *p;
    result.written_out = true;
    result.shift = shift;
    return result;
}

static ct_function *traced(const program *p, ct_many_function *body, size_t n_results, ct_list x)
{
    return ct_trace_many(ct_context_of(x.item[0]), body, (void *)(uintptr_t)p, n_results, x);
}

static const ct_executor executors[] = {CT_EXECUTOR_INTERPRETER, CT_EXECUTOR_MACHINE,
                                        CT_EXECUTOR_CPU};
enum { EXECUTORS = sizeof executors / sizeof *executors };

static void run(ct_function *f, size_t executor, ct_list x, size_t n, ct_tensor **result)
{
    const ct_compile_options o = {.size = sizeof o, .executor = executors[executor]};
    ct_call(ct_compile(f, &o), x, result, n);
}

#ifdef CT_SANITIZED
enum { PROGRAMS = 40 };
#else
enum { PROGRAMS = 150 };
#endif

static void values_of(ct_context *ctx, const program *p)
{
    ct_tensor *list[INPUTS], *want[ARRAYS], *got[ARRAYS];
    ct_list x = inputs(ctx, extent_of(p), 1, 0, list);
    const program direct = written_out(p, list[1 + ARRAYS]);
    all_arrays((void *)(uintptr_t)&direct, x, want);
    ct_function *f = traced(p, all_arrays, ARRAYS, x);
    for (size_t e = 0; e < EXECUTORS; e++) {
        run(f, e, x, ARRAYS, got);
        CHECK_OK(ctx);
        for (int i = 0; i < ARRAYS; i++)
            CHECK_MSG(ct_equal(got[i], want[i]), "program %d, executor %d, array %d", (int)p->seed,
                      (int)e, i);
    }
}

typedef void per_program(ct_context *ctx, const program *p);

static void for_programs(per_program *check)
{
    ct_context *ctx = ct_context_new();
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        ct_scope scope = ct_scope_begin(ctx);
        check(ctx, &(program){.seed = seed, .depth = 1 + (int)(seed % 3)});
        CHECK_OK(ctx);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

TEST(values)
{
    for_programs(values_of);
}

static void check_near(ct_tensor *got, ct_tensor *want, const char *what, uint64_t seed)
{
    double most = 1;
    for (int64_t i = 0; i < ct_size(want); i++)
        most = fmax(most, fabs(ct_at(want, i)));
    for (int64_t i = 0; i < ct_size(want); i++)
        CHECK_MSG(fabs(ct_at(got, i) - ct_at(want, i)) <= 1e-11 * most,
                  "%s of program %d: [%d] is %.17g, not %.17g", what, (int)seed, (int)i,
                  ct_at(got, i), ct_at(want, i));
}

#define BY_ARRAYS CT_ARGS(0, 1, 2, 3)

static void gradients_of(ct_context *ctx, const program *p)
{
    ct_tensor *list[INPUTS], *want[1 + ARRAYS], *got[1 + ARRAYS];
    ct_list x = inputs(ctx, extent_of(p), 1, 0, list);
    const program plain = written_out(p, list[1 + ARRAYS]);
    run(ct_grad(traced(&plain, sum_of_all, 1, x), BY_ARRAYS), 0, x, 1 + ARRAYS, want);
    ct_function *f = ct_grad(traced(p, sum_of_all, 1, x), BY_ARRAYS);
    for (size_t e = 0; e < EXECUTORS; e++) {
        run(e == 1 ? ct_simplify(f) : f, e, x, 1 + ARRAYS, got);
        CHECK_OK(ctx);
        for (int i = 0; i <= ARRAYS; i++)
            check_near(got[i], want[i], "gradient", p->seed);
    }
}

TEST(gradients)
{
    for_programs(gradients_of);
}

/* Forward over reverse, and reverse over reverse. */
static void second_orders_of(ct_context *ctx, const program *p)
{
    ct_tensor *list[INPUTS + 1], *want, *got;
    ct_list x = inputs(ctx, extent_of(p), 1, 0, list);
    const program plain = written_out(p, list[1 + ARRAYS]);
    list[INPUTS] = ct_linspace(ctx, CT_F64, -1, 2, extent_of(p));
    ct_list with_direction = {INPUTS + 1, list};
    run(ct_hvp(traced(&plain, sum_of_all, 1, x), CT_ARGS(0)), 0, with_direction, 1, &want);
    ct_function *f = traced(p, sum_of_all, 1, x);
    run(ct_hvp(f, CT_ARGS(0)), p->seed % EXECUTORS, with_direction, 1, &got);
    CHECK_OK(ctx);
    check_near(got, want, "forward over reverse", p->seed);
    run(ct_vjp(ct_grad(f, CT_ARGS(0)), CT_ARGS(0)), p->seed % EXECUTORS, with_direction, 1, &got);
    CHECK_OK(ctx);
    check_near(got, want, "reverse over reverse", p->seed);
}

TEST(second_orders)
{
    for_programs(second_orders_of);
}

/* Every lane has other numbers and other indices. */
static void lanes_of(ct_context *ctx, const program *p)
{
    enum { LANES = 2 };
    ct_tensor *lane[LANES][INPUTS], *all[INPUTS], *want[1 + ARRAYS], *got[1 + ARRAYS];
    ct_list x = {0, NULL};
    for (int l = 0; l < LANES; l++)
        x = inputs(ctx, extent_of(p), 1 + l, 3 * l, lane[l]);
    for (int i = 0; i < INPUTS; i++)
        all[i] = ct_stack(CT_ARGV(lane[0][i], lane[1][i]), 0);
    ct_function *f = traced(p, sum_of_all, 1, x);
    run(ct_vmap_leading(ct_grad(f, BY_ARRAYS), LANES), p->seed % EXECUTORS, (ct_list){INPUTS, all},
        1 + ARRAYS, got);
    CHECK_OK(ctx);
    for (int l = 0; l < LANES; l++) {
        const program plain = written_out(p, lane[l][1 + ARRAYS]);
        ct_list own = {INPUTS, lane[l]};
        run(ct_grad(traced(&plain, sum_of_all, 1, own), BY_ARRAYS), 0, own, 1 + ARRAYS, want);
        for (int i = 0; i <= ARRAYS; i++)
            check_near(ct_take(got[i], number(ctx, l), 0, CT_CLAMP), want[i], "gradient in a lane",
                       p->seed);
    }
}

TEST(lanes)
{
    for_programs(lanes_of);
}

/* ---- Closed forms: f(k) = Σ k[j]² over the places j that are read, so that k[j] has the slope 2
 * k[j] times how often it is read. Numbers are whole, and so exact in every dtype. */

/* From -2 to n + 1, in steps of 3, so that both ends are clamped. */
static int64_t clamped_place(int64_t i, int64_t n, int64_t width)
{
    int64_t at = 3 * i - 2;
    return at < 0 ? 0 : at > n - width ? n - width : at;
}

typedef ct_tensor *reader(ct_tensor *k, ct_tensor *at);

static ct_tensor *by_dynamic_slice(ct_tensor *k, ct_tensor *at)
{
    return ct_dynamic_slice(k, CT_ARGV(at), CT_SHAPE(2), CT_CLAMP);
}

/* Rows of one element. */
static ct_tensor *by_slice_of_reshaped(ct_tensor *k, ct_tensor *at)
{
    ct_tensor *rows = ct_reshape(k, CT_SHAPE(ct_size(k), 1));
    return ct_dynamic_slice(rows, CT_ARGV(at, ct_mul(at, 0)), CT_SHAPE(2, 1), CT_CLAMP);
}

static ct_tensor *by_take(ct_tensor *k, ct_tensor *at)
{
    return ct_take(k, at, 0, CT_CLAMP);
}

/* The same place twice, and another one. */
static ct_tensor *by_take_along(ct_tensor *k, ct_tensor *at)
{
    return ct_take_along_axis(k, ct_stack(CT_ARGV(at, at, ct_add(at, 1)), 0), 0, CT_CLAMP);
}

/* In a branch that is taken for places above 4. */
static ct_tensor *read_then(void *user)
{
    ct_tensor *const *list = user;
    return ct_take(list[0], list[1], 0, CT_CLAMP);
}

static ct_tensor *zero_otherwise(void *user)
{
    ct_tensor *const *list = user;
    return ct_zeros(ct_context_of(list[0]), ct_dtype_of(list[0]), CT_SHAPE());
}

static ct_tensor *by_branch(ct_tensor *k, ct_tensor *at)
{
    ct_tensor *list[] = {k, at};
    return ct_if(ct_gt(at, 4), read_then, zero_otherwise, list);
}

static ct_tensor *by_call(ct_tensor *k, ct_tensor *at)
{
    return ct_apply1(ct_trace(ct_context_of(k), by_take_along, CT_LIKE(k, at)), CT_ARGV(k, at));
}

static ct_tensor *by_checkpoint(ct_tensor *k, ct_tensor *at)
{
    ct_function *f = ct_trace(ct_context_of(k), by_dynamic_slice, CT_LIKE(k, at));
    return ct_apply1(ct_checkpoint(f, NULL), CT_ARGV(k, at));
}

/* Twice in each iteration, by a loop inside. */
static void inner_step(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor *const *list = user;
    ct_tensor *x = ct_take(list[0], ct_add(list[1], ct_mul(i, 0)), 0, CT_CLAMP);
    carry[0] = ct_add(carry[0], ct_square(x));
}

static ct_tensor *by_loop(ct_tensor *k, ct_tensor *at)
{
    ct_tensor *list[] = {k, at}, *sum = zero_otherwise(list);
    ct_for(inner_step, list, number(ct_context_of(k), 2), 1, &sum);
    return sum;
}

/* How often an iteration at this place (not clamped) reads element j, of n. */
typedef int64_t counter(int64_t i, int64_t n, int64_t j);

static int64_t pairs_read(int64_t i, int64_t n, int64_t j)
{
    int64_t at = clamped_place(i, n, 2);
    return at == j || at + 1 == j;
}

static int64_t single_read(int64_t i, int64_t n, int64_t j)
{
    return clamped_place(i, n, 1) == j;
}

static int64_t three_read(int64_t i, int64_t n, int64_t j)
{
    int64_t next = 3 * i - 1; /* the place and one more, clamped */
    next = next < 0 ? 0 : next > n - 1 ? n - 1 : next;
    return 2 * single_read(i, n, j) + (next == j);
}

static int64_t late_read(int64_t i, int64_t n, int64_t j)
{
    return 3 * i - 2 > 4 && single_read(i, n, j);
}

static int64_t twice_read(int64_t i, int64_t n, int64_t j)
{
    return 2 * single_read(i, n, j);
}

typedef struct form {
    const char *name;
    reader *read;
    bool squares; /* the reader gives squares already */
    counter *count;
} form;

static const form forms[] = {{"dynamic_slice", by_dynamic_slice, false, pairs_read},
                             {"reshape", by_slice_of_reshaped, false, pairs_read},
                             {"take", by_take, false, single_read},
                             {"take_along_axis", by_take_along, false, three_read},
                             {"if", by_branch, false, late_read},
                             {"call", by_call, false, three_read},
                             {"checkpoint", by_checkpoint, false, pairs_read},
                             {"for", by_loop, true, twice_read}};
enum { FORMS = sizeof forms / sizeof *forms };

typedef struct sum {
    const form *form;
    ct_tensor *k; /* what the loop captures; NULL: it is a carry */
    int64_t length;
    int kind; /* for, while, scan */
} sum;

static void add_squares(const sum *s, ct_tensor *k, ct_tensor *i, ct_tensor **total)
{
    ct_tensor *x = s->form->read(k, ct_sub(ct_mul(i, 3), 2));
    x = s->form->squares ? x : ct_square(x);
    *total = ct_add(*total, ct_rank(x) ? ct_sum(x, CT_ALL_AXES, CT_DROP_AXES) : x);
}

static void sum_for(void *user, ct_tensor *i, ct_tensor **carry)
{
    const sum *s = user;
    add_squares(s, s->k ? s->k : carry[2], i, carry);
}

static void sum_scan(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)y;
    sum_for(user, x[0], carry);
}

static void sum_while(void *user, ct_tensor **carry)
{
    sum_for(user, carry[1], carry);
    carry[1] = ct_add(carry[1], 1);
}

static ct_tensor *sum_goes_on(void *user, ct_tensor *const *carry)
{
    return ct_lt(carry[1], ((const sum *)user)->length);
}

/* Σ k[j]², by a loop that captures k or carries it. */
static void sum_of_squares(void *user, ct_list p, ct_tensor **r)
{
    sum s = *(const sum *)user, *own = &s;
    ct_tensor *k = p.item[0];
    ct_context *ctx = ct_context_of(k);
    ct_tensor *carry[] = {ct_zeros(ctx, ct_dtype_of(k), CT_SHAPE()), number(ctx, 0), k};
    size_t n = s.k ? 2 : 3;
    s.k = s.k ? k : NULL;
    if (s.kind == 0)
        ct_for(sum_for, own, number(ctx, s.length), n, carry);
    else if (s.kind == 1)
        ct_while(sum_goes_on, sum_while, own, n, carry);
    else
        ct_scan(sum_scan, own, .length = s.length, .n_carry = n, .carry = carry,
                .xs = CT_ARGV(ct_arange(ctx, CT_I64, 0, (double)s.length, 1)));
    r[0] = carry[0];
}

static void check_slopes(ct_context *ctx, const sum *s, ct_dtype dtype, size_t executor)
{
    enum { N = 9 };
    ct_tensor *k = ct_add(ct_arange(ctx, dtype, 0, N, 1), 1), *got;
    ct_tensor *one = ct_ones(ctx, dtype, CT_SHAPE());
    ct_function *f = ct_trace_many(ctx, sum_of_squares, (void *)(uintptr_t)s, 1, CT_LIKE(k));
    run(ct_vjp(f, CT_ARGS(0)), executor, CT_ARGV(k, one), 1, &got);
    CHECK_OK(ctx);
    if (ct_dtype_is_complex(dtype))
        got = ct_op_real(got);
    for (int64_t j = 0; j < N; j++) {
        double want = 0;
        for (int64_t i = 0; i < s->length; i++)
            want += (double)(2 * (j + 1) * s->form->count(i, N, j));
        CHECK_MSG(ct_at(got, j) == want, "%s, kind %d, dtype %s: [%d] is %g, not %g", s->form->name,
                  s->kind, ct_dtype_name(dtype), (int)j, ct_at(got, j), want);
    }
}

TEST(closed_forms)
{
    static const ct_dtype dtypes[] = {CT_F64, CT_F32, CT_F16, CT_BF16, CT_C64};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < FORMS * 30; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *any = number(ctx, 0);
        const sum s = {&forms[i % FORMS], i / FORMS % 2 ? any : NULL, 5, (int)(i / FORMS / 2 % 3)};
        check_slopes(ctx, &s, dtypes[i / FORMS / 6], i % EXECUTORS);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* ---- What it costs. */

static ct_function *long_sum(ct_context *ctx, const form *f, int kind, bool captures, int64_t n,
                             int64_t extent)
{
    ct_tensor *k = ct_spec(ctx, CT_F64, CT_SHAPE(extent));
    const sum s = {f, captures ? k : NULL, n, kind};
    return ct_trace_many(ctx, sum_of_squares, (void *)(uintptr_t)&s, 1, CT_LIKE(k));
}

/* By our own count a gradient is at most 5 times as dear as its function, at any length: only scans
 * have a count that is known. */
TEST(flops)
{
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < 2 * FORMS; i++) {
        const form *f = &forms[i / 2];
        uint64_t own[2], all[2];
        for (int large = 0; large < 2; large++) {
            int64_t n = large ? 10000 : 1000;
            ct_function *g = long_sum(ctx, f, 2, i % 2, n, 3 * n);
            own[large] = ct_function_flops(ct_simplify(g));
            all[large] = ct_function_flops(ct_simplify(ct_value_and_grad(g, CT_ALL_ARGS)));
        }
        CHECK_OK(ctx);
        CHECK_MSG(all[1] <= 5 * own[1] && all[1] <= 11 * all[0], "%s: %llu and %llu, not %llu",
                  f->name, (unsigned long long)all[0], (unsigned long long)all[1],
                  (unsigned long long)own[1]);
    }
    ct_context_free(ctx);
}

/* One sum of cotangents is all that a run holds beside arguments and results: neither a second one
 * for the next iteration nor one of zeros. */
TEST(blocks)
{
    enum { LENGTH = 100, ELEMENTS = 10000, BYTES = ELEMENTS * 8 };
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < FORMS * 2 * EXECUTORS; i++) {
        const form *f = &forms[i % FORMS];
        bool captures = i / FORMS % 2 == 0;
        ct_function *g = ct_grad(long_sum(ctx, f, (int)(i / FORMS % 3), captures, LENGTH, ELEMENTS),
                                 CT_ARGS(0));
        const ct_compile_options o = {.size = sizeof o, .executor = executors[i / FORMS / 2]};
        size_t bytes = ct_executable_block_bytes(ct_compile(g, &o));
        CHECK_OK(ctx);
        CHECK_MSG(bytes < (captures ? 1 : 2) * BYTES + BYTES / 2, "%s: %zu bytes", f->name, bytes);
    }
    ct_context_free(ctx);
}

/* ---- Loops that write: the same for a scatter of each kind as for reading. */

typedef ct_tensor *writer(ct_tensor *x, ct_tensor *i);

static ct_tensor *two_of(ct_tensor *i)
{
    return ct_reshape(ct_stack(CT_ARGV(i, ct_mod(ct_mul(i, 3), 7)), 0), CT_SHAPE(2, 1));
}

/* Windows of two elements, which overlap, one now and then outside in part. */
static ct_tensor *write_windows(ct_tensor *x, ct_tensor *i)
{
    ct_tensor *places = ct_sub(two_of(i), 1);
    const ct_gather_dims from = {.offset_dims = CT_DIMS(1),
                                 .start_index_map = CT_DIMS(0),
                                 .index_vector_dim = 1,
                                 .slice_sizes = CT_DIMS(2)};
    const ct_scatter_dims to = {.update_window_dims = CT_DIMS(1),
                                .scatter_dims_to_operand_dims = CT_DIMS(0),
                                .index_vector_dim = 1};
    ct_tensor *window = ct_op_gather(x, places, &from);
    return ct_op_scatter(x, places, ct_mul(window, ct_sin(window)), NULL, &to);
}

static ct_tensor *write_by(ct_tensor *x, ct_tensor *i, ct_function *body)
{
    const ct_scatter_dims to = {.inserted_window_dims = CT_DIMS(0),
                                .scatter_dims_to_operand_dims = CT_DIMS(0),
                                .index_vector_dim = 1};
    ct_tensor *places = two_of(i);
    ct_tensor *value = ct_take(x, ct_reshape(places, CT_SHAPE(2)), 0, CT_CLAMP);
    return ct_op_scatter(x, places, ct_sin(value), body, &to);
}

static ct_tensor *write_elements(ct_tensor *x, ct_tensor *i)
{
    return write_by(x, i, NULL);
}

static ct_tensor *larger(ct_tensor *x, ct_tensor *y)
{
    return ct_op_maximum(x, y);
}

static ct_tensor *write_maxima(ct_tensor *x, ct_tensor *i)
{
    ct_tensor *scalar = ct_spec(ct_context_of(x), ct_dtype_of(x), CT_SHAPE());
    return write_by(x, i, ct_trace(ct_context_of(x), larger, CT_LIKE(scalar, scalar)));
}

static ct_tensor *product(ct_tensor *x, ct_tensor *y)
{
    return ct_op_multiply(x, y);
}

static ct_tensor *write_products(ct_tensor *x, ct_tensor *i)
{
    ct_tensor *scalar = ct_spec(ct_context_of(x), ct_dtype_of(x), CT_SHAPE());
    return write_by(x, i, ct_trace(ct_context_of(x), product, CT_LIKE(scalar, scalar)));
}

static writer *const writers[] = {write_windows, write_elements, write_maxima, write_products};
enum { WRITERS = sizeof writers / sizeof *writers };

static void write_step(void *user, ct_tensor *i, ct_tensor **carry)
{
    carry[0] = (*(writer *const *)user)(carry[0], i);
}

static void written(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *carry = p.item[0];
    ct_for(write_step, user, number(ct_context_of(carry), 100), 1, &carry);
    r[0] = carry;
}

/* Of those without steps of their own: a loop is said to read all that its body updates. */
static void check_steps(const ct_instance *instance, size_t which, size_t bytes)
{
    ct_profile_step step, next;
    const size_t n = ct_profile_steps(instance);
    CHECK(n > 0);
    for (size_t i = 0; i < n; i++) {
        ct_profile_step_at(instance, i, &step);
        ct_profile_step_at(instance, i + 1, &next);
        CHECK_MSG(step.depth == 0 || next.depth > step.depth || step.bytes < bytes,
                  "writer %d: step %d moves %d bytes", (int)which, (int)i, (int)step.bytes);
    }
}

/* There is an array for the values and then for the cotangents, and no step of the loops goes
 * through the elements of one. */
TEST(writers)
{
    enum { ELEMENTS = 10000, BYTES = ELEMENTS * 8 };
    ct_context *ctx = ct_context_new();
    double *x = calloc(ELEMENTS, sizeof *x), *y = calloc(ELEMENTS, sizeof *y);
    for (size_t i = 0; x && y && i < WRITERS * EXECUTORS; i++) {
        const size_t w = i / EXECUTORS;
        ct_function *f = ct_trace_many(ctx, written, (void *)(uintptr_t)&writers[w], 1,
                                       CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE(ELEMENTS))));
        const ct_compile_options o = {.size = sizeof o, .executor = executors[i % EXECUTORS]};
        ct_executable *g = ct_compile(ct_vjp(f, CT_ARGS(0)), &o);
        CHECK_OK(ctx);
        const size_t bytes = ct_executable_block_bytes(g);
        CHECK_MSG(bytes < BYTES + BYTES / 2, "writer %d: %zu bytes", (int)w, bytes);
        ct_instance *instance = ct_instance_new(g);
        CHECK(ct_bind_input(instance, 0, x, BYTES) == CT_OK);
        CHECK(ct_bind_input(instance, 1, x, BYTES) == CT_OK);
        CHECK(ct_bind_output(instance, 0, y, BYTES) == CT_OK);
        CHECK(ct_profile_begin(instance) == CT_OK && ct_run(instance) == CT_OK);
        check_steps(instance, w, BYTES);
        ct_instance_free(instance);
    }
    free(x);
    free(y);
    ct_context_free(ctx);
}

/* ---- Pages: a second run touches none that the first one has not. */

static ct_tensor *several_arrays(ct_tensor *x)
{
    ct_tensor *turned = ct_op_reverse(ct_tanh(x), CT_DIMS(0)), *y = x;
    for (int i = 0; i < 3; i++)
        y = ct_add(ct_op_reverse(ct_mul(y, turned), CT_DIMS(0)), ct_sin(y));
    return y;
}

static int64_t faults_of_run(ct_instance *instance)
{
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    CHECK(ct_run(instance) == CT_OK);
    getrusage(RUSAGE_SELF, &after);
    return after.ru_minflt - before.ru_minflt;
}

TEST(pages)
{
    enum { ELEMENTS = 4 << 20, BYTES = ELEMENTS * 4, PAGE = 4096 };
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_trace(ctx, several_arrays,
                              CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(ELEMENTS))));
    float *x = calloc(ELEMENTS, sizeof *x), *y = calloc(ELEMENTS, sizeof *y);
    for (size_t e = 0; x && y && e < EXECUTORS; e++) {
        const ct_compile_options o = {.size = sizeof o, .executor = executors[e]};
        ct_executable *g = ct_compile(f, &o);
        ct_instance *instance = ct_instance_new(g);
        CHECK(ct_executable_block_bytes(g) >= BYTES);
        CHECK(ct_bind_input(instance, 0, x, BYTES) == CT_OK);
        CHECK(ct_bind_output(instance, 0, y, BYTES) == CT_OK);
        faults_of_run(instance);
        int64_t again = faults_of_run(instance);
        CHECK_MSG(again < BYTES / PAGE / 16, "executor %d: %d faults", (int)e, (int)again);
        ct_instance_free(instance);
    }
    free(x);
    free(y);
    ct_context_free(ctx);
}
