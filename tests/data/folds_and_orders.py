"""Writes folds_and_orders.txt: what NumPy and Python's math give for sorting, running folds,
argmax, any, all, prod, erf and gelu.

    python3 tests/data/folds_and_orders.py > tests/data/folds_and_orders.txt    (NumPy 2.4)

A case is a line

    NAME AXIS FLAG K DTYPE EXTENT… : ELEMENT… = DTYPE EXTENT… : ELEMENT…

with the operand before and the result after the "=". FLAG says descending, reverse or keep.
"""

import math

import numpy as np

DTYPES = {"bool": np.bool_, "i8": np.int8, "u64": np.uint64, "f16": np.float16, "f32": np.float32,
          "f64": np.float64}
NAMES = {np.dtype(t): name for name, t in DTYPES.items()} | {np.dtype(np.int64): "i64"}
SHAPES = [(7,), (3, 4), (2, 3, 5), (2, 0, 3), (4, 1)]
rng = np.random.default_rng(7)


def element(v):
    if not isinstance(v, float):
        return str(int(v))
    return repr(v) if v == v else "-nan" if np.signbit(v) else "nan"


def tensor(x):
    return " ".join([NAMES[x.dtype], *map(str, x.shape), ":", *map(element, x.ravel().tolist())])


def case(name, axis, flag, k, x, y):
    print(name, axis, int(flag), k, tensor(x), "=", tensor(y))


def data(dtype, shape):
    """Whole numbers with ties; floats with NaNs, infinities and zeros of both signs among them."""
    t = DTYPES[dtype]
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(t)
    x = rng.integers(0 if dtype[0] == "u" else -4, 5, shape).astype(t)
    if dtype[0] == "f" and x.size:
        odd = rng.choice([np.nan, -np.nan, np.inf, -np.inf, -0.0, 0.0, 1.5], shape)
        x = np.where(rng.random(shape) < 0.3, odd, x).astype(t)
    return x


def descending(x, axis):
    """Stable: the reverse of an ascending order of what is reversed."""
    order = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(order, axis)


def orders():
    for dtype in DTYPES:
        for shape in SHAPES:
            for axis in (*range(len(shape)), -1):
                x = data(dtype, shape)
                for flag in (False, True):
                    order = (descending(x, axis) if flag
                             else np.argsort(x, axis=axis, kind="stable"))
                    case("argsort", axis, flag, 0, x, order)
                    case("sort", axis, flag, 0, x, np.take_along_axis(x, order, axis))
            order = descending(x, -1)
            for k in sorted({0, shape[-1] // 2, shape[-1]}):
                order_k = order[..., :k]
                case("top_k_indices", -1, 0, k, x, order_k)
                case("top_k_values", -1, 0, k, x, np.take_along_axis(x, order_k, -1))


def places():
    for dtype in DTYPES:
        for shape in SHAPES:
            for axis in (*range(len(shape)), -1):
                if shape[axis] == 0:
                    continue
                x = data(dtype, shape)
                for keep in (False, True):
                    case("argmax", axis, keep, 0, x, np.argmax(x, axis, keepdims=keep))
                    case("argmin", axis, keep, 0, x, np.argmin(x, axis, keepdims=keep))


def truths():
    for dtype in DTYPES:
        for shape in SHAPES:
            for axis in (*range(len(shape)), -1):
                x = np.where(rng.random(shape) < 0.6, data(dtype, shape), 0)
                x = x.astype(DTYPES[dtype])
                case("any", axis, 0, 0, x, np.any(x, axis))
                case("all", axis, 1, 0, x, np.all(x, axis, keepdims=True))


def running(name, function, x, axis, reverse):
    """f16 is computed in f32."""
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    y = np.flip(wide, axis) if reverse else wide
    with np.errstate(all="ignore"):
        y = function(y, axis=axis, dtype=wide.dtype)
        y = (np.flip(y, axis) if reverse else y).astype(x.dtype)
    case(name, axis, reverse, 0, x, y)


def foldings():
    for dtype in DTYPES:
        for shape in SHAPES:
            for axis in (*range(len(shape)), -1):
                for reverse in (False, True):
                    x = data(dtype, shape)
                    running("cummax", np.maximum.accumulate, x, axis, reverse)
                    running("cummin", np.minimum.accumulate, x, axis, reverse)
                    if dtype == "bool":
                        continue
                    running("cumsum", np.cumsum, x, axis, reverse)
                    running("cumprod", np.cumprod, x, axis, reverse)
                    with np.errstate(all="ignore"):
                        y = np.prod(x, axis, dtype=x.dtype, keepdims=reverse)
                    case("prod", axis, reverse, 0, x, y)
    noise = (rng.standard_normal((2, 100)) * 10).astype(np.float32)
    for reverse in (False, True):
        running("cumsum", np.cumsum, noise, 1, reverse)
        running("cumprod", np.cumprod, noise / 8, 1, reverse)


def functions():
    inf, nan = math.inf, math.nan
    x = np.array([0.0, -0.0, 1e-300, 1e-8, -1e-3, 0.25, -0.5, 0.7071, 1, -1.5, 2, -2.5, 3, 3.7, -4.5,
                  5.8, -6, 12, -40, inf, -inf, nan])
    case("erf", 0, 0, 0, x, np.array([math.erf(v) for v in x]))

    def exact(v):
        return 0.0 if v == -inf else v * (1 + math.erf(v / math.sqrt(2))) / 2

    def by_tanh(v):
        if math.isinf(v):
            return max(v, 0.0)
        return v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v ** 3))) / 2

    case("gelu_exact", 0, 0, 0, x, np.array([exact(v) for v in x]))
    case("gelu_tanh", 0, 0, 0, x, np.array([by_tanh(v) for v in x]))


orders()
places()
truths()
foldings()
functions()
