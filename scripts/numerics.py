#!/usr/bin/env python3
"""Writes docs/numerics.md from exec/kernel/bounds.def.

usage: numerics.py [--check]     --check: exit 1 if the file differs from what would be written
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs/numerics.md"
# What the last place of f32 is of that of the dtype.
NARROW = {"f16": 2.0 ** -13, "bf16": 2.0 ** -16}

HEAD = """# Machine numerics

Written by `scripts/numerics.py` from `exec/kernel/bounds.def`.

What the executors compute, and the interpreter by `--exec machine` (`exec/interpret/machine.c`): the same bits in
every instruction set, by any number of threads, with any pass switched off. No result of an operation is farther from
the exact one than this, in units of the last place of its dtype; 0.5 is the nearest number, and 0 is exact.

`tests/test_elementary.c` and `tests/test_elementary64.c` hold the functions to these bounds against MPFR. Of f32 they look
at one number in some thousands, and on request at every one; of f64 at samples of all sizes.

| operation | f32 | f64 | f16 | bf16 |
|---|---|---|---|---|
"""

TAIL = """
Special values are C99's (Annex F). Neither tanh nor erf is beyond 1. sine, cosine and tan are as good for large numbers as
for small ones: they know enough digits of 2/π.

* **f16 and bf16** are computed in f32, and each operation is rounded to the nearest; what has a bound of 0.5 there is
  therefore the exact value rounded once. `lgamma`, `digamma`, `polygamma`, `zeta`, `erf_inv`, `bessel_i1e` and `next_after`,
  and **complex** numbers' functions, are those of the reference numerics: computed in f64 and rounded once; so are abs and
  exponential of c64, by f64's functions here.
* **Integers** wrap. x / 0 has all bits set, MIN / -1 is MIN; amounts of shifts are unsigned, and those beyond the width shift
  everything out.
* **Conversions** round to the nearest, ties to even; floats to integers are truncated and saturated, and NaN gives 0.
* **Sums** and other folds of floats: `exec/interpret/reduce_lanes.c` has the order. Folds of integers have none.
* **Products** of matrices: one fused multiply-add per term, in the order of the contraction.
"""


def number(x):
    return f"{x:.5f}".rstrip("0").rstrip(".")


def bounds():
    """(operation, f32, f64) of each row."""
    text = (ROOT / "exec/kernel/bounds.def").read_text()
    return [(name, float(f32), float(f64))
            for name, f32, f64 in re.findall(r"^BOUND\((\w+), ([\d.]+), ([\d.]+)\)$", text, re.M)]


def row(name, f32, f64):
    """f32's value is rounded once more, unless it is exact, or rounded as if it were."""
    narrow = [number(f32 if f32 <= 0.5 else 0.5 + f32 * scale) for scale in NARROW.values()]
    return "| " + " | ".join([f"`{name}`", number(f32), number(f64)] + narrow) + " |\n"


def main():
    text = HEAD + "".join(row(*b) for b in bounds()) + TAIL
    if "--check" in sys.argv[1:]:
        return 0 if TARGET.exists() and TARGET.read_text() == text else 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
