#!/usr/bin/env python3
"""Writes exec/kernel/elementary.inc, the polynomials of the elementary functions.

    python3 scripts/elementary_coefficients.py [--check]     --check: exit 1 if they would change

Needs mpmath. Each is the minimax polynomial of its degree (Remez' exchange, 60 digits): the largest
weighted error on its interval, which stands beside it as a power of two, is as small as it can be
before the coefficients are rounded. Rational functions are found likewise."""
import contextlib
import io
import pathlib
import sys

import mpmath as mp

mp.mp.dps = 60


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


def solve_rational(f, n_p, n_q, nodes, size, q):
    """p and q with (1 + t p(t)) / (1 + t q(t)) / f(t) = 1 ± size at the nodes; p, q, size. The size
    meets the denominator in a product, which is linearised at what is given."""
    n = len(nodes)
    a, b = mp.matrix(n, n), mp.matrix(n, 1)
    for i, t in enumerate(nodes):
        wanted = f(t) * (1 + (-1) ** i * size)
        for j in range(n_p):
            a[i, j] = t ** (j + 1)
        for j in range(n_q):
            a[i, n_p + j] = -wanted * t ** (j + 1)
        a[i, n - 1] = -f(t) * (-1) ** i * (1 + t * mp.polyval(q[::-1], t))
        b[i] = wanted - 1
    c = list(mp.lu_solve(a, b))
    return c[:n_p], c[n_p:-1], size + c[-1]


def rational(f, n_p, n_q, hi):
    """(p, q, log2 of the largest relative error) of f(t) = (1 + t p(t)) / (1 + t q(t)), 0 <= t <= hi,
    for f(0) = 1."""
    hi, n = mp.mpf(hi), n_p + n_q + 1
    nodes = [hi * ((1 - mp.cos(mp.pi * (i + mp.mpf(1) / 2) / n)) / 2) ** 2 for i in range(n)]
    q, size = [mp.mpf(0)] * n_q, mp.mpf(0)
    for _ in range(40):
        for _ in range(8):
            p, q, size = solve_rational(f, n_p, n_q, nodes, size, q)

        def error(t):
            return (1 + t * mp.polyval(p[::-1], t)) / (1 + t * mp.polyval(q[::-1], t)) / f(t) - 1

        peaks = extremes(error, hi * mp.mpf("1e-9"), hi, n)
        sizes = [abs(e) for _, e in peaks]
        nodes = [t for t, _ in peaks]
        if max(sizes) < min(sizes) * mp.mpf("1.001"):
            break
    return p, q, mp.log(max(sizes), 2)


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
    ln2 = mp.log(2) * mp.mpf("1.00001")
    after_linear = around_zero(lambda r: (mp.expm1(r) - r) / r ** 2, [one / 2, one / 6, one / 24])
    table("e^r = 1 + r + r^2 q(r), |r| <= ln 2, relative", "exp_q", "float",
          minimax(after_linear, lambda r: (r ** 2 + mp.mpf("1e-12")) / mp.exp(r), range(6), -ln2, ln2))
    table("e^r - 1 = r + r^2 q(r), |r| <= ln 2, relative", "expm1_q", "float",
          minimax(after_linear, around_zero(lambda r: abs(r ** 2 / mp.expm1(r)), [mp.mpf("1e-8")]),
                  range(7), -ln2, ln2))
    root = mp.sqrt(2)
    table("log(1 + f) = f - f^2/2 + f^3 q(f), |f| <= 1/3, relative",
          "log_q", "float",
          minimax(around_zero(lambda f: (mp.log1p(f) - f + f ** 2 / 2) / f ** 3,
                              [one / 3, -one / 4, one / 5]),
                  around_zero(lambda f: f ** 3 / mp.log1p(f), [0, 0, 1, one / 2]),
                  range(8), -one / 3, one / 3 * mp.mpf("1.001")))
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
    quarter = mp.log(2) / 4 * mp.mpf("1.00001")
    table("(e^(2 r) - 1) / 2 = r + r^2 q(r), |r| <= ln 2 / 4, relative", "tanh_q", "float",
          minimax(around_zero(lambda r: (mp.expm1(2 * r) / 2 - r) / r ** 2, [one, 2 * one / 3]),
                  around_zero(lambda r: abs(2 * r ** 2 / mp.expm1(2 * r)), [mp.mpf("1e-8")]),
                  range(5), -quarter, quarter))
    slope = 2 / mp.sqrt(mp.pi)
    p, q, error = rational(lambda t: mp.erf(mp.sqrt(t)) / mp.sqrt(t) / slope, 5, 5, "15.61")
    table("erf x = x (1 + p(t)) / (1 + t q(t)), t = x^2 <= 3.95^2, relative", "erf_p", "float",
          ([slope - 1] + [slope * c for c in p], error))
    table("the same", "erf_q", "float", (q, error))
    table("log2 of (1 + s) / (1 - s) = s q(s^2), s up to (sqrt(2) - 1)^2, relative", "log2_q",
          "double",
          minimax(around_zero(lambda t: 2 * mp.atanh(mp.sqrt(t)) / mp.sqrt(t) / mp.log(2),
                              [2 / mp.log(2), 2 / mp.log(2) / 3]),
                  lambda t: one, range(7), 0, (root - 1) ** 4 * mp.mpf("1.0001")))
    table("2^r, |r| <= 1/2, relative", "exp2_q", "double",
          minimax(lambda r: mp.mpf(2) ** r, lambda r: mp.mpf(2) ** -r, range(9),
                  -one / 2, one / 2))


def parts(x, count):
    """x as a sum of doubles, each the rest rounded."""
    found = []
    for _ in range(count):
        found.append(mp.mpf(float(x)))
        x -= found[-1]
    return found


def write64():
    one, root, ln2 = mp.mpf(1), mp.sqrt(2), mp.log(2) * mp.mpf("1.00001")
    table("e^r = 1 + r + r^2 q(r), |r| <= ln 2 / 2, relative to e^r - 1", "exp64_q", "double",
          minimax(around_zero(lambda r: (mp.expm1(r) - r) / r ** 2, [one / 2, one / 6, one / 24]),
                  around_zero(lambda r: abs(r ** 2 / mp.expm1(r)), [mp.mpf("1e-8")]),
                  range(10), -ln2 / 2, ln2 / 2))
    table("(e^(2 r) - 1) / 2 = r + r^2 q(r), |r| <= ln 2 / 4, relative", "tanh64_q", "double",
          minimax(around_zero(lambda r: (mp.expm1(2 * r) / 2 - r) / r ** 2, [one, 2 * one / 3]),
                  around_zero(lambda r: abs(2 * r ** 2 / mp.expm1(2 * r)), [mp.mpf("1e-8")]),
                  range(10), -ln2 / 4, ln2 / 4))
    largest = ((root - 1) / (root + 1)) ** 2 * mp.mpf("1.0001")
    table("log((1 + s) / (1 - s)) = 2 s + s t q(t), t = s^2 up to (sqrt(2) - 1)^4, relative",
          "log64_q", "double",
          minimax(around_zero(lambda t: (2 * mp.atanh(mp.sqrt(t)) / mp.sqrt(t) - 2) / t,
                              [2 * one / 3, 2 * one / 5]),
                  around_zero(lambda t: t * mp.sqrt(t) / mp.atanh(mp.sqrt(t)), [mp.mpf("1e-9"), 1]),
                  range(7), 0, largest))
    quarter = (mp.pi / 4 * mp.mpf("1.0001")) ** 2
    table("sin r = r + r^3 q(r^2), |r| <= pi/4, relative", "sin64_q", "double",
          minimax(around_zero(lambda t: (mp.sin(mp.sqrt(t)) / mp.sqrt(t) - 1) / t,
                              [-one / 6, one / 120]),
                  around_zero(lambda t: t * mp.sqrt(t) / mp.sin(mp.sqrt(t)), [mp.mpf("1e-9"), 1]),
                  range(6), 0, quarter))
    table("cos r = 1 - r^2/2 + r^4 q(r^2), |r| <= pi/4, relative", "cos64_q", "double",
          minimax(around_zero(lambda t: (mp.cos(mp.sqrt(t)) - 1 + t / 2) / t ** 2,
                              [one / 24, -one / 720]),
                  lambda t: t ** 2 / mp.cos(mp.sqrt(t)), range(6), 0, quarter))
    slope = 2 / mp.sqrt(mp.pi)
    table("erf x = x + x q(x^2), 0 <= x <= 1, relative", "erf64_q", "double",
          minimax(around_zero(lambda t: mp.erf(mp.sqrt(t)) / mp.sqrt(t) - 1,
                              [slope - 1, -slope / 3, slope / 10]),
                  around_zero(lambda t: mp.sqrt(t) / mp.erf(mp.sqrt(t)), [1 / slope]),
                  range(12), 0, 1))
    p, q, error = rational(lambda x: mp.exp(x ** 2) * mp.erfc(x), 10, 11, "27.5")
    table("erfc x = e^(-x^2) (1 + x p(x)) / (1 + x q(x)), 0 <= x <= 27.5, relative", "erfc64_p",
          "double", (p, error))
    table("the same", "erfc64_q", "double", (q, error))
    table("atan s = s + s^3 q(s^2), |s| <= tan(pi/8), relative", "atan64_q", "double",
          minimax(around_zero(lambda t: (mp.atan(mp.sqrt(t)) / mp.sqrt(t) - 1) / t,
                              [-one / 3, one / 5]),
                  around_zero(lambda t: t * mp.sqrt(t) / mp.atan(mp.sqrt(t)), [mp.mpf("1e-9"), 1]),
                  range(12), 0, (root - 1) ** 2 * mp.mpf("1.0001")))
    table("the cubic root of m, sqrt(1/8) <= m <= sqrt(8), to begin with", "cbrt64_q", "double",
          minimax(mp.cbrt, lambda m: 1 / mp.cbrt(m), range(6), mp.sqrt(one / 8), mp.sqrt(8)))
    scale = 2 / mp.log(2)
    table("log2 of (1 + s) / (1 - s) = 2 s / ln 2 (1 + t/3 + t^2 q(t)), t = s^2 as above; q times "
          "2 / ln 2, relative", "power64_q", "double",
          minimax(around_zero(lambda t: scale * (mp.atanh(mp.sqrt(t)) / mp.sqrt(t) - 1 - t / 3) / t ** 2,
                              [scale / 5, scale / 7]),
                  lambda t: t ** 2 + mp.mpf("1e-20"), range(8), 0, largest))
    table("2 / ln 2, and a third of it, in two parts each", "power64_c", "double",
          (parts(scale, 2) + parts(scale / 3, 2), -120))
    table("2^r = 1 + r q(r), |r| <= 1/2, relative", "exp2_64_q", "double",
          minimax(around_zero(lambda r: (mp.mpf(2) ** r - 1) / r, [ln2, ln2 ** 2 / 2]),
                  lambda r: (abs(r) + mp.mpf("1e-9")) * mp.mpf(2) ** -r, range(11),
                  -one / 2, one / 2 * mp.mpf("1.0001")))
    table("pi/2 in parts", "half_pi_parts", "double", (parts(mp.pi / 2, 3), -161))


def write_two_over_pi():
    """32 zeros, then the bits of 2/pi behind the point: as many as the largest f64 needs."""
    words = 1 + (1024 + 192) // 32 + 1
    with mp.workprec(32 * words + 64):
        bits = int(mp.floor(2 / mp.pi * mp.mpf(2) ** (32 * (words - 1))))
    print("/* 32 zeros, then the bits of 2/pi behind the point. */")
    print("static const uint32_t two_over_pi[] = {")
    items = [f"0x{bits >> 32 * (words - 1 - i) & 0xffffffff:08x}u," for i in range(words)]
    for i in range(0, words, 8):
        print("    " + " ".join(items[i:i + 8]))
    print("};\n")


def main():
    path = pathlib.Path(__file__).parent.parent / "exec" / "kernel" / "elementary.inc"
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        print("/* Written by scripts/elementary_coefficients.py. */\n/* clang-format off */\n")
        write()
        write64()
        write_two_over_pi()
    content = text.getvalue().rstrip() + "\n"
    if "--check" in sys.argv[1:]:
        return 0 if path.read_text() == content else 1
    path.write_text(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
