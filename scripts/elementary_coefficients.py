#!/usr/bin/env python3
"""Writes exec/kernel/elementary.inc, the polynomials of the elementary functions.

    python3 scripts/elementary_coefficients.py [--check]     --check: exit 1 if they would change

Needs mpmath. Each is the minimax polynomial of its degree (Remez' exchange, 40 digits): the largest
weighted error on its interval, which stands beside it as a power of two, is as small as it can be
before the coefficients are rounded."""
import contextlib
import io
import pathlib
import sys

import mpmath as mp

mp.mp.dps = 40


def fit(f, weight, powers, nodes):
    """Coefficients whose weighted errors at the nodes have one size and alternating signs."""
    n = len(powers)
    a, b = mp.matrix(n + 1, n + 1), mp.matrix(n + 1, 1)
    for i, x in enumerate(nodes):
        for j, p in enumerate(powers):
            a[i, j] = x ** p
        a[i, n] = (-1) ** i / weight(x)
        b[i] = f(x)
    return list(mp.lu_solve(a, b))[:n]


def extremes(error, lo, hi, count):
    """Where the error is largest between its changes of sign."""
    grid = [lo + (hi - lo) * (1 - mp.cos(mp.pi * i / 600)) / 2 for i in range(601)]
    values = [error(x) for x in grid]
    best = []
    for x, e in zip(grid, values):
        if not best or (e > 0) != (best[-1][1] > 0):
            best.append((x, e))
        elif abs(e) > abs(best[-1][1]):
            best[-1] = (x, e)
    while len(best) > count:
        del best[0 if abs(best[0][1]) < abs(best[-1][1]) else -1]
    return best


def minimax(f, weight, powers, lo, hi):
    """(coefficients, log2 of the largest error) of sum c_k x^powers[k]."""
    lo, hi, n = mp.mpf(lo), mp.mpf(hi), len(powers)
    nodes = [lo + (hi - lo) * (1 - mp.cos(mp.pi * (i + mp.mpf(1) / 2) / (n + 1))) / 2
             for i in range(n + 1)]
    for _ in range(40):
        c = fit(f, weight, powers, nodes)

        def error(x):
            return (sum(k * x ** p for k, p in zip(c, powers)) - f(x)) * weight(x)

        peaks = extremes(error, lo, hi, n + 1)
        sizes = [abs(e) for _, e in peaks]
        if len(peaks) == n + 1:
            nodes = [x for x, _ in peaks]
        if len(peaks) <= n or max(sizes) < min(sizes) * mp.mpf("1.0001"):
            break
    return c, mp.log(max(sizes), 2)


def table(comment, name, kind, found):
    c, error = found
    suffix = "f" if kind == "float" else ""
    print(f"/* {comment}; error 2^{mp.nstr(error, 3)}. */")
    print(f"static const {kind} {name}[] = {{")
    rounded = [float(mp.mpf(k)) if kind == "double" else float32(k) for k in c]
    line = "   "
    for k in rounded:
        item = f" {short(k)}{suffix},"
        if len(line) + len(item) > 100:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};\n")


def short(x):
    """The hexadecimal number without zeros at the end of its digits."""
    digits, _, exponent = x.hex().partition("p")
    return f"{digits.rstrip('0')}p{exponent}"


def float32(x):
    """x rounded to the nearest float of 24 bits."""
    if x == 0:
        return 0.0
    scale = mp.mpf(2) ** (23 - int(mp.floor(mp.log(abs(x), 2))))
    return float(mp.nint(x * scale) / scale)


def around_zero(f, series):
    """f, but near 0 the beginning of its series, where f would cancel."""
    return lambda x: f(x) if abs(x) > mp.mpf("1e-8") else sum(
        c * x ** k for k, c in enumerate(series))


def write():
    one = mp.mpf(1)
    half_ln2 = mp.log(2) / 2 * mp.mpf("1.00001")
    table("e^r = 1 + r + r^2 q(r), |r| <= ln 2 / 2, relative to e^r - 1", "exp_q", "float",
          minimax(around_zero(lambda r: (mp.expm1(r) - r) / r ** 2, [one / 2, one / 6, one / 24]),
                  around_zero(lambda r: abs(r ** 2 / mp.expm1(r)), [mp.mpf("1e-8")]),
                  range(6), -half_ln2, half_ln2))
    root = mp.sqrt(2)
    table("log(1 + f) = f - f^2/2 + f^3 q(f), 1 + f from sqrt(1/2) to sqrt(2), relative",
          "log_q", "float",
          minimax(around_zero(lambda f: (mp.log1p(f) - f + f ** 2 / 2) / f ** 3,
                              [one / 3, -one / 4, one / 5]),
                  around_zero(lambda f: f ** 3 / mp.log1p(f), [0, 0, 1, one / 2]),
                  range(8), 1 / root - 1, root - 1))
    quarter = (mp.pi / 4 * mp.mpf("1.0001")) ** 2
    table("sin r = r + r^3 q(r^2), |r| <= pi/4, relative", "sin_q", "float",
          minimax(around_zero(lambda t: (mp.sin(mp.sqrt(t)) / mp.sqrt(t) - 1) / t,
                              [-one / 6, one / 120]),
                  around_zero(lambda t: t * mp.sqrt(t) / mp.sin(mp.sqrt(t)), [0, 1]),
                  range(3), 0, quarter))
    table("cos r = 1 - r^2/2 + r^4 q(r^2), |r| <= pi/4, relative", "cos_q", "float",
          minimax(around_zero(lambda t: (mp.cos(mp.sqrt(t)) - 1 + t / 2) / t ** 2,
                              [one / 24, -one / 720]),
                  lambda t: t ** 2 / mp.cos(mp.sqrt(t)), range(3), 0, quarter))
    table("tanh x = x + x^3 q(x^2), 0 <= x <= 0.6, relative", "tanh_q", "float",
          minimax(around_zero(lambda t: (mp.tanh(mp.sqrt(t)) / mp.sqrt(t) - 1) / t,
                              [-one / 3, 2 * one / 15]),
                  around_zero(lambda t: t * mp.sqrt(t) / mp.tanh(mp.sqrt(t)), [mp.mpf("1e-8")]),
                  range(5), 0, "0.36"))
    table("erf x = x + x q(x^2), 0 <= x <= 1, relative", "erf_small", "float",
          minimax(around_zero(lambda t: mp.erf(mp.sqrt(t)) / mp.sqrt(t) - 1,
                              [2 / mp.sqrt(mp.pi) - 1, -2 / mp.sqrt(mp.pi) / 3]),
                  around_zero(lambda t: mp.sqrt(t) / mp.erf(mp.sqrt(t)), [mp.sqrt(mp.pi) / 2]),
                  range(7), 0, 1))
    table("1 - erf x = e^(q(x)), 1 <= x <= 3.95, relative to erf", "erf_large", "float",
          minimax(lambda x: mp.log(mp.erfc(x)), mp.erfc, range(9), 1, "3.95"))
    table("log2 of (1 + s) / (1 - s) = s q(s^2), s up to (sqrt(2) - 1)^2, relative", "log2_q",
          "double",
          minimax(around_zero(lambda t: 2 * mp.atanh(mp.sqrt(t)) / mp.sqrt(t) / mp.log(2),
                              [2 / mp.log(2), 2 / mp.log(2) / 3]),
                  lambda t: one, range(7), 0, (root - 1) ** 4 * mp.mpf("1.0001")))
    table("2^r, |r| <= 1/2, relative", "exp2_q", "double",
          minimax(lambda r: mp.mpf(2) ** r, lambda r: mp.mpf(2) ** -r, range(9),
                  -one / 2, one / 2))


def main():
    path = pathlib.Path(__file__).parent.parent / "exec" / "kernel" / "elementary.inc"
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        print("/* Written by scripts/elementary_coefficients.py. */\n/* clang-format off */\n")
        write()
    content = text.getvalue().rstrip() + "\n"
    if "--check" in sys.argv[1:]:
        return 0 if path.read_text() == content else 1
    path.write_text(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
