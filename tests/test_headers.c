/* What compiles against the headers and what does not, in every language: see headers/try.sh. */
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(operand_types_and_list_lengths)
{
    char output[8192];
    FILE *pipe = popen("sh \"$CT_SOURCE_DIR/tests/headers/try.sh\" \"$CT_SOURCE_DIR\" 2>&1", "r");
    CHECK(pipe != NULL);
    size_t length = fread(output, 1, sizeof output - 1, pipe);
    output[length] = '\0';
    int status = pclose(pipe);
    CHECK_MSG(status == 0, "%s", output);
    CHECK_MSG(strstr(output, "ok c99 by ") && strstr(output, "ok c17 by "), "%s", output);
}
