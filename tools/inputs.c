#include "tools/tools.h"

#include <cotangent/op.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add(array_list *list, ct_tensor *x)
{
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 8;
        ct_tensor **longer = realloc(list->tensor, capacity * sizeof *longer);
        if (!longer) {
            fprintf(stderr, "cotangent: out of memory\n");
            return false;
        }
        list->tensor = longer;
        list->capacity = capacity;
    }
    list->tensor[list->count++] = x;
    return true;
}

/* ---- Files. */

static bool is_archive(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".npz") == 0;
}

static bool read_archive(ct_context *ctx, const char *path, array_list *list)
{
    ct_npz *archive = ct_read_npz_at(NOWHERE, ctx, path);
    for (size_t i = 0; i < ct_npz_count(archive); i++)
        if (!add(list, ct_npz_tensor(archive, i)))
            return false;
    return !ct_failed(ctx);
}

static bool read_inputs(ct_context *ctx, const word_list *files, array_list *list)
{
    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->word[i];
        bool fine = is_archive(path) ? read_archive(ctx, path, list)
                                     : add(list, ct_read_npy_at(NOWHERE, ctx, path));
        if (!fine || ct_failed(ctx)) {
            if (ct_failed(ctx))
                input_error(ctx);
            return false;
        }
    }
    return true;
}

/* ---- Made up. */

/* Below 10, and in every integer dtype. */
static int64_t limit_of(ct_dtype dtype)
{
    switch (dtype) {
    case CT_BOOL:
    case CT_I2:
    case CT_U2: return 2;
    case CT_I4:
    case CT_U4: return 8;
    default: return 10;
    }
}

static ct_tensor *random_complex(ct_context *ctx, ct_key key, ct_dtype dtype, ct_shape shape,
                                 int64_t size)
{
    ct_dtype part = dtype == CT_C64 ? CT_F32 : CT_F64;
    ct_tensor *parts = ct_random_normal_at(NOWHERE, ctx, key, part, CT_SHAPE(size, 2));
    const void *data = ct_data_at(NOWHERE, parts);
    return data ? ct_from_data_at(NOWHERE, ctx, dtype, shape, data) : parts;
}

/* In [0, 10); where the storage of a quantized tensor has bounds, between these. */
static ct_tensor *random_integers(ct_context *ctx, ct_key key, const ct_type *type, int64_t size)
{
    ct_quantization q;
    int64_t low = 0, high = limit_of(ct_type_dtype(type));
    if (ct_type_quantization(type, &q) && q.storage_min < q.storage_max) {
        low = q.storage_min;
        high = q.storage_max + 1;
    }
    return ct_random_integers_at(NOWHERE, ctx, key, CT_I64, CT_SHAPE(size), low, high);
}

/* Normal numbers, or integers. */
static ct_tensor *random_tensor(ct_context *ctx, ct_key key, const ct_type *type)
{
    ct_dtype dtype = ct_type_dtype(type);
    ct_shape shape = ct_type_shape(type);
    int64_t size = ct_size(ct_spec_at(NOWHERE, ctx, dtype, shape));
    if (ct_dtype_is_complex(dtype))
        return random_complex(ctx, key, dtype, shape, size);
    ct_tensor *x = dtype == CT_BOOL || ct_dtype_is_integer(dtype)
                       ? random_integers(ctx, key, type, size)
                       : ct_random_normal_at(NOWHERE, ctx, key, CT_F64, CT_SHAPE(size));
    double *values = malloc(sizeof *values * (size_t)(size + 1));
    bool fine = values && ct_to_doubles_at(NOWHERE, x, values, (size_t)size);
    ct_tensor *y = fine ? ct_from_doubles_at(NOWHERE, ctx, dtype, shape, values) : x;
    free(values);
    return y;
}

/* ---- Fitting. */

static bool misfit(const ct_function *f, size_t i, const char *what)
{
    fprintf(stderr, "cotangent: %s: argument %zu %s\n", ct_function_name(f), i, what);
    return false;
}

/* The bits of i2 and i4; else 0. */
static int narrow_bits(ct_dtype dtype)
{
    return dtype == CT_I2 ? 2 : dtype == CT_I4 ? 4 : 0;
}

/* ml_dtypes writes the low bits of a negative number without the copies of its sign. */
static void extend_signs(unsigned char *bytes, size_t count, int bits)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] >> (bits - 1) == 1)
            bytes[i] = (unsigned char)(bytes[i] | 0xFF << bits);
}

/* Raw bytes are the bits of a dtype that NumPy has no name for. */
static ct_tensor *as_dtype(ct_context *ctx, ct_tensor *x, ct_dtype dtype)
{
    bool is_small = dtype >= CT_I2 && ct_dtype_bytes(dtype) == 1;
    size_t size = (size_t)ct_size(x);
    const void *data = is_small && ct_dtype_of(x) == CT_U8 ? ct_data_at(NOWHERE, x) : NULL;
    unsigned char *bytes = data ? malloc(size + 1) : NULL;
    if (!bytes) {
        if (data)
            fprintf(stderr, "cotangent: out of memory\n");
        return data ? NULL : x;
    }
    memcpy(bytes, data, size);
    if (narrow_bits(dtype))
        extend_signs(bytes, size, narrow_bits(dtype));
    ct_tensor *y = ct_from_data_at(NOWHERE, ctx, dtype, ct_shape_of(x), bytes);
    free(bytes);
    return y;
}

static bool check_type(ct_context *ctx, ct_function *f, size_t i, ct_tensor *x)
{
    const ct_type *type = ct_parameter_type(f, i);
    ct_tensor *want = ct_spec_at(NOWHERE, ctx, ct_type_dtype(type), ct_type_shape(type));
    char text[256];
    if (ct_dtype_of(x) == ct_type_dtype(type) && strcmp(ct_type_text(x), ct_type_text(want)) == 0)
        return true;
    snprintf(text, sizeof text, "is %s, not %s", ct_type_text(want), ct_type_text(x));
    return misfit(f, i, text);
}

/* x as the function takes argument i; NULL after saying what does not fit. */
static ct_tensor *fit(ct_context *ctx, ct_function *f, size_t i, ct_tensor *x)
{
    const ct_type *type = ct_parameter_type(f, i);
    ct_quantization quantization;
    ct_tensor *y = as_dtype(ctx, x, ct_type_dtype(type));
    if (y && !ct_failed(ctx) && !check_type(ctx, f, i, y))
        return NULL;
    if (y && !ct_failed(ctx) && ct_type_quantization(type, &quantization))
        y = ct_op_bitcast_quantize_at(NOWHERE, y, quantization);
    return y;
}

bool fit_inputs(ct_context *ctx, ct_function *f, array_list *list, const char *seed)
{
    size_t n = ct_function_parameters(f), given = list->count;
    ct_key key = ct_key_new(seed ? strtoull(seed, NULL, 10) : 0);
    if (given > n || (given < n && !seed)) {
        fprintf(stderr, "cotangent: %s: it takes %zu argument%s, and %zu %s given%s\n",
                ct_function_name(f), n, n == 1 ? "" : "s", given, given == 1 ? "is" : "are",
                given < n ? " (--random SEED makes them up)" : "");
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const ct_type *type = ct_parameter_type(f, i);
        if (ct_type_dtype(type) == CT_INVALID_DTYPE)
            return misfit(f, i, "is no tensor");
        if (i >= given && !add(list, random_tensor(ctx, ct_key_fold(key, i), type)))
            return false;
        ct_tensor *x = ct_failed(ctx) ? NULL : fit(ctx, f, i, list->tensor[i]);
        if (ct_failed(ctx))
            return input_error(ctx), false;
        if (!x)
            return false;
        list->tensor[i] = x;
    }
    return true;
}

int with_part(const verb_text *verb, const char *path, const ct_stablehlo_part *part,
              const program_words *program, use_function *use, const void *user)
{
    ct_context *ctx = ct_context_new();
    array_list list = {.checks = ct_checks_new_at(NOWHERE, ctx), .program = path};
    shape_list shapes = {0, NULL, NULL};
    int status = FAILURE;
    if ((!program->shapes || parse_shapes(verb, program->shapes, &shapes)) &&
        read_inputs(ctx, &program->inputs, &list)) {
        ct_module *module = part ? ct_read_stablehlo_lines_at(NOWHERE, ctx, path, part->text,
                                                              part->length, part->line)
                                 : ct_read_stablehlo_at(NOWHERE, ctx, path);
        ct_function *f = load_function(ctx, module, program, &shapes,
                                       CT_LIST(list.count, list.tensor));
        list.at = ct_module_place(module, program->entry);
        status = f ? use(ctx, f, &list, user) : FAILURE;
    }
    free_shapes(&shapes);
    free(list.tensor);
    ct_context_free(ctx);
    return status;
}

int with_function(const verb_text *verb, const char *path, const program_words *program,
                  use_function *use, const void *user)
{
    return with_part(verb, path, NULL, program, use, user);
}
