/* The table of operations and the attributes: descriptions, names of operands, copies. */
#include "tests/check.h"
#include "tests/infer.h"

#include <string.h>

/* ---- The table. */

TEST(rows_describe_themselves)
{
    for (int op = 0; op < CT__OP_COUNT; op++) {
        const ct__op_info *info = ct__op_describe((ct__op)op);

        CHECK(info->name && info->operands && info->attrs < CT__ATTRS_COUNT);
        CHECK_MSG(strncmp(info->spelling, "stablehlo.", 10) == 0 ||
                      strncmp(info->spelling, "chlo.", 5) == 0 ||
                      strncmp(info->spelling, "ct.", 3) == 0 ||
                      strncmp(info->spelling, "func.", 5) == 0,
                  "%s", info->spelling);
        for (int other = 0; other < op; other++)
            CHECK(strcmp(ct__op_describe((ct__op)other)->spelling, info->spelling) != 0);
    }
    CHECK(strcmp(ct__op_describe(CT__OP_and)->name, "and") == 0);
    CHECK(ct__op_describe(CT__OP_dynamic_slice)->attrs == CT__ATTRS_dynamic_slice);
}

TEST(traits)
{
    CHECK(ct__has(CT__OP_add, CT__ELEMENTWISE | CT__COMMUTATIVE | CT__LINEAR));
    CHECK(!ct__has(CT__OP_subtract, CT__COMMUTATIVE) && !ct__has(CT__OP_add, CT__BILINEAR));
    CHECK(ct__has(CT__OP_select, CT__LINEAR_IN(1) | CT__LINEAR_IN(2)));
    CHECK(!ct__has(CT__OP_select, CT__LINEAR_IN(0)));
    CHECK(ct__has(CT__OP_gather, CT__INDEXES | CT__MOVES_DATA));
    CHECK(ct__has(CT__OP_divide, CT__EXACT) && !ct__has(CT__OP_exponential, CT__EXACT));
    CHECK(ct__has(CT__OP_scan, CT__REGIONS) && !ct__has(CT__OP_dot_general, CT__REGIONS));
}

TEST(arity)
{
    static const struct {
        ct__op op;
        size_t arity;
        bool open;
    } row[] = {{CT__OP_iota, 0, false},
               {CT__OP_tanh, 1, false},
               {CT__OP_add, 2, false},
               {CT__OP_select, 3, false},
               {CT__OP_concatenate, 0, true},
               {CT__OP_dynamic_slice, 1, true},
               {CT__OP_dynamic_update_slice, 2, true},
               {CT__OP_scatter, 1, true},
               {CT__OP_reduce, 0, true},
               {CT__OP_reduce_window, 0, true},
               {CT__OP_sort, 0, true},
               {CT__OP_top_k, 1, false},
               {CT__OP_if, 1, true}};

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        bool open;

        CHECK_MSG(ct__op_arity(row[i].op, &open) == row[i].arity && open == row[i].open, "%s",
                  ct__op_describe(row[i].op)->name);
    }
}

/* The names of all operands, and of one too many, with spaces between. */
static void check_names(ct__op op, const ct__attrs *attrs, size_t n_operands, const char *want)
{
    char got[512] = "", name[64];

    for (size_t i = 0; i <= n_operands; i++) {
        if (i > 0)
            strcat(got, " ");
        strcat(got, ct__operand_name(op, attrs, n_operands, i, name, sizeof name));
    }
    CHECK_MSG(strcmp(got, want) == 0, "%s: %s", ct__op_describe(op)->name, got);
}

TEST(names_of_operands)
{
    const ct__attrs one = {.reduce = {.n_inputs = 1}}, two = {.reduce = {.n_inputs = 2}};
    const ct__attrs wrong = {.reduce = {.n_inputs = 9}}, negative = {.reduce = {.n_inputs = -9}};
    const ct__attrs scatter = {.scatter = {.n_inputs = 2}}, single = {.scatter = {.n_inputs = 1}};
    const ct__attrs windows = {.reduce_window = {.n_inputs = 2}}, sort = {.sort = {.n_inputs = 2}};
    const ct__attrs scan = {.scan = {.n_carry = 2, .n_inputs = 1}};

    check_names(CT__OP_atan2, NULL, 2, "y x operand[2]");
    check_names(CT__OP_concatenate, NULL, 3, "x[0] x[1] x[2] operand[3]");
    check_names(CT__OP_concatenate, NULL, 1, "x operand[1]");
    check_names(CT__OP_dynamic_update_slice, NULL, 4, "x update start[0] start[1] operand[4]");
    check_names(CT__OP_dynamic_slice, NULL, 2, "x start operand[2]");
    check_names(CT__OP_if, NULL, 3, "pred capture[0] capture[1] operand[3]");
    check_names(CT__OP_reduce, &one, 2, "x init operand[2]");
    check_names(CT__OP_reduce, &one, 4, "x init capture[0] capture[1] operand[4]");
    check_names(CT__OP_reduce, &two, 5, "x[0] x[1] init[0] init[1] capture operand[5]");
    check_names(CT__OP_reduce, &wrong, 2, "x[0] x[1] operand[2]");
    check_names(CT__OP_reduce, &negative, 2, "x[0] x[1] operand[2]");
    check_names(CT__OP_scatter, &scatter, 6,
                "x[0] x[1] indices update[0] update[1] capture operand[6]");
    check_names(CT__OP_scatter, &single, 3, "x indices update operand[3]");
    check_names(CT__OP_reduce_window, &windows, 5, "x[0] x[1] init[0] init[1] capture operand[5]");
    check_names(CT__OP_sort, &sort, 4, "x[0] x[1] capture[0] capture[1] operand[4]");
    check_names(CT__OP_sort, &sort, 3, "x[0] x[1] capture operand[3]");
    check_names(CT__OP_while, &(const ct__attrs){.loop = {.n_carry = 2}}, 4,
                "carry[0] carry[1] capture[0] capture[1] operand[4]");
    check_names(CT__OP_map, &(const ct__attrs){.map = {.n_inputs = 2}}, 3,
                "x[0] x[1] capture operand[3]");
    check_names(CT__OP_case, NULL, 2, "index capture operand[2]");
    check_names(CT__OP_send, NULL, 3, "x[0] x[1] token operand[3]");
    check_names(CT__OP_send, NULL, 1, "token operand[1]");
    check_names(CT__OP_scan, &scan, 5, "carry[0] carry[1] x capture[0] capture[1] operand[5]");
}

TEST(captures)
{
    const ct__attrs two = {.reduce = {.n_inputs = 2}}, loop = {.loop = {.n_carry = 1}};

    CHECK(ct__op_captures(CT__OP_reduce, &two, 7) == 3);
    CHECK(ct__op_captures(CT__OP_while, &loop, 1) == 0);
    CHECK(ct__op_captures(CT__OP_while, &loop, 4) == 3);
    CHECK(ct__op_captures(CT__OP_if, NULL, 3) == 2);
    CHECK(ct__op_captures(CT__OP_call, NULL, 3) == 0);
    CHECK(ct__op_captures(CT__OP_concatenate, NULL, 3) == 0);
}

static void check_bodies(ct__op op, size_t want, bool want_open, const char *const *name)
{
    bool open;
    char text[64];

    CHECK_MSG(ct__op_bodies(op, &open) == want && open == want_open, "%s",
              ct__op_describe(op)->name);
    for (size_t i = 0; name && name[i]; i++)
        CHECK_MSG(strcmp(ct__body_name(op, i, text, sizeof text), name[i]) == 0, "%s", text);
}

TEST(bodies)
{
    check_bodies(CT__OP_add, 0, false, NULL);
    check_bodies(CT__OP_reduce, 1, false, (const char *const[]){"the body", NULL});
    check_bodies(CT__OP_if, 2, false, (const char *const[]){"then", "otherwise", NULL});
    check_bodies(CT__OP_while, 2, false, (const char *const[]){"cond", "the body", NULL});
    check_bodies(CT__OP_case, 0, true, (const char *const[]){"branch[0]", "branch[1]", NULL});
    check_bodies(CT__OP_composite, 1, false, (const char *const[]){"decomposition", NULL});
}

TEST(names_are_cut_to_the_buffer)
{
    char name[4] = "###";

    ct__operand_name(CT__OP_concatenate, NULL, 300, 299, name, sizeof name);
    CHECK(strcmp(name, "x[2") == 0);
}

/* ---- Attributes. */

typedef struct filling {
    int64_t lists[2][3];
    ct__literal *literal[2];
} filling;

/* Every field of the struct gets a value; fields whose number is `odd` get another one. */
static void fill(ct__attrs *attrs, ct__attrs_kind kind, const filling *with, size_t odd)
{
    const ct__attrs_info *info = ct__attrs_describe(kind);

    memset(attrs, 0, sizeof *attrs);
    for (size_t i = 0; i < info->n_fields; i++) {
        void *field = (unsigned char *)attrs + info->field[i].offset;
        const int other = i == odd;

        switch (info->field[i].kind) {
        case CT__FIELD_INT: *(int64_t *)field = 40 + other; break;
        case CT__FIELD_INTS: *(ct__ints *)field = (ct__ints){3, with->lists[other]}; break;
        case CT__FIELD_FLAG: *(bool *)field = !other; break;
        case CT__FIELD_DTYPE: *(ct_dtype *)field = other ? CT_F64 : CT_F32; break;
        case CT__FIELD_ENUM: *(int *)field = 1 + other; break;
        case CT__FIELD_LITERAL: *(ct__literal **)field = with->literal[other]; break;
        case CT__FIELD_REAL: *(double *)field = other ? 0.5 : 0.25; break;
        case CT__FIELD_TEXT: *(const char **)field = other ? "b" : "a"; break;
        }
    }
}

static ct__literal *number(double value)
{
    const ct_type scalar = {.kind = CT__TENSOR, .dtype = CT_F32, .size = 1};
    ct__storage *storage = ct__storage_new(&ct__libc_allocator, sizeof(float));

    CHECK(storage && ct__store_double(CT_F32, storage->data, value));
    return ct__literal_new(storage, &scalar, 0, NULL);
}

static void check_copy(ct__attrs_kind kind, filling *with)
{
    const ct__attrs_info *info = ct__attrs_describe(kind);
    ct__attrs attrs, other;
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    fill(&attrs, kind, with, SIZE_MAX);
    const ct__attrs *copy = ct__attrs_copy(&arena, kind, &attrs);
    CHECK(copy && ct__attrs_equal(kind, copy, &attrs));
    for (size_t odd = 0; odd < info->n_fields; odd++) {
        fill(&other, kind, with, odd);
        CHECK_MSG(!ct__attrs_equal(kind, copy, &other), "%s.%s", info->name, info->field[odd].name);
    }
    with->lists[0][1] = 77; /* the copy has lists of its own */
    fill(&other, kind, with, SIZE_MAX);
    for (size_t i = 0; i < info->n_fields; i++)
        CHECK(info->field[i].kind != CT__FIELD_INTS || !ct__attrs_equal(kind, copy, &other));
    with->lists[0][1] = 2;
    ct__attrs_drop(kind, copy);
    ct__arena_free(&arena);
}

TEST(copies_of_attributes)
{
    filling with = {.lists = {{1, 2, 3}, {1, 2, 4}}, .literal = {number(1), number(2)}};

    for (int kind = 0; kind < CT__ATTRS_COUNT; kind++)
        check_copy((ct__attrs_kind)kind, &with);
    for (int i = 0; i < 2; i++) {
        CHECK(atomic_load(&with.literal[i]->references) == 1);
        ct__literal_release(with.literal[i]);
    }
}

static void *refuse(void *user, size_t bytes, size_t align)
{
    (void)user;
    (void)bytes;
    (void)align;
    return NULL;
}

TEST(a_copy_that_fails_holds_nothing)
{
    filling with = {.lists = {{1, 2, 3}, {1, 2, 4}}, .literal = {number(1), number(2)}};
    const ct_allocator never = {.size = sizeof never, .allocate = refuse};
    ct__attrs attrs;
    ct__arena arena;

    ct__arena_init(&arena, &never);
    for (int kind = 0; kind < CT__ATTRS_COUNT; kind++) {
        fill(&attrs, (ct__attrs_kind)kind, &with, SIZE_MAX);
        bool needs_memory = ct__attrs_describe((ct__attrs_kind)kind)->n_fields > 0;
        CHECK(!ct__attrs_copy(&arena, (ct__attrs_kind)kind, &attrs) == needs_memory);
    }
    ct__arena_free(&arena);
    for (int i = 0; i < 2; i++) {
        CHECK(atomic_load(&with.literal[i]->references) == 1);
        ct__literal_release(with.literal[i]);
    }
}

TEST(no_attributes)
{
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    const ct__attrs *copy = ct__attrs_copy(&arena, CT__ATTRS_none, NULL);
    CHECK(copy && ct__attrs_equal(CT__ATTRS_none, copy, copy));
    CHECK(ct__attrs_describe(CT__ATTRS_none)->n_fields == 0);
    ct__attrs_drop(CT__ATTRS_none, copy);
    ct__arena_free(&arena);
}

TEST(lists)
{
    const int64_t items[] = {3, 1, 2};
    const ct__ints list = {3, items}, shorter = {2, items}, empty = {0, NULL};

    CHECK(ct__ints_equal(list, (ct__ints){3, (int64_t[]){3, 1, 2}}));
    CHECK(!ct__ints_equal(list, shorter) && ct__ints_equal(empty, (ct__ints){0, items}));
    CHECK(!ct__ints_equal(list, (ct__ints){3, (int64_t[]){3, 1, 4}}));
    CHECK(ct__ints_contain(list, 2) && !ct__ints_contain(shorter, 2));
    CHECK(!ct__ints_contain(empty, 0));
}
