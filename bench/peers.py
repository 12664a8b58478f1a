#!/usr/bin/env python3
"""Times Cotangent's benchmark programs and the same ones in JAX, PyTorch and CasADi, by turns.

Each peer is a process of its own (bench/peers/worker.py), ours is `programs --serve`; all are pinned to the same
core(s), and only one runs at a time: ours, a peer, ours, the next peer … for some rounds. Inputs are ours, handed
over as files, and the results are compared before anything is timed.

usage: peers.py [--quick] [--threads N] [--only PART] … (--help)
"""
import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
PEERS = ["jax", "torch", "compiled", "casadi"]
PACKAGES = {"jax": ["jax"], "torch": ["torch"], "compiled": ["torch", "setuptools"], "casadi": ["casadi", "numpy"]}
# How far results may be from a peer's, as a share of the largest one; sums of millions are rounded in another order.
TOLERANCE = {"float32": 3e-4, "float64": 1e-9}
# Programs of a thousand operations and more: how long until the first results is a row of its own.
READY_ROWS = ["unrolled_100", "unrolled_1000", "unrolled_4000"]


class Runner:
    """A process that answers commands: ours or a peer's."""

    def __init__(self, name, command, cores, environment):
        self.name = name
        self.process = subprocess.Popen(["taskset", "-c", cores, *command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})

    def ask(self, *words):
        try:
            self.process.stdin.write(" ".join(map(str, words)) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            return {"error": f"{self.name} ended"}
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


# ---- The environment of the peers.

def python_with(folder, peers):
    """The Python of a virtual environment that has the peers; it is made if it is missing."""
    python = folder / "bin/python"
    if not python.exists():
        print(f"making a virtual environment in {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True)
    for peer in peers:
        module = {"compiled": "torch"}.get(peer, peer)
        found = subprocess.run([python, "-c", f"import importlib.util as u; exit(not u.find_spec('{module}'))"])
        if found.returncode != 0:
            subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES[peer]], check=True)
    return str(python)


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--programs", default=ROOT / "build/bin/bench/programs", help="our benchmark program")
    p.add_argument("--exec", default="cpu", help="our executor (default: %(default)s)")
    p.add_argument("--peers", default=",".join(PEERS), help="some of %(default)s")
    p.add_argument("--venv", default=ROOT / "build/peers", help="virtual environment, made if missing")
    p.add_argument("--only", action="append", default=[], metavar="PART", help="rows whose name has it; repeatable")
    p.add_argument("--cores", help="as taskset takes them (default: the last core; with --threads N the last N)")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--seconds", type=float, default=0.3, help="of one round of one runner (default: %(default)s)")
    p.add_argument("--quick", action="store_true", help="3 rounds of 0.1 seconds")
    p.add_argument("--check", action="store_true", help="only compare results")
    p.add_argument("--json", metavar="FILE", help="write all that was found")
    a = p.parse_args()
    if a.quick:
        a.rounds, a.seconds = 3, 0.1
    if not a.cores:
        n = os.cpu_count()
        a.cores = f"{max(n - a.threads, 0)}-{n - 1}"
    return a


def rows_of(a):
    lines = subprocess.run([a.programs, "--list"], check=True, capture_output=True, text=True).stdout.splitlines()
    return [tuple(l.split()) for l in lines if not a.only or any(part in l for part in a.only)]


def start(a):
    python = python_with(pathlib.Path(a.venv), a.peers.split(","))
    environment = {"BENCH_THREADS": str(a.threads), "OMP_NUM_THREADS": str(a.threads), "PYTHONUNBUFFERED": "1",
                   "OPENBLAS_NUM_THREADS": str(a.threads)}
    ours = Runner("ours", [a.programs, "--serve"], a.cores, environment)
    worker = str(HERE / "peers/worker.py")
    return ours, [Runner(p, [python, worker, p], a.cores, environment) for p in a.peers.split(",")]


# ---- The same results?

COMPARE = """
import json, sys, numpy as np
ours, peer, count, tolerance = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4])
worst, text = 0.0, ""
for i in range(count):
    a, b = np.load(f"{ours}/out{i}.npy"), np.load(f"{peer}/out{i}.npy")
    if a.size != b.size or a.dtype.kind != b.dtype.kind:
        text = f"result {i}: {a.shape} {a.dtype} and {b.shape} {b.dtype}"
        break
    b = b.reshape(a.shape)
    allowed = max(tolerance[str(a.dtype)], tolerance[str(b.dtype)])
    size = np.abs(b).max() if b.size else 0
    far = float(np.abs(a.astype(np.float64) - b).max() / (size or 1))
    worst = max(worst, far)
    if not far <= allowed:
        text = f"result {i} differs by {far:.1e} of its largest element"
print(json.dumps({"worst": worst, "error": text}))
"""


def compare(python, ours, peer, count):
    done = subprocess.run([python, "-c", COMPARE, ours, peer, str(count), json.dumps(TOLERANCE)], capture_output=True,
                          text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"worst": math.inf, "error": done.stderr[-300:]}


def open_all(a, python, ours, peers, name, mode):
    """The runners that have the workload ready, and what they said; their results agree with ours."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cotangent-bench-"))
    try:
        opened = ours.ask("open", name, mode, a.exec)
        if "error" in opened:
            raise SystemExit(f"{name} {mode}: {opened['error']}")
        found = {"ours": opened}
        (folder / "ours").mkdir()
        written = ours.ask("write", folder / "ours")
        for peer in peers:
            said = peer.ask("open", name, mode, opened["derived_by"], written["inputs"], folder / "ours")
            if "error" in said:
                if "it has no" not in said["error"] and "not with" not in said["error"]:
                    print(f"{name} {mode}: {peer.name}: {said['error']}", file=sys.stderr)
                continue
            (folder / peer.name).mkdir()
            answered = peer.ask("write", folder / peer.name)
            said["agreement"] = compare(python, folder / "ours", folder / peer.name, written["results"])
            if answered.get("results") != written["results"]:
                said["agreement"] = {"worst": math.inf, "error": f"it has {answered} results"}
            found[peer.name] = said
        return found
    finally:
        shutil.rmtree(folder)


def check(a, python, ours, peers):
    failures = 0
    for name, mode in rows_of(a):
        found = open_all(a, python, ours, peers, name, mode)
        agreement = {p: said["agreement"] for p, said in found.items() if p != "ours"}
        wrong = [f"{p}: {g['error']}" for p, g in agreement.items() if g["error"]]
        failures += bool(wrong)
        print(f"{name:26s} {mode:5s} " + "  ".join(f"{p} {g['worst']:.1e}" for p, g in agreement.items()) +
              ("  DIFFERENT " + "; ".join(wrong) if wrong else ""), flush=True)
    print("the largest difference from each peer, as a share of the largest element")
    print(f"{failures} rows differ")
    return failures


def main():
    a = parse_arguments()
    ours, peers = start(a)
    python = python_with(pathlib.Path(a.venv), [])
    status = check(a, python, ours, peers)
    for r in [ours, *peers]:
        r.end()
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
