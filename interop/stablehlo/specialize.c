/* Functions of templates: their text is read again, for the types of parameters that are given. */
#include "interop/stablehlo/module.h"

#include "interop/stablehlo/print.h"
#include "interop/stablehlo/read_values.h"

#include <inttypes.h>

static bool same_types(ct__type_list a, ct__type_list b)
{
    bool same = a.count == b.count;
    for (size_t i = 0; same && i < a.count; i++)
        same = ct__type_equal(a.item[i], b.item[i]);
    return same;
}

static ct__graph *find_special(const ct_module *module, const ct__module_function *f,
                               ct__type_list types)
{
    for (const ct__module_special *s = module->special; s; s = s->next)
        if (s->function == f && same_types(s->types, types))
            return s->graph;
    return NULL;
}

/* Remembers the graph, of which it takes over the reference; borrowed. */
static ct__graph *add_special(ct_module *module, ct_place at, const ct__module_function *f,
                              ct__type_list types, ct__graph *graph)
{
    ct__arena *arena = &module->arena;
    ct__module_special *s = CT__NEW(arena, ct__module_special);
    const ct_type **type = ct__copy_types(arena, types.count, types.item);
    if (arena->failed) {
        arena->failed = false;
        ct__graph_release(graph);
        ct__error_memory(module->handle.ctx, at, "specialize");
        return NULL;
    }
    *s = (ct__module_special){module->special, f, {types.count, type}, graph};
    module->special = s;
    return graph;
}

/* Functions that are no templates are not read again. */
static void enter_known(ct__reader *r, const ct_module *module)
{
    const ct__module_function *known = module->function;
    for (size_t i = 0; i < r->symbols.n_entries; i++) {
        ct__symbol *symbol = ct__symbol_at(r, i);
        if (symbol->is_declared)
            continue;
        symbol->graph = ct__graph_retain((known++)->graph);
        symbol->state = symbol->graph ? CT__READ : CT__UNREAD;
        symbol->is_template = !symbol->graph;
        symbol->has_unknown = symbol->has_unknown || symbol->is_template;
    }
}

static ct__graph *read_special(ct_module *module, ct_place at, const ct__module_function *f,
                               ct__type_list types)
{
    ct_context *ctx = module->handle.ctx;
    ct__graph *graph = NULL;
    ct__reader r;
    if (ct__reader_init(&r, ctx, at, module->text_name,
                        (ct__span){module->text, module->text_length}, module->first_line)) {
        ct__scan_module(&r);
        enter_known(&r, module);
        ct__symbol *symbol = ct__symbol_find(&r, f->name);
        if (symbol && !ct_failed(ctx)) /* it was there before: else memory is short */
            graph = ct__record_function(&r, symbol, symbol->at,
                                        &(ct__given){types.count, types.item, NULL});
        ct__report_errors(&r);
    }
    ct__reader_free(&r);
    return graph;
}

static bool check_plain(ct_context *ctx, ct_place at, const ct__module_function *f,
                        ct__type_list types)
{
    bool fine = f->n_params == types.count;
    for (size_t i = 0; fine && i < types.count; i++)
        fine = ct__type_equal(ct__param_type(f->graph, i), types.item[i]);
    if (!fine)
        ct__error(ctx, at, CT_ERR_TYPE,
                  "specialize: @%s has no extents \"?\", and other parameters than the examples",
                  f->name);
    return fine;
}

static ct_function *specialize(ct_place at, ct_module *module, const ct__module_function *f,
                               ct__type_list types)
{
    ct_context *ctx = module->handle.ctx;
    ct__graph *graph = f->graph;
    if (graph && !check_plain(ctx, at, f, types))
        return ct__poison_function(ctx);
    if (!graph)
        graph = find_special(module, f, types);
    if (!graph && (graph = read_special(module, at, f, types)))
        graph = add_special(module, at, f, types, graph);
    return graph ? ct__function_new(ctx, at, ct__graph_retain(graph)) : ct__poison_function(ctx);
}

ct_function *ct_specialize_at(ct_place at, ct_module *module, const char *name, ct_list examples)
{
    ct_context *ctx = module ? module->handle.ctx : NULL;
    const ct__module_function *f = ct__module_ask(at, module, "specialize", name);
    if (!f || !ct__examples_check(ctx, at, f->name, examples))
        return ct__poison_function(ctx);
    ct__arena *scratch = ct__scratch_begin(ctx);
    const ct_type **type = CT__NEW_ARRAY(scratch, const ct_type *, examples.count);
    for (size_t i = 0; type && i < examples.count; i++)
        type[i] = examples.item[i]->type;
    if (!type)
        ct__error_memory(ctx, at, "specialize");
    ct_function *g = type ? specialize(at, module, f, (ct__type_list){examples.count, type})
                          : ct__poison_function(ctx);
    ct__scratch_end(ctx);
    return g;
}

/* ---- By shapes alone. */

/* "@f: argument 0 is a tensor<?x3xf32>, and cannot have the shape 5x4" */
static void fail_shape(ct_context *ctx, ct_place at, const ct__module_function *f, size_t i,
                       const ct_type *declared, ct_shape shape)
{
    ct__text out;
    ct__fault fault = {.status = CT_OK};
    ct__text_init(&out, &ctx->allocator);
    ct__text_add(&out, "@%s: argument %zu is a ", f->name, i);
    ct__print_type(&(ct__printer){.out = &out, .fault = &fault}, declared);
    ct__text_add(&out, ", and cannot have the shape %s", shape.count ? "" : "scalar");
    for (size_t d = 0; d < shape.count; d++)
        ct__text_add(&out, "%s%" PRId64, d ? "x" : "", shape.dim[d]);
    if (out.failed)
        ct__error_memory(ctx, at, "specialize");
    else
        ct__error(ctx, at, CT_ERR_SHAPE, "%s", out.data);
    ct__text_free(&out);
}

/* The declared type with these extents; false where that is none, or they are others than those
 * that it has. */
static bool give_shape(const ct_type *declared, ct_shape shape, ct_type *type)
{
    const ct__quantized *q = declared->quantized;
    *type = *declared;
    type->rank = (int)shape.count;
    type->dim = shape.dim;
    return declared->kind == CT__TENSOR &&
           ct__type_check(declared->dtype, shape.count, shape.dim) == CT_OK &&
           ct__count_elements(shape.count, shape.dim, &type->size) &&
           ct__type_matches(type, declared) &&
           (!q || q->axis < 0 || (uint64_t)type->dim[q->axis] == q->n_scales);
}

/* The types in the arena; NULL after an error. */
static const ct_type **shape_all(ct_context *ctx, ct_place at, ct__arena *arena,
                                 const ct__module_function *f, const ct_shape *shapes)
{
    const ct_type **list = CT__NEW_ARRAY(arena, const ct_type *, f->n_params);
    for (size_t i = 0; list && i < f->n_params; i++) {
        const ct_type *declared = f->graph ? ct__param_type(f->graph, i) : f->param[i];
        ct_type type;
        if (!give_shape(declared, shapes[i], &type)) {
            fail_shape(ctx, at, f, i, declared, shapes[i]);
            return NULL;
        }
        list[i] = ct__type_copy(arena, &type);
    }
    if (arena->failed)
        ct__error_memory(ctx, at, "specialize");
    return ct_failed(ctx) ? NULL : list;
}

static bool check_shapes(ct_context *ctx, ct_place at, const ct__module_function *f, size_t count,
                         const ct_shape *shapes)
{
    if (count != f->n_params) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "@%s takes %zu argument%s, and %zu shape%s given",
                  f->name, f->n_params, f->n_params == 1 ? "" : "s", count,
                  count == 1 ? " is" : "s are");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!shapes || (shapes[i].count > 0 && !shapes[i].dim)) {
            ct__error(ctx, at, CT_ERR_ARGUMENT, "@%s: the shape of argument %zu is NULL", f->name,
                      i);
            return false;
        }
    return true;
}

ct_function *ct_specialize_shapes_at(ct_place at, ct_module *module, const char *name, size_t count,
                                     const ct_shape *shapes)
{
    ct_context *ctx = module ? module->handle.ctx : NULL;
    const ct__module_function *f = ct__module_ask(at, module, "specialize", name);
    if (!ctx || !f)
        return ct__poison_function(ctx);
    if (!f->graph && !f->param) /* reading it says what is wrong */
        return specialize(at, module, f, (ct__type_list){0, NULL});
    const ct_place place = at.file ? at : f->place;
    if (!check_shapes(ctx, place, f, count, shapes))
        return ct__poison_function(ctx);
    ct__arena *scratch = ct__scratch_begin(ctx);
    const ct_type **type = shape_all(ctx, place, scratch, f, shapes);
    ct_function *g = type ? specialize(at, module, f, (ct__type_list){count, type})
                          : ct__poison_function(ctx);
    ct__scratch_end(ctx);
    return g;
}
