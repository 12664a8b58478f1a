#!/usr/bin/env python3
"""Writes oracle.txt beside it: functions of doubles to 70 digits, by mpmath.

    python3 tests/data/oracle.py > tests/data/oracle.txt

A row is: the operation as StableHLO and CHLO spell it, its operands in hexadecimal ("re,im" of
complex ones), and the value as cotangent prints it with 70 digits ("re,im"). Values that mpmath
computes are far from a tie of the 71st digit, or the row is left out."""
import random

import mpmath as mp

mp.mp.dps = 140
random.seed(20261130)
DIGITS = 70
U = random.uniform


def text(x):
    """As ct_number_text writes a decimal."""
    x = mp.mpf(x)
    if mp.isnan(x):
        return "nan"
    if mp.isinf(x):
        return "inf" if x > 0 else "-inf"
    if x == 0:
        return "0"
    sign, size = "-" if x < 0 else "", abs(x)
    exponent = int(mp.floor(mp.log10(size)))
    scaled = size * mp.mpf(10) ** (DIGITS - 1 - exponent)
    digits = int(mp.nint(scaled))
    if abs(abs(scaled - mp.floor(scaled)) - mp.mpf("0.5")) < mp.mpf("1e-5"):
        return None
    digits = str(digits)
    exponent += len(digits) - DIGITS
    digits = digits.rstrip("0")
    if exponent < -5 or exponent >= 21:
        rest = "." + digits[1:] if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{rest}e{exponent:+d}"
    if exponent < 0:
        return sign + "0." + "0" * (-exponent - 1) + digits
    if exponent + 1 >= len(digits):
        return sign + digits + "0" * (exponent + 1 - len(digits))
    return sign + digits[:exponent + 1] + "." + digits[exponent + 1:]


def operand(x):
    return f"{x.real.hex()},{x.imag.hex()}" if isinstance(x, complex) else float(x).hex()


def exact(x):
    return mp.mpc(x) if isinstance(x, complex) else mp.mpf(x)


def row(name, f, *x):
    value = f(*[exact(v) for v in x])
    if isinstance(x[0], complex):
        parts = [text(mp.re(value)), text(mp.im(value))]
    else:
        parts = [text(value)]
    if None not in parts:
        print(name, ";".join(operand(v) for v in x), ",".join(parts))


def reals(n, lo, hi):
    return [U(lo, hi) for _ in range(n)] + [U(-1, 1) * 10.0 ** U(-12, 0) * min(hi, 1) for _ in range(3)]


def bessel_i1e(x):
    return mp.besseli(1, x) * mp.exp(-abs(x))


def zeta(s, q):
    with mp.workdps(700):
        return +mp.zeta(s, q) if q > 0 else +negative_zeta(s, q)


def negative_zeta(s, q):
    n = int(mp.ceil(-q))
    return sum((q + k) ** -s for k in range(n)) + mp.zeta(s, q + n)


def polygamma(n, x):
    n = int(n)
    return mp.digamma(x) if n == 0 else (-1) ** (n + 1) * mp.factorial(n) * zeta(mp.mpf(n + 1), x)


def erf_inv(y):
    with mp.workdps(400):
        return +mp.erfinv(y)


def remainder(x, y):
    """Of C: x - y trunc(x / y)."""
    return x - y * mp.sign(x) * mp.sign(y) * mp.floor(abs(x / y))


def wide(f):
    def g(*x):
        with mp.workdps(700):
            return +f(*x)
    return g


ONE = [
    ("stablehlo.exponential", mp.exp, (-700, 700)), ("stablehlo.exponential_minus_one", wide(mp.expm1), (-40, 40)),
    ("stablehlo.log", mp.log, (0.001, 1e10)), ("stablehlo.log_plus_one", wide(mp.log1p), (-0.99, 100)),
    ("stablehlo.logistic", wide(lambda x: 1 / (1 + mp.exp(-x))), (-300, 300)),
    ("stablehlo.sine", mp.sin, (-1e6, 1e6)), ("stablehlo.cosine", mp.cos, (-1e6, 1e6)),
    ("stablehlo.tan", mp.tan, (-100, 100)), ("stablehlo.tanh", wide(mp.tanh), (-30, 30)),
    ("stablehlo.sqrt", mp.sqrt, (0, 1e10)), ("stablehlo.rsqrt", lambda x: 1 / mp.sqrt(x), (1e-3, 1e10)),
    ("stablehlo.cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), (-1e6, 1e6)),
    ("chlo.erf", wide(mp.erf), (-6, 6)), ("chlo.erfc", wide(mp.erfc), (-6, 26)),
    ("chlo.erf_inv", erf_inv, (-1, 1)), ("chlo.lgamma", wide(lambda x: mp.log(abs(mp.gamma(x)))), (-20.5, 170)),
    ("chlo.digamma", wide(mp.digamma), (-20.5, 1e4)), ("chlo.bessel_i1e", wide(bessel_i1e), (-400, 400)),
    ("chlo.acos", wide(mp.acos), (-1, 1)), ("chlo.acosh", wide(mp.acosh), (1, 1e3)),
    ("chlo.asin", wide(mp.asin), (-1, 1)), ("chlo.asinh", wide(mp.asinh), (-1e3, 1e3)),
    ("chlo.atan", wide(mp.atan), (-1e3, 1e3)), ("chlo.atanh", wide(mp.atanh), (-1, 1)),
    ("chlo.cosh", mp.cosh, (-300, 300)), ("chlo.sinh", wide(mp.sinh), (-300, 300)),
]
COMPLEX = [
    ("stablehlo.exponential", mp.exp), ("stablehlo.exponential_minus_one", wide(mp.expm1)), ("stablehlo.log", mp.log),
    ("stablehlo.log_plus_one", wide(lambda z: mp.log(1 + z))), ("stablehlo.logistic", lambda z: 1 / (1 + mp.exp(-z))),
    ("stablehlo.sine", mp.sin), ("stablehlo.cosine", mp.cos), ("stablehlo.tan", mp.tan), ("stablehlo.tanh", mp.tanh),
    ("stablehlo.sqrt", mp.sqrt), ("stablehlo.rsqrt", lambda z: 1 / mp.sqrt(z)),
    ("stablehlo.cbrt", lambda z: mp.exp(mp.log(z) / 3)), ("stablehlo.sign", lambda z: z / abs(z)),
    ("chlo.acos", wide(mp.acos)), ("chlo.asin", wide(mp.asin)), ("chlo.atan", wide(mp.atan)),
    ("chlo.acosh", wide(mp.acosh)), ("chlo.asinh", wide(mp.asinh)), ("chlo.atanh", wide(mp.atanh)),
    ("chlo.cosh", mp.cosh), ("chlo.sinh", mp.sinh),
]

for name, f, (lo, hi) in ONE:
    for x in reals(9, lo, hi):
        if lo <= x <= hi:
            row(name, f, x)
for y in [1e-300, 0.5, 1 - 2.0**-53, -1 + 2.0**-50, 0.9999]:
    row("chlo.erf_inv", erf_inv, y)
for x in [1e-300, 150.0, 161.0, 1e4, -0.25]:
    row("chlo.bessel_i1e", wide(bessel_i1e), x)
for s, q in [(1.0000001, 0.5), (2.5, 1e-3), (3.0, 1e6), (80.25, 7.5), (700.5, 3.25), (4.0, -2.5), (5.0, -1.25), (3.0, -20.5),
             (2.0, 1.0), (13.0, 0.75)]:
    row("chlo.zeta", zeta, s, q)
for n, x in [(1.0, 0.5), (2.0, 1.5), (5.0, 30.25), (10.0, 0.125), (60.0, 100.5), (1.0, -0.75), (2.0, -3.25), (0.0, 2.5)]:
    row("chlo.polygamma", polygamma, n, x)
for y, x in [(1.0, 2.0), (-3.0, -0.1), (1e-200, 1.0), (5.0, -1e-3)]:
    row("stablehlo.atan2", mp.atan2, y, x)
for x, y in [(2.5, 3.25), (0.1, -200.5), (1.0000001, 1e6), (-2.0, 5.0), (7.0, 1e-9)]:
    row("stablehlo.power", mp.power, x, y)
for x, y in [(7.5, 2.1), (-1e10, 3.3), (1e200, 1.7)]:
    row("stablehlo.remainder", wide(remainder), x, y)
for name, f in COMPLEX:
    for _ in range(6):
        row(name, f, complex(U(-3, 3), U(-3, 3)))
    row(name, f, complex(U(-1, 1) * 1e-9, U(-1, 1) * 1e-7))
for _ in range(4):
    z, w = complex(U(-3, 3), U(-3, 3)), complex(U(-3, 3), U(-3, 3))
    row("stablehlo.multiply", lambda a, b: a * b, z, w)
    row("stablehlo.divide", lambda a, b: a / b, z, w)
    row("stablehlo.power", mp.power, z, w)
