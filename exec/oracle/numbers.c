#include "exec/oracle/oracle.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A handle is a mark, which few other contents of memory have, and a cell's number from 1 on. */
#define MARK ((ct__number)0x6F72 << 48)
#define INDEX (((ct__number)1 << 48) - 1)

enum { LOG_SLAB = 10, SLAB = 1 << LOG_SLAB, FEWEST = 1 << 16 };

static _Thread_local ct__numbers *now;

ct__numbers *ct__numbers_now(void)
{
    return now;
}

void ct__numbers_fail(ct_status status, const char *format, ...)
{
    va_list arguments;

    if (now->status != CT_OK)
        return;
    now->status = status;
    now->failed_element = now->element;
    va_start(arguments, format);
    vsnprintf(now->message, sizeof now->message, format, arguments);
    va_end(arguments);
}

void ct__fail_irrational(void)
{
    ct__numbers_fail(CT_ERR_UNSUPPORTED,
                     "an irrational value, and the run is exact: rational:BITS goes on in numbers "
                     "of so many bits");
}

bool ct__check_range(mpfr_srcptr result)
{
    const bool is_over = mpfr_overflow_p() && !mpfr_number_p(result);
    const bool is_lost = now->how.is_exact && mpfr_zero_p(result) &&
                         (mpfr_underflow_p() || mpfr_overflow_p());

    if (now->how.saturates || (!is_over && !is_lost))
        return true;
    ct__numbers_fail(CT_ERR_RANGE, "%s: a number would have an exponent beyond the limit, 2^%s%zu",
                     is_over ? "overflow" : "underflow", is_over ? "" : "-", now->how.most_bits);
    return false;
}

/* ---- Cells. */

static ct__cell *cell_at(const ct__numbers *n, size_t i)
{
    return (ct__cell *)(void *)(n->slab[i >> LOG_SLAB] + (i & (SLAB - 1)) * n->cell_bytes);
}

const ct__cell *ct__cell_of(ct__number x)
{
    return x == 0 ? now->zero : cell_at(now, (x & INDEX) - 1);
}

static size_t limb_bytes(const ct__numbers *n)
{
    return mpfr_custom_get_size((mpfr_prec_t)n->how.bits);
}

static void begin_real(const ct__numbers *n, ct__cell *cell)
{
    cell->kind = CT__CELL_REAL;
    mpfr_custom_init_set(cell->real, MPFR_ZERO_KIND, 0, (mpfr_prec_t)n->how.bits, cell + 1);
}

static bool add_slab(ct__numbers *n)
{
    unsigned char *slab;

    if (!ct__grow(&n->allocator, &n->slab, &n->slab_capacity, n->n_slabs + 1, sizeof *n->slab))
        return false;
    slab = ct__alloc_zeroed(&n->allocator, SLAB * n->cell_bytes);
    if (slab)
        n->slab[n->n_slabs++] = slab;
    return slab != NULL;
}

/* A free cell and its handle; NULL when memory is short, which is then the run's failure. */
static ct__cell *new_cell(ct__number *handle)
{
    ct__numbers *n = now;
    ct__cell *cell;

    if (n->free) {
        *handle = n->free;
        cell = cell_at(n, (n->free & INDEX) - 1);
        n->free = cell->next;
    } else {
        if (n->n_cells == n->n_slabs * SLAB && !add_slab(n)) {
            ct__numbers_fail(CT_ERR_MEMORY, "out of memory for numbers");
            return NULL;
        }
        cell = cell_at(n, n->n_cells++);
        *handle = MARK | n->n_cells;
    }
    n->n_made++;
    return cell;
}

ct__number ct__keep_real(mpfr_srcptr x)
{
    ct__number handle = 0;
    ct__cell *cell;

    if (!mpfr_regular_p(x) && !ct__check_range(x))
        return 0;
    if (!mpfr_regular_p(x) && mpfr_zero_p(x) && (now->how.is_exact || !mpfr_signbit(x)))
        return 0;
    cell = new_cell(&handle);
    if (!cell)
        return 0;
    begin_real(now, cell);
    mpfr_set(cell->real, x, MPFR_RNDN);
    return handle;
}

ct__number ct__keep_rational(mpq_srcptr x)
{
    ct__number handle = 0;
    ct__cell *cell;
    const size_t bits = mpz_sizeinbase(mpq_numref(x), 2) + mpz_sizeinbase(mpq_denref(x), 2);

    if (bits > now->how.most_bits)
        ct__numbers_fail(CT_ERR_RANGE, "a number has %zu bits, more than the limit of %zu", bits,
                         now->how.most_bits);
    if (mpq_sgn(x) == 0)
        return 0;
    cell = new_cell(&handle);
    if (!cell)
        return 0;
    cell->kind = CT__CELL_RATIONAL;
    mpq_init(cell->rational);
    mpq_set(cell->rational, x);
    return handle;
}

static void free_cell(ct__cell *cell)
{
    if (cell->kind == CT__CELL_RATIONAL)
        mpq_clear(cell->rational);
    cell->kind = CT__CELL_FREE;
}

/* ---- Collecting: what looks like a handle is one. */

static void mark_root(const ct__numbers *n, const ct__root *root)
{
    const unsigned char *data = root->data;

    for (size_t at = 0; at + sizeof(ct__number) <= root->bytes; at += sizeof(ct__number)) {
        ct__number word;
        memcpy(&word, data + at, sizeof word);
        if ((word & ~INDEX) == MARK && (word & INDEX) > 0 && (word & INDEX) <= n->n_cells)
            cell_at(n, (word & INDEX) - 1)->is_marked = true;
    }
}

/* Frees what is not marked; returns how many are left. */
static size_t sweep(ct__numbers *n)
{
    size_t left = 0;

    n->free = 0;
    for (size_t i = n->n_cells; i-- > 0;) {
        ct__cell *cell = cell_at(n, i);
        if (cell->kind != CT__CELL_FREE && cell->is_marked) {
            left++;
        } else {
            free_cell(cell);
            cell->next = n->free;
            n->free = MARK | (i + 1);
        }
        cell->is_marked = false;
    }
    return left;
}

void ct__numbers_collect(ct__numbers *n)
{
    size_t words = 0, left;

    if (n->n_made < n->collect_at)
        return;
    for (size_t i = 0; i < n->n_roots; i++) {
        mark_root(n, &n->root[i]);
        words += n->root[i].bytes / sizeof(ct__number);
    }
    left = sweep(n);
    n->n_made = 0;
    n->collect_at = FEWEST + left + words / 4;
}

void ct__numbers_forget(ct__numbers *n)
{
    for (size_t i = 0; i < n->n_cells; i++)
        free_cell(cell_at(n, i));
    n->n_cells = n->n_made = 0;
    n->free = 0;
}

/* ---- A run. */

static bool make_zero(ct__numbers *n)
{
    n->zero = ct__alloc_zeroed(&n->allocator, n->cell_bytes);
    if (!n->zero)
        return false;
    if (n->how.is_exact) {
        n->zero->kind = CT__CELL_RATIONAL;
        mpq_init(n->zero->rational);
    } else {
        begin_real(n, n->zero);
    }
    return true;
}

bool ct__numbers_init(ct__numbers *n, const ct_allocator *allocator, const ct__precision *how)
{
    const mpfr_prec_t bits = (mpfr_prec_t)how->bits;

    *n = (ct__numbers){.allocator = *allocator, .how = *how, .collect_at = FEWEST};
    n->cell_bytes = sizeof(ct__cell) + (limb_bytes(n) + 7) / 8 * 8;
    mpfr_inits2(bits, n->t, n->u, n->v, (mpfr_ptr)NULL);
    mpc_init2(n->z, bits);
    mpc_init2(n->w, bits);
    mpq_inits(n->p, n->q, (mpq_ptr)NULL);
    return make_zero(n);
}

void ct__numbers_free(ct__numbers *n)
{
    for (size_t i = 0; i < n->n_cells; i++)
        free_cell(cell_at(n, i));
    for (size_t i = 0; i < n->n_slabs; i++)
        ct__release(&n->allocator, n->slab[i], SLAB * n->cell_bytes);
    ct__release(&n->allocator, n->slab, n->slab_capacity * sizeof *n->slab);
    ct__ratios_free(n);
    if (n->zero)
        free_cell(n->zero);
    ct__release(&n->allocator, n->zero, n->cell_bytes);
    mpfr_clears(n->t, n->u, n->v, (mpfr_ptr)NULL);
    mpc_clear(n->z);
    mpc_clear(n->w);
    mpq_clears(n->p, n->q, (mpq_ptr)NULL);
}

/* Exponents have the limit, too: so no argument of a function asks for more bits than that. */
void ct__numbers_enter(ct__numbers *n)
{
    n->outer = now;
    n->emin = mpfr_get_emin();
    n->emax = mpfr_get_emax();
    now = n;
    mpfr_set_emin(-(mpfr_exp_t)n->how.most_bits);
    mpfr_set_emax((mpfr_exp_t)n->how.most_bits);
}

/* MPFR's constants are the thread's: the outermost run frees them. */
void ct__numbers_leave(ct__numbers *n)
{
    mpfr_set_emin(n->emin);
    mpfr_set_emax(n->emax);
    now = n->outer;
    if (!now)
        mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
}

/* ---- Looking at numbers. */

mpfr_srcptr ct__real_of(ct__number x, mpfr_ptr buffer, bool *is_exact)
{
    const ct__cell *cell = ct__cell_of(x);

    if (cell->kind == CT__CELL_REAL)
        return cell->real;
    if (mpfr_set_q(buffer, cell->rational, MPFR_RNDN) != 0)
        *is_exact = false;
    return buffer;
}

bool ct__is_special(ct__number x)
{
    const ct__cell *cell = ct__cell_of(x);
    return cell->kind == CT__CELL_REAL && !mpfr_number_p(cell->real);
}

bool ct__number_is_nan(ct__number x)
{
    const ct__cell *cell = ct__cell_of(x);
    return cell->kind == CT__CELL_REAL && mpfr_nan_p(cell->real);
}

bool ct__number_is_negative(ct__number x)
{
    const ct__cell *cell = ct__cell_of(x);
    return cell->kind == CT__CELL_REAL ? mpfr_signbit(cell->real) : mpq_sgn(cell->rational) < 0;
}

static int sign_of(int difference)
{
    return difference < 0 ? -1 : difference > 0;
}

int ct__number_compare(ct__number x, ct__number y)
{
    const ct__cell *a = ct__cell_of(x), *b = ct__cell_of(y);

    if (ct__number_is_nan(x) || ct__number_is_nan(y))
        return 2;
    if (a->kind == CT__CELL_REAL && b->kind == CT__CELL_REAL)
        return sign_of(mpfr_cmp(a->real, b->real));
    if (a->kind == CT__CELL_REAL)
        return sign_of(mpfr_cmp_q(a->real, b->rational));
    if (b->kind == CT__CELL_REAL)
        return -sign_of(mpfr_cmp_q(b->real, a->rational));
    return sign_of(mpq_cmp(a->rational, b->rational));
}
