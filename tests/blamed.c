#include "tests/blamed.h"

#include "tests/check.h"

#include <string.h>

const ct_gradcheck_finding *wrong_finding(const ct_gradcheck_report *report)
{
    for (size_t i = 0; i < ct_gradcheck_findings(report); i++)
        if (ct_gradcheck_finding_at(report, i)->verdict == CT_GRADCHECK_WRONG)
            return ct_gradcheck_finding_at(report, i);
    return NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

void check_blamed(const ct_gradcheck_report *report, const char *operation, const char *function,
                  ct_place place)
{
    const ct_gradcheck_finding *f = wrong_finding(report);

    CHECK_MSG(f && is_same(f->operation, operation) && is_same(f->function, function) &&
                  is_same(f->place.file, place.file) && f->place.line == place.line,
              "not %s of %s at %s:%d\n%s", operation, function ? function : "no function",
              place.file, place.line, ct_gradcheck_text(report));
}
