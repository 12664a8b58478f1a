/* Tables of numbers for the examples. */
#ifndef EXAMPLES_CSV_H
#define EXAMPLES_CSV_H

#include <cotangent/cotangent.h>

#include <stdio.h>
#include <stdlib.h>

/* f64[rows, columns]: the numbers of a file below a line of names. NULL, after a message, when the
 * file does not hold `rows` such rows. */
static inline ct_tensor *read_csv(ct_context *ctx, const char *path, int64_t rows, int64_t columns)
{
    double *x = malloc((size_t)(rows * columns) * sizeof *x);
    FILE *file = fopen(path, "r");
    int64_t n = 0;
    if (x && file && fscanf(file, "%*[^\n]") == 0)
        while (n < rows * columns && fscanf(file, "%lf%*[,]", &x[n]) == 1)
            n++;
    ct_tensor *table = NULL;
    if (n == rows * columns)
        table = ct_from_data(ctx, CT_F64, CT_SHAPE(rows, columns), x);
    else
        fprintf(stderr, "%s: %lld of %lld numbers could be read (run from the top folder)\n", path,
                (long long)n, (long long)(rows * columns));
    if (file)
        fclose(file);
    free(x);
    return table;
}

/* Columns [first, limit) of a table, and one column as a vector. */
static inline ct_tensor *columns(ct_tensor *table, int64_t first, int64_t limit)
{
    return ct_slice(table, CT_SHAPE(0, first), CT_SHAPE(CT_END, limit), CT_SHAPE());
}

static inline ct_tensor *column(ct_tensor *table, int64_t i)
{
    return ct_squeeze(columns(table, i, i + 1), CT_AXES(1));
}

/* Each column with mean 0 and standard deviation 1; a last column of ones. */
static inline ct_tensor *standardised(ct_tensor *table)
{
    ct_tensor *mean = ct_mean(table, CT_AXES(0), CT_KEEP_AXES);
    return ct_div(ct_sub(table, mean), ct_std(table, CT_AXES(0), CT_KEEP_AXES, 0));
}

static inline ct_tensor *with_ones(ct_tensor *table)
{
    return ct_pad(table, CT_SHAPE(0, 0), CT_SHAPE(0, 1), 1);
}

#endif
