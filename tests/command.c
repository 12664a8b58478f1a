#include "tests/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void command_run(command_outcome *o, const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "\"$CT_BIN_DIR/cotangent\" %s", arguments);
    FILE *pipe = popen(command, "r");
    CHECK(pipe != NULL);
    size_t n = fread(o->text, 1, sizeof o->text - 1, pipe);
    o->text[n] = '\0';
    int status = pclose(pipe);
    o->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

size_t command_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

void command_check_usage(const char *file, int line, const char *arguments, const char *part)
{
    char quiet[512], both[512];
    command_outcome o;
    snprintf(quiet, sizeof quiet, "%s 2>/dev/null", arguments);
    command_run(&o, quiet);
    if (o.status != 2 || o.text[0])
        check_fail(file, line, "status %d, stdout: %s", o.status, o.text);
    snprintf(both, sizeof both, "%s 2>&1", arguments);
    command_run(&o, both);
    if (command_lines(o.text) != 1 || !strstr(o.text, part))
        check_fail(file, line, "stderr: %s", o.text);
}
/* ---- A folder for files. */

static char folder[] = "/tmp/ct_command_XXXXXX";

const char *command_path(const char *name)
{
    static char path[4][256];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

void command_write(const char *name, const char *text)
{
    FILE *file = fopen(command_path(name), "w");
    CHECK(file != NULL);
    CHECK(fputs(text, file) >= 0 && fclose(file) == 0);
}

void command_make_folder(void)
{
    strcpy(folder, "/tmp/ct_command_XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
}

void command_remove_folder(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
}

void command_run_here(command_outcome *o, const char *arguments)
{
    char text[1024];
    size_t n = 0;
    for (const char *c = arguments; *c && n + sizeof folder < sizeof text; c++)
        if (*c == '~')
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", folder);
        else
            text[n++] = *c;
    text[n] = '\0';
    command_run(o, text);
}

void command_check(const char *file, int line, const char *arguments, int status,
                   const char *expected)
{
    command_outcome o;
    char text[8192];
    size_t n = 0;
    command_run_here(&o, arguments);
    for (const char *c = expected; *c && n + sizeof folder < sizeof text; c++)
        if (*c == '~')
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", folder);
        else
            text[n++] = *c;
    text[n] = '\0';
    if (o.status != status || strcmp(o.text, text) != 0)
        check_fail(file, line, "status %d, found\n%s\nexpected\n%s", o.status, o.text, text);
}
