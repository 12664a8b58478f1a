#include "interop/npy.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Reading: magic, version, dictionary, data. */

/* The dictionary of an array is short; more is no array of ours, and would only cost memory. */
#define MAX_DICTIONARY (1 << 20)

/* What a source did not give. */
static bool ended(const ct__source *source, ct__fault *fault, const char *where)
{
    if (source->trouble)
        return ct__npy_fail(fault, source->is_out_of_memory ? CT_ERR_MEMORY : CT_ERR_FILE, "%s",
                            source->trouble);
    return ct__npy_fail(fault, CT_ERR_FILE, "ends inside %s", where);
}

static bool read_all(ct__source *source, void *bytes, size_t count, ct__fault *fault,
                     const char *where)
{
    return source->read(source, bytes, count) == count || ended(source, fault, where);
}

/* The length of the dictionary. */
static bool read_prefix(ct__source *source, size_t *length, ct__fault *fault)
{
    unsigned char prefix[CT__NPY_PREFIX];
    *length = 0;
    if (source->read(source, prefix, 8) < 8 || memcmp(prefix, "\x93NUMPY", 6) != 0)
        return source->trouble ? ended(source, fault, "")
                               : ct__npy_fail(fault, CT_ERR_FILE,
                                              "is no .npy file: it does not "
                                              "begin with \\x93NUMPY");
    if (prefix[6] < 1 || prefix[6] > 3 || prefix[7] != 0)
        return ct__npy_fail(fault, CT_ERR_FILE, "version %d.%d of .npy is not known", prefix[6],
                            prefix[7]);
    size_t n = prefix[6] == 1 ? 2 : 4;
    if (!read_all(source, prefix + 8, n, fault, "the header"))
        return false;
    for (size_t i = n; i-- > 0;)
        *length = *length << 8 | prefix[8 + i];
    if (*length > MAX_DICTIONARY)
        return ct__npy_fail(fault, CT_ERR_FILE, "a header of %zu bytes is none of an array",
                            *length);
    return true;
}

static bool read_header(ct__source *source, const ct_allocator *allocator, ct__npy_header *header,
                        ct__fault *fault)
{
    size_t length = 0;
    if (!read_prefix(source, &length, fault))
        return false;
    if (length > source->left)
        return ended(source, fault, "the header");
    char *text = ct__alloc(allocator, length);
    if (!text)
        return ct__npy_fail(fault, CT_ERR_MEMORY, "out of memory");
    bool fine = read_all(source, text, length, fault, "the header") &&
                ct__npy_parse(text, length, header, fault);
    ct__release(allocator, text, length);
    return fine;
}

/* Whether the shape makes a type, whose data the source may hold: nothing is allocated before. */
static bool check_size(const ct__npy_header *h, const ct__source *source, ct__fault *fault)
{
    int64_t size;
    if (ct__type_check(h->dtype, h->rank, h->dim) != CT_OK ||
        !ct__count_elements(h->rank, h->dim, &size))
        return ct__npy_fail(fault, CT_ERR_FILE, "the size of the shape overflows");
    uint64_t bytes = (uint64_t)size * ct_dtype_bytes(h->dtype);
    if (source->left == CT__LEFT_UNKNOWN || source->left == bytes)
        return true;
    if (source->left < bytes)
        return ct__npy_fail(fault, CT_ERR_FILE,
                            "the shape needs %" PRIu64 " bytes of data, and there are %" PRIu64,
                            bytes, source->left);
    return ct__npy_fail(fault, CT_ERR_FILE, "%" PRIu64 " bytes follow the data",
                        source->left - bytes);
}

/* ---- Elements as ours. */

/* Complex numbers are two numbers in that order of bytes. */
static void swap_bytes(ct_dtype dtype, unsigned char *data, size_t bytes)
{
    size_t number = ct_dtype_bytes(dtype) / (ct_dtype_is_complex(dtype) ? 2 : 1);
    for (size_t i = 0; number > 1 && i < bytes; i += number)
        ct__reverse_bytes(data + i, number);
}

/* ml_dtypes keeps narrow integers in the low bits and does not look at the others. */
static void widen(ct_dtype dtype, int bits, unsigned char *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int value = data[i] & ((1 << bits) - 1);
        if (ct_dtype_is_signed(dtype) && value >> (bits - 1))
            value -= 1 << bits;
        ct__store_signed(dtype, data + i, value);
    }
}

static bool check_bools(const unsigned char *data, size_t count, ct__fault *fault)
{
    for (size_t i = 0; i < count; i++)
        if (data[i] > 1)
            return ct__npy_fail(fault, CT_ERR_FILE, "element %zu holds %d, which is no bool", i,
                                data[i]);
    return true;
}

static bool read_elements(const ct__npy_header *h, ct__source *source, const ct__literal *literal,
                          ct__fault *fault)
{
    unsigned char *data = literal->storage->data, extra;
    size_t bytes = ct__data_bytes(literal->type);
    int bits = ct__npy_narrow_bits(h->dtype);
    if (!read_all(source, data, bytes, fault, "the data"))
        return false;
    if (source->read(source, &extra, 1) == 1)
        return ct__npy_fail(fault, CT_ERR_FILE, "bytes follow the data");
    if (source->trouble)
        return ended(source, fault, "");
    if (h->is_foreign)
        swap_bytes(h->dtype, data, bytes);
    if (bits)
        widen(h->dtype, bits, data, bytes);
    return h->dtype != CT_BOOL || check_bools(data, bytes, fault);
}

/* ---- A tensor of it. Arrays whose first axis varies fastest become views with strides. */

/* Needs size > 0: the last step is the size, which fits. */
static void column_major(const ct__npy_header *h, int64_t *stride)
{
    int64_t step = 1;
    for (size_t d = 0; d < h->rank; d++) {
        stride[d] = step;
        step *= h->dim[d];
    }
}

static ct__literal *new_literal(const ct_allocator *allocator, const ct__npy_header *h,
                                const ct_type *type)
{
    int64_t stride[CT__MAX_RANK];
    ct__storage *storage = ct__storage_new(allocator, ct__data_bytes(type));
    if (!storage)
        return NULL;
    const bool is_strided = h->is_columns && type->size > 0;
    if (is_strided)
        column_major(h, stride);
    return ct__literal_new(storage, type, 0, is_strided ? stride : NULL);
}

static ct__literal *read_literal(ct_context *ctx, ct__source *source, ct__fault *fault)
{
    ct__npy_header header = {.rank = 0};
    if (!read_header(source, &ctx->allocator, &header, fault) ||
        !check_size(&header, source, fault))
        return NULL;
    ct__arena *scratch = ct__scratch_begin(ctx);
    const ct_type *type = ct__type(scratch, header.dtype, (int)header.rank, header.dim);
    ct__literal *literal = type ? new_literal(&ctx->allocator, &header, type) : NULL;
    ct__scratch_end(ctx);
    if (!literal)
        ct__npy_fail(fault, CT_ERR_MEMORY, "out of memory");
    else if (read_elements(&header, source, literal, fault))
        return literal;
    ct__literal_release(literal);
    return NULL;
}

ct_tensor *ct__read_npy_source(ct_context *ctx, ct_place at, const char *what, const char *name,
                               ct__source *source)
{
    ct__fault fault = {.status = CT_OK};
    ct__literal *literal = read_literal(ctx, source, &fault);
    if (literal)
        return ct__tensor_concrete(ctx, at, "read_npy", literal);
    ct__error(ctx, at, fault.status, "%s: %s: %s", what, name, fault.message);
    return ct__poison(ctx);
}

/* ---- Files and memory as sources. */

typedef struct file_source {
    ct__source source;
    FILE *file;
} file_source;

static size_t read_file(ct__source *source, void *bytes, size_t count)
{
    file_source *s = (file_source *)source;
    size_t n = fread(bytes, 1, count, s->file);
    if (n < count && ferror(s->file))
        source->trouble = "cannot be read";
    if (source->left != CT__LEFT_UNKNOWN)
        source->left = source->left > n ? source->left - n : 0;
    return n;
}

typedef struct memory_source {
    ct__source source;
    const unsigned char *next;
} memory_source;

static size_t read_memory(ct__source *source, void *bytes, size_t count)
{
    memory_source *s = (memory_source *)source;
    size_t n = count < source->left ? count : (size_t)source->left;
    if (n > 0)
        memcpy(bytes, s->next, n);
    s->next += n;
    source->left -= n;
    return n;
}

ct_tensor *ct__read_npy_bytes(ct_context *ctx, ct_place at, const char *name, const void *bytes,
                              size_t count)
{
    memory_source s = {.source = {.read = read_memory, .left = count}, .next = bytes};
    return ct_failed(ctx) ? ct__poison(ctx)
                          : ct__read_npy_source(ctx, at, "read_npy", name, &s.source);
}

ct_tensor *ct_read_npy_at(ct_place at, ct_context *ctx, const char *path)
{
    struct stat state;
    if (ct_failed(ctx))
        return ct__poison(ctx);
    FILE *file = ct__file_open(ctx, at, "read_npy", path, "rb");
    if (!file)
        return ct__poison(ctx);
    file_source s = {.source = {.read = read_file, .left = CT__LEFT_UNKNOWN}, .file = file};
    if (fstat(fileno(file), &state) == 0 && S_ISREG(state.st_mode))
        s.source.left = (uint64_t)state.st_size;
    ct_tensor *x = ct__read_npy_source(ctx, at, "read_npy", path, &s.source);
    fclose(file);
    return x;
}

/* ---- Writing. */

bool ct__npy_check(ct_context *ctx, ct_place at, const char *what, const ct_tensor *x)
{
    if (!ct__operand_check(ctx, at, what, "x", x))
        return false;
    if (x->kind == CT__CONCRETE)
        return true;
    ct__error(ctx, at, CT_ERR_TRACED, "%s: x is traced and has no values yet", what);
    return false;
}

static bool describe(ct_context *ctx, ct_place at, const char *what, const ct_tensor *x,
                     ct__text *text)
{
    ct__fault fault = {.status = CT_OK};
    ct__text_init(text, &ctx->allocator);
    if (ct__npy_describe(x->type, text, &fault))
        return true;
    ct__text_free(text);
    ct__error(ctx, at, fault.status, "%s: %s", what, fault.message);
    return false;
}

bool ct__npy_bytes(ct_context *ctx, ct_place at, const char *what, ct_tensor *x, uint64_t *bytes)
{
    ct__text text;
    if (!describe(ctx, at, what, x, &text))
        return false;
    *bytes = text.length + (uint64_t)ct__data_bytes(x->type);
    ct__text_free(&text);
    return true;
}

/* Narrow integers go out as ml_dtypes has them, without the copies of the sign. */
static bool write_narrow(const unsigned char *data, size_t count, int bits, ct__sink *sink,
                         void *user)
{
    unsigned char block[4096];
    for (size_t i = 0; i < count;) {
        size_t n = 0;
        while (n < sizeof block && i < count)
            block[n++] = (unsigned char)(data[i++] & ((1 << bits) - 1));
        if (!sink(user, block, n))
            return false;
    }
    return true;
}

bool ct__write_npy_sink(ct_context *ctx, ct_place at, const char *what, ct_tensor *x,
                        ct__sink *sink, void *user)
{
    ct__text text;
    int bits = ct__npy_narrow_bits(x->type->dtype);
    const void *data = ct__tensor_data(x);
    if (!data || !describe(ctx, at, what, x, &text))
        return false;
    if (sink(user, text.data, text.length)) {
        if (bits)
            write_narrow(data, ct__data_bytes(x->type), bits, sink, user);
        else
            sink(user, data, ct__data_bytes(x->type));
    }
    ct__text_free(&text);
    return true;
}

static bool write_file(void *user, const void *bytes, size_t count)
{
    return fwrite(bytes, 1, count, user) == count; /* the file remembers a failure */
}

void ct_write_npy_at(ct_place at, ct_tensor *x, const char *path)
{
    ct_context *ctx = ct_context_of(x);
    uint64_t bytes;
    if (ct_failed(ctx) || !ct__npy_check(ctx, at, "write_npy", x) ||
        !ct__npy_bytes(ctx, at, "write_npy", x, &bytes)) /* what has no header makes no file */
        return;
    FILE *file = ct__file_open(ctx, at, "write_npy", path, "wb");
    if (!file)
        return;
    ct__write_npy_sink(ctx, at, "write_npy", x, write_file, file);
    ct__file_close(ctx, at, "write_npy", path, file);
}
