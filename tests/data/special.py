#!/usr/bin/env python3
"""Writes special.txt beside it: values of CHLO's functions at hard points, by mpmath.

    python3 tests/data/special.py > tests/data/special.txt

A row is: name, first operand, second operand (0 for functions of one), value, scale. The scale is
the size of the terms that cancel in the value, where they do (between the poles of digamma and
zeta); else that of the value. Complex rows end in "complex" names: re, im, re of the value, im of
the value."""
import math
import random

import mpmath as mp

mp.mp.dps = 60
random.seed(20261130)
U = random.uniform


def row(name, x, y, value, scale=0):
    print(name, float(x).hex(), float(y).hex(), float(value).hex(),
          float(max(abs(value), scale)).hex())


def log_uniform(lo, hi):
    return 10 ** U(lo, hi)


def spread(lo, hi, n):
    return [U(lo, hi) for _ in range(n)]


def spread_log(lo, hi, n):
    return [log_uniform(lo, hi) for _ in range(n)]


def hurwitz(s, q):
    """Euler-Maclaurin, far out; mpmath's own loses digits for large q."""
    s, q = mp.mpf(s), mp.mpf(q)
    n = 0 if q > 2000 else 60 + int(s)
    a = q + n
    total = sum((q + k) ** -s for k in range(n)) + a ** (1 - s) / (s - 1) + a ** -s / 2
    rising = s
    for k in range(1, 40):
        total += mp.bernoulli(2 * k) / mp.factorial(2 * k) * rising * a ** (-s - 2 * k + 1)
        rising *= (s + 2 * k - 1) * (s + 2 * k)
    return total


def hurwitz_negative(s, q):
    q = mp.mpf(q)
    m = int(mp.ceil(-q))
    terms = [(q + k) ** -int(s) for k in range(m)]
    rest = hurwitz(s, q + m)
    return rest + sum(terms), rest + sum(abs(t) for t in terms)


root = float(mp.findroot(mp.digamma, 1.46))
for x in (spread(0, 1, 20) + spread(1, 2, 20) + spread(2, 9, 30) + spread_log(1, 300, 15) +
          spread_log(-300, 0, 15) + [root + k * 2.0 ** -52 for k in range(-4, 5)] +
          [1, 2, 4, 8, 0.5, math.nextafter(1, 0), math.nextafter(2, 1), math.nextafter(8, 0), 5e-324 * 2 ** 60]):
    row("digamma", x, 0, mp.digamma(mp.mpf(x)))
for x in [-v for v in spread_log(-20, 3, 30) + spread(0, 10, 30)] + [-0.5, -1.5, -1e9 - 0.5]:
    m = mp.mpf(x)
    row("digamma", x, 0, mp.digamma(m), abs(mp.digamma(1 - m)) + abs(mp.pi * mp.cot(mp.pi * m)))

for x in spread(0, 8, 40) + spread(8, 40, 30) + spread_log(-300, 300, 30) + [8, math.nextafter(8, 9), 1]:
    m = mp.mpf(x)
    for sign in 1, -1:
        row("bessel_i1e", sign * x, 0, sign * mp.exp(-m) * mp.besseli(1, m))

for x in (spread(0, 1, 40) + [1 - v for v in spread_log(-15.9, 0, 40)] + spread_log(-300, 0, 20) +
          [0.5, math.nextafter(0.5, 1), math.nextafter(1, 0), 0.0625, math.nextafter(0.0625, 0)]):
    for sign in 1, -1:
        with mp.workdps(420 if x < 1e-40 else 60):
            m = mp.mpf(x)
            row("erf_inv", sign * x, 0, sign * (mp.erfinv(m) if x > 1e-8 else
                                                mp.sqrt(mp.pi) / 2 * (m + mp.pi / 12 * m ** 3)))

for s, q in ([(1 + log_uniform(-3, 1.5), log_uniform(-3, 3)) for _ in range(60)] +
             [(log_uniform(1, 2.5), log_uniform(-0.5, 2.5)) for _ in range(60)] +
             [(1 + log_uniform(-12, -3), log_uniform(-2, 12)) for _ in range(20)] +
             [(2, 1), (3, 1), (2, 0.5), (1.5, 1e300), (20, 1e15), (300, 0.9), (1e5, 1), (1.0000000000000002, 3)]):
    row("zeta", s, q, hurwitz(s, q) if s < 1e4 else 1)
for s, q in [(random.randint(2, 12), -U(0, 30)) for _ in range(40)] + [(3, -4.5), (2, -100.5), (3, -1.25)]:
    row("zeta", s, q, *hurwitz_negative(s, q))

for n, x in ([(random.randint(1, 20), log_uniform(-3, 3)) for _ in range(50)] +
             [(random.randint(20, 170), log_uniform(-0.5, 3)) for _ in range(30)] +
             [(n, n * U(0.3, 4)) for n in [random.randint(160, 1000) for _ in range(30)]] +
             [(1, 1), (1, 0.5), (2, 1e100), (170, 3), (171, 300)]):
    row("polygamma", n, x, (-1) ** (n + 1) * mp.gamma(n + 1) * hurwitz(n + 1, x))
for n, x in [(random.randint(1, 10), -U(0, 20)) for _ in range(30)]:
    value, scale = hurwitz_negative(n + 1, x)
    f = mp.gamma(n + 1)
    row("polygamma", n, x, (-1) ** (n + 1) * f * value, f * scale)

# on both sides of poles, as close as numbers are
for pole in (0, -1, -2, -7):
    for j in (3, 10, 20, 34, 35, 45, 50 if pole < -3 else 51):
        for x in (pole - 2.0 ** -j, pole + 2.0 ** -j if pole < 0 else pole - 1.25 * 2.0 ** -j):
            for s in (2, 3, 6):
                value, scale = hurwitz_negative(s, x)
                row("zeta", s, x, value, scale)
                f = mp.gamma(s)
                row("polygamma", s - 1, x, (-1) ** s * f * value, f * scale)

for x in spread(-30, 30, 40) + spread_log(-300, 300, 30) + [0.5, 1.5, 3, 100]:
    m = mp.mpf(x)
    row("lgamma", x, 0, mp.log(abs(mp.gamma(m))) if abs(x) < 1e15 else mp.loggamma(m),
        (abs(mp.loggamma(1 - m)) + abs(mp.log(abs(mp.sin(mp.pi * m))))) if x < 0 else 0)
for x in spread(-6, 27, 40) + spread_log(-300, 0, 10):
    row("erfc", x, 0, mp.erfc(mp.mpf(x)))

points = [(random.choice([1, -1]) * log_uniform(-3, 2), random.choice([1, -1]) * log_uniform(-3, 2))
          for _ in range(25)]
for _ in range(10):  # beside the ends of the cuts, and beside the cuts themselves
    near = random.choice([1, -1]) * (1 + random.choice([1, -1]) * log_uniform(-15, -2))
    little = random.choice([1, -1]) * log_uniform(-20, -2)
    points += [(near, little), (little, near), (2 * near, little), (little, 2 * near)]
for name in "acos acosh asin asinh atan atanh cosh sinh".split():
    for re, im in points:
        with mp.workdps(100):
            z = getattr(mp, name)(mp.mpc(re, im))
            print("complex_" + name, float(re).hex(), float(im).hex(), float(z.real).hex(),
                  float(z.imag).hex())
