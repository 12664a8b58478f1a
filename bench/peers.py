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
    p.add_argument("--exec", default="auto", help="our way to run: auto, cpu, jit, … (default: %(default)s)")
    p.add_argument("--peers", default=",".join(PEERS), help="some of %(default)s")
    p.add_argument("--venv", default=ROOT / "build/peers", help="virtual environment, made if missing")
    p.add_argument("--only", action="append", default=[], metavar="PART", help="rows whose name has it; repeatable")
    p.add_argument("--cores", help="as taskset takes them (default: the last core; with --threads N the last N)")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--seconds", type=float, default=0.3, help="of one round of one runner (default: %(default)s)")
    p.add_argument("--quick", action="store_true", help="3 rounds of 0.1 seconds")
    p.add_argument("--check", action="store_true", help="only compare results")
    p.add_argument("--memory", action="store_true", help="only compare peaks of memory")
    p.add_argument("--document", action="store_true", help="write the table into docs/performance.md")
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


def environment_of(a):
    n = str(a.threads)
    return {"BENCH_THREADS": n, "OMP_NUM_THREADS": n, "OPENBLAS_NUM_THREADS": n, "PYTHONUNBUFFERED": "1"}


def way_of(a):
    return f"{a.exec}:{a.threads}" if a.threads > 1 else a.exec


def start_ours(a):
    return Runner("ours", [a.programs, "--serve"], a.cores, environment_of(a))


def start_peer(a, python, name):
    return Runner(name, [python, str(HERE / "peers/worker.py"), name], a.cores, environment_of(a))


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


def open_all(a, python, ours, peers, name, mode, folder):
    """What the runners said that have the workload ready, and how far their results are from ours. The inputs and
    our results are in FOLDER/ours."""
    opened = ours.ask("open", name, mode, way_of(a))
    if "error" in opened:
        raise SystemExit(f"{name} {mode}: {opened['error']}")
    os.makedirs(f"{folder}/ours")
    written = ours.ask("write", f"{folder}/ours")
    found = {"ours": opened}
    for peer in peers:
        said = peer.ask("open", name, mode, opened["derived_by"], written["inputs"], f"{folder}/ours")
        if said.get("error") == "not here":
            continue
        if "error" in said:
            print(f"{name} {mode}: {peer.name}: {said['error']}", file=sys.stderr)
            continue
        os.makedirs(f"{folder}/{peer.name}")
        answered = peer.ask("write", f"{folder}/{peer.name}")
        said["agreement"] = compare(python, f"{folder}/ours", f"{folder}/{peer.name}", written["results"])
        if answered.get("results") != written["results"]:
            said["agreement"] = {"worst": math.inf, "error": f"it has {answered} results"}
        found[peer.name] = said
    return found


def check(a, python, ours, peers):
    failures = 0
    for name, mode in rows_of(a):
        with tempfile.TemporaryDirectory(prefix="cotangent-bench-") as folder:
            found = open_all(a, python, ours, peers, name, mode, folder)
        agreement = {p: said["agreement"] for p, said in found.items() if p != "ours"}
        wrong = [f"{p}: {g['error']}" for p, g in agreement.items() if g["error"]]
        failures += bool(wrong)
        print(f"{name:26s} {mode:5s} " + "  ".join(f"{p} {g['worst']:.1e}" for p, g in agreement.items()) +
              ("  DIFFERENT " + "; ".join(wrong) if wrong else ""), flush=True)
    print("the largest difference from each peer, as a share of the largest element")
    print(f"{failures} rows differ")
    return failures


# ---- Timing.

class Times:
    """What the rounds of one runner found, in milliseconds."""

    def __init__(self):
        self.rounds = []
        self.peak_kib = 0

    def add(self, answer):
        self.rounds.append(answer)
        self.peak_kib = max(self.peak_kib, answer.get("peak_kib", 0))

    def median(self):
        return statistics.median(r["median_ms"] for r in self.rounds)

    def least(self):
        return min(r["min_ms"] for r in self.rounds)

    def spread(self):
        """How far the medians of the rounds lie apart, as a share of their median."""
        found = [r["median_ms"] for r in self.rounds]
        return (max(found) - min(found)) / self.median()


def alternate(a, ours, peers, rounds, once):
    """Times by runner's name, of rounds by turns: ours before every peer. once(runner) is one round of one."""
    found = {r.name: Times() for r in [ours, *peers]}
    for _ in range(rounds):
        for peer in peers or [None]:
            for runner in [ours, peer] if peer else [ours]:
                answer = once(runner)
                if "error" in answer:
                    raise SystemExit(f"{runner.name}: {answer['error']}")
                found[runner.name].add(answer)
    return found


def time_runs(a, ours, peers, opened):
    there = [p for p in peers if p.name in opened]
    return alternate(a, ours, there, a.rounds, lambda r: r.ask("run", a.seconds))


def time_readiness(a, ours, peers, opened, name, mode, folder):
    """From the function to its first results: each round traces, derives and compiles again."""
    def once(runner):
        words = [way_of(a)] if runner is ours else [opened["ours"]["derived_by"], 1, folder]
        answer = runner.ask("open", name, mode, *words)
        ms = answer.get("first_ms")
        return answer if "error" in answer else {"median_ms": ms, "min_ms": ms}

    there = [p for p in peers if p.name in opened]
    slowest = max(o["first_ms"] for o in opened.values())
    return alternate(a, ours, there, a.rounds if slowest < 1000 else 2, once)


# ---- The table.

def limits_of(a):
    """What bench/limits finds on the same cores: name → best rate."""
    program = pathlib.Path(a.programs).with_name("limits")
    done = subprocess.run(["taskset", "-c", a.cores, program, "--json", "--seconds", "0.3"], check=True,
                          capture_output=True, text=True)
    return {r["name"]: r["best"] for r in map(json.loads, done.stdout.splitlines())}


def better(limits, others):
    """The best of both: a limit that was measured while something else ran is none."""
    return {name: max(limits[name], others[name]) for name in limits}


def limit_rates(limits, threads):
    """Bytes and f32 operations a second. With one thread the best of the ways to copy, and of the instruction sets."""
    if threads > 1:
        return 1e9 * limits["copy past the cache, two threads"], 1e9 * limits["multiply-add, two threads"]
    single = {k: v for k, v in limits.items() if "two threads" not in k}
    return tuple(1e9 * max(v for k, v in single.items() if k.startswith(what)) for what in ("copy", "multiply-add"))


def least_ms(opened, limits, threads):
    """The time that the machine needs to move a workload's bytes once, or for its arithmetic: the longer one. None
    for small work, which lies in the cache and waits for itself."""
    if opened["bytes"] < 1 << 20 and opened["flops"] < 10e6:
        return None
    copy, flops = limit_rates(limits, threads)
    return 1e3 * max(opened["bytes"] / copy, opened["flops"] / flops)


class Row:
    def __init__(self, name, mode, times, opened):
        self.name, self.mode, self.times, self.opened = name, mode, times, opened
        self.limit_ms = None

    def ratio(self, figure):
        """How many times faster than the fastest peer we are, by that figure of the times; None without a peer."""
        peers = [figure(t) for n, t in self.times.items() if n != "ours"]
        return min(peers) / figure(self.times["ours"]) if peers else None

    def set_limit(self, limits, threads):
        if self.mode != "ready":
            self.limit_ms = least_ms(self.opened["ours"], limits, threads)

    def share(self):
        return self.limit_ms / self.times["ours"].median() if self.limit_ms else None

    def agreement(self):
        return {n: o["agreement"]["worst"] for n, o in self.opened.items() if n != "ours"}

    def as_json(self):
        return {"workload": self.name, "mode": self.mode, "ratio": self.ratio(Times.median),
                "ratio_of_minima": self.ratio(Times.least), "share_of_limit": self.share(),
                "bytes": self.opened["ours"]["bytes"], "flops": self.opened["ours"]["flops"],
                "agreement": self.agreement(),
                "runners": {n: {"median_ms": t.median(), "min_ms": t.least(), "spread": t.spread(),
                                "peak_kib": t.peak_kib, "rounds": t.rounds} for n, t in self.times.items()}}


def milliseconds(times):
    return f"{times.median():9.4g}" if times else f"{'–':>9s}"


HEADINGS = {"ours": "ours", "jax": "JAX", "torch": "PyTorch", "compiled": "compiled", "casadi": "CasADi"}


def print_heading(a):
    columns = "".join(f"{HEADINGS[n]:>10s}" for n in ["ours", *a.peers.split(",")])
    print(f"{'median ms':26s} {'':5s}{columns}    spread   ratio  by minima   of limit")


def print_row(a, row):
    columns = "".join(" " + milliseconds(row.times.get(n)) for n in ["ours", *a.peers.split(",")])
    ratio, minima, share = row.ratio(Times.median), row.ratio(Times.least), row.share()
    print(f"{row.name:26s} {row.mode:5s}{columns}    ±{50 * row.times['ours'].spread():4.1f} %"
          + (f" {ratio:7.2f}    {minima:7.2f}" if ratio else f" {'–':>7s}    {'–':>7s}")
          + (f"    {100 * share:5.0f} %" if share else f"    {'–':>7s}"), flush=True)


def geometric_mean(numbers):
    return math.exp(statistics.fmean(map(math.log, numbers)))


# ---- Memory.

LARGE_BYTES = 8 << 20


def peak_mib(a, peer, python, name, mode, opened, n_inputs, folder):
    """Of a process of its own, that has done nothing else: beyond what it had with the inputs in memory."""
    runner = start_ours(a) if peer == "ours" else start_peer(a, python, peer)
    words = [way_of(a)] if peer == "ours" else [opened["derived_by"], n_inputs, folder]
    said = runner.ask("open", name, mode, *words)
    found = said if "error" in said else runner.ask("run", 0.05)
    runner.end()
    return found.get("peak_kib", 0) / 1024 or None


def print_memory_row(a, name, mode, peaks):
    shown = "".join(f"{peaks[n]:10.1f}" if peaks[n] else f"{'–':>10s}" for n in ["ours", *a.peers.split(",")])
    others = [p for n, p in peaks.items() if n != "ours" and p]
    print(f"{name:26s} {mode:5s}{shown}   {min(others) / peaks['ours']:7.2f}" if others else shown, flush=True)
    return not others or peaks["ours"] <= 1.02 * min(others)


def measure_memory(a, python, ours, peers):
    """Peaks of the workloads that are large at all. How many take more than the best peer."""
    print(f"{'peak MiB':26s} {'':5s}" + "".join(f"{HEADINGS[n]:>10s}" for n in ["ours", *a.peers.split(",")]) +
          "     ratio")
    worse = 0
    for name, mode in rows_of(a):
        opened = ours.ask("open", name, mode, way_of(a))
        if opened.get("bytes", 0) < LARGE_BYTES:
            continue
        with tempfile.TemporaryDirectory(prefix="cotangent-bench-") as folder:
            written = ours.ask("write", folder)
            ours.ask("close")
            peaks = {n: peak_mib(a, n, python, name, mode, opened, written["inputs"], folder)
                     for n in ["ours", *a.peers.split(",")]}
        worse += not print_memory_row(a, name, mode, peaks)
    print(f"memory beyond the inputs: {worse} rows take more than the best peer")


def summary_lines(rows):
    ranked = [r for r in rows if r.ratio(Times.median)]
    lines = []
    for what, figure in (("by minima: ", Times.least), ("", Times.median)):
        ratios = {f"{r.name} {r.mode}": r.ratio(figure) for r in ranked}
        if ratios:
            worst = min(ratios, key=ratios.get)
            behind = sum(x < 1 for x in ratios.values())
            lines.append(f"{what}geometric mean {geometric_mean(ratios.values()):.2f} over {len(ratios)} rows, "
                         f"worst {ratios[worst]:.2f}" + (f" ({worst}), {behind} below 1" if what else ""))
    return lines


# ---- The same for docs/performance.md.

DOCUMENT = ROOT / "docs/performance.md"
BEGIN, END = "<!-- bench/peers.py --document writes from here -->", "<!-- to here -->"


def markdown_row(a, row):
    times = [row.times.get(n) for n in ["ours", *a.peers.split(",")]]
    ratio, share = row.ratio(Times.median), row.share()
    cells = [f"`{row.name}` {row.mode}", *(f"{t.median():.3g}" if t else "" for t in times),
             f"{ratio:.2f}" if ratio else "", f"{100 * share:.0f} %" if share else ""]
    return "| " + " | ".join(cells) + " |\n"


def write_document(a, rows, settings):
    names = [HEADINGS[n] for n in ["ours", *a.peers.split(",")]]
    heads = ["program", *names, "ratio", "of limit"]
    table = "| " + " | ".join(heads) + " |\n|" + "---|" * len(heads) + "\n"
    table += "".join(markdown_row(a, r) for r in rows)
    text = DOCUMENT.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    shown = "\n".join([*settings, "", *summary_lines(rows)])
    DOCUMENT.write_text(f"{before}{BEGIN}\n\n```\n{shown}\n```\n\n{table}\n{END}{after}")


# ---- The run.

def cpu_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def settings_lines(a, peers, limits):
    versions = ", ".join(p.ask("version").get("version", p.name + "?") for p in peers if p.name != "compiled")
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return [f"Cotangent {commit.stdout.strip() or '(no commit known)'} --exec {a.exec}; {versions}",
            f"{cpu_model()}, {os.cpu_count()} cores; pinned to {a.cores}, {a.threads} thread(s); load "
            f"{os.getloadavg()[0]:.1f}; {a.rounds} rounds of {a.seconds} s each by turns",
            "limits: " + ", ".join(f"{k} {v:.4g}" for k, v in limits.items()),
            "results: each row's agree with its peers', to within rounding"]


def refuse_differences(name, mode, opened):
    wrong = [f"{p} {said['agreement']['error']}" for p, said in opened.items()
             if p != "ours" and said["agreement"]["error"]]
    if wrong:
        raise SystemExit(f"{name} {mode}: other results than a peer's: {'; '.join(wrong)}")


def bench_row(a, python, ours, peers, name, mode):
    """One or two rows: the runs, and for some programs until they are ready."""
    with tempfile.TemporaryDirectory(prefix="cotangent-bench-") as folder:
        opened = open_all(a, python, ours, peers, name, mode, folder)
        refuse_differences(name, mode, opened)
        rows = [Row(name, mode, time_runs(a, ours, peers, opened), opened)]
        if name in READY_ROWS:
            times = time_readiness(a, ours, peers, opened, name, mode, f"{folder}/ours")
            rows.append(Row(name, "ready", times, opened))
    for runner in [ours, *peers]:
        runner.ask("close")
    return rows


def bench(a, python, ours, peers):
    limits = limits_of(a)
    rows = []
    for name, mode in rows_of(a):
        rows += bench_row(a, python, ours, peers, name, mode)
        ratio = rows[-1].ratio(Times.median)
        print(f"  {name} {mode}" + (f" {ratio:.2f}" if ratio else ""), file=sys.stderr, flush=True)
    limits = better(limits, limits_of(a))
    settings = settings_lines(a, peers, limits)
    print("\n".join(settings))
    print_heading(a)
    for row in rows:
        row.set_limit(limits, a.threads)
        print_row(a, row)
    if a.document:
        write_document(a, rows, settings)
    if a.json:
        pathlib.Path(a.json).write_text(json.dumps({"limits": limits, "rows": [r.as_json() for r in rows]}, indent=1))
    print("\n".join(summary_lines(rows)))


def main():
    a = parse_arguments()
    python = python_with(pathlib.Path(a.venv), a.peers.split(","))
    ours, peers = start_ours(a), [start_peer(a, python, name) for name in a.peers.split(",")]
    status = (check if a.check else measure_memory if a.memory else bench)(a, python, ours, peers)
    for r in [ours, *peers]:
        r.end()
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
