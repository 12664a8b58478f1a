/* The installed tree serves an outside program: see install/try.sh, which this runs. */
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(an_outside_program_builds_against_the_installed_tree)
{
#ifdef CT_SANITIZED
    SKIP("the library holds a sanitizer, which an outside program would need too");
#endif
    char output[65536];
    /* Installed where pkg-config can name it: not all of its versions quote what is in the path. */
    FILE *pipe = popen("scratch=$(mktemp -d) && sh \"$CT_SOURCE_DIR/tests/install/try.sh\" "
                       "\"$CT_BIN_DIR/..\" \"$scratch\" \"$CT_SOURCE_DIR\" 2>&1; "
                       "status=$?; rm -rf \"$scratch\"; exit $status",
                       "r");
    CHECK(pipe != NULL);
    size_t length = fread(output, 1, sizeof output - 1, pipe);
    output[length] = '\0';
    int status = pclose(pipe);
    CHECK_MSG(status == 0, "%s", output);
    CHECK_MSG(strstr(output, "ok moved: CMake package, static") != NULL, "%s", output);
    CHECK_MSG(strstr(output, "pkg-config, shared") != NULL, "%s", output);
}
