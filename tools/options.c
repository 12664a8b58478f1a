#define _GNU_SOURCE /* secure_getenv */
#include "tools/tools.h"

#include <cotangent/ad.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int usage_error(const verb_text *verb, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "cotangent %s: ", verb->name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "; try 'cotangent %s --help'\n", verb->name);
    return FAILURE;
}

bool add_word(word_list *list, const char *word)
{
    const char **longer = realloc(list->word, (list->count + 1) * sizeof *list->word);
    if (!longer) {
        fprintf(stderr, "cotangent: out of memory\n");
        return false;
    }
    list->word = longer;
    list->word[list->count++] = word;
    return true;
}

bool parse_number(const verb_text *verb, const char *name, const char *text, long long low,
                  long long high, long long *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    if (end != text && *end == '\0' && errno == 0 && *number >= low && *number <= high)
        return true;
    usage_error(verb, "%s takes a whole number from %lld to %lld, not '%s'", name, low, high, text);
    return false;
}

static const struct way {
    const char *name;
    ct_executor executor;
} ways[] = {{"auto", CT_EXECUTOR_DEFAULT},     {"interpret", CT_EXECUTOR_INTERPRETER},
            {"machine", CT_EXECUTOR_MACHINE},  {"cpu", CT_EXECUTOR_CPU},
            {"jit", CT_EXECUTOR_JIT},          {"mpfr", CT_EXECUTOR_MPFR},
            {"rational", CT_EXECUTOR_RATIONAL}};

enum { LEAST_BITS = 64, MOST_BITS = 1 << 20 };

/* Behind "mpfr:" and "rational:", which then goes on in MPFR, stand bits. False where the name is
 * none; NULL is the first one's. */
static bool find_way(const char *name, ct_compile_options *options)
{
    const size_t length = name ? strcspn(name, ":") : 0;
    char *end = NULL;
    *options = (ct_compile_options){.size = sizeof *options, .executor = ways[0].executor};
    if (!name)
        return true;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strncmp(ways[i].name, name, length) == 0 && ways[i].name[length] == '\0')
            options->executor = ways[i].executor, end = (char *)(uintptr_t)name + length;
    if (!end || *end == '\0')
        return end != NULL;
    options->continues = options->executor == CT_EXECUTOR_RATIONAL;
    const char *bits = end + 1;
    unsigned long number = strtoul(bits, &end, 10);
    options->bits = number;
    return options->executor >= CT_EXECUTOR_MPFR && *bits >= '0' && *bits <= '9' && *end == '\0' &&
           number >= LEAST_BITS && number <= MOST_BITS;
}

static bool is_pass(const char *name, size_t length)
{
    bool is = strncmp(name, "all", length) == 0 && length == 3;
    const char *pass;
    for (size_t i = 0; !is && (pass = ct_pass_name(i, NULL)); i++)
        is = strncmp(name, pass, length) == 0 && strlen(pass) == length;
    return is;
}

bool check_passes(const verb_text *verb, const char *names)
{
    while (names && *names) {
        const size_t length = strcspn(names, ",");
        if (!is_pass(names, length)) {
            usage_error(verb, "there is no pass called '%.*s'", (int)length, names);
            return false;
        }
        names += length;
        names += *names == ',';
    }
    return true;
}

/* "nan,index" or "all" as bits of ct_trap; NULL: none. False where there is no such kind, *wrong.
 */
static bool find_traps(const char *names, unsigned *traps, const char **wrong)
{
    static const char *const kind[] = {"nan", "infinity", "overflow", "division", "index", "all"};
    const char *name = names;
    *traps = 0;
    while (name) {
        const size_t length = strcspn(name, ",");
        size_t i = 0;
        while (i < 6 && (strlen(kind[i]) != length || memcmp(kind[i], name, length) != 0))
            i++;
        *wrong = name;
        if (i == 6)
            return false;
        *traps |= i == 5 ? (unsigned)CT_TRAP_ALL : 1u << i;
        if (name[length] == '\0')
            break;
        name += length + 1;
    }
    return true;
}

static bool check_traps(const verb_text *verb, const run_words *run,
                        const ct_compile_options *options)
{
    unsigned traps;
    const char *wrong = NULL;
    if (!find_traps(run->traps, &traps, &wrong))
        usage_error(verb,
                    "there is no trap called '%.*s'; there are nan, infinity, overflow, "
                    "division, index and all",
                    (int)strcspn(wrong, ","), wrong);
    else if (traps && options->executor >= CT_EXECUTOR_MPFR)
        usage_error(verb, "--trap looks at numbers of the program's types; '--exec %s' has others",
                    run->executor);
    else
        return true;
    return false;
}

bool check_way(const verb_text *verb, const run_words *run)
{
    ct_compile_options options;
    if (find_way(run->executor, &options))
        return check_passes(verb, run->without) && check_traps(verb, run, &options);
    if (options.executor >= CT_EXECUTOR_MPFR)
        usage_error(verb, "--exec %.*s:BITS takes %d to %d bits, not '%s'",
                    (int)strcspn(run->executor, ":"), run->executor, LEAST_BITS, MOST_BITS,
                    strchr(run->executor, ':') + 1);
    else
        usage_error(verb, "there is no way to run called '%s'", run->executor);
    return false;
}

/* CT_THREADS, or 0. */
static size_t threads_of_environment(void)
{
    const char *number = secure_getenv("CT_THREADS");
    return number ? strtoul(number, NULL, 10) : 0;
}

ct_compile_options options_for(const run_words *run)
{
    ct_compile_options options;
    (void)find_way(run->executor, &options); /* its name is known */
    const char *wrong;
    options.passes_off = run->without;
    (void)find_traps(run->traps, &options.traps, &wrong); /* they are known */
    options.threads = threads_of_environment();
    return options;
}

ct_executable *compile_for(ct_function *f, const run_words *run)
{
    const ct_compile_options options = options_for(run);
    return ct_compile_at(NOWHERE, f, &options);
}

static const char *const forms[] = {"decimal", "fraction", "hex"}; /* as ct_number_form */

int form_of(const char *name)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(forms[i], name) == 0)
            return i;
    return -1;
}

static bool check_form(const verb_text *verb, const run_words *run)
{
    if (!run->form)
        return true;
    if (form_of(run->form) < 0)
        usage_error(verb, "--print takes decimal, fraction or hex, not '%s'", run->form);
    else if (options_for(run).executor < CT_EXECUTOR_MPFR)
        usage_error(verb,
                    "--print is of numbers that are not machine's: --exec mpfr:BITS or rational");
    else if (run->output)
        usage_error(verb, "--print prints, and --output writes: one of them");
    else
        return true;
    return false;
}

bool check_words(const verb_text *verb, const word_list *files, const run_words *run)
{
    long long number;
    if (files->count == 1)
        return check_way(verb, run) && check_form(verb, run) &&
               (!run->seed || parse_number(verb, "--random", run->seed, 0, INT64_MAX, &number));
    usage_error(verb, "it takes one FILE, not %zu", files->count);
    return false;
}

/* "2", "-1", "none", up to a comma or the end; false when it is none of these. */
static bool read_number(const char **text, bool is_axis, int64_t *number)
{
    enum { MOST = 1 << 20 };
    const char *at = *text;
    char *end;
    if (is_axis && strncmp(at, "none", 4) == 0) {
        *number = CT_UNBATCHED;
        *text = at + 4;
    } else {
        const char *digits = at + (is_axis && *at == '-');
        if (*digits < '0' || *digits > '9')
            return false;
        *number = strtoll(at, &end, 10);
        *text = end;
        if (*number > MOST || *number < -MOST)
            return false;
    }
    return **text == ',' || **text == '\0';
}

static bool read_numbers(const char *text, bool is_axis, number_list *list)
{
    for (;; text++) {
        if (!read_number(&text, is_axis, &list->number[list->count++]))
            return false;
        if (!*text)
            return true;
    }
}

static bool parse_list(const verb_text *verb, const char *name, const char *text, bool is_axis,
                       number_list *list)
{
    list->count = 0;
    list->number = malloc((strlen(text) + 1) * sizeof *list->number);
    if (!list->number) {
        fprintf(stderr, "cotangent: out of memory\n");
        return false;
    }
    if (!read_numbers(text, is_axis, list))
        return usage_error(verb, "%s takes numbers with commas between them, as %s, not '%s'", name,
                           is_axis ? "0,none,-1" : "0,2", text),
               false;
    return true;
}

bool parse_numbers(const verb_text *verb, const char *name, const char *text, number_list *list)
{
    return parse_list(verb, name, text, false, list);
}

bool parse_axes(const verb_text *verb, const char *name, const char *text, number_list *list)
{
    return parse_list(verb, name, text, true, list);
}

/* ---- Shapes. */

/* "5", "5x3", "scalar", up to a comma or the end, with its extents from `dim` on; false when it is
 * none of these. */
static bool read_shape(const char **text, int64_t *dim, ct_shape *shape)
{
    *shape = (ct_shape){0, dim};
    if (strncmp(*text, "scalar", 6) == 0) {
        *text += 6;
        return **text == ',' || **text == '\0';
    }
    for (;; ++*text) {
        char *end;
        if (**text < '0' || **text > '9')
            return false;
        errno = 0;
        dim[shape->count++] = strtoll(*text, &end, 10);
        *text = end;
        if (errno != 0)
            return false;
        if (**text != 'x')
            return **text == ',' || **text == '\0';
    }
}

static bool read_shapes(const char *text, shape_list *list)
{
    for (int64_t *dim = list->extent;; text++) {
        ct_shape *shape = &list->shape[list->count++];
        if (!read_shape(&text, dim, shape))
            return false;
        if (!*text)
            return true;
        dim += shape->count;
    }
}

bool parse_shapes(const verb_text *verb, const char *text, shape_list *list)
{
    const size_t most = strlen(text) + 1; /* each takes a character */
    *list = (shape_list){0, malloc(most * sizeof *list->shape),
                         malloc(most * sizeof *list->extent)};
    if (!list->shape || !list->extent) {
        fprintf(stderr, "cotangent: out of memory\n");
        return false;
    }
    return read_shapes(text, list) ||
           (usage_error(verb,
                        "--shapes takes shapes with commas between them, as 5x3,scalar, not '%s'",
                        text),
            false);
}

void free_shapes(shape_list *list)
{
    free(list->shape);
    free(list->extent);
}

/* ---- Help. */

static void print_option(const char *name, const char *argument, const char *text)
{
    char left[64];
    snprintf(left, sizeof left, "%s%s%s", name, argument ? " " : "", argument ? argument : "");
    printf("  %-22s %s\n", left, text);
}

static void print_help(const verb_text *verb)
{
    printf("usage: cotangent %s %s%s\n\n%s\n\n", verb->name, verb->arguments,
           verb->n_options ? " [OPTION...]" : "", verb->help);
    for (size_t i = 0; i < verb->n_options; i++)
        print_option(verb->options[i].name, verb->options[i].argument, verb->options[i].help);
    print_option("--help", NULL, "this text");
}

/* ---- Parsing. */

/* Whether the word is this option; *value is what stands behind "=" in it, else NULL. */
static bool is_option(const option *o, const char *word, const char **value)
{
    size_t length = strlen(o->name);
    *value = NULL;
    if (strncmp(word, o->name, length) != 0)
        return false;
    if (word[length] == '=')
        *value = word + length + 1;
    return word[length] == '=' || word[length] == '\0';
}

/* Take the option at argv[*i], and its argument. */
static bool take_option(const verb_text *verb, const option *o, const char *value, int argc,
                        char **argv, int *i)
{
    if (o->flag) {
        *o->flag = true;
        if (value)
            usage_error(verb, "%s takes no argument", o->name);
        return !value;
    }
    if (!value && *i + 1 < argc)
        value = argv[++*i];
    if (!value || !*value) {
        usage_error(verb, "%s needs an argument, %s", o->name, o->argument);
        return false;
    }
    if (o->list)
        return add_word(o->list, value);
    if (*o->text) {
        usage_error(verb, "%s is given twice", o->name);
        return false;
    }
    *o->text = value;
    return true;
}

static bool take_word(const verb_text *verb, int argc, char **argv, int *i, word_list *others)
{
    const char *value;
    for (size_t k = 0; k < verb->n_options; k++)
        if (is_option(&verb->options[k], argv[*i], &value))
            return take_option(verb, &verb->options[k], value, argc, argv, i);
    if (argv[*i][0] != '-' || argv[*i][1] == '\0')
        return add_word(others, argv[*i]);
    usage_error(verb, "unknown option '%s'", argv[*i]);
    return false;
}

bool parse(const verb_text *verb, int argc, char **argv, word_list *others, int *status)
{
    *status = SUCCESS;
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) {
            print_help(verb);
            return false;
        }
    *status = FAILURE;
    for (int i = 0; i < argc; i++)
        if (!take_word(verb, argc, argv, &i, others))
            return false;
    return true;
}
