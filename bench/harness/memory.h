/* The memory that this process has in use, in KiB; 0 where the system does not tell. */
#ifndef BENCH_HARNESS_MEMORY_H
#define BENCH_HARNESS_MEMORY_H

long resident_kib(void);
long peak_kib(void);
/* From now on the peak is that of what follows. */
void forget_peak(void);

#endif
