#!/usr/bin/env python3
"""Writes docs/derivatives.md from ops/ops.def, the comments of the headers, what
tests/test_derivatives_table.c found (tests/data/derivatives.txt) and tests/conventions.def.

usage: derivatives.py [--check]     --check: exit 1 if the file differs from what would be written
"""
import re

import operations
from operations import ROOT, cell, split_columns

TARGET = ROOT / "docs/derivatives.md"
FOUND = {
    "tested": "tested",
    "zero": "tested: zero",
    "recorded": "vectorised, not run",
    "refused": "an error that says why",
}
FRACTIONS = {"0.5": "½", "0.25": "¼", "1.0 / 3": "⅓", "INFINITY": "∞", "-INFINITY": "-∞", "NAN": "NaN", "-0.0": "-0"}

MODULUS_AT = "AT(0, -0.0, 1e-200, 1e200, INFINITY, -INFINITY, NAN)"  # the places of its rows

HEAD = """# Derivatives

Written by `scripts/derivatives.py` from `ops/ops.def`, the comments of the headers and the tests. "tested" is what
`tests/test_derivatives_table.c` found in its last run: it takes every operation of the table by itself and compares

* **jvp**: forward derivatives with differences of values, in numbers of MPFR where the operation runs in them, else
  in f64, judged by their order of convergence;
* **vjp**: reverse derivatives with forward ones, `<ybar, J dx> = <J' ybar, dx>`;
* **second order**: both derivatives of the reverse derivative with its differences and each other;
* **batching**: the operation, its jvp and its vjp, vectorised, with a loop over lanes
  (`tests/test_vmap.c` does so for every axis and every choice of batched operands);
* **executors**: the operation, its jvp and its vjp. The interpreter in reference numerics (`interpret`) gives what is
  computed at once, in machine numerics (`machine`) what is near that; the tile machine (`cpu`) and compiled C (`jit`, of
  all these programs together) give the bits of machine numerics. The column says what those two make of the operation:
  "C" is a part of a step of several operations (of its body's, where it has one) that is compiled, "tiles" of one that the
  tile machine runs, "own step" goes to the interpreter's own code in every executor, or needs no code.

A derivative that is zero everywhere does not count as tested. Reverse mode has no rules but transposes of linear
operations: the vjp of any other is that of its jvp. Operations without a rule have the derivative 0, for the reason given.
"""

CONVENTIONS = """# Conventions

Where a derivative is a choice. Each row is a test (`tests/conventions.def`, `tests/test_conventions.c`): forward and
reverse, one by one and vectorised, in f16, bf16, f32 and f64. Several inputs stand side by side, one row of a matrix per
result, behind ";". "JAX" (0.10.2) and "PyTorch" (2.15.0) say what those give where `scripts/conventions_peers.py` runs
them in f64: "no gradient" where `torch.autograd` does not follow.

The library has one answer for one function: `maximum`, `minimum`, `clip`, `clamp`, `max` over two elements and a scatter
by maximum agree with each other, at NaN too; and so do `abs`, x sign(x), `norm` and `hypot`, at every x, also where x²
would underflow or overflow, at infinities and at NaN. Two exceptions are functions of their own: `relu` has slope 0 at 0,
and the maximum of a window (`reduce_window`, `cummax`) sends all to its first element.

Other ways to write |x| have what their parts have. maximum(x, -x) has slope 0 at NaN, half of either side, and
where(x > 0, x, -x) has at 0 and at NaN the slope of the side that it takes. sqrt(x²) has the slope 0 at 0, where zero meets
the infinite slope of `sqrt`, but ∞ where x² underflows to 0, and 0 where it overflows: `norm` and `hypot` are the same
function without these (`tests/test_modulus.c`, in f32 with 1e-30 and 1e30; JAX's and PyTorch's slopes stand side by side,
and their second derivatives behind ";"). In second order all agree away from 0 but sqrt(x²); at 0 the second
derivative of `norm`, `hypot` and sqrt(x²) is ∞, as a length is curved across the direction of x, and 0 of the others.
Forward over forward squares the tangent over |x|, and needs that to be finite.

**A branch that was not taken contributes zero**, never NaN, forward and reverse, in every order: of `if`, `case`,
`select`, `while`, of a guard by `where`, of lanes that choose differently, and of what is recomputed
(`tests/test_untaken.c`). The products of derivative rules, `ct_op_scale` and `ct_op_scale_either`, are 0 where a
factor is 0.

The exception are products of matrices, which stay plain: `dot_general`, `ragged_dot`, `convolution`, `cholesky` and
`triangular_solve`. Of a branch or an iteration that a lane does not take, `vmap` gives them harmless operands; but a
`select` of one gives NaN in reverse mode where the values of the side that was not chosen are not finite. The remedy is
to guard the operand, too: not `where(p, dot(f(x), w), 0)`, but `where(p, dot(f(where(p, x, 1)), w), 0)`, with a number in
the place of 1 at which f is finite: then derivatives by x and by w, of every order, are those of what is taken
(`tests/test_untaken_products.c`).
"""


EXECUTORS = {"compiled": "C", "tiles": "tiles", "alone": "own step", "none": "none: a run has no channels"}


def found():
    """What the test found: name -> its five columns."""
    lines = (ROOT / "tests/data/derivatives.txt").read_text().splitlines()[1:]
    return {line.split()[0]: line.split()[1:] for line in lines}


def formula(text, operands, traits):
    """The sentence about the derivative in an operation's comment, else what its traits say."""
    m = re.search(r"(?:Derivatives?|The derivative)(?: in (\w+))?(?: is|:) (.*?)(?=<br>|$)", text)
    if m:
        text = f"in {m[1]}: {m[2]}" if m[1] else m[2]
        return re.split(r" C1: | CT_ERR_", text)[0].rstrip(" .;")
    m = re.search(r"\b((?:Bil|L)inear\b[^.;]*)", text)
    if m:
        return m[1][0].lower() + m[1][1:].rstrip(" .")
    names = operands.strip('"').split()
    linear = [names[int(i)] for i in re.findall(r"LINEAR_IN\((\d)\)", traits)]
    if re.search(r"\bBILINEAR\b", traits):
        return "bilinear"
    if linear:
        return f"linear in {', '.join(linear)}"
    return "linear" if re.search(r"\bLINEAR\b", traits) else "that of the function" if "CALLS" in traits else ""


def column(rule, what):
    none = re.match(r'NONE\("(.*)"\)', rule)
    return f"none: {none[1]}" if none else FOUND.get(what, what)


def operation_rows(operations_of_section, described, tests):
    for name, operands, _, _, traits, _, jvp, _, batch, _, _, _ in operations_of_section:
        text = operations.WITHOUT_FUNCTION.get(name) or described[name]
        if name not in tests:  # inside of transforms alone
            continue
        forward, reverse, second, lanes, executors = tests[name]
        none = jvp.startswith("NONE")
        slope = "0" if none else formula(text, operands, traits)
        columns = [name, slope, column(jvp, forward)]
        columns += ["none"] * 2 if none else [FOUND[reverse], FOUND[second]]
        columns += [column(batch, lanes), EXECUTORS[executors]]
        yield f"| {' | '.join(cell(c) for c in columns)} |"


def calls(text):
    """The macros of conventions.def: (name, its arguments)."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for line in text.splitlines():
        m = re.match(r"(SECTION|SLOPE|COMPLEX|MODULUS|REFUSED)\((.*)\)$", line)
        if m:
            yield m[1], [c[1:-1] if c.startswith('"') else c for c in split_columns(m[2])]


def numbers(column):
    """The items of AT(...) or IS(...)."""
    return [item.strip() for item in re.match(r"(?:AT|IS)\((.*)\)$", column)[1].split(",")]


def shown(items, per_row):
    items = [FRACTIONS.get(item, item) for item in items]
    lines = [items[i:i + per_row] for i in range(0, len(items), per_row)]
    return "; ".join(", ".join(line) for line in lines)


def complex_number(items):
    re_part, im_part = (FRACTIONS.get(item, item) for item in items)
    return f"{re_part} {'-' if im_part.startswith('-') else '+'} {im_part.lstrip('-')}i"


def modulus(a):
    """A row of the table of |x|: slope and second derivative at each place."""
    pairs = zip(numbers(a[2]), numbers(a[3]))
    return [a[1]] + [f"{shown(pair[:1], 1)}, {shown(pair[1:], 1)}" for pair in pairs] + a[4:]


def convention(kind, a):
    """A row of the table: what, at, slopes, and what others give."""
    if kind == "SLOPE":
        at, slopes = numbers(a[2]), numbers(a[3])
        columns = [a[1], shown(at, len(at)), shown(slopes, len(at))] + a[4:]
    elif kind == "COMPLEX":
        at = f"{complex_number(numbers(a[2]))}, ybar = {complex_number(numbers(a[3]))}"
        columns = [a[1], at, complex_number(numbers(a[4]))] + a[5:]
    elif kind == "MODULUS":
        columns = modulus(a)
    else:
        columns = [a[1], "", "an error"] + a[3:]
    return f"| {' | '.join(cell(c) for c in columns)} |"


def document():
    described, tests = operations.comments(), found()
    out = [HEAD]
    for title, rows in operations.rows():
        out += [f"## {title}", "",
                "| operation | derivative | jvp | vjp | second order | batching | executors |",
                "|---|---|---|---|---|---|---|"]
        out += [*operation_rows(rows, described, tests), ""]
    out.append(CONVENTIONS)
    for kind, arguments in calls((ROOT / "tests/conventions.def").read_text()):
        if kind == "SECTION":
            middle = shown(numbers(MODULUS_AT), 1).split("; ") if "|x|" in arguments[0] else ["at", "slope"]
            columns = ["function", *middle, "JAX", "PyTorch", "why"]
            out += ["" if out[-1].startswith("|") else None, f"## {arguments[0]}", "",
                    f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
        else:
            out.append(convention(kind, arguments))
    return "\n".join(line for line in out if line is not None) + "\n"


if __name__ == "__main__":
    operations.write_or_check(TARGET, document(), __doc__)
