/* Files whose text compiled kernels contain, without their #include lines; made by
 * cmake/embed.cmake when the library is built. */
#ifndef CT_EXEC_JIT_TEXTS_H
#define CT_EXEC_JIT_TEXTS_H

extern const char ct__text_types[], ct__text_prelude[]; /* exec/jit/ */
extern const char ct__text_coefficients[], ct__text_elementary[],
    ct__text_elementary64[];                           /* exec/kernel/elementary.* */
extern const char ct__text_element[], ct__text_fold[]; /* exec/kernel/ */
extern const char ct__text_half[], ct__text_integer[], ct__text_saturate[];

#endif
