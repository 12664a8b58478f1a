/* What is printed is read back as the same function, in either form, with places and without. */
#include "tests/samples.h"
#include "tests/values.h"

#include "trace/trace.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <stdio.h>
#include <string.h>

static ct_function *read_main(ct_context *ctx, const char *name, const char *text)
{
    return ct_module_function(ct_read_stablehlo_text(ctx, name, text, strlen(text)), NULL);
}

static void check_sample(const sample *s, unsigned flags)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = s->make(ctx);
    const char *text = ct_stablehlo_text(f, flags);
    ct_function *g = read_main(ctx, s->name, text);
    CHECK_MSG(!ct_failed(ctx), "%s: %s\nin\n%s", s->name, ct_error_message(ctx), text);
    const char *again = ct_stablehlo_text(g, flags);
    CHECK_MSG(strcmp(text, again) == 0, "%s:\n%s\nis read as\n%s", s->name, text, again);
    CHECK_MSG(ct__graph_equal(f->graph, g->graph, flags & CT_WRITE_PLACES),
              "%s: the text is the same, the graph is not:\n%s", s->name, text);
    ct_context_free(ctx);
}

TEST(samples)
{
    for (size_t i = 0; i < n_samples; i++)
        check_sample(&samples[i], CT_WRITE_PRETTY);
}

TEST(samples_in_the_generic_form)
{
    for (size_t i = 0; i < n_samples; i++)
        check_sample(&samples[i], CT_WRITE_GENERIC);
}

TEST(samples_with_places)
{
    for (size_t i = 0; i < n_samples; i++)
        check_sample(&samples[i], CT_WRITE_PLACES);
}
