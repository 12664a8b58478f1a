/* Which values a checkpoint keeps within so many bytes. */
#ifndef CT_AD_KEEP_H
#define CT_AD_KEEP_H

#include "ad/derive.h"

/* Marks in needed[], per value of the known graph, what the residuals are made of, but for what is
 * kept. */
void ct__find_needed_again(const ct__cut *cut, const bool *kept, bool *needed);

/* Adds values of at most so many bytes to kept[], those first that spare most work per byte. Fills
 * needed[] too. n_results: how many the known graph has before the residuals. False when memory is
 * short. */
bool ct__keep_within(ct__arena *arena, const ct__cut *cut, size_t n_results, int64_t bytes,
                     bool *kept, bool *needed);

#endif
