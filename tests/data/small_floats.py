#!/usr/bin/env python3
"""Floats of 4, 6 and 8 bits by ml_dtypes: small_floats.txt, which tests/test_small_float.c reads.

usage: small_floats.py > small_floats.txt     (needs numpy and ml_dtypes)

Of each format, a line each, codes as two hexadecimal digits:

    NAME values     every code's value, as hexadecimal floats
    NAME rounded    codes of numbers: between any two neighbouring magnitudes, and between the
                    largest and the one that would be next, the f32 just below the middle, the
                    middle, the f32 just above; then of infinity, of the largest and the smallest
                    f32; then of the same numbers negated
    NAME OPERATION  the codes of f(x) for every code x
    NAME OPERATION  the CRC-32 of the codes of f(x, y) for every x and, quickest, every y; a NaN
                    counts as FF

ml_dtypes computes in f32. For f8E8M0FNU, which reaches down into f32's subnormals, that is mended:
what is above 0 goes to the nearest value, also next to 2^-127 and below.
"""
import zlib

import ml_dtypes
import numpy as np

FORMATS = {
    "f4E2M1FN": ("float4_e2m1fn", 4), "f6E2M3FN": ("float6_e2m3fn", 6),
    "f6E3M2FN": ("float6_e3m2fn", 6), "f8E3M4": ("float8_e3m4", 8),
    "f8E4M3": ("float8_e4m3", 8), "f8E4M3FN": ("float8_e4m3fn", 8),
    "f8E4M3FNUZ": ("float8_e4m3fnuz", 8), "f8E4M3B11FNUZ": ("float8_e4m3b11fnuz", 8),
    "f8E5M2": ("float8_e5m2", 8), "f8E5M2FNUZ": ("float8_e5m2fnuz", 8),
    "f8E8M0FNU": ("float8_e8m0fnu", 8),
}
UNARY = {"negate": np.negative, "abs": np.abs, "floor": np.floor, "ceil": np.ceil,
         "round_nearest_even": np.rint, "sqrt": np.sqrt, "cbrt": np.cbrt, "exponential": np.exp,
         "log": np.log, "tanh": np.tanh, "sine": np.sin}
BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}


def codes(x, nan):
    code = x.view(np.uint8).copy()
    if nan is not None:
        code[np.isnan(x.astype(np.float64))] = nan
    return code


def mended(code, dtype, exact):
    if dtype == ml_dtypes.float8_e8m0fnu:
        code[(exact > 0) & (exact < 1.5 * 2.0**-127)] = 0
    return code


def text(code):
    return code.tobytes().hex().upper()


def numbers(values):
    """As the lines "rounded" say."""
    finite = sorted({float(v) for v in values if np.isfinite(v) and v >= 0})
    binades_only = finite[0] > 0
    beyond = 2 * finite[-1] if binades_only else finite[-1] + (finite[-1] - finite[-2])
    x = []
    for low, high in zip(finite, finite[1:] + [beyond]):
        middle = np.float32((low + high) / 2)
        x += [np.nextafter(middle, np.float32(0)), middle, np.nextafter(middle, np.float32(np.inf))]
    x = np.array(x + [np.inf, np.finfo(np.float32).max, 2.0**-149], np.float32)
    return np.concatenate([x, -x])


def main():
    np.seterr(all="ignore")
    for name, (dtype, bits) in FORMATS.items():
        dtype = np.dtype(getattr(ml_dtypes, dtype))
        every = np.arange(2**bits, dtype=np.uint8).view(dtype)
        values = every.astype(np.float64)
        print(name, "values", *("nan" if np.isnan(v) else float(v).hex() for v in values))
        x = numbers(values)
        print(name, "rounded", text(mended(codes(x.astype(dtype), 255), dtype, x)))
        for operation, f in UNARY.items():
            print(name, operation, text(codes(f(every), 255)))
        for operation, f in BINARY.items():
            code = codes(f(every[:, None], every[None, :]), 255)
            code = mended(code, dtype, f(values[:, None], values[None, :]))
            print(name, operation, "%08X" % zlib.crc32(code.tobytes()))


main()
