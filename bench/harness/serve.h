/* A program that another one drives, so that the two measure by turns. */
#ifndef BENCH_HARNESS_SERVE_H
#define BENCH_HARNESS_SERVE_H

/* One command a line, answered by one line of JSON, {"error": …} when it failed:
 *
 *   open NAME MODE WAY         trace, derive, compile, bind and run once: the times of all that;
 *                              then wait for what is compiled in the background
 *   run SECONDS                a round of runs: their times
 *   write DIR                  inputs and results of the last run as .npy files: their numbers
 *   close
 *
 * Ends with its input; returns the exit status. */
int serve(void);

#endif
