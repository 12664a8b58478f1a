/* The command: what its files share.
 *
 *   cotangent.c   the verbs               options.c   words and options of a verb
 *   run.c             cotangent run       check.c  check_file.c  check_list.c  against.c  cotangent
 * check show.c  steps.c   cotangent show      ops.c                                 cotangent ops
 *   derive.c          cotangent grad, jvp, vjp, hvp         vmap.c            cotangent vmap
 *   gradcheck.c       cotangent gradcheck               residuals.c       cotangent residuals
 *   bench.c  bound.c  profile.c  cpu_profile.c                            cotangent bench
 *   program.c         files as functions  inputs.c  results.c  what they take and give
 *
 * Exit status 0 is success, 1 a failed check, 2 a usage or input error, told in one line on stderr;
 * of programs with the lines that show the place.
 */
#ifndef CT_TOOLS_TOOLS_H
#define CT_TOOLS_TOOLS_H

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

enum { SUCCESS = 0, FAILED_CHECK = 1, FAILURE = 2 };

/* The library's errors name files, not lines of the command. */
#define NOWHERE ((ct_place){NULL, 0, 0})

/* ---- Words and options: options.c */

typedef struct word_list {
    size_t count;
    const char **word; /* to be freed */
} word_list;

typedef struct option {
    const char *name;     /* "--entry" */
    const char *argument; /* "NAME"; NULL: it takes none */
    const char *help;
    /* where it goes, one of: */
    const char **text;
    word_list *list; /* may be given many times */
    bool *flag;
} option;

typedef struct verb_text {
    const char *name, *arguments, *help;
    const option *options;
    size_t n_options;
} verb_text;

/* Sort the words after the verb into options and others. False when the verb ends here, with this
 * status: after --help, or a usage error. */
bool parse(const verb_text *verb, int argc, char **argv, word_list *others, int *status);
/* One line on stderr; returns FAILURE. */
int usage_error(const verb_text *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool add_word(word_list *list, const char *word); /* false when memory is short, after saying so */
typedef struct number_list {
    size_t count;
    int64_t *number; /* to be freed */
} number_list;

/* "0,2", of numbers from 0; false after the usage error. */
bool parse_numbers(const verb_text *verb, const char *name, const char *text, number_list *list);
/* The same of axes: "0,none,-1", where none is CT_UNBATCHED. */
bool parse_axes(const verb_text *verb, const char *name, const char *text, number_list *list);
typedef struct shape_list {
    size_t count;
    ct_shape *shape; /* both to be freed */
    int64_t *extent;
} shape_list;

/* "5x3,scalar"; false after the usage error. */
bool parse_shapes(const verb_text *verb, const char *text, shape_list *list);
void free_shapes(shape_list *list);
/* A whole number in [low, high]; false after the usage error. */
bool parse_number(const verb_text *verb, const char *name, const char *text, long long low,
                  long long high, long long *number);

/* What verbs have in common: which function, and how it runs. */
typedef struct program_words {
    const char *entry, *shapes;
    word_list inputs;
    bool of_lanes; /* the inputs have more axes than the function's arguments */
} program_words;

typedef struct run_words {
    const char *seed, *output, *executor, *without, *form, *traps;
} run_words;

/* Rows of a verb's options. */
#define ENTRY_OPTION(program)                                                                      \
    {                                                                                              \
        "--entry", "NAME", "the function; else main, or the only one", &(program).entry, NULL,     \
            NULL                                                                                   \
    }
#define SHAPES_OPTION(program)                                                                     \
    {                                                                                              \
        "--shapes", "5x3,scalar", "extents of a template's arguments; else those of the inputs",   \
            &(program).shapes, NULL, NULL                                                          \
    }
#define INPUT_OPTION(program)                                                                      \
    {                                                                                              \
        "--input", "FILE", "an argument from a .npy, or several from a .npz; may be repeated",     \
            NULL, &(program).inputs, NULL                                                          \
    }
#define RANDOM_OPTION(run)                                                                         \
    {                                                                                              \
        "--random", "SEED", "make up arguments that no input gives", &(run).seed, NULL, NULL       \
    }
#define OUTPUT_OPTION(run)                                                                         \
    {                                                                                              \
        "--output", "DIR|FILE.npz", "write the results instead of printing them", &(run).output,   \
            NULL, NULL                                                                             \
    }
#define EXEC_OPTION(run)                                                                           \
    {                                                                                              \
        "--exec", "HOW",                                                                           \
            "auto: cpu, and jit once that is worth it; interpret: the definition, in reference "   \
            "numerics; machine: in machine numerics; with the same bits, cpu: the tile machine; "  \
            "jit: compiled C; mpfr:BITS: in numbers of so many bits; rational: exactly; "          \
            "rational:BITS: the same, and what is irrational in so many bits",                     \
            &(run).executor, NULL, NULL                                                            \
    }
#define WITHOUT_OPTION(run)                                                                        \
    {                                                                                              \
        "--without", "PASS,PASS",                                                                  \
            "passes of the executor to do without, or all of them: \"show\" "                      \
            "has their names",                                                                     \
            &(run).without, NULL, NULL                                                             \
    }
#define TRAP_OPTION(run)                                                                           \
    {                                                                                              \
        "--trap", "KINDS",                                                                         \
            "stop where one is born, and say where and of what: nan, infinity, overflow (of "      \
            "signed integers), division (by zero), index (out of range), with commas, or all",     \
            &(run).traps, NULL, NULL                                                               \
    }

#define PRINT_OPTION(run)                                                                          \
    {                                                                                              \
        "--print", "FORM",                                                                         \
            "of mpfr and rational, every element before it is rounded to its type: decimal, "      \
            "fraction or hex",                                                                     \
            &(run).form, NULL, NULL                                                                \
    }

/* Whether there is one FILE, and what is said of the run makes sense; false after the usage error.
 */
bool check_words(const verb_text *verb, const word_list *files, const run_words *run);
/* The same of the way to run alone. */
bool check_way(const verb_text *verb, const run_words *run);
/* "merging,views" or "all"; NULL: none. False after the usage error. */
bool check_passes(const verb_text *verb, const char *names);
/* What a way to run that is known asks for. */
ct_compile_options options_for(const run_words *run);
/* A ct_number_form; -1: there is none of this name. */
int form_of(const char *name);
/* f made ready for a way to run that is known. */
ct_executable *compile_for(ct_function *f, const run_words *run);

/* ---- Programs: program.c */

/* Print the context's error; returns FAILURE. */
int input_error(const ct_context *ctx);
/* The same of what the program `path` does, which the error names unless it has a place. */
int program_error(const ct_context *ctx, const char *path);
/* The same of a template whose arguments are not given, with what helps. */
int template_error(const ct_context *ctx, const char *advice);
/* The context's message without what it says of C functions to call, in this buffer. */
const char *error_text(const ct_context *ctx, char *text, size_t bytes);
/* The function of `entry` (NULL: main, or the only one) of a module that has been read, or failed
 * to be, and of a template its instance for these shapes, or without any for the first of these
 * arguments. NULL after saying what is wrong. */
ct_function *load_function(ct_context *ctx, ct_module *module, const program_words *program,
                           const shape_list *shapes, ct_list arguments);

/* ---- Arguments of a run: inputs.c */

typedef struct array_list {
    size_t count, capacity;
    ct_tensor **tensor;  /* to be freed */
    ct_checks *checks;   /* of the program, which may run while it is derived, too */
    const char *program; /* its path */
    ct_place at;         /* where the function begins in it */
} array_list;

/* Fit them to the function's parameters; with a seed, make those up that are missing. False after
 * saying what does not fit. */
bool fit_inputs(ct_context *ctx, ct_function *f, array_list *list, const char *seed);

typedef int use_function(ct_context *ctx, ct_function *f, array_list *list, const void *user);
/* Read the arrays and the file's function in a context of their own and call `use`, whose status is
 * returned. */
int with_function(const verb_text *verb, const char *path, const program_words *program,
                  use_function *use, const void *user);
/* The same of one part of a file; NULL: of all of it. */
int with_part(const verb_text *verb, const char *path, const ct_stablehlo_part *part,
              const program_words *program, use_function *use, const void *user);

/* ---- Results of a run: results.c */

typedef struct result_name {
    const char *what; /* "result 0" when printed, "result_0" in files; elements of tuples
                         "result 0.1", "result_0_1" */
    size_t number;
} result_name;

/* One for each result, to be freed; NULL after saying that memory is short. */
result_name *new_names(const ct_function *f);
result_name *name_results(const ct_function *f, const char *what); /* "what 0", "what 1", … */
/* Print f as a StableHLO program. */
int emit_function(ct_context *ctx, ct_function *f);
/* Run f on the arrays, as fit_inputs fits them, and print its results, or write them to a folder or
 * an archive, "FILE.npz". */
int run_function(ct_context *ctx, ct_function *f, array_list *list, const run_words *how,
                 const result_name *name);

/* ---- Conformance files: check_file.c, check_list.c */

/* What is wrong with the file, run so, one line to be freed; NULL: nothing. */
char *check_file(const char *path, const run_words *how);
/* Whether it begins with "PATH:", as what is found at a known place does. */
bool names_file(const char *text, const char *path);

/* Files that are known to fail: lines "NAME reason…", "#" begins a comment. Neither may be missing.
 */
typedef struct allowed {
    const char *name, *reason;
    int line;
} allowed;
typedef struct allow_list {
    char *text; /* names and reasons point into it */
    size_t count;
    allowed *item;
} allow_list;
/* False after saying why. */
bool read_allow_list(const char *path, allow_list *list);
void free_allow_list(allow_list *list);
/* "quantized/add.mlir" names that file, below any folder; ".mlir" may be left out. */
bool is_named(const char *name, const char *path);
/* The reason, for a path whose end is the name; NULL: it is not in the list. */
const char *find_allowed(const allow_list *list, const char *path);

/* against.c: each file's report on stdout; FAILURE where one could not be compared. */
int check_against(const verb_text *verb, const word_list *files, const char *against,
                  const program_words *program, const run_words *how);

/* ---- Files. */

/* "FOLDER/NAME"; false after saying that it is too long. */
enum { PATH_BYTES = 4096 };
bool join_path(char path[PATH_BYTES], const char *folder, const char *name);
/* The bytes of a file and a final 0, to be freed; NULL after saying why. */
char *read_file(const char *path, size_t *length);

/* ---- Verbs. */

int run(int argc, char **argv);
int bench(int argc, char **argv);
int check(int argc, char **argv);
int show(int argc, char **argv);
int grad(int argc, char **argv);
int jvp(int argc, char **argv);
int vjp(int argc, char **argv);
int hvp(int argc, char **argv);
int vmap(int argc, char **argv);
int gradcheck(int argc, char **argv);
int residuals(int argc, char **argv);
int ops(int argc, char **argv);

#endif
