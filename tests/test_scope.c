/* Who owns what: scopes, keeping, replacing, releasing, and handles in other contexts. The
 * allocator counts blocks, so that what should be gone is seen to be gone. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- A context whose blocks in use are counted. */

static void *allocate(void *user, size_t bytes, size_t align)
{
    void *memory = NULL;

    if (posix_memalign(&memory, align, bytes) != 0)
        return NULL;
    atomic_fetch_add((atomic_long *)user, 1);
    return memory;
}

static void release(void *user, void *memory, size_t bytes)
{
    (void)bytes;
    atomic_fetch_sub((atomic_long *)user, 1);
    free(memory);
}

static ct_context *counted(atomic_long *blocks)
{
    ct_allocator allocator = {sizeof allocator, blocks, allocate, release};

    return ct_context_new_with(&allocator);
}

/* ---- Scopes. */

TEST(a_scope_releases_what_was_made_in_it)
{
    atomic_long blocks = 0;
    ct_context *ctx = counted(&blocks);
    ct_tensor *x = coded(ctx, CT_F32, 2, 3);

    ct_scope warm = ct_scope_begin(ctx);
    ct_transpose(x, CT_ALL_AXES); /* lists have grown, and types that are used again are there */
    ct_scope_end(warm);
    long before = blocks;
    ct_scope scope = ct_scope_begin(ctx);
    ct_name(ct_transpose(x, CT_ALL_AXES), "a view");
    ct_text(x);
    ct_compile(ct_trace_end(ct_trace_begin(ctx, "f", CT_NO_TENSORS), CT_ARGV(x)), NULL);
    CHECK(blocks > before);
    ct_scope_end(scope);
    CHECK_MSG(blocks == before, "%ld blocks instead of %ld", (long)blocks, before);
    CHECK_VALUES(x, CT_SHAPE(2, 3), {0, 1, 2, 10, 11, 12});
    ct_context_free(ctx);
    CHECK(blocks == 0);
}

/* Data lives as long as one handle of it does. */
TEST(views_keep_their_data)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3);
    ct_tensor *y = ct_transpose(x, CT_ALL_AXES);

    ct_release(x);
    CHECK_VALUES(y, CT_SHAPE(3, 2), {0, 10, 1, 11, 2, 12});
    ct_context_free(ctx);
}

TEST(keeping)
{
    atomic_long blocks = 0;
    ct_context *ctx = counted(&blocks);
    ct_scope outer = ct_scope_begin(ctx), inner = ct_scope_begin(ctx);
    ct_tensor *x = ct_scalar(ctx, CT_F32, 1), *y = ct_scalar(ctx, CT_F32, 2);
    ct_tensor *z = ct_scalar(ctx, CT_F32, 3);

    CHECK(ct_keep(x) == x);          /* by one scope */
    CHECK(ct_keep(ct_keep(y)) == y); /* it is no longer of this scope */
    CHECK(ct_retain(z) == z);        /* by all */
    ct_scope_end(inner);
    CHECK(ct_item(x) == 1 && ct_item(y) == 2 && ct_item(z) == 3);
    long with_x = blocks;
    ct_scope_end(outer);
    CHECK(blocks < with_x && ct_item(z) == 3);
    CHECK(ct_keep(z) == z && ct_item(z) == 3); /* nothing is outside of the outermost */
    ct_release(z);
    CHECK(!ct_keep(NULL) && !ct_retain(NULL) && !ct_keep_function(NULL));
    CHECK_OK(ctx);
    ct_context_free(ctx);
    CHECK(blocks == 0);
}

static ct_tensor *negated(ct_tensor *x)
{
    return ct_neg(x);
}

/* Headers are used again: a loop takes no more memory than its first iteration. */
TEST(headers_are_used_again)
{
    enum { MANY = 1000 };
    atomic_long blocks = 0;
    ct_context *ctx = counted(&blocks);
    ct_tensor *x = coded(ctx, CT_F32, 2, 3);
    long before = 0;

    for (int i = 0; i < 20; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        for (int k = 0; k < MANY; k++)
            ct_transpose(x, CT_ALL_AXES);
        ct_scope_end(scope);
        before = i == 0 ? blocks : before;
        CHECK(blocks == before);
    }
    ct_context_free(ctx);
    CHECK(blocks == 0);
}

/* An outer value that inner scopes keep, also over and over, stays where it is. */
TEST(keeping_an_outer_value)
{
    atomic_long blocks = 0;
    ct_context *ctx = counted(&blocks);
    ct_tensor *x = ct_scalar(ctx, CT_F32, 1);
    long before = blocks;
    ct_scope outer = ct_scope_begin(ctx);
    ct_tensor *y = ct_scalar(ctx, CT_F32, 2);
    ct_function *f = ct_trace(ctx, negated, CT_LIKE(x));
    ct_executable *run = ct_compile(f, NULL);
    for (int i = 0; i < 3; i++) {
        ct_scope inner = ct_scope_begin(ctx);
        CHECK(ct_keep(ct_keep(y)) == y && ct_keep_function(ct_keep_function(f)) == f);
        CHECK(ct_keep_executable(ct_keep_executable(run)) == run);
        ct_scope_end(inner);
    }
    CHECK_VALUES(ct_call1(run, CT_ARGV(y)), CT_SHAPE(), {-2});
    ct_scope_end(outer);
    CHECK_MSG(blocks <= before + 4, "%ld blocks, %ld before", blocks,
              before); /* lists, a constant, headers */
    CHECK_OK(ctx);
    ct_context_free(ctx);
    CHECK(blocks == 0);
}

TEST(replacing_by_a_value_of_another_context)
{
    ct_context *ctx = ct_context_new(), *other = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F32, 1), *slot = x, *y = ct_scalar(other, CT_F32, 2);
    ct_replace(&slot, y);
    CHECK(slot == x);
    CHECK_ERROR(ctx, CT_ERR_CONTEXT, "replace: the next value belongs to another context");
    CHECK_OK(other);
    CHECK_VALUES(x, CT_SHAPE(), {1});
    CHECK_VALUES(y, CT_SHAPE(), {2});
    slot = NULL;
    ct_replace(&slot, y);
    CHECK(slot == y);
    CHECK_OK(other);
    ct_context_free(ctx);
    CHECK_VALUES(y, CT_SHAPE(), {2});
    ct_context_free(other);
}

TEST(keeping_functions_and_executables)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F32, 4);
    ct_scope scope = ct_scope_begin(ctx);
    ct_function *f = ct_trace_end(ct_trace_begin(ctx, "f", CT_NO_TENSORS), CT_ARGV(x));
    ct_executable *e = ct_compile(f, NULL);

    CHECK(ct_keep_function(f) == f && ct_keep_executable(e) == e);
    ct_scope_end(scope);
    CHECK_VALUES(ct_apply1(f, CT_NO_TENSORS), CT_SHAPE(), {4});
    ct_release_function(f); /* the executable does not need it */
    CHECK_VALUES(ct_call1(e, CT_NO_TENSORS), CT_SHAPE(), {4});
    ct_release_executable(e);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The end of an outer scope ends those inside it; each ends once. */
TEST(ending_scopes)
{
    atomic_long blocks = 0;
    ct_context *ctx = counted(&blocks);
    ct_scope outer = ct_scope_begin(ctx), inner = ct_scope_begin(ctx);

    ct_scalar(ctx, CT_F32, 1);
    ct_scope_end(outer);
    CHECK_OK(ctx);
    ct_scope_end(inner);
    CHECK_ERROR(ctx, CT_ERR_STATE, "scope_end: the scope has ended before");
    ct_scope_end(outer);
    CHECK_ERROR(ctx, CT_ERR_STATE, "scope_end: the scope has ended before");
    ct_scope again = ct_scope_begin(ctx); /* of the same depth, and another scope */
    ct_tensor *x = ct_scalar(ctx, CT_F32, 1);
    ct_scope_end(outer);
    CHECK_ERROR(ctx, CT_ERR_STATE, "scope_end: the scope has ended before");
    CHECK(ct_item(x) == 1);
    ct_scope_end(again);
    CHECK_OK(ctx);
    ct_scope_begin(ctx); /* the context's end ends the rest */
    ct_scalar(ctx, CT_F32, 1);
    ct_context_free(ctx);
    CHECK(blocks == 0);
}

/* Scopes go on working while the context holds an error. */
TEST(scopes_after_an_error)
{
    atomic_long blocks = 0;
    ct_context *ctx = counted(&blocks);
    ct_scope scope = ct_scope_begin(ctx);
    ct_tensor *x = ct_scalar(ctx, CT_F32, 1);
    long before = blocks;

    CHECK(ct_is_poison(ct_reshape(x, CT_SHAPE(2))));
    ct_scope inner = ct_scope_begin(ctx);
    ct_keep(x);
    ct_scope_end(inner);
    CHECK(ct_item(x) == 1);
    ct_scope_end(scope);
    CHECK(blocks < before);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "reshape: ");
    ct_context_free(ctx);
    CHECK(blocks == 0);
}

/* ---- Functions of the program that library calls run: they leave scopes as they found them. */

static ct_scope around;

static ct_tensor *ends_outer_scope(ct_tensor *x)
{
    ct_scope_end(around);
    return ct_neg(x);
}

static ct_tensor *leaves_scope_open(ct_tensor *x)
{
    ct_scope_begin(ct_context_of(x));
    return ct_neg(x);
}

static ct_tensor *keeps_order(ct_tensor *x)
{
    ct_scope scope = ct_scope_begin(ct_context_of(x));
    ct_tensor *y = ct_keep(ct_neg(ct_exp(x)));
    ct_scope_end(scope);
    return y;
}

typedef struct closure {
    ct_tensor *(*f)(ct_tensor *);
    ct_tensor *x;
} closure;

static ct_tensor *branch(void *user)
{
    closure *c = user;

    return c->f(c->x);
}

static void loop_body(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)x;
    (void)y;
    carry[0] = ((closure *)user)->f(carry[0]);
}

static void all_results(void *user, ct_list parameters, ct_tensor **result)
{
    result[0] = ((closure *)user)->f(parameters.item[0]);
}

/* Runs f in every way; all end in this error, and the context is fit for use afterwards. */
static void check_scopes_of(ct_tensor *(*f)(ct_tensor *), ct_status status, const char *part)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F32, 1), *carry[1];
    closure c = {f, x};

    for (int way = 0; way < 4; way++) {
        around = ct_scope_begin(ctx);
        carry[0] = x;
        switch (way) {
        case 0: ct_trace(ctx, f, CT_LIKE(x)); break;
        case 1: ct_trace_many(ctx, all_results, &c, 1, CT_LIKE(x)); break;
        case 2: ct_if(ct_scalar(ctx, CT_BOOL, 1), branch, branch, &c); break;
        default: ct_scan(loop_body, &c, .length = 2, .n_carry = 1, .carry = carry); break;
        }
        CHECK_ERROR(ctx, status, part);
        ct_scope_end(around);
        CHECK_OK(ctx);
    }
    ct_context_free(ctx);
}

TEST(functions_and_scopes)
{
    check_scopes_of(ends_outer_scope, CT_ERR_STATE,
                    "scope_end: the scope was begun outside of the function that ends it");
    check_scopes_of(leaves_scope_open, CT_ERR_STATE, ": the function left a scope open");
    check_scopes_of(keeps_order, CT_OK, "");
}

/* ---- Replacing: the training loop's way to keep one value. */

TEST(replacing)
{
    atomic_long blocks = 0;
    ct_context *ctx = counted(&blocks);
    ct_tensor *w = ct_scalar(ctx, CT_F64, 1), *good;
    long after_first = 0;

    for (int i = 0; i < 5; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_replace(&w, ct_mul(w, 2));
        ct_scope_end(scope);
        after_first = i == 0 ? (long)blocks : after_first;
    }
    CHECK(ct_item(w) == 32 && blocks == after_first); /* nothing piles up */
    good = w;
    ct_replace(&w, ct_reshape(w, CT_SHAPE(7)));
    CHECK(w == good && ct_item(w) == 32); /* poison is not stored */
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "reshape: ");
    ct_replace(&w, NULL);
    ct_replace(&w, w);
    ct_replace(NULL, w);
    CHECK(w == good && ct_item(w) == 32);
    CHECK_OK(ctx);
    ct_context_free(ctx);
    CHECK(blocks == 0);
}

/* The new value moves to the scope of the old one, also when that is further in or out. */
TEST(replacing_across_scopes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *slot = NULL, *inner;
    ct_scope scope = ct_scope_begin(ctx), deep = ct_scope_begin(ctx);

    ct_replace(&slot, ct_scalar(ctx, CT_F32, 1)); /* an empty slot keeps it by one scope */
    ct_scope_end(deep);
    CHECK(ct_item(slot) == 1);
    deep = ct_scope_begin(ctx);
    inner = ct_scalar(ctx, CT_F32, 2);
    ct_replace(&slot, inner);
    ct_scope_end(deep);
    CHECK(slot == inner && ct_item(slot) == 2);
    ct_scope_end(scope);
    slot = ct_scalar(ctx, CT_F32, 3);
    inner = ct_scalar(ctx, CT_F32, 4);
    scope = ct_scope_begin(ctx);
    ct_tensor *here = ct_scalar(ctx, CT_F32, 5);
    ct_replace(&here, inner); /* an outer value is not moved in */
    ct_scope_end(scope);
    CHECK(ct_item(inner) == 4);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(releasing)
{
    atomic_long blocks = 0;
    ct_context *ctx = counted(&blocks);
    ct_tensor *x = ct_scalar(ctx, CT_F32, 1), *poison = ct_reshape(x, CT_SHAPE(2));
    long before = blocks;

    ct_error_clear(ctx);
    ct_release(ct_neg(x));
    CHECK(blocks == before);
    ct_release(NULL);
    ct_release(poison);
    ct_release(ct_exp(NULL)); /* the poison that has no context */
    ct_release_function(NULL);
    ct_release_executable(NULL);
    CHECK(ct_is_poison(poison) && ct_is_poison(ct_neg(NULL)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
    CHECK(blocks == 0);
}

/* ---- Other contexts: handles share the body. */

static ct_tensor *twice_plus(ct_tensor *x, ct_tensor *y)
{
    return ct_add(ct_mul(x, 2), y);
}

TEST(adopting)
{
    atomic_long blocks = 0;
    ct_context *one = counted(&blocks), *two = ct_context_new();
    ct_tensor *s = ct_spec(one, CT_F32, CT_SHAPE());
    ct_function *f = ct_trace(one, twice_plus, CT_LIKE(s, s));
    ct_executable *e = ct_compile(f, NULL);
    ct_function *g = ct_adopt(two, f);
    ct_executable *h = ct_adopt_executable(two, e);
    ct_tensor *x = ct_scalar(two, CT_F32, 3), *y = ct_scalar(two, CT_F32, 4);

    CHECK(ct_function_context(f) == one && ct_function_context(g) == two);
    ct_context_free(one); /* the bodies live on */
    CHECK(blocks > 0);
    CHECK_VALUES(ct_apply1(g, CT_ARGV(x, y)), CT_SHAPE(), {10});
    CHECK_VALUES(ct_call1(h, CT_ARGV(x, y)), CT_SHAPE(), {10});
    CHECK_VALUES(ct_apply1(ct_grad(g, CT_ARGS(0)), CT_ARGV(x, y)), CT_SHAPE(), {2});
    CHECK(ct_function_context(ct_adopt(two, g)) == two);
    CHECK_OK(two);
    ct_context_free(two);
    CHECK_MSG(blocks == 0, "%ld blocks are left", (long)blocks);
}

typedef struct worker {
    const ct_function *f;
    const ct_executable *e;
    double first, result;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_adopt(ctx, w->f);
    ct_executable *e = ct_adopt_executable(ctx, w->e);

    for (int i = 0; i < 20; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *x = ct_scalar(ctx, CT_F32, w->first + i), *y = ct_scalar(ctx, CT_F32, 1);
        w->result += ct_item(ct_apply1(f, CT_ARGV(x, y))) - ct_item(ct_call1(e, CT_ARGV(x, y)));
        w->result += ct_item(ct_call1(e, CT_ARGV(x, y)));
        ct_scope_end(scope);
    }
    w->result = ct_failed(ctx) ? -1 : w->result;
    ct_context_free(ctx);
    return NULL;
}

TEST(adopting_in_threads)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE());
    ct_function *f = ct_trace(ctx, twice_plus, CT_LIKE(s, s));
    worker w[4];
    pthread_t thread[4];

    for (int i = 0; i < 4; i++) {
        w[i] = (worker){f, ct_compile(f, NULL), 100 * i, 0};
        CHECK(pthread_create(&thread[i], NULL, work, &w[i]) == 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        CHECK(w[i].result == 20 * (2 * w[i].first + 1) + 2 * 190);
    }
    ct_context_free(ctx);
}

TEST(adopting_what_is_not_there)
{
    ct_context *ctx = ct_context_new(), *failed = ct_context_new();
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE());
    ct_function *f = ct_trace(ctx, twice_plus, CT_LIKE(s, s)), *poison;

    CHECK(ct_function_is_poison(ct_adopt(NULL, f)));
    CHECK(ct_executable_is_poison(ct_adopt_executable(NULL, ct_compile(f, NULL))));
    poison = ct_adopt(ctx, NULL);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "adopt: the function is NULL");
    ct_adopt(ctx, poison);
    CHECK_ERROR(ctx, CT_ERR_POISON, "adopt: the function is the poisoned result");
    ct_adopt_executable(ctx, NULL);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "adopt: the executable is NULL");
    ct_reshape(ct_scalar(failed, CT_F32, 1), CT_SHAPE(2));
    CHECK(ct_function_is_poison(ct_adopt(failed, f)));
    CHECK_ERROR(failed, CT_ERR_SHAPE, "reshape");
    CHECK_OK(ctx);
    ct_context_free(failed);
    ct_context_free(ctx);
}

/* ---- Contexts. */

TEST(context_of_values)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F32, 1), *poison = ct_reshape(x, CT_SHAPE(2));

    CHECK(ct_context_of(x) == ctx && ct_context_of(poison) == ctx);
    CHECK(!ct_context_of(NULL) && !ct_context_of(ct_neg(NULL)));
    ct_error_clear(ctx);
    ct_add(x, ct_neg(NULL)); /* the first call that has a context records the error */
    CHECK_ERROR(ctx, CT_ERR_POISON, "add: y is the poisoned result of an earlier error");
    ct_context_free(ctx);
    ct_context_free(NULL);
}

/* A context without memory has failed for good, and all that it makes is poison. */
static void *allocate_nothing(void *user, size_t bytes, size_t align)
{
    (void)user;
    (void)bytes;
    (void)align;
    return NULL;
}

TEST(a_context_without_memory)
{
    ct_allocator none = {sizeof none, NULL, allocate_nothing, release};
    ct_context *ctx = ct_context_new_with(&none);
    ct_tensor *x = ct_zeros(ctx, CT_F32, CT_SHAPE(2));

    CHECK(ctx && ct_failed(ctx) && ct_error_status(ctx) == CT_ERR_MEMORY);
    CHECK(strcmp(ct_error_message(ctx), "out of memory: the context could not be made") == 0);
    ct_error_clear(ctx);
    CHECK(ct_failed(ctx));
    CHECK(ct_is_poison(x) && ct_context_of(x) == ctx);
    CHECK(ct_is_poison(ct_add(x, x)) && ct_is_poison(ct_sum(x, CT_ALL_AXES, CT_DROP_AXES)));
    CHECK(ct_is_poison(ct_op_iota(ctx, CT_F32, CT_DIMS(2), 0)));
    ct_scope_end(ct_scope_begin(ctx));
    ct_trace_builder *builder = ct_trace_begin(ctx, "f", CT_LIKE(x));
    CHECK(ct_is_poison(ct_trace_parameter(builder, 0)));
    CHECK(ct_function_is_poison(ct_trace_end(builder, CT_ARGV(x))));
    CHECK(ct_function_is_poison(ct_trace(ctx, twice_plus, CT_LIKE(x, x))));
    CHECK(ct_text(x) && ct_type_text(x));
    ct_name(x, "x");
    ct_release(x);
    ct_replace(&x, x);
    ct_keep(ct_retain(x));
    ct_context_free(ctx);
}
