"""Runs one peer's workloads for bench/peers.py: one command a line on stdin, one line of JSON in answer.

  open NAME MODE N_WRT N_INPUTS DIR   prepare it on the inputs DIR/in0.npy … and run it once: that time
  run SECONDS                         a round of runs: their times
  write DIR                           the results of a run as DIR/out0.npy …
  close

usage: worker.py jax|torch|compiled|casadi
"""
import importlib
import json
import os
import statistics
import sys
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

CLOCK_SECONDS = 5e-6  # reading the clock costs: it is read once in this time
MOST_RUNS = 20000


def load(peer):
    module = importlib.import_module("torch_programs" if peer == "compiled" else peer + "_programs")
    if peer == "compiled":
        module.COMPILE = True
    return module


def timed(run, times):
    began = time.perf_counter()
    for _ in range(times):
        run()
    return (time.perf_counter() - began) / times


def sample(run, seconds):
    """Times of runs, after two to warm up; of at least three, unless three take seconds."""
    once = max(timed(run, 1), timed(run, 1))
    times = 1
    while times < 1024 and timed(run, times) * times < CLOCK_SECONDS:
        times *= 2
    least = 3 if once < 0.5 else 1
    found, end = [], time.perf_counter() + seconds
    while len(found) < MOST_RUNS and (len(found) < least or time.perf_counter() < end):
        found.append(timed(run, times))
    found.sort()
    n = len(found)
    return {"runs": n, "min_ms": 1e3 * found[0], "lower_ms": 1e3 * found[n // 4],
            "median_ms": 1e3 * statistics.median(found), "upper_ms": 1e3 * found[n * 3 // 4], "max_ms": 1e3 * found[-1]}


def status_kib(name):
    """A line of the process's status: VmRSS is the memory in use, VmHWM its peak."""
    with open("/proc/self/status", encoding="ascii") as f:
        return next((int(l.split()[1]) for l in f if l.startswith(name)), 0)


def forget_peak():
    with open("/proc/self/clear_refs", "w", encoding="ascii") as f:
        f.write("5")


class Worker:
    def __init__(self, peer):
        self.module = load(peer)
        self.run = None
        self.base_kib = 0

    def open(self, name, mode, n_wrt, n_inputs, folder):
        if name not in self.module.PROGRAMS:
            return {"error": "not here"}
        base_kib = status_kib("VmRSS")
        arrays = [np.load(f"{folder}/in{i}.npy") for i in range(int(n_inputs))]
        self.base_kib = base_kib + sum(a.nbytes for a in arrays) // 1024
        arguments = self.module.arguments(arrays)
        del arrays
        began = time.perf_counter()
        try:
            self.run = self.module.prepare(name, mode, int(n_wrt), arguments)
        except LookupError:
            return {"error": "not here"}
        self.run()
        return {"first_ms": 1e3 * (time.perf_counter() - began)}

    def sample(self, seconds):
        forget_peak()
        found = sample(self.run, float(seconds))
        return {**found, "peak_kib": status_kib("VmHWM") - self.base_kib}

    def write(self, folder):
        found = self.module.results(self.run())
        for i, a in enumerate(found):
            np.save(f"{folder}/out{i}.npy", a)
        return {"results": len(found)}

    def close(self):
        self.run = None
        return {}

    def version(self):
        return {"version": self.module.VERSION}

    def answer(self, line):
        verb, *words = line.split()
        verbs = {"open": self.open, "run": self.sample, "write": self.write, "close": self.close,
                 "version": self.version}
        return verbs[verb](*words)


def main():
    # Whatever the peer prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker(sys.argv[1])
    for line in sys.stdin:
        try:
            found = worker.answer(line)
        except Exception as e:  # the peer's, of any kind: the row is then without it
            found = {"error": f"{type(e).__name__}: {e}"[:300]}
        print(json.dumps(found), file=answers, flush=True)


main()
