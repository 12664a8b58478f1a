#!/usr/bin/env python3
"""Functions of complex numbers by mpmath: complex.txt, which tests/test_reference_complex.c reads.

usage: complex.py > complex.txt     (needs mpmath)

A line is

    OPERATION WHOLE|PARTS z [w] = value

each number two hexadecimal floats. WHOLE: the error is small beside the value's magnitude; PARTS:
beside each part. Operands lie where formulas cancel or overflow.
"""
import random

import mpmath as mp

mp.mp.prec = 2200
random.seed(3)


def flat(x):
    """The f64 nearest to x; scaled first, as mpmath's own conversion rounds subnormals twice."""
    return float(x) if abs(x) > 1e-290 or x == 0 else float(mp.nint(x * mp.mpf(2)**1074)) * 5e-324


def show(z):
    z = mp.mpc(z)
    return flat(z.real).hex() + " " + flat(z.imag).hex()


def line(name, how, f, *z):
    value = f(*(mp.mpc(v) for v in z))
    if max(abs(value.real), abs(value.imag)) < mp.mpf(1.7e308):
        print(name, how, *map(show, z), "=", show(value))


def near(size):
    return complex(random.uniform(-1, 1), random.uniform(-1, 1)) * size


def principal_power(x, y):
    return mp.exp(y * mp.log(x))


def atan2(y, x):
    return mp.mpc(0, -1) * mp.log((x + 1j * y) / mp.sqrt(x * x + y * y))


def cbrt(z):
    return abs(z) ** (mp.mpf(1) / 3) * mp.expj(mp.arg(z) / 3)


def divisions():
    for size in (1, 1e-200, 1e200, 1e-305, 1e307, 1e150):
        for other in (1, 1e-200, 1e200, 1e-305, 1e307, 1e-150):
            line("divide", "PARTS", lambda x, y: x / y, near(size), near(other))
    for _ in range(20):  # nearly parallel: the imaginary part cancels
        y = near(1)
        line("divide", "PARTS", lambda x, y: x / y, y * random.uniform(0.5, 2), y)
    line("divide", "PARTS", lambda x, y: x / y, complex(1e300, 1e-300), complex(1, 0))
    line("divide", "PARTS", lambda x, y: x / y, complex(3, 1e-300), complex(2, 0))


def unaries():
    one = {"exponential": mp.exp, "log": mp.log, "sqrt": mp.sqrt, "sine": mp.sin,
           "cosine": mp.cos, "tan": mp.tan, "tanh": mp.tanh, "cbrt": cbrt,
           "rsqrt": lambda z: 1 / mp.sqrt(z), "logistic": lambda z: 1 / (1 + mp.exp(-z)),
           "sign": lambda z: z / abs(z)}
    for name, f in one.items():
        for size in (1e-20, 1e-3, 0.5, 1, 3, 20):
            for _ in range(4):
                line(name, "WHOLE", f, near(size))
    for size in (1e-300, 1e300, 1.79e308):
        line("sign", "PARTS", one["sign"], near(size))


def near_zero():
    for size in (1e-200, 1e-12, 1e-3, 0.3, 1, 5, 50):
        for _ in range(4):
            line("exponential_minus_one", "WHOLE", mp.expm1, near(size))
            line("log_plus_one", "WHOLE", lambda z: mp.log(1 + z), near(size))
    line("exponential_minus_one", "PARTS", mp.expm1, complex(709.9, 1e-3))
    line("exponential_minus_one", "PARTS", mp.expm1, complex(715, 1e-5))
    for _ in range(30):  # |1 + z| is nearly 1, so the real part nearly 0
        angle = random.uniform(-2, 2)
        z = complex(mp.cos(angle) - 1, mp.sin(angle))
        line("log_plus_one", "PARTS", lambda z: mp.log(1 + z), z)


def pairs():
    for _ in range(20):
        line("power", "WHOLE", principal_power, near(3), near(2))
        line("atan2", "WHOLE", atan2, near(1), near(1))


divisions()
unaries()
near_zero()
pairs()
