/* Control flow, and plans: memory, results, types. */
#include "exec/interpret/interpret.h"
#include "tests/programs.h"
#include "trace/trace.h"

#include <cotangent/exec.h>
#include <cotangent/op.h>

#include <string.h>

static const ct_compile_options interpreter = {.size = sizeof interpreter,
                                               .executor = CT_EXECUTOR_INTERPRETER};

/* ---- Control. */

static ct_tensor *doubled(ct_tensor *x)
{
    return ct_op_add(x, x);
}

static ct_tensor *itself(ct_tensor *x)
{
    return x;
}

static void branch(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[1]);

    (void)user;
    ct_op_if(p.item[0], ct_trace(ctx, doubled, CT_LIKE(p.item[1])),
             ct_trace(ctx, itself, CT_LIKE(p.item[1])), CT_ARGV(p.item[1]), r, 1);
}

TEST(if_runs_one_branch)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 3);

    CHECK_VALUES(programs_run1(ctx, branch, NULL, CT_ARGV(ct_scalar(ctx, CT_BOOL, 1), x)),
                 CT_SHAPE(3), {0, 2, 4});
    CHECK_VALUES(programs_run1(ctx, branch, NULL, CT_ARGV(ct_scalar(ctx, CT_BOOL, 0), x)),
                 CT_SHAPE(3), {0, 1, 2});
    ct_context_free(ctx);
}

/* (sum, previous, x, offset) -> (sum + x + offset, sum; 2 sum, x): carries change places, a result
 * is a parameter, and a result depends on a carry that is overwritten. */
static void scan_body(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_add(ct_op_add(p.item[0], p.item[2]), p.item[3]);
    r[1] = p.item[0];
    r[2] = ct_op_add(p.item[0], p.item[0]);
    r[3] = p.item[2];
}

typedef struct loop {
    int64_t length;
    bool is_reverse;
} loop;

static void scan(void *user, ct_list p, ct_tensor **r)
{
    const loop *l = user;
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE(2));
    ct_function *body = ct_trace_many(ctx, scan_body, NULL, 4, CT_LIKE(s, s, s, s));

    ct_op_scan(l->length, CT_ARGV(p.item[0], p.item[1]), CT_ARGV(p.item[2]), CT_ARGV(p.item[3]),
               l->is_reverse, body, r, 4);
}

TEST(scan_forward_backward_and_empty)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *start = given(ctx, CT_F32, CT_SHAPE(2), {1, 2}), *r[4];
    ct_tensor *other = given(ctx, CT_F32, CT_SHAPE(2), {-1, -2});
    ct_tensor *offset = given(ctx, CT_F32, CT_SHAPE(2), {100, 200});
    loop l = {3, false};

    programs_run(ctx, (program){scan, &l, 4},
                 CT_ARGV(start, other, coded(ctx, CT_F32, 3, 2), offset), r);
    CHECK_VALUES(r[0], CT_SHAPE(2), {331, 635});
    CHECK_VALUES(r[1], CT_SHAPE(2), {211, 414});
    CHECK_VALUES(r[2], CT_SHAPE(3, 2), {2, 4, 202, 406, 422, 828});
    CHECK_VALUES(r[3], CT_SHAPE(3, 2), {0, 1, 10, 11, 20, 21});
    l.is_reverse = true;
    programs_run(ctx, (program){scan, &l, 4},
                 CT_ARGV(start, other, coded(ctx, CT_F32, 3, 2), offset), r);
    CHECK_VALUES(r[0], CT_SHAPE(2), {331, 635});
    CHECK_VALUES(r[1], CT_SHAPE(2), {231, 434});
    CHECK_VALUES(r[2], CT_SHAPE(3, 2), {462, 868, 242, 446, 2, 4});
    CHECK_VALUES(r[3], CT_SHAPE(3, 2), {0, 1, 10, 11, 20, 21});
    for (l.length = 0; l.length < 3; l.length++) {
        ct_tensor *xs = ct_ones(ctx, CT_F32, CT_SHAPE(l.length, 2));
        programs_run(ctx, (program){scan, &l, 4}, CT_ARGV(start, other, xs, offset), r);
        double n = (double)l.length;
        CHECK_VALUES(r[0], CT_SHAPE(2), {1 + 101 * n, 2 + 201 * n});
        CHECK(ct_dim(r[2], 0) == l.length && ct_dim(r[3], 0) == l.length);
    }
    ct_context_free(ctx);
}

/* No carry, no x, no result but the stacked constant. */
static void constant_body(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = p.item[0];
}

static void scan_without_carries(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_function *body = ct_trace_many(ctx, constant_body, NULL, 1, CT_LIKE(p.item[0]));

    (void)user;
    ct_op_scan(3, CT_NO_TENSORS, CT_NO_TENSORS, p, false, body, r, 1);
}

TEST(scan_without_carries_stacks)
{
    ct_context *ctx = ct_context_new();

    CHECK_VALUES(programs_run1(ctx, scan_without_carries, NULL, CT_ARGV(coded(ctx, CT_U8, 2))),
                 CT_SHAPE(3, 2), {0, 1, 0, 1, 0, 1});
    ct_context_free(ctx);
}

/* ---- Plans. */

/* Parameters, constants, duplicates and identities as results, and values that die in between. */
static void many_kinds_of_results(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *sum = ct_op_add(x, x);

    (void)user;
    r[0] = x;
    r[1] = ct_op_reshape(sum, CT_DIMS(3, 2));
    r[2] = sum;
    r[3] = ct_full(ct_context_of(x), CT_F32, CT_SHAPE(2), 7);
}

TEST(results_of_every_kind)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *r[4];

    programs_run(ctx, (program){many_kinds_of_results, NULL, 4}, CT_ARGV(coded(ctx, CT_F32, 2, 3)),
                 r);
    CHECK_VALUES(r[0], CT_SHAPE(2, 3), {0, 1, 2, 10, 11, 12});
    CHECK_VALUES(r[1], CT_SHAPE(3, 2), {0, 2, 4, 20, 22, 24});
    CHECK_VALUES(r[2], CT_SHAPE(2, 3), {0, 2, 4, 20, 22, 24});
    CHECK_VALUES(r[3], CT_SHAPE(2), {7, 7});
    ct_context_free(ctx);
}

/* A chain of 100 sums of 1 KiB needs two of them at a time. */
static void long_chain(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0];

    (void)user;
    for (int i = 0; i < 100; i++)
        x = ct_op_add(x, p.item[0]);
    r[0] = x;
}

/* A result that is the beginning of something larger: only its own bytes are written. */
static void beginning(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *twice = ct_op_add(p.item[0], p.item[0]);
    const int64_t n = ct_size(twice) - 1;

    (void)user;
    r[0] = ct_op_reshape(ct_op_slice(twice, CT_DIMS(0), CT_DIMS(n), CT_DIMS(1)), CT_DIMS(1, n));
}

static void check_beginning(ct_context *ctx, int64_t n, ct_executor executor)
{
    enum { MOST = 40 };
    double x[MOST], y[MOST];
    ct_function *f = ct_trace_many(ctx, beginning, NULL, 1,
                                   CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE(n + 1))));
    const ct_compile_options options = {.size = sizeof options, .executor = executor};
    ct_instance *instance = ct_instance_new(ct_compile(f, &options));

    for (int i = 0; i < MOST; i++)
        x[i] = i, y[i] = -1;
    CHECK(ct_bind_input(instance, 0, x, (size_t)(n + 1) * sizeof *x) == CT_OK);
    CHECK(ct_bind_output(instance, 0, y, (size_t)n * sizeof *y) == CT_OK);
    CHECK(ct_run(instance) == CT_OK);
    for (int i = 0; i < MOST; i++)
        CHECK(y[i] == (i < n ? 2.0 * i : -1));
    ct_instance_free(instance);
}

TEST(results_end_where_they_end)
{
    static const ct_executor executors[] = {CT_EXECUTOR_INTERPRETER, CT_EXECUTOR_MACHINE,
                                            CT_EXECUTOR_CPU};
    ct_context *ctx = ct_context_new();

    for (int64_t n = 0; n < 30; n++)
        for (size_t i = 0; i < 3; i++)
            check_beginning(ctx, n, executors[i]);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(memory_of_dead_values_is_reused)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(256));
    ct_executable *e = ct_compile(ct_trace_many(ctx, long_chain, NULL, 1, CT_LIKE(x)),
                                  &interpreter);

    CHECK_VALUES(programs_run1(ctx, long_chain, NULL, CT_ARGV(ct_ones(ctx, CT_F32, CT_SHAPE(2)))),
                 CT_SHAPE(2), {101, 101});
    CHECK_MSG(ct_executable_block_bytes(e) < 2 * 1024 + 100 * 3 * sizeof(void *) + 256, "%zu bytes",
              ct_executable_block_bytes(e));
    ct_context_free(ctx);
}

/* Rows of x [3,4]. */
static ct_tensor *rows(ct_tensor *x, int64_t first, int64_t end)
{
    return ct_op_slice(x, CT_DIMS(first, 0), CT_DIMS(end, 4), CT_DIMS(1, 1));
}

/* Cut and put together in the ways that read or make pieces in their place, and in others. */
static ct_tensor *rejoined(ct_tensor *a, ct_tensor *b, size_t how)
{
    ct_tensor *sum, *column;

    switch (how) {
    case 0: return ct_op_concatenate(CT_ARGV(rows(a, 0, 1), rows(b, 1, 3)), 0);
    case 1:
        return ct_op_concatenate(
            CT_ARGV(rows(ct_op_add(a, b), 0, 2), rows(ct_op_subtract(a, b), 2, 3)), 0);
    case 2:
        sum = ct_op_add(rows(a, 0, 2), rows(b, 1, 3));
        return ct_op_concatenate(CT_ARGV(rows(ct_op_add(a, a), 1, 2), sum), 0);
    case 3:
        sum = ct_op_add(rows(a, 2, 3), rows(b, 0, 1));
        return ct_op_concatenate(CT_ARGV(sum, ct_op_concatenate(CT_ARGV(sum, sum), 0)), 0);
    case 4:
        sum = ct_op_reshape(ct_op_subtract(rows(a, 1, 3), rows(b, 1, 3)), CT_DIMS(8));
        return ct_op_reshape(
            ct_op_concatenate(CT_ARGV(sum, ct_op_reshape(rows(a, 0, 1), CT_DIMS(4))), 0),
            CT_DIMS(3, 4));
    default:
        column = ct_op_slice(a, CT_DIMS(0, 0), CT_DIMS(3, 3), CT_DIMS(1, 2));
        return ct_op_concatenate(CT_ARGV(column, ct_op_add(column, column)), 1);
    }
}

/* Random programs of elementwise operations and pieces with shared values: the plan against direct
 * computing. */
static void random_program(void *user, ct_list p, ct_tensor **r)
{
    uint64_t state = *(const uint64_t *)user;
    ct_tensor *value[64] = {p.item[0], p.item[1]};
    size_t n = 2;

    for (; n < 60; n++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ct_tensor *a = value[(state >> 33) % n], *b = value[(state >> 40) % n];
        switch (state >> 60) {
        case 0: value[n] = ct_op_maximum(a, b); break;
        case 1: value[n] = ct_op_reverse(a, CT_DIMS(1)); break;
        case 2: value[n] = ct_op_stop_gradient(a); break;
        case 3: value[n] = ct_op_reshape(ct_op_reshape(a, CT_DIMS(12)), CT_DIMS(3, 4)); break;
        case 4: ct_op_optimization_barrier(CT_ARGV(a), &value[n]); break;
        case 5: value[n] = ct_op_subtract(a, b); break;
        case 6:
        case 7:
        case 8: value[n] = ct_op_add(a, b); break;
        default: value[n] = rejoined(a, b, (state >> 60) - 9); break;
        }
    }
    for (size_t i = 0; i < 4; i++)
        r[i] = value[(state >> (8 * i)) % n];
}

TEST(random_programs)
{
    ct_context *ctx = ct_context_new();

    for (uint64_t seed = 1; seed <= 200; seed++) {
        ct_tensor *r[4];
        ct_scope scope = ct_scope_begin(ctx);
        programs_run(ctx, (program){random_program, &seed, 4},
                     CT_ARGV(coded(ctx, CT_I32, 3, 4), ct_full(ctx, CT_I32, CT_SHAPE(3, 4), 3)), r);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* Rows of an argument are read where they are, and sums of them made where they go. */
static void moved_rows(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *part[4];

    (void)user;
    for (int64_t i = 0; i < 4; i++) {
        ct_tensor *row = ct_op_slice(x, CT_DIMS(i, 0), CT_DIMS(i + 1, 512), CT_DIMS(1, 1));
        part[3 - i] = ct_op_add(row, row);
    }
    r[0] = ct_op_concatenate((ct_list){4, part}, 0);
}

TEST(pieces_take_no_memory)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(4, 512));
    ct_executable *e = ct_compile(ct_trace_many(ctx, moved_rows, NULL, 1, CT_LIKE(x)),
                                  &interpreter);
    ct_tensor *y = coded(ctx, CT_F32, 4, 512);

    CHECK_EQUAL(programs_run1(ctx, moved_rows, NULL, CT_ARGV(y)),
                ct_op_reverse(ct_op_add(y, y), CT_DIMS(0)));
    CHECK_MSG(ct_executable_block_bytes(e) < 512, "%zu bytes", ct_executable_block_bytes(e));
    ct_context_free(ctx);
}

static void huge_values(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = ct_op_broadcast_in_dim(p.item[0], CT_DIMS(1ll << 62), CT_DIMS());
    ct_tensor *y = ct_op_add(x, x);

    (void)user;
    r[0] = ct_op_slice(ct_op_add(y, y), CT_DIMS(0), CT_DIMS(1), CT_DIMS(1));
}

TEST(frames_beyond_the_address_space)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *s = ct_spec(ctx, CT_I8, CT_SHAPE());
    ct_function *f = ct_trace_many(ctx, huge_values, NULL, 1, CT_LIKE(s));

    CHECK_OK(ctx);
    CHECK(ct_executable_is_poison(ct_compile(f, &interpreter)));
    CHECK_ERROR(ctx, CT_ERR_RANGE, "add: the memory of a run is too large to address");
    ct_context_free(ctx);
}

/* ---- Constants of one element, repeated: they take no room where one element is enough. */

/* A concrete tensor as a value of the open trace, if there is one: what moves it is recorded too.
 */
static ct_tensor *recorded(ct_context *ctx, ct_tensor *x)
{
    ct__id id;

    if (!ctx->trace)
        return x;
    CHECK(ct__trace_resolve(ctx, x, &id) == CT__RESOLVED);
    return ct__tensor_traced(ctx, CT_HERE, "constant", ctx->trace->serial, id, x->type);
}

static const int64_t tera = (int64_t)1 << 40;

/* Read through data movement alone, and by operations that take one element for all. */
static void repeated(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_tensor *huge = recorded(ctx, ct_full(ctx, CT_F32, CT_SHAPE(tera, 3), 5));
    ct_tensor *turned = ct_op_reverse(ct_op_transpose(huge, CT_DIMS(1, 0)), CT_DIMS(1));
    ct_tensor *part = ct_op_slice(turned, CT_DIMS(0, tera - 2), CT_DIMS(3, tera), CT_DIMS(1, 1));
    ct_tensor *spread = ct_op_broadcast_in_dim(ct_op_reshape(part, CT_SHAPE(2, 3)), CT_SHAPE(2, 3),
                                               CT_DIMS(0, 1));

    (void)user;
    r[0] = ct_op_subtract(p.item[0], spread);
    r[1] = ct_op_subtract(part, ct_op_reshape(p.item[0], CT_SHAPE(3, 2)));
    r[2] = ct_op_subtract(spread, ct_op_reshape(part, CT_SHAPE(2, 3)));
    r[3] = part;
}

TEST(repeated_elements_need_no_room)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *y[4];

    programs_run(ctx, (program){repeated, NULL, 4}, CT_ARGV(x), y);
    CHECK_VALUES(y[0], CT_SHAPE(2, 3), {-5, -4, -3, 5, 6, 7});
    CHECK_VALUES(y[1], CT_SHAPE(3, 2), {5, 4, 3, -5, -6, -7});
    CHECK_VALUES(y[2], CT_SHAPE(2, 3), {0, 0, 0, 0, 0, 0});
    CHECK_VALUES(y[3], CT_SHAPE(3, 2), {5, 5, 5, 5, 5, 5});
    ct_context_free(ctx);
}

/* Operations that read the elements one by one, of constants whose bytes are the same or not, small
 * ones before large ones. */
static void written_out(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_tensor *ones = ct_full(ctx, CT_I32, CT_SHAPE(2), -1);
    ct_tensor *more = recorded(ctx, ct_full(ctx, CT_I32, CT_SHAPE(70), -1));
    ct_tensor *bytes = ct_full(ctx, CT_U8, CT_SHAPE(5), 255);
    ct_tensor *pairs = ct_full(ctx, CT_C128, CT_SHAPE(3), 2);
    ct_tensor *empty = ct_op_slice(more, CT_DIMS(7), CT_DIMS(7), CT_DIMS(1));

    (void)user;
    r[0] = ct_op_concatenate(CT_ARGV(empty, ones, p.item[0]), 0);
    r[1] = ct_op_reduce_add(ct_op_negate(more), CT_DIMS(0));
    r[2] = ct_op_convert(bytes, CT_F32);
    r[3] = ct_op_compare(pairs, pairs, CT_EQ, CT_COMPARE_DEFAULT);
}

TEST(repeated_elements_are_written_out)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 3), *y[4];

    programs_run(ctx, (program){written_out, NULL, 4}, CT_ARGV(x), y);
    CHECK_VALUES(y[0], CT_SHAPE(5), {-1, -1, 0, 1, 2});
    CHECK_VALUES(y[1], CT_SHAPE(), {70});
    CHECK_VALUES(y[2], CT_SHAPE(5), {255, 255, 255, 255, 255});
    CHECK_VALUES(y[3], CT_SHAPE(3), {1, 1, 1});
    ct_context_free(ctx);
}

/* ---- Graphs by hand, with types that no public entry makes yet. */

static ct__graph *barrier_of(const ct_type *(*type)(ct__arena *arena))
{
    static const ct__attrs none;
    ct__graph *graph = ct__graph_new(&ct__libc_allocator, "barrier");
    const ct_type *t = type(&graph->arena);
    ct__id x, y;

    CHECK(ct__graph_add_param(graph, t, &x));
    ct__node node = {.op = CT__OP_optimization_barrier,
                     .attrs = &none,
                     .n_operands = 1,
                     .operand = &x,
                     .n_results = 1};
    CHECK(ct__graph_add_node(graph, &node, &t, &y));
    CHECK(ct__graph_set_results(graph, 1, &y));
    return graph;
}

/* (f32[], token, f64[3]): an element of 4 bytes, none, and one of 24 from byte 64 on. */
static const ct_type *tuple_of_three(ct__arena *arena)
{
    const ct_type *element[] = {ct__type(arena, CT_F32, 0, NULL), ct__type_token(arena),
                                ct__type(arena, CT_F64, 1, (const int64_t[]){3})};

    return ct__type_tuple(arena, 3, element);
}

static const ct_type *tuple_with_a_stack(ct__arena *arena)
{
    const ct_type *stack = ct__type_stack(arena, ct__type(arena, CT_F32, 0, NULL));

    return ct__type_tuple(arena, 1, &stack);
}

static const ct_type *stack_of_scalars(ct__arena *arena)
{
    return ct__type_stack(arena, ct__type(arena, CT_F32, 0, NULL));
}

TEST(tokens_have_no_bytes)
{
    ct__graph *graph = barrier_of(ct__type_token);
    ct__plan_options options = {.customs = NULL};
    ct__run_error error = {.status = CT_OK};
    ct__plan *plan = ct__plan_new(&ct__libc_allocator, graph, &ct__reference_numerics, &options,
                                  &error);
    unsigned char in = 1, out = 2;
    _Alignas(CT__ALIGN) unsigned char frame[1024];

    CHECK(plan && ct__plan_frame_bytes(plan) <= sizeof frame);
    CHECK(ct__plan_run(plan, (const void *const[]){&in}, (void *const[]){&out}, frame, &error));
    CHECK(in == 1 && out == 2);
    ct__plan_free(plan);
    ct__graph_release(graph);
}

TEST(tuples_are_their_elements)
{
    ct__graph *graph = barrier_of(tuple_of_three);
    ct__plan_options options = {.customs = NULL};
    ct__run_error error = {.status = CT_OK};
    ct__plan *plan = ct__plan_new(&ct__libc_allocator, graph, &ct__reference_numerics, &options,
                                  &error);
    _Alignas(CT__ALIGN) unsigned char in[128], out[129], frame[1024];

    CHECK(plan && ct__plan_frame_bytes(plan) <= sizeof frame);
    CHECK(ct__data_bytes(ct__param_type(graph, 0)) == 128);
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)i;
    memset(out, 255, sizeof out);
    CHECK(ct__plan_run(plan, (const void *const[]){in}, (void *const[]){out}, frame, &error));
    CHECK(memcmp(in, out, 128) == 0 && out[128] == 255);
    ct__plan_free(plan);
    ct__graph_release(graph);
}

/* Stacks live inside of a run. */
TEST(stacks_do_not_go_in_or_out)
{
    const ct_type *(*const types[])(ct__arena *) = {tuple_with_a_stack, stack_of_scalars};
    static const char *const text[] = {"tuple<stack<f32[]>> cannot be an argument of a run",
                                       "stack<f32[]> cannot be an argument of a run"};
    ct__plan_options options = {.customs = NULL};

    for (int i = 0; i < 2; i++) {
        ct__graph *graph = barrier_of(types[i]);
        ct__run_error error;
        CHECK(!ct__plan_new(&ct__libc_allocator, graph, &ct__reference_numerics, &options, &error));
        CHECK_MSG(error.status == CT_ERR_UNSUPPORTED && strstr(error.message, text[i]), "%s",
                  error.message);
        ct__graph_release(graph);
    }
}

/* The same function called 2^40 times over by nesting is planned once per level. */
static ct_tensor *twice(void *user, ct_tensor *x)
{
    ct_function *const *inner = user;

    return *inner ? ct_apply1(*inner, CT_ARGV(ct_apply1(*inner, CT_ARGV(x)))) : ct_op_negate(x);
}

TEST(shared_bodies_are_planned_once)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(3));
    ct_function *f = NULL;

    for (int level = 0; level <= 40; level++)
        f = ct_trace_user(ctx, twice, &f, CT_LIKE(x));
    ct_executable *e = ct_compile(f, &interpreter);
    CHECK_OK(ctx);
    CHECK(ct_executable_block_bytes(e) < 41 * 1024);
    ct_context_free(ctx);
}

/* ---- Parts. */

/* Operation 2 needs both before it. */
static ct_tensor *three(ct_tensor *x)
{
    return ct_op_multiply(ct_op_tanh(x), ct_op_negate(x));
}

TEST(unsound_parts_are_found)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_trace(ctx, three, CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(3))));
    ct__id same[4] = {0, 1, 2, 3}, made[4] = {0, 1, 2, 3};
    const ct__index_view *view[4] = {NULL};
    bool done[3] = {false};
    ct__arena arena;
    CHECK_OK(ctx);
    CHECK(f->graph->n_nodes == 3 && f->graph->n_values == 4);
    ct__arena_init(&arena, &ct__libc_allocator);
    ct__parting parting = {
        .graph = f->graph, .same = same, .made = made, .view = view, .done = done, .arena = &arena};
    CHECK(ct__divide_plainly(&parting) && parting.n_parts == 3);
    CHECK(ct__parts_are_sound(&parting));
    parting.n_parts = 2; /* one node is in no part */
    CHECK(!ct__parts_are_sound(&parting));
    parting.n_parts = 3;
    parting.part[1] = parting.part[0]; /* one node twice, another never */
    CHECK(!ct__parts_are_sound(&parting));
    const uint32_t order[3] = {0, 2, 1}; /* what is read is made behind */
    parting.part[0] = (ct__part){.n_nodes = 3, .node = order};
    parting.n_parts = 1;
    CHECK(!ct__parts_are_sound(&parting));
    const uint32_t before[2] = {0, 1}, behind[2] = {0, 2}; /* again, without saying so */
    parting.part[0] = (ct__part){.n_nodes = 2, .node = before};
    parting.part[1] = (ct__part){.n_nodes = 2, .node = behind};
    parting.n_parts = 2;
    CHECK(!ct__parts_are_sound(&parting));
    parting.part[1].is_again = (const bool[2]){true, false};
    CHECK(ct__parts_are_sound(&parting));
    parting.part[0].is_again = parting.part[1].is_again; /* but nothing has made it before */
    CHECK(!ct__parts_are_sound(&parting));
    ct__arena_free(&arena);
    ct_context_free(ctx);
}
