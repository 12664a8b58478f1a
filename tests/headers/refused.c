/* Does not compile, whichever WRONG line is chosen; with WRONG 0 it does. */
#include <cotangent/cotangent.h>

ct_tensor *wrong(ct_tensor *x, float *numbers, const char *text);

#define EIGHT x, x, x, x, x, x, x, x

ct_tensor *wrong(ct_tensor *x, float *numbers, const char *text)
{
    (void)numbers, (void)text;
#if WRONG == 1
    x = ct_add(x, numbers);
#elif WRONG == 2
    x = ct_add(x, text);
#elif WRONG == 3
    x = ct_add(x, &x);
#elif WRONG == 4
    x = ct_add(x, CT_SHAPE(1));
#elif WRONG == 5 && !defined __cplusplus /* C++ counts them itself */
    x = ct_stack(CT_ARGV(EIGHT, EIGHT, EIGHT, EIGHT, x), 0);
#elif WRONG == 6 && !defined __cplusplus
    x = ct_stack(CT_ARGV(EIGHT, EIGHT, EIGHT, EIGHT, NULL), 0);
#elif WRONG == 7 && !defined __cplusplus
    x = ct_stack(CT_ARGV(EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT), 0);
#elif WRONG >= 5
#error "counted"
#endif
    return x;
}
