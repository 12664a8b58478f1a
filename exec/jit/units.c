#include "exec/jit/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INSTRUCTIONS = 400 }; /* of a unit that has more than one kernel */

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return hash;
}

void ct__function_name(size_t i, char name[CT__FUNCTION_NAME_BYTES])
{
    snprintf(name, CT__FUNCTION_NAME_BYTES, "kernel_%zu", i);
}

/* Takes over the text. */
static size_t find_function(ct__units *units, char *text)
{
    const uint64_t hash = hash_of(text);
    for (size_t i = 0; i < units->n_functions; i++)
        if (units->function[i].hash == hash && strcmp(units->function[i].text, text) == 0) {
            free(text);
            return i;
        }
    units->function[units->n_functions] = (ct__unit_function){text, hash, 0};
    return units->n_functions++;
}

static bool add_step(ct__units *units, ct__fast *step)
{
    ct__text text;
    ct__text_init(&text, &ct__libc_allocator);
    ct__emit_kernel(&text, step->kernel);
    if (text.failed) {
        ct__text_free(&text);
        return false;
    }
    units->step[units->n_steps] = step;
    units->function_of[units->n_steps++] = find_function(units, text.data);
    return true;
}

/* Functions stand in the order of the steps that use them first. */
static void divide(ct__units *units)
{
    size_t instructions = 0, next = 0;
    for (size_t i = 0; i < units->n_steps; i++) {
        const size_t own = units->step[i]->tiles->n_instructions;
        if (units->function_of[i] != next)
            continue;
        if (instructions > 0 && instructions + own > MOST_INSTRUCTIONS) {
            instructions = 0;
            units->n_units++;
        }
        instructions += own;
        units->function[next++].unit = units->n_units;
    }
    units->n_units += instructions > 0;
}

bool ct__units_make(ct__units *units, const ct__fast_fusion *steps)
{
    const size_t n = steps->n + 1;
    *units = (ct__units){.function = calloc(n, sizeof *units->function),
                         .step = calloc(n, sizeof *units->step),
                         .function_of = calloc(n, sizeof *units->function_of)};
    if (!units->function || !units->step || !units->function_of)
        return false;
    for (ct__fast *step = steps->newest; step; step = step->next)
        if (step->kernel && !add_step(units, step))
            return false;
    divide(units);
    return true;
}

void ct__units_free(ct__units *units)
{
    for (size_t i = 0; i < units->n_functions; i++)
        free(units->function[i].text);
    free(units->function);
    free(units->step);
    free(units->function_of);
}

void ct__unit_code(const ct__units *units, size_t unit, ct__text *text)
{
    ct__text body;
    char name[CT__FUNCTION_NAME_BYTES];
    ct__text_init(&body, &ct__libc_allocator);
    for (size_t i = 0; i < units->n_functions; i++) {
        ct__function_name(i, name);
        if (units->function[i].unit == unit)
            ct__text_add(&body, "\nvoid %s%s", name, units->function[i].text);
    }
    if (body.failed) {
        text->failed = true;
    } else {
        ct__add_prelude(text, body.data);
        ct__text_add(text, "%s", body.data);
    }
    ct__text_free(&body);
}
