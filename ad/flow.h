/* Flags of values that follow them forward through a program, before anything is recorded: flow.c.
 */
#ifndef CT_AD_FLOW_H
#define CT_AD_FLOW_H

#include "ad/derive.h"

/* An analysis in progress. */
typedef struct ct__flow {
    ct_context *ctx;
    ct_place at;
    const ct__graph *graph;
    const char *what; /* for errors */
    ct__body_flags *of_body;
    bool skips_tokens; /* these are never flagged */
    /* Flags the node's results, given which operands are flagged, and whether any is; operand[] is
     * its own to change. */
    bool (*visit)(struct ct__flow *w, const ct__node *node, bool *operand, bool any);
    ct__arena arena;
    bool *flag; /* per value */
} ct__flow;

/* Flag result i of the node, if so. */
void ct__flow_flag(ct__flow *w, const ct__node *node, size_t i, bool flag);
/* Of a call, an if or a case: what its bodies flag; chosen: all results. False after an error. */
bool ct__flow_bodies(ct__flow *w, const ct__node *node, const bool *operand, bool chosen);

/* result[]: the flags of the graph's results, given those of its params. False after an error. */
bool ct__follow(ct__flow *w, const bool *param, bool *result);

#endif
