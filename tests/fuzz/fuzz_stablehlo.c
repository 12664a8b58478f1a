/* Any bytes as a program's text. What is read is printed in both forms and read again, to the same
 * text; templates are specialised; what is small is run. */
#include "tests/fuzz/fuzz.h"

#include "interop/cost.h"
#include "trace/trace.h"

#include <cotangent/exec.h>
#include <cotangent/module.h>
#include <cotangent/tensor.h>

#include <ctype.h>

/* ---- Printing and reading back. */

static bool is_short_of_memory(const ct_context *ctx)
{
    return ct_error_status(ctx) == CT_ERR_MEMORY;
}

static ct_function *read_back(ct_context *ctx, const char *text)
{
    ct_function *f = ct_module_function(ct_read_stablehlo_text(ctx, "printed", text, strlen(text)),
                                        NULL);
    if (ct_failed(ctx) && !is_short_of_memory(ctx)) {
        fprintf(stderr, "%s\n", text);
        fuzz_finding("what is printed is not read back", ct_error_message(ctx));
    }
    return f;
}

/* The first text may lose what a text cannot say; from then on it stays. */
static void check_printed(ct_context *ctx, ct_function *f, unsigned flags)
{
    const char *once = ct_stablehlo_text(f, flags);
    if (ct_failed(ctx))
        return;
    const char *twice = ct_stablehlo_text(read_back(ctx, once), flags);
    const char *thrice = ct_failed(ctx) ? "" : ct_stablehlo_text(read_back(ctx, twice), flags);
    if (!ct_failed(ctx) && strcmp(twice, thrice) != 0) {
        fprintf(stderr, "%s\n%s\n", twice, thrice);
        fuzz_finding("a text is read back as another program", once);
    }
    if (!is_short_of_memory(ctx))
        ct_error_clear(ctx);
}

/* ---- Running. */

enum { MAX_PARAMETERS = 64, MAX_COST = 1 << 20 };

static bool is_small(ct_function *f)
{
    fuzz_meter meter = {0, 0};
    const ct_allocator allocator = {sizeof allocator, &meter, fuzz_allocate, fuzz_release};
    ct__cost cost;
    return ct__graph_cost(&allocator, f->graph, &cost) && cost.count[CT__OP_while] == 0 &&
           cost.flops < MAX_COST && cost.bytes_read < MAX_COST && cost.bytes_written < MAX_COST &&
           cost.peak_bytes < MAX_COST;
}

static void run(ct_context *ctx, ct_function *f)
{
    ct_tensor *argument[MAX_PARAMETERS];
    size_t n = f->graph->n_params;
    if (n > MAX_PARAMETERS || !is_small(f))
        return;
    for (size_t i = 0; i < n; i++) {
        const ct_type *type = ct__param_type(f->graph, i);
        if (type->kind != CT__TENSOR || type->quantized)
            return;
        argument[i] = ct_ones(ctx, type->dtype, ct_type_shape(type));
    }
    ct_executable *e = ct_compile(f, NULL);
    size_t n_results = ct_executable_results(e);
    ct_tensor **result = malloc((n_results + 1) * sizeof *result);
    if (result)
        ct_call(e, (ct_list){n, argument}, result, n_results);
    free(result);
}

/* ---- Templates. */

/* "tensor<2x?xf32>" at *at, with ? = 3. */
static ct_tensor *example(ct_context *ctx, const char *at, const char *end)
{
    int64_t dim[CT__MAX_RANK];
    size_t rank = 0;
    ct_dtype dtype = CT_F32;
    char name[16] = "";
    for (; at < end && (*at == '?' || isdigit((unsigned char)*at)) && rank < CT__MAX_RANK; rank++) {
        dim[rank] = *at == '?' ? 3 : *at - '0';
        while (at < end && *at++ != 'x')
            continue;
    }
    for (size_t i = 0; at < end && isalnum((unsigned char)*at) && i < sizeof name - 1; at++)
        name[i++] = *at;
    for (int d = 0; d < 64; d++)
        if (strcmp(ct_dtype_name((ct_dtype)d), strcmp(name, "i1") == 0 ? "bool" : name) == 0)
            dtype = (ct_dtype)d;
    return ct_spec(ctx, dtype, (ct_shape){rank, dim});
}

/* Examples for the parameters of "@name(…)" in the text. */
static ct_function *specialize(ct_context *ctx, ct_module *module, const char *name,
                               const char *text, size_t size)
{
    static const char word[] = "tensor<";
    ct_tensor *argument[MAX_PARAMETERS];
    size_t n = 0, length = strlen(name), w = sizeof word - 1;
    const char *end = text + size, *at = text;
    while (at < end && !((size_t)(end - at) > length + 1 && at[0] == '@' &&
                         memcmp(at + 1, name, length) == 0 && at[length + 1] == '('))
        at++;
    for (; at < end && *at != ')' && n < MAX_PARAMETERS; at++)
        if ((size_t)(end - at) > w && memcmp(at, word, w) == 0)
            argument[n++] = example(ctx, at + w, end);
    return ct_specialize(module, name, ((ct_list){n, argument}));
}

/* ---- One input. */

static void check_function(ct_context *ctx, ct_module *module, const char *name, const char *text,
                           size_t size)
{
    ct_function *f = ct_module_function(module, name);
    if (ct_failed(ctx) && !is_short_of_memory(ctx)) {
        ct_error_clear(ctx);
        f = specialize(ctx, module, name, text, size);
    }
    if (ct_failed(ctx))
        return;
    check_printed(ctx, f, CT_WRITE_PRETTY | CT_WRITE_PLACES);
    check_printed(ctx, f, CT_WRITE_GENERIC);
    if (!ct_failed(ctx))
        run(ctx, f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_meter meter = {0, 0};
    ct_context *ctx = fuzz_context(&meter);
    const char *text = (const char *)data;
    size_t parts = ct_stablehlo_parts(text, size);
    for (size_t part = 0; part < parts && part < 8; part++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_module *module = ct_read_stablehlo_part(ctx, "fuzz", text, size, part);
        size_t n = ct_failed(ctx) ? 0 : ct_module_functions(module);
        for (size_t i = 0; i < n && i < 8; i++) {
            check_function(ctx, module, ct_module_function_name(module, i), text, size);
            ct_error_clear(ctx);
        }
        ct_stablehlo_expected_error(text, size, part);
        ct_error_clear(ctx);
        ct_scope_end(scope);
    }
    fuzz_end(ctx, &meter);
    return 0;
}

/* ---- Mutations that keep most of a text's structure. */

static uint32_t next_random(uint32_t *state)
{
    return *state = *state * 1664525u + 1013904223u;
}

static size_t pick(uint32_t *state, size_t below)
{
    return below ? (next_random(state) >> 8) % below : 0;
}

/* A piece of a text: a line, a word, or a mark. */
typedef struct piece {
    size_t from, to;
} piece;

static bool is_word(uint8_t c)
{
    return isalnum(c) || c == '_' || c == '.' || c == '%' || c == '@';
}

static piece piece_at(const uint8_t *data, size_t size, size_t at, bool is_line)
{
    piece p = {at, at};
    if (is_line) {
        while (p.from > 0 && data[p.from - 1] != '\n')
            p.from--;
        while (p.to < size && data[p.to++] != '\n')
            continue;
    } else {
        while (p.from > 0 && is_word(data[p.from - 1]))
            p.from--;
        while (p.to < size && is_word(data[p.to]))
            p.to++;
        if (p.to == p.from && p.to < size)
            p.to++;
    }
    return p;
}

/* a with its piece p, or nothing, replaced by bytes. 0 when that is too long. */
static size_t splice(uint8_t *out, size_t max_size, const uint8_t *a, size_t a_size, piece p,
                     const uint8_t *bytes, size_t count)
{
    size_t size = a_size - (p.to - p.from) + count;
    if (size > max_size)
        return 0;
    memcpy(out, a, p.from);
    if (count > 0)
        memcpy(out + p.from, bytes, count);
    memcpy(out + p.from + count, a + p.to, a_size - p.to);
    return size;
}

static const char *const interesting[] = {"0",
                                          "1",
                                          "-1",
                                          "2",
                                          "64",
                                          "4611686018427387904",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "0xFF",
                                          "1.0e400",
                                          "dense<0>",
                                          "f32",
                                          "i64",
                                          "i1",
                                          "?",
                                          "*",
                                          "\"\"",
                                          "{",
                                          "}",
                                          "(",
                                          ")",
                                          "<",
                                          ">",
                                          "[",
                                          "]",
                                          "tensor<f32>",
                                          "tensor<0xi32>",
                                          ":",
                                          ",",
                                          "->"};

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed)
{
    uint32_t state = seed;
    bool is_line = pick(&state, 2) == 0;
    if (a_size == 0 || b_size == 0)
        return 0;
    piece p = piece_at(a, a_size, pick(&state, a_size), is_line);
    piece q = piece_at(b, b_size, pick(&state, b_size), is_line);
    if (is_line && pick(&state, 2) == 0)
        p.to = p.from; /* inserted, not replaced */
    return splice(out, max_size, a, a_size, p, b + q.from, q.to - q.from);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint32_t state = seed;
    size_t kind = pick(&state, 8), made = 0;
    uint8_t *copy = size > 0 ? malloc(size) : NULL;
    if (!copy || kind < 2) {
        free(copy);
        return LLVMFuzzerMutate(data, size, max_size);
    }
    memcpy(copy, data, size);
    piece p = piece_at(copy, size, pick(&state, size), kind == 2);
    piece q = piece_at(copy, size, pick(&state, size), kind == 2 || kind == 3);
    const char *word = interesting[pick(&state, sizeof interesting / sizeof *interesting)];
    if (kind == 2 || kind == 3) /* a line in a line's place, or between others */
        made = splice(data, max_size, copy, size, kind == 2 ? p : (piece){q.to, q.to},
                      copy + q.from, q.to - q.from);
    else if (kind == 4) /* without a word */
        made = splice(data, max_size, copy, size, p, NULL, 0);
    else if (kind == 5)
        made = splice(data, max_size, copy, size, p, (const uint8_t *)word, strlen(word));
    else /* a word in a word's place */
        made = splice(data, max_size, copy, size, p, copy + q.from, q.to - q.from);
    free(copy);
    return made > 0 ? made : size;
}
