#include "tests/fuzz/programs/session.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

void *child_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    return memory;
}

/* Sanitizers end a process with 1 and others. */
enum { DIFFERED_STATUS = 77 };

/* Of the processor's time; and of the clock's for what waits for ever. */
void limit_time(unsigned seconds)
{
    enum { PATIENCE = 30 };
    const struct itimerval limit = {.it_value = {.tv_sec = (time_t)seconds}};

    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(PATIENCE * seconds);
}

static bool is_quiet;

void quieten_children(bool quietly)
{
    is_quiet = quietly;
}

ending in_child(bool (*work)(void *user), void *user, unsigned seconds)
{
    int status = 0;

    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(2);
    }
    if (child == 0) {
        if (is_quiet && !freopen("/dev/null", "w", stderr))
            perror("stderr");
        limit_time(seconds);
        const bool differs = work(user);
        fflush(NULL);
        _exit(differs ? DIFFERED_STATUS : 0);
    }
    while (waitpid(child, &status, 0) < 0)
        ;
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == DIFFERED_STATUS))
        return WEXITSTATUS(status) == 0 ? ENDED : DIFFERED;
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF)
               ? HUNG
               : CRASHED;
}
