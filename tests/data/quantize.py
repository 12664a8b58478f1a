"""The numbers in tests/test_quantize.c: quantizing and back, each step rounded by NumPy."""

import ml_dtypes
import numpy as np

RANGE = {"i4": (-8, 7), "u8": (0, 255), "i8": (-128, 127), "i16": (-32768, 32767),
         "i32": (-(2**31), 2**31 - 1)}
X = [0, 0.05, 0.15, -0.25, 1 / 3, -1 / 3, 12.7, -12.8, 1e6, -1e6, np.nan, np.inf, -np.inf]


def quantize(x, real, scale, zero_point, low, high):
    q = (x.astype(real) / real(scale)).astype(real)
    q = (q + real(zero_point)).astype(real).astype(np.float64)
    q = np.where(np.isnan(q), 0, np.clip(np.rint(q), low, high))
    return q.astype(np.int64)


def dequantize(q, real, scale, zero_point):
    return ((q - zero_point).astype(real) * real(scale)).astype(real).astype(np.float64)


with np.errstate(all="ignore"):
    for storage, real, scale, zero_point in [("i8", np.float32, 0.1, -30),
                                             ("u8", np.float32, 0.3, 7),
                                             ("i4", np.float32, 0.5, 1),
                                             ("i16", np.float64, 0.001, 100),
                                             ("i32", np.float32, 0.001, -5),
                                             ("i8", np.float16, 0.1, -30),
                                             ("i8", ml_dtypes.bfloat16, 0.1, -30)]:
        q = quantize(np.array(X, np.float64), real, scale, zero_point, *RANGE[storage])
        print(storage, real.__name__, scale, zero_point)
        print("  {" + ", ".join(str(v) for v in q) + "}")
        print("  {" + ", ".join(repr(float(v)) for v in dequantize(q, real, scale, zero_point)) + "}")
