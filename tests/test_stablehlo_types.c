/* Types and attributes of StableHLO's text. */
#include "tests/reading.h"
#include "tests/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Types. */

static void check_type(int line, const char *text, const char *want)
{
    reading q;
    const ct_type *type = NULL;
    reading_begin(&q, text);
    if (!ct__read_type(&q.r, &type) || !reading_is_at_end(&q))
        check_fail(__FILE__, line, "%s is not read: %s", text, reading_errors(&q));
    const char *found = ct__written_type(&q.r, type);
    if (strcmp(found, want) != 0)
        check_fail(__FILE__, line, "%s is read as %s", text, found);
    reading_end(&q);
}
#define CHECK_TYPE(text) check_type(__LINE__, text, text)
#define CHECK_TYPE_AS(text, want) check_type(__LINE__, text, want)

static void check_type_error(int line, const char *text, int column, const char *message)
{
    reading q;
    const ct_type *type = NULL;
    reading_begin(&q, text);
    if (ct__read_type(&q.r, &type))
        check_fail(__FILE__, line, "%s is read", text);
    reading_check_error(line, &q, column, message);
    reading_end(&q);
}
#define CHECK_TYPE_ERROR(text, column, message) check_type_error(__LINE__, text, column, message)

static const char *const elements[] = {
    "i1",     "i2",         "i4",        "i8",           "i16",
    "i32",    "i64",        "ui2",       "ui4",          "ui8",
    "ui16",   "ui32",       "ui64",      "f16",          "bf16",
    "f32",    "f64",        "f4E2M1FN",  "f6E2M3FN",     "f6E3M2FN",
    "f8E3M4", "f8E4M3",     "f8E4M3FN",  "f8E4M3FNUZ",   "f8E4M3B11FNUZ",
    "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU", "complex<f32>", "complex<f64>"};

TEST(element_types)
{
    char text[64];
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        snprintf(text, sizeof text, "tensor<%s>", elements[i]);
        CHECK_TYPE(text);
        snprintf(text, sizeof text, "tensor<0x2x%s>", elements[i]);
        CHECK_TYPE(text);
    }
}

TEST(tensor_types)
{
    CHECK_TYPE_AS(" tensor < 2x3xf32 > // a comment", "tensor<2x3xf32>");
    CHECK_TYPE("tensor<9223372036854775807x0xi8>");
    CHECK_TYPE("tensor<?x3x?xf32>");
    CHECK_TYPE("tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x"
               "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xi8>");
    CHECK_TYPE("!stablehlo.token");
    CHECK_TYPE_AS("tensor<2 x 3 x f32>", "tensor<2x3xf32>");
    CHECK_TYPE_AS("tensor< 0 x?\n x3xi8>", "tensor<0x?x3xi8>");
    CHECK_TYPE_ERROR("tensor<2 f32>", 10, "expected 'x' after an extent, found 'f32'");
    CHECK_TYPE("tuple<>");
    CHECK_TYPE("tuple<tensor<2xf32>, tuple<tensor<i1>, !stablehlo.token>>");
}

/* Bounds belong to extents that are not known yet. */
TEST(bounds)
{
    CHECK_TYPE("tensor<?xf32, #stablehlo.bounds<4>>");
    CHECK_TYPE("tensor<?x3x?x?xi8, #stablehlo.bounds<0, ?, ?, 9223372036854775806>>");
    CHECK_TYPE_AS("tensor<?x?xi8, #stablehlo.bounds<?, ?>>", "tensor<?x?xi8>");
    CHECK_TYPE_AS("tensor<2xf32 , #stablehlo.bounds < ? > >", "tensor<2xf32>");
    CHECK_TYPE_AS("tensor<f32, #stablehlo.bounds<>>", "tensor<f32>");
    CHECK_TYPE_ERROR("tensor<2xf32, #stablehlo.bounds<3>>", 33,
                     "axis 0 has the extent 2, and no bound");
    CHECK_TYPE_ERROR("tensor<?xf32, #stablehlo.bounds<-3>>", 33, "-3 is no bound of an extent");
    CHECK_TYPE_ERROR("tensor<?xf32, #stablehlo.bounds<9223372036854775807>>", 33,
                     "9223372036854775807 is no bound of an extent");
    CHECK_TYPE_ERROR("tensor<?xf32, #stablehlo.bounds<3, 4>>", 36,
                     "expected 1 bounds, one per axis, found more");
    CHECK_TYPE_ERROR("tensor<?x?xf32, #stablehlo.bounds<3>>", 17,
                     "expected 2 bounds, one per axis, found 1");
    CHECK_TYPE_ERROR("tensor<2xf32, \"x\">", 15,
                     "expected #stablehlo.bounds<…>, the only encoding that is supported, found a "
                     "string");
    CHECK_TYPE_ERROR("tensor<2xf32, #sparse_tensor.encoding<{}>>", 15,
                     "expected #stablehlo.bounds<…>, the only encoding that is supported, found "
                     "'#sparse_tensor.encoding'");
}

TEST(wrong_types)
{
    CHECK_TYPE_ERROR("tensor<3xf31>", 10, "element type 'f31' is not supported");
    CHECK_TYPE_ERROR("tensor<3xu8>", 10, "element type 'u8' is not supported");
    CHECK_TYPE_ERROR("tensor<3xbool>", 10, "element type 'bool' is not supported");
    CHECK_TYPE_ERROR("tensor<3xcomplex<f16>>", 18, "complex numbers of 'f16' are not supported");
    CHECK_TYPE_ERROR("tensor<3x!quant.any<i8>>", 10, "element type '!quant.any' is not supported");
    CHECK_TYPE_ERROR("tensor<*xf32>", 8,
                     "expected extents, found '*': tensors without a rank, tensor<*x…>, are not "
                     "supported; extents may be \"?\"");
    CHECK_TYPE_ERROR("tensor<9223372036854775808xi8>", 8, "the extent does not fit into 64 bits");
    CHECK_TYPE_ERROR("tensor<4294967296x4294967296xi8>", 1, "the tensor has too many elements");
    CHECK_TYPE_ERROR("tensor<2305843009213693952xf64>", 1, "the tensor has too many elements");
    CHECK_TYPE_ERROR("memref<2xf32>", 1, "type 'memref' is not supported");
    CHECK_TYPE_ERROR("!mhlo.token", 1, "type '!mhlo.token' is not supported");
    CHECK_TYPE_ERROR("!t", 1, "alias '!t' is not defined");
    CHECK_TYPE_ERROR("tensor<2,3xf32>", 9, "expected 'x' after an extent, found ','");
    CHECK_TYPE_ERROR("tensor<2xf32", 13, "expected '>', found the end of the text");
    CHECK_TYPE_ERROR("12", 1, "expected a type, found '12'");
}

TEST(deep_types)
{
    char text[4096] = "";
    for (int i = 0; i < 500; i++)
        memcpy(text + 6 * i, "tuple<", 7);
    CHECK_TYPE_ERROR(text, 1201, "types and attributes nest more than 200 deep");
}

TEST(type_aliases)
{
    reading q;
    const ct_type *type;
    char memory[256];
    static const char *const definitions[] = {"!t = tensor<2xf32>", "!e = complex<f64>", NULL};
    static const char *const circle[] = {"!t = !t", NULL};
    reading_begin_with_aliases(&q, memory, sizeof memory, "tuple<!t, tensor<3x!e>>", definitions);
    CHECK(ct__read_type(&q.r, &type) && reading_is_at_end(&q));
    CHECK(strcmp(ct__written_type(&q.r, type), "tuple<tensor<2xf32>, tensor<3xcomplex<f64>>>") ==
          0);
    reading_end(&q);
    reading_begin_with_aliases(&q, memory, sizeof memory, "!t ", circle);
    CHECK(!ct__read_type(&q.r, &type));
    CHECK(strstr(reading_errors(&q), "nest more than 200 deep"));
    reading_end(&q);
}

TEST(signatures)
{
    reading q;
    ct__type_list in, out;
    reading_begin(&q, "(tensor<f32>, tensor<2xi1>) -> (tensor<i8>, !stablehlo.token)");
    CHECK(ct__read_signature(&q.r, &in, &out) && reading_is_at_end(&q) && in.count == 2 &&
          out.count == 2);
    reading_end(&q);
    reading_begin(&q, "() -> ()");
    CHECK(ct__read_signature(&q.r, &in, &out) && reading_is_at_end(&q) && in.count == 0 &&
          out.count == 0);
    reading_end(&q);
    reading_begin(&q, "(tensor<f32>) -> tensor<i1>");
    CHECK(ct__read_signature(&q.r, &in, &out) && reading_is_at_end(&q) && in.count == 1 &&
          out.count == 1);
    reading_end(&q);
}

/* ---- Quantized types. */

static const ct__quantized *read_quantized(reading *q, const char *text, const ct_type **type)
{
    reading_begin(q, text);
    CHECK_MSG(ct__read_type(&q->r, type) && reading_is_at_end(q), "%s", reading_errors(q));
    CHECK((*type)->quantized != NULL);
    return (*type)->quantized;
}

TEST(quantized_types)
{
    reading q;
    const ct_type *type;
    const ct__quantized *z = read_quantized(&q, "tensor<2x!quant.uniform<i8:f32, 0.0039:-128>>",
                                            &type);
    CHECK(type->dtype == CT_I8 && z->expressed == CT_F32 && z->axis == -1 && z->n_scales == 1);
    CHECK(z->scale[0] == 0.0039 && z->zero_point[0] == -128);
    CHECK(z->storage_min == -128 && z->storage_max == 127);
    reading_end(&q);
    z = read_quantized(&q, "tensor<2x3x!quant.uniform<u8<1:254>:bf16:1, {0.5:3, 2.0,1.5e-1:9}>>",
                       &type);
    CHECK(type->dtype == CT_U8 && z->expressed == CT_BF16 && z->axis == 1 && z->n_scales == 3);
    CHECK(z->scale[0] == 0.5 && z->scale[1] == 2 && z->scale[2] == 0.15);
    CHECK(z->zero_point[0] == 3 && z->zero_point[1] == 0 && z->zero_point[2] == 9);
    CHECK(z->storage_min == 1 && z->storage_max == 254);
    reading_end(&q);
    z = read_quantized(&q, "tensor<!quant.uniform<i32:f32, 0.0012>>", &type);
    CHECK(type->dtype == CT_I32 && z->zero_point[0] == 0 && z->storage_max == INT32_MAX);
    reading_end(&q);
}

TEST(wrong_quantized_types)
{
    CHECK_TYPE_ERROR("tensor<!quant.uniform<i64:f32, 0.5>>", 23,
                     "storage type 'i64' is not supported");
    CHECK_TYPE_ERROR("tensor<!quant.uniform<f32:f32, 0.5>>", 23,
                     "storage type 'f32' is not supported");
    CHECK_TYPE_ERROR("tensor<!quant.uniform<i8:i32, 0.5>>", 26,
                     "expressed type 'i32' is no float type");
    CHECK_TYPE_ERROR("tensor<!quant.uniform<i8<-129:127>:f32, 0.5>>", 26,
                     "storage bounds -129:127 do not ascend within [-128, 127]");
    CHECK_TYPE_ERROR("tensor<!quant.uniform<i8:f32, -0.5>>", 31,
                     "a scale must be positive and finite");
    CHECK_TYPE_ERROR("tensor<!quant.uniform<i8:f32, 0.5:128>>", 35,
                     "zero point 128 is not in the storage range [-128, 127]");
    CHECK_TYPE_ERROR("tensor<2x!quant.uniform<i8:f32:1, {0.5}>>", 1,
                     "quantized axis 1 is not below the rank 1");
    CHECK_TYPE_ERROR("tensor<2x!quant.uniform<i8:f32:0, {0.5}>>", 1,
                     "1 scales for the extent 2 of axis 0");
    CHECK_TYPE_ERROR("tensor<2x!quant.uniform<i8:f32:{0:1}, {{0.5}}>>", 32,
                     "expected one axis or one list of scales, found '{': sub-channel "
                     "quantization, with a scale per block of several axes, is not supported");
    CHECK_TYPE_ERROR("tensor<2x!quant.uniform<i8:f32:0, {{0.5}, {0.25}}>>", 36,
                     "expected one axis or one list of scales, found '{': sub-channel "
                     "quantization, with a scale per block of several axes, is not supported");
}

/* ---- Attributes. */

/* What was read, in a form of its own: one letter for the kind, then the value. */
static void show(ct__reader *r, const ct__attribute *v, ct__text *out)
{
    switch (v->kind) {
    case CT__ATTRIBUTE_UNIT: ct__text_add(out, "unit"); break;
    case CT__ATTRIBUTE_BOOL: ct__text_add(out, "%s", v->integer ? "true" : "false"); break;
    case CT__ATTRIBUTE_INTEGER: ct__text_add(out, "I%" PRId64, v->integer); break;
    case CT__ATTRIBUTE_FLOAT: ct__text_add(out, "F%.17g", v->number); break;
    case CT__ATTRIBUTE_STRING: ct__text_add(out, "S%s", v->text); break;
    case CT__ATTRIBUTE_SYMBOL: ct__text_add(out, "@%s", v->text); break;
    case CT__ATTRIBUTE_WORD: ct__text_add(out, "W%s", v->text); break;
    case CT__ATTRIBUTE_OTHER: ct__text_add(out, "O"); break;
    case CT__ATTRIBUTE_DENSE: ct__text_add(out, "D%s", ct__written_type(r, v->type)); break;
    case CT__ATTRIBUTE_TYPE: ct__text_add(out, "T%s", ct__written_type(r, v->type)); break;
    case CT__ATTRIBUTE_INTS:
        ct__text_add(out, "[");
        for (size_t i = 0; i < v->ints.count; i++)
            ct__text_add(out, "%s%" PRId64, i ? "," : "", v->ints.item[i]);
        ct__text_add(out, "]");
        break;
    case CT__ATTRIBUTE_LIST:
    case CT__ATTRIBUTE_CONV:
        ct__text_add(out, v->kind == CT__ATTRIBUTE_LIST ? "L(" : "C(");
        for (size_t i = 0; i < v->n_list; i++) {
            ct__text_add(out, "%s", i ? "," : "");
            show(r, &v->list[i], out);
        }
        ct__text_add(out, ")");
        break;
    case CT__ATTRIBUTE_DICT:
        ct__text_add(out, "%s{", v->text ? v->text : "");
        for (size_t i = 0; i < v->dict.count; i++) {
            ct__text_add(out, "%s%s=", i ? "," : "", v->dict.entry[i].key);
            show(r, &v->dict.entry[i].value, out);
        }
        ct__text_add(out, "}");
        break;
    }
    if (v->type && v->kind != CT__ATTRIBUTE_DENSE && v->kind != CT__ATTRIBUTE_TYPE)
        ct__text_add(out, ":%s", ct_dtype_name(v->type->dtype));
}

static void check_attribute(int line, const char *text, const char *want, const char *printed)
{
    reading q;
    ct__attribute value;
    ct__text out, again;
    char memory[1024];
    static const char *const definitions[] = {"#x = [1, // one\n   2]", "#y = {a = #x}",
                                              "!t = tensor<2xf32>", NULL};
    reading_begin_with_aliases(&q, memory, sizeof memory, text, definitions);
    if (!ct__read_attribute(&q.r, &value) || !reading_is_at_end(&q))
        check_fail(__FILE__, line, "%s is not read: %s", text, reading_errors(&q));
    ct__text_init(&out, &q.ctx->allocator);
    ct__text_init(&again, &q.ctx->allocator);
    show(&q.r, &value, &out);
    if (strcmp(out.data, want) != 0)
        check_fail(__FILE__, line, "%s is read as %s", text, out.data);
    CHECK(ct__attribute_text(&q.r, &value, &again));
    if (strcmp(again.data, printed) != 0)
        check_fail(__FILE__, line, "%s is printed as %s", text, again.data);
    ct__text_free(&out);
    ct__text_free(&again);
    reading_end(&q);
}
#define CHECK_ATTRIBUTE(text, want) check_attribute(__LINE__, text, want, text)
#define CHECK_PRINTED(text, want, printed) check_attribute(__LINE__, text, want, printed)

TEST(simple_attributes)
{
    CHECK_ATTRIBUTE("unit", "unit");
    CHECK_ATTRIBUTE("true", "true");
    CHECK_ATTRIBUTE("false", "false");
    CHECK_ATTRIBUTE("1", "I1");
    CHECK_ATTRIBUTE("-5 : i32", "I-5:i32");
    CHECK_ATTRIBUTE("18446744073709551615 : ui64", "I-1:u64");
    CHECK_ATTRIBUTE("3 : index", "I3:i64");
    CHECK_ATTRIBUTE("0.5", "F0.5");
    CHECK_ATTRIBUTE("0.1 : f32", "F0.10000000149011612:f32");
    CHECK_ATTRIBUTE("0x7F800000 : f32", "Finf:f32");
    CHECK_ATTRIBUTE("0xFF : i16", "I255:i16");
    CHECK_ATTRIBUTE("\"a \\\"b\\\" \\41\"", "Sa \"b\" A");
    CHECK_ATTRIBUTE("@f", "@f");
    CHECK_ATTRIBUTE("@f::@\"g h\"", "@f::g h");
    CHECK_ATTRIBUTE("tensor<2xf32>", "Ttensor<2xf32>");
    CHECK_ATTRIBUTE("ui8", "Ttensor<ui8>");
    CHECK_ATTRIBUTE("!stablehlo.token", "T!stablehlo.token");
    CHECK_ATTRIBUTE("dense<1> : tensor<2xi64>", "Dtensor<2xi64>");
}

TEST(compound_attributes)
{
    CHECK_ATTRIBUTE("[]", "[]");
    CHECK_ATTRIBUTE("[1, -2]", "[1,-2]");
    CHECK_ATTRIBUTE("[1 : i64, true]", "L(I1:i64,true)");
    CHECK_ATTRIBUTE("[[1], [@f, @g], {}]", "L([1],L(@f,@g),{})");
    CHECK_ATTRIBUTE("{a, b = 1 : i32, \"c d\" = {e = [2]}}", "{a=unit,b=I1:i32,c d={e=[2]}}");
    CHECK_ATTRIBUTE("array<i64>", "[]:i64");
    CHECK_ATTRIBUTE("array<i64: 1, -2>", "[1,-2]:i64");
    CHECK_ATTRIBUTE("array<i1: true, false>", "[1,0]:bool");
    CHECK_ATTRIBUTE("array<i32: 2147483647>", "[2147483647]:i32");
    CHECK_ATTRIBUTE("array<i64: 9223372036854775807>", "[9223372036854775807]:i64");
    CHECK_ATTRIBUTE("array<f32: 0.5, 1.0>", "L(F0.5,F1):f32");
}

TEST(dialect_attributes)
{
    CHECK_ATTRIBUTE("#stablehlo<precision HIGH>", "WHIGH");
    CHECK_ATTRIBUTE("#chlo<precision DEFAULT>", "WDEFAULT");
    CHECK_ATTRIBUTE("#stablehlo.result_accuracy_mode<HIGHEST>", "WHIGHEST");
    CHECK_ATTRIBUTE("#stablehlo.gather<offset_dims = [0, 1], index_vector_dim = 1>",
                    "stablehlo.gather{offset_dims=[0,1],index_vector_dim=I1}");
    CHECK_ATTRIBUTE("#stablehlo.scatter<>", "stablehlo.scatter{}");
    CHECK_ATTRIBUTE("#stablehlo.channel_handle<handle = 1, type = 0>",
                    "stablehlo.channel_handle{handle=I1,type=I0}");
    CHECK_ATTRIBUTE("#stablehlo.dot_algorithm<lhs_precision_type = tf32, x = f32, y = false>",
                    "stablehlo.dot_algorithm{lhs_precision_type=O,x=Ttensor<f32>,y=false}");
    CHECK_ATTRIBUTE("#stablehlo.result_accuracy<atol = 1.0, mode = "
                    "#stablehlo.result_accuracy_mode<TOLERANCE>>",
                    "stablehlo.result_accuracy{atol=F1,mode=WTOLERANCE}");
    CHECK_ATTRIBUTE("#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>",
                    "C([-1,0,-2],[0,-1,-2],[-1,0,-2])");
    CHECK_ATTRIBUTE("#stablehlo.bounds<?, 3>", "O");
    CHECK_ATTRIBUTE("#sdy.sharding<@mesh, [{\"x\", ?}, {}]>", "O");
    CHECK_ATTRIBUTE("#mhlo.layout<a -> b, (c)>", "O");
    CHECK_ATTRIBUTE("#triton.x", "O");
    CHECK_ATTRIBUTE("affine_map<(d0) -> (d0)>", "O");
    CHECK_ATTRIBUTE("affine_set<(d0)[s0] : (d0 - 10 >= 0, (d0 + s0) * 2 == 0)>", "O");
    CHECK_ATTRIBUTE("distinct[0]<>", "O");
    CHECK_ATTRIBUTE("distinct[12]<\"a\">", "O");
    CHECK_ATTRIBUTE("sparse<[[0, 1], [2, 0]], [5, 6]> : tensor<3x2xi8>", "O");
    CHECK_ATTRIBUTE("(tensor<f32>, i1) -> (f32)", "O");
    CHECK_ATTRIBUTE("!foo.bar<1, \">\">", "O");
    CHECK_ATTRIBUTE("loc(unknown)", "O");
}

TEST(aliases)
{
    CHECK_PRINTED("#x", "[1,2]", "[1, 2]");
    CHECK_PRINTED("#y", "{a=[1,2]}", "{a = [1, 2]}");
    CHECK_PRINTED("{p = #y, q = \"#x\", r = #sdy.x<#x>}", "{p={a=[1,2]},q=S#x,r=O}",
                  "{p = {a = [1, 2]}, q = \"#x\", r = #sdy.x<[1, 2]>}");
    CHECK_PRINTED("!t", "Ttensor<2xf32>", "tensor<2xf32>");
    CHECK_PRINTED("[ 1 ,\n\n // two\n 2 ]", "[1,2]", "[ 1 , 2 ]");
}

TEST(wrong_attributes)
{
    CHECK_ATTRIBUTE_ERROR("{a = 1, a = 2}", 9, "attribute 'a' stands there twice");
    CHECK_ATTRIBUTE_ERROR("{a = }", 6, "expected an attribute, found '}'");
    CHECK_ATTRIBUTE_ERROR("{1 = a}", 2, "expected the name of an attribute, found '1'");
    CHECK_ATTRIBUTE_ERROR("{a = 1", 7,
                          "expected ',' or the end of the attributes, found the end of the text");
    CHECK_ATTRIBUTE_ERROR("#nothing", 1, "alias '#nothing' is not defined");
    CHECK_ATTRIBUTE_ERROR("#sdy.a<(>", 9, "expected ')'");
    CHECK_ATTRIBUTE_ERROR("#sdy.a<\"b", 8, "the string does not end");
    CHECK_ATTRIBUTE_ERROR("#sdy.a<b", 7, "the bracket is not closed");
    CHECK_ATTRIBUTE_ERROR("300 : i8", 1, "300 does not fit into i8");
    CHECK_ATTRIBUTE_ERROR("1 : f32", 1, "expected a float, found an integer: write 1.0");
    CHECK_ATTRIBUTE_ERROR("18446744073709551616", 1, "18446744073709551616 does not fit into u64");
    CHECK_ATTRIBUTE_ERROR("array<i64: 1.0>", 12, "expected an integer, found a float");
    CHECK_ATTRIBUTE_ERROR("#stablehlo.conv<[b, ?, f]x[0, i, o]->[b, 0, f]>", 21,
                          "axes of convolutions must be known");
}

TEST(deep_attributes)
{
    char text[1024];
    memset(text, '[', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK_ATTRIBUTE_ERROR(text, 201, "types and attributes nest more than 200 deep");
    memset(text + 7, '<', sizeof text - 8);
    memcpy(text, "#sdy.a<", 7);
    CHECK_ATTRIBUTE_ERROR(text, 7, "brackets nest more than 200 deep");
}

/* What is only kept is printed in the order of the text, keys in quotes where they need them. */
TEST(kept_attributes)
{
    reading q;
    ct__dict dict = {0};
    char memory[256];
    static const char *const definitions[] = {"#x = dense<1> : tensor<2xi8>", NULL};
    reading_begin_with_aliases(&q, memory, sizeof memory,
                               "{a = 1 : i32, \"b \\\"\" = #x, used = 2, c}", definitions);
    CHECK_MSG(ct__read_dict(&q.r, "{", "}", &dict), "%s", reading_errors(&q));
    CHECK(ct__dict_use(&dict, "used") && !ct__dict_use(&dict, "missing"));
    const char *rest = ct__dict_rest(&q.r, &dict);
    CHECK_MSG(strcmp(rest, "a = 1 : i32, \"b \\\"\" = dense<1> : tensor<2xi8>, c") == 0, "%s",
              rest);
    for (size_t i = 0; i < dict.count; i++)
        ct__dict_use(&dict, dict.entry[i].key);
    CHECK(ct__dict_rest(&q.r, &dict) == NULL);
    reading_end(&q);
}
