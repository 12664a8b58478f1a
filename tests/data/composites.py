"""Writes composites.txt: what NumPy gives for the composites, for tests/test_composites.c.

    python3 tests/data/composites.py > tests/data/composites.txt      (made with NumPy 2.4)

After a first line that names this script, a case is a line "case NAME LIST…", lines "in DTYPE EXTENTS HEX", a line "out DTYPE EXTENTS BOUND FLOOR
HEX", and an empty line. A list is "all" or whole numbers with commas between them; "-" stands for an
empty list and for no bytes. HEX is little-endian. A result may differ from the one here by BOUND units
of its last place, or of the last place of FLOOR if that is larger; with bound 0 not even in the sign
of a zero.

Where a bound is not 0, NumPy computes in 80 bits and the result is rounded once.
"""

import itertools
import warnings

import numpy as np

F = ("f16", "bf16", "f32", "f64")
I = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
C = ("c64", "c128")
DTYPES = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
          "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16,
          "bf16": np.float32, "f32": np.float32, "f64": np.float64, "c64": np.complex64,
          "c128": np.complex128}
nan, inf = np.nan, np.inf
rng = np.random.default_rng(7)


class T:
    """An array with its dtype's name; bf16 is kept in float32."""

    def __init__(self, dtype, values, shape=None):
        a = np.asarray(values)
        if dtype == "bf16":
            a = bf16_bits(a.astype(np.float64) if a.dtype.kind != "f" else a)
            a = (a.astype(np.uint32) << 16).view(np.float32)
        a = np.asarray(a).astype(DTYPES[dtype])
        self.dtype, self.a = dtype, a if shape is None else a.reshape(shape)

    def bytes(self):
        if self.dtype == "bf16":
            return (np.ascontiguousarray(self.a).view(np.uint32) >> 16).astype(np.uint16).tobytes()
        return self.a.tobytes()

    def wide(self):
        return self.a.astype(np.longdouble) if self.dtype in F else self.a


def bf16_bits(a):
    """To the nearest bf16, ties to even; from float64 or wider by way of an odd-rounded float32."""
    f = np.asarray(a).astype(np.float32)
    low = np.where(np.abs(f.astype(np.longdouble)) > np.abs(a), np.nextafter(f, np.float32(0)), f)
    bits = np.atleast_1d(low.astype(np.float32)).view(np.uint32).reshape(f.shape)
    inexact = (low != a) & np.isfinite(low)
    bits = bits | inexact.astype(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(f), 0x7FC0, rounded).astype(np.uint16)


def numbers(values):
    if values == "all":
        return "all"
    values = values if isinstance(values, (tuple, list)) else (values,)
    return ",".join(str(v) for v in values) or "-"


def case(name, lists, ins, result, dtype, bound=0, floor=0):
    y = T(dtype, result)
    print("case", name, *(numbers(v) for v in lists))
    for x in ins:
        print("in", x.dtype, numbers(x.a.shape), x.bytes().hex() or "-")
    print("out", y.dtype, numbers(y.a.shape), bound, floor, y.bytes().hex() or "-")
    print()


def same(f, name, lists, *ins, dtype=None):
    """Exactly what f gives in the dtype itself."""
    case(name, lists, ins, f(*(x.a for x in ins)), dtype or ins[0].dtype)


def near(f, bound, name, lists, *ins, floor=0):
    """f in 80 bits."""
    case(name, lists, ins, f(*(x.wide() for x in ins)), ins[0].dtype, bound, floor)


def coded(dtype, *shape):
    """x[i][j] = 10 i + j, as tests/values.h has it; smaller where the dtype is."""
    a = np.zeros(shape)
    for axis, n in enumerate(shape):
        index = np.arange(n).reshape([-1 if d == axis else 1 for d in range(len(shape))])
        a = a + index * 10 ** (len(shape) - 1 - axis)
    return T(dtype, a % 2 if dtype == "bool" else a % 100)


def normal(dtype, *shape):
    return T(dtype, rng.normal(size=shape) * 3)


# ---- Elementwise.

SPECIAL = [nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, 3.0, -7.0, 100.0, -100.0, 0.001,
           1e4]


def limits(dtype):
    top = {"f16": 65504.0, "bf16": 3.38e38, "f32": 3.4e38, "f64": 1.7e308}[dtype]
    tiny = {"f16": 2.0**-24, "bf16": 2.0**-126, "f32": 2.0**-149, "f64": 5e-324}[dtype]
    return [top, -top, tiny, -tiny]


def pairs(dtype, values):
    return T(dtype, np.repeat(values, len(values))), T(dtype, np.tile(values, len(values)))


def integer_pairs(dtype):
    info = np.iinfo(DTYPES[dtype])
    values = np.array(sorted({info.min, info.max, 0, 1, 2, 3, 5, 7, 100} |
                             ({-1, -2, -3, -7, -100} if info.min < 0 else set())), object)
    return (T(dtype, np.repeat(values, len(values)).astype(DTYPES[dtype])),
            T(dtype, np.tile(values, len(values)).astype(DTYPES[dtype])))


def division():
    for dtype in F:
        x, y = pairs(dtype, SPECIAL + limits(dtype))
        same(lambda a, b: np.mod(a, b), "mod", [], x, y)
        same(lambda a, b: np.floor_divide(a, b), "floor_divide", [], x, y)
    for dtype in I:
        x, y = integer_pairs(dtype)
        same(np.mod, "mod", [], x, y)
        same(np.floor_divide, "floor_divide", [], x, y)


def two_numbers():
    for dtype in F:
        x, y = pairs(dtype, SPECIAL + limits(dtype))
        near(np.hypot, 2, "hypot", [], x, y)
        near(np.logaddexp, 2, "logaddexp", [], x, y, floor=1)
    # as large and as small as results can be
    x, y = T("f64", [3e200, 3e-200, 3e307, 1e-320, 1e308]), T("f64", [4e200, 4e-200, 4e307, 1e-320, 1])
    near(np.hypot, 2, "hypot", [], x, y)
    x, y = T("f32", [3e30, 3e-30, 3e37, 2e-45, 1e-38]), T("f32", [4e30, 4e-30, 4e37, 2e-45, 1e-39])
    near(np.hypot, 2, "hypot", [], x, y)
    x, y = T("f64", [0, -40, -700, 800, -0.6931471805599453]), T("f64", [-40, 0, -701, 801, -5])
    near(np.logaddexp, 2, "logaddexp", [], x, y)


def broadcasting():
    shapes = [((2, 1), (3,)), ((3,), (2, 1)), ((), (2, 3)), ((2, 3), ()), ((), ()), ((1,), (4,)),
              ((2, 1, 4), (3, 1)), ((0, 3), (1, 3)), ((2, 0), (1,)), ((0,), ()), ((1, 1), (1,))]
    functions = [("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("rem", np.fmod),
                 ("mod", np.mod), ("floor_divide", np.floor_divide), ("maximum", np.maximum),
                 ("minimum", np.minimum)]
    for name, f in functions:
        for a, b in shapes:
            for dtype in ("i32", "f32", "u8", "f16"):
                values = [rng.integers(1, 9, size=s) for s in (a, b)]
                same(f, name, [], T(dtype, values[0]), T(dtype, values[1]))
    for name, f in [("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("le", np.less_equal),
                    ("gt", np.greater), ("ge", np.greater_equal)]:
        for a, b in shapes:
            values = [rng.integers(0, 3, size=s) for s in (a, b)]
            same(f, name, [], T("i8", values[0]), T("i8", values[1]), dtype="bool")
        for dtype in F:
            same(f, name, [], *pairs(dtype, SPECIAL[:8]), dtype="bool")
    for name, f, bound in [("div", np.divide, 1), ("pow", np.power, 2), ("atan2", np.arctan2, 2),
                           ("hypot", np.hypot, 2), ("logaddexp", np.logaddexp, 2)]:
        for a, b in shapes:
            for dtype in F:
                values = [rng.integers(1, 9, size=s) / 4 for s in (a, b)]
                near(f, bound, name, [], T(dtype, values[0]), T(dtype, values[1]))


def silu(x):
    return np.where(x == -inf, 0, x / (1 + np.exp(-np.where(x == -inf, 0, x))))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def one_number():
    near_functions = [("exp", np.exp), ("expm1", np.expm1), ("log", np.log), ("log1p", np.log1p),
                      ("sqrt", np.sqrt), ("cbrt", np.cbrt), ("sin", np.sin), ("cos", np.cos),
                      ("tan", np.tan), ("tanh", np.tanh), ("sigmoid", sigmoid), ("exp2", np.exp2),
                      ("log2", np.log2), ("log10", np.log10), ("silu", silu),
                      ("softplus", softplus)]
    for dtype in F:
        x = T(dtype, SPECIAL + limits(dtype))
        for name, f in near_functions:
            values = x
            if name in ("sin", "cos", "tan"):  # 80 bits are too few for huge arguments
                values = T(dtype, SPECIAL)
            floor = 0
            if name in ("sigmoid", "silu"):  # defined by its steps, of which e^-x overflows
                floor = 0.01 if dtype == "f16" else 1e-25 if dtype != "f64" else 1e-280
            near(f, 2, name, [], values, floor=floor)
            near(f, 2, name, [], T(dtype, rng.normal(size=(3, 5)) * 4))
            near(f, 2, name, [], T(dtype, 0.75))
            near(f, 2, name, [], T(dtype, np.zeros((2, 0))))
        for name, f in [("trunc", np.trunc), ("floor", np.floor), ("ceil", np.ceil),
                        ("round", np.rint), ("abs", np.abs), ("neg", np.negative),
                        ("square", np.square), ("sign", np.sign)]:
            if name in ("square", "sign"):  # NumPy's sign makes -0 a 0
                near(f, 1, name, [], x)
            else:
                same(f, name, [], x)
        for name, f in [("is_nan", np.isnan), ("is_inf", np.isinf), ("is_finite", np.isfinite)]:
            same(f, name, [], x, dtype="bool")
            same(f, name, [], T(dtype, np.zeros((0, 2))), dtype="bool")
            same(f, name, [], T(dtype, inf), dtype="bool")
    # powers are exact
    for dtype, low, high in (("f16", -14, 15), ("f32", -126, 127), ("f64", -1022, 1023)):
        powers = 2.0 ** np.arange(low, high + 1, 5)
        same(lambda a: np.round(np.log2(a.astype(np.longdouble))), "log2", [], T(dtype, powers))
        same(lambda a: np.exp2(a.astype(np.longdouble)), "exp2", [],
             T(dtype, np.arange(low, high + 1, 5)))
    for dtype, last in (("f16", 4), ("f32", 10), ("f64", 22)):
        same(lambda a: np.arange(last + 1), "log10", [], T(dtype, 10.0 ** np.arange(last + 1)))
    x = T("f64", [5e-324, 1e-310, 2.3e-308, 1e-300, 1e300, 1.7e308, 0.999999, 1.000001])
    near(np.log2, 2, "log2", [], x)
    near(np.log10, 2, "log10", [], x)
    x = T("f32", [1e-45, 1e-40, 1.2e-38, 1e-30, 1e30, 3.4e38, 0.9999, 1.0001])
    near(np.log2, 2, "log2", [], x)
    near(np.log10, 2, "log10", [], x)


def choosing():
    for dtype in ("bool",) + I + F + C:
        p, x, y = T("bool", [[1], [0]]), coded(dtype, 3), coded(dtype, 2, 3)
        same(np.where, "where", [], p, x, y, dtype=dtype)
        same(np.where, "where", [], T("bool", True), x, y, dtype=dtype)
    for dtype in I + F:
        same(np.clip, "clip", [], coded(dtype, 2, 5), T(dtype, 3), T(dtype, [5, 6, 7, 8, 9]))


# ---- Reductions.

AXES = {(): [(), "all"], (5,): [(), (0,), (-1,), "all"], (1,): [(0,), "all"], (0,): [(0,), ()],
        (2, 3, 4): [(), (0,), (1,), (-1,), (0, 2), (-1, 0), (2, 1), (0, 1, 2), "all"],
        (2, 0, 3): [(), (0,), (1,), (2,), (0, 2), "all"], (1, 3, 1): [(0,), (0, 2), (1,), "all"]}


def numpy_axes(axes):
    return None if axes == "all" else axes


def over_axes(f, name, dtypes, bound, floor=0, more=(), keeps=(0, 1), empty=True, values=normal):
    dtypes = itertools.cycle(dtypes)
    for shape, lists in AXES.items():
        for axes in lists:
            for keep in keeps:
                dtype = next(dtypes)
                x = values(dtype, *shape)
                if not empty and x.a.size == 0:
                    continue
                y = f(x.wide() if bound else x.a, axis=numpy_axes(axes), keepdims=bool(keep))
                case(name, [axes, keep, *more], [x], y, dtype, bound, floor)


def whole(dtype, *shape):
    a = rng.integers(1, 10, size=shape)
    return T(dtype, a if dtype[0] == "u" else a * rng.choice([-1, 1], size=shape))


def reductions():
    over_axes(lambda a, axis, keepdims: np.sum(a, axis=axis, keepdims=keepdims, dtype=a.dtype), "sum",
              ("i8", "i32", "i64", "u8", "u64"), 0, values=whole)
    over_axes(np.sum, "sum", F, 4, 20)
    over_axes(np.mean, "mean", F, 4, 10)
    over_axes(np.max, "max", F + ("i16", "u32"), 0, empty=False, values=whole)
    over_axes(np.min, "min", F + ("i16", "u32"), 0, empty=False, values=whole)
    over_axes(np.var, "var", F, 4, 1, more=(0,))
    over_axes(lambda a, **k: np.var(a, ddof=1, **k), "var", F, 4, 1, more=(1,))
    over_axes(np.std, "std", F, 4, 1, more=(0,))
    over_axes(lambda a, **k: np.std(a, ddof=2, **k), "std", F, 4, 1, more=(2,))
    over_axes(lambda a, axis, keepdims: np.sqrt(np.sum(a * a, axis=axis, keepdims=keepdims)), "norm",
              F, 4)
    over_axes(logsumexp, "logsumexp", F, 4, 4, empty=False)
    over_axes(softmax, "softmax", F, 4, 0.01, keeps=(1,), empty=False)
    over_axes(lambda a, **k: a - logsumexp(a, **k), "log_softmax", F, 4, 16, keeps=(1,), empty=False)


def logsumexp(a, axis, keepdims):
    return np.log(np.sum(np.exp(a), axis=axis, keepdims=keepdims))


def softmax(a, axis, keepdims):
    return np.exp(a) / np.sum(np.exp(a), axis=axis, keepdims=True)


def hard_reductions():
    """A mean far from 0, equal elements, sizes near the limits, infinities."""
    def var(x, bound=4):
        near(np.var, bound, "var", ["all", 0, 0], x)
        near(np.std, bound, "std", ["all", 0, 0], x)
    var(T("f32", 1e6 + np.arange(9)))
    var(T("f32", 1.6e7 + 2.0 * np.arange(9)))
    var(T("f64", 1e15 + np.arange(9)))
    var(T("f64", np.full(7, 0.1)))
    var(T("f32", np.full((3, 5), 1 / 3)))
    var(T("bf16", np.full(300, 1.1)))
    var(T("f16", [200, -200, 100]))
    var(T("f64", [1.7e308, 1.7e308]))
    var(T("f64", [inf, 1, 2]))
    var(T("f64", [nan, 1, 2]))
    for x in (T("f64", [3e200, 4e200]), T("f64", [3e-200, 4e-200]), T("f64", [1e-320, 1e-320]),
              T("f64", [1.2e308, 1.2e308]), T("f64", [1.7e308, 1.7e308]), T("f64", [5e-324]),
              T("f32", [3e30, 4e30, -1]), T("f32", [3e-30, 4e-30]), T("f32", [1e-45, 0]),
              T("f32", [2e38, 2e38]), T("bf16", [3e30, 4e30]), T("f16", [6e4, 1e4]),
              T("f64", [0, 0, 0.0]), T("f64", [-inf, 2]), T("f64", [inf, nan]), T("f64", [nan, 2]),
              T("f64", [1e200, 1e-200, 3]), T("f32", np.full(20, 1e-30))):
        near(lambda a: np.sqrt(np.sum(a * a)), 4, "norm", ["all", 0], x)


# ---- Shapes.

MOVES = ("bool", "i8", "u16", "bf16", "f32", "c64")


def moves(f, name, lists, *shape, dtypes=MOVES):
    for dtype in dtypes:
        same(f, name, lists, coded(dtype, *shape))


def shapes():
    moves(lambda a: a.reshape(4, -1), "reshape", [(4, -1)], 2, 3, 4)
    moves(lambda a: a.reshape(()), "reshape", [()], 1, 1)
    moves(lambda a: a.reshape(0, 5), "reshape", [(0, 5)], 2, 0)
    moves(lambda a: a.transpose(2, 0, 1), "transpose", [(2, 0, -2)], 2, 3, 4)
    moves(np.transpose, "transpose", ["all"], 2, 3, 4)
    for a, b in ((0, 2), (-1, 1), (1, 1), (-3, -2)):
        moves(lambda x: np.swapaxes(x, a, b), "swapaxes", [a, b], 2, 3, 4)
    moves(lambda x: np.swapaxes(x, 0, 1), "swapaxes", [0, 1], 2, 0)
    for source, destination in (((0,), (2,)), ((0,), (-1,)), ((2, 0), (0, 3)), ((1, 3), (-1, 0)),
                                ((), ()), ((0, 1, 2, 3), (3, 2, 1, 0)), ((3, 1, 0), (0, 1, 2))):
        moves(lambda x: np.moveaxis(x, source, destination), "moveaxis", [source, destination],
              2, 3, 4, 5, dtypes=("i32", "f32"))
    moves(lambda a: a.squeeze((0, 2)), "squeeze", [(0, -1)], 1, 3, 1)
    moves(np.squeeze, "squeeze", ["all"], 1, 3, 1)
    moves(lambda a: np.expand_dims(a, (0, -1)), "expand_dims", [(0, -1)], 2, 3)
    moves(lambda a: np.broadcast_to(a, (4, 2, 3)), "broadcast_to", [(4, 2, 3)], 2, 1)
    moves(lambda a: np.flip(a, (0, 2)), "flip", [(0, -1)], 2, 3, 4)
    moves(np.flip, "flip", ["all"], 2, 3, 4)
    for dtype in MOVES:
        same(lambda a, v: np.pad(a, ((1, 2), (0, 3)), constant_values=v), "pad", [(1, 0), (2, 3)],
             coded(dtype, 2, 3), T(dtype, 1))
        x, y = coded(dtype, 2, 3), T(dtype, 1 - coded(dtype, 2, 3).a.astype(np.int8) % 2)
        same(lambda a, b: np.stack((a, b), -1), "stack", [-1], x, y)
        same(lambda a, b: np.concatenate((a, b), 1), "concatenate", [-1], x, y)


def parts():
    for n, axis in ((3, 1), (2, 0), (1, -1), (4, 2)):
        for i in range(n):
            moves(lambda a: np.split(a, n, axis)[i], "split", [n, axis, i], 2, 3, 4,
                  dtypes=("bool", "f32", "c64"))
    moves(lambda a: np.split(a, 5, 1)[3], "split", [5, 1, 3], 2, 0, 3)
    for at, axis in (((1, 3), 2), ((2, -1), -1), ((0, 0, 4), 2), ((), 0), ((1,), 0), ((-4,), 2)):
        for i in range(len(at) + 1):
            moves(lambda a: np.split(a, at, axis)[i], "split_positions", [at, axis, i], 2, 3, 4,
                  dtypes=("i16", "f64"))


def repeating():
    for n in ((2,), (2, 3), (1, 1), (3, 1, 2), (2, 1, 2, 1), (), (0,), (2, 0), (0, 2, 2), (1,)):
        moves(lambda a: np.tile(a, n), "tile", [n], 2, 3)
        moves(lambda a: np.tile(a, n), "tile", [n], dtypes=("i32",))
        moves(lambda a: np.tile(a, n), "tile", [n], 2, 0, dtypes=("i32",))
        moves(lambda a: np.tile(a, n), "tile", [n], 1, dtypes=("i32",))
    for n, axis in ((2, 0), (3, 1), (1, -1), (0, 1), (4, -3)):
        moves(lambda a: np.repeat(a, n, axis), "repeat", [n, axis], 2, 3, 4)
        moves(lambda a: np.repeat(a, n, axis), "repeat", [n, axis], 2, 0, 1, dtypes=("f32",))


def rolling():
    for shifts, axes in (((1,), (0,)), ((-1,), (1,)), ((7, -5), (2, 0)), ((4,), (-1,)), ((1,), "all"),
                         ((1, 2, 3), (0, 1, 2)), ((2**40, -(2**40) - 1), (1, 2)), ((), ()),
                         ((1,), ()), ((5,), (0, 1))):
        def f(a):
            over = tuple(range(a.ndim)) if axes == "all" else axes
            both = shifts * len(over) if len(shifts) == 1 else shifts
            return np.roll(a, both, over)
        moves(f, "roll", [shifts, axes], 2, 3, 4)
        moves(f, "roll", [shifts, axes], 1, 0, 3, dtypes=("f32",))


def triangles():
    for k in (0, 1, -1, 2, -2, 5, -5, 2**62, -2**62):
        for shape in ((3, 4), (4, 3), (2, 3, 3), (1, 1), (0, 3), (3, 0)):
            moves(lambda a: np.tril(a, k), "tril", [k], *shape, dtypes=("bool", "i8", "f32", "c64"))
            moves(lambda a: np.triu(a, k), "triu", [k], *shape, dtypes=("bool", "u64", "f16", "c128"))
    for k in (0, 1, -1, 2, -3, 4, -5):
        for shape in ((3,), (1,), (0,), (3, 4), (4, 2), (1, 1), (0, 3), (3, 0)):
            moves(lambda a: np.diag(a, k), "diag", [k], *shape)


# ---- Indexing.

def indices(dtype, *shape, dim, out=True):
    low = 0 if dtype[0] == "u" else -dim
    return T(dtype, rng.integers(low, dim if not out else dim + 1, size=shape))


def resolve(i, dim, wrap):
    i = i.astype(np.int64)
    if wrap:
        i = np.where(i < 0, i + dim, i)
    return np.clip(i, 0, dim - 1)


def put(x, i, update, axis, mode, adds):
    axis %= x.ndim
    y, dim = x.copy(), x.shape[axis]
    i = np.broadcast_to(i, [n if d == axis else x.shape[d] for d, n in enumerate(i.shape)])
    update = np.broadcast_to(update, i.shape)
    for at in np.ndindex(*i.shape):
        k = int(i[at])
        if mode == "skip" and not 0 <= k < dim:
            continue
        to = list(at)
        to[axis] = int(resolve(np.array(k), dim, mode == "wrap"))
        y[tuple(to)] = y[tuple(to)] + update[at] if adds else update[at]
    return y


MODES = {"clamp": 0, "wrap": 1, "strict": 2, "fill": 3, "skip": 4}


def indexing():
    for dtype in ("i8", "i32", "i64", "u8", "u64"):
        x = coded("f32", 3, 4, 2)
        for axis in (0, 1, -1):
            i = indices(dtype, 2, 3, dim=x.a.shape[axis])
            for mode in ("clamp", "wrap"):
                r = resolve(i.a, x.a.shape[axis], mode == "wrap")
                case("take", [axis, MODES[mode]], [x, i], np.take(x.a, r, axis), "f32")
        x, i = coded("i16", 3, 4), indices(dtype, 3, 2, dim=4)
        for mode in ("clamp", "wrap"):
            r = resolve(i.a, 4, mode == "wrap")
            case("take_along_axis", [1, MODES[mode]], [x, i], np.take_along_axis(x.a, r, 1), "i16")
        i = indices(dtype, 2, 2, dim=6)
        hot = (i.a[..., None].astype(object) == np.arange(6)).astype(np.float32)
        case("one_hot", [6], [i], hot, "f32")


def numpy_put(x, i, update, axis):
    y = x.copy()
    np.put_along_axis(y, i, update, axis)
    return y


def putting():
    for dtype in ("i8", "i32", "u8", "u64"):
        for shape, index, update, axis in (((3, 4), (3, 2), (3, 2), 1), ((3, 4), (3, 2), (2,), -1),
                                           ((3, 4), (1, 4), (), 0), ((3, 4, 2), (3, 3, 1), (3, 3, 2), 1),
                                           ((5,), (3,), (1,), 0), ((3, 4), (3, 0), (1,), 1),
                                           ((0, 4), (0, 2), (2,), 1), ((2, 3), (1, 5), (2, 1), 1)):
            x, u = coded("f32", *shape), T("f32", -1 - np.arange(np.prod(update, dtype=int)), update)
            i = indices(dtype, *index, dim=shape[axis])
            for mode in ("clamp", "wrap", "skip"):
                for name, adds in (("put_along_axis", False), ("add_along_axis", True)):
                    y = put(x.a, i.a, u.a, axis, mode, adds)
                    case(name, [axis, MODES[mode]], [x, i, u], y, "f32")
            i = T(dtype, np.abs(indices(dtype, *index, dim=shape[axis], out=False).a.astype(int))
                  % shape[axis])
            case("put_along_axis", [axis, MODES["strict"]], [x, i, u],
                 numpy_put(x.a, i.a.astype(np.int64), u.a, axis), "f32")
    for dtype in ("bool",) + I + F + C:
        x, i, u = coded(dtype, 2, 3), T("i32", [[2], [0]]), T(dtype, [[1], [0]])
        case("put_along_axis", [1, 0], [x, i, u], numpy_put(x.a, i.a, u.a, 1), dtype)
        case("add_along_axis", [1, 0], [x, i, u], put(x.a, i.a, u.a, 1, "clamp", True), dtype)


# ---- Products.

def products():
    numbers_of = ("i8", "i32", "u16", "f16", "bf16", "f32", "f64")
    for dtype in numbers_of:
        for a, b in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((), (3,)),
                     ((2, 3), ()), ((), ()), ((2, 4, 3), (5, 3, 2)), ((0, 3), (3, 2)),
                     ((2, 0), (0, 3)), ((3,), (2, 3, 4)), ((1, 1), (1, 1))):
            same(np.dot, "dot", [], whole(dtype, *a), whole(dtype, *b))
        for a, b in (((3,), (4,)), ((2, 3), (4,)), ((), (3,)), ((0,), (3,)), ((2, 2), (3, 2))):
            same(np.outer, "outer", [], whole(dtype, *a), whole(dtype, *b))
        for a, b in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)),
                     ((5, 2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((5, 1, 2, 3), (6, 3, 4)),
                     ((3,), (2, 3, 4)), ((0, 3), (3, 2)), ((2, 0), (0, 3))):
            same(np.matmul, "matmul", [], whole(dtype, *a), whole(dtype, *b))
        for a, b, n in (((2, 3), (4, 5), 0), ((2, 3), (3, 4), 1), ((2, 3, 4), (3, 4, 5), 2),
                        ((2, 3), (2, 3), 2), ((), (), 0), ((2, 0), (0, 3), 1)):
            same(lambda x, y: np.tensordot(x, y, n), "tensordot", [n], whole(dtype, *a),
                 whole(dtype, *b))
        for a, b, of_a, of_b in (((2, 3, 4), (4, 5, 2), (0, 2), (2, 0)), ((2, 3), (3, 2), (1,), (-2,)),
                                 ((2, 3), (4,), (), ()), ((2, 3, 4), (3, 2, 4), (2, 1), (-1, 0)),
                                 ((3, 2), (2, 3), (-1, 0), (0, 1))):
            same(lambda x, y: np.tensordot(x, y, (of_a, of_b)), "tensordot_axes", [of_a, of_b],
                 whole(dtype, *a), whole(dtype, *b))


# ---- Losses.

def log_softmax(a, axis):
    z = a - np.max(a, axis=axis, keepdims=True)
    return z - np.log(np.sum(np.exp(z), axis=axis, keepdims=True))


def losses():
    for dtype in F:
        for shape, axis in (((4, 5), 1), ((4, 5), 0), ((2, 5, 3), 1), ((5,), -1), ((2, 3, 1), -1),
                            ((0, 3), 1)):
            x = normal(dtype, *shape)
            left = [n for d, n in enumerate(shape) if d != axis % len(shape)]
            labels = T("i32", rng.integers(0, shape[axis], size=left))
            logs = log_softmax(x.wide(), axis) if x.a.size else x.wide()
            y = -np.take_along_axis(logs, np.expand_dims(labels.a, axis), axis).squeeze(axis)
            case("cross_entropy", [axis, 2], [x, labels], y, dtype, 4, 1)
            p = T(dtype, rng.integers(0, 8, size=shape) / 8)
            y = -np.sum(p.wide() * logs, axis=axis)
            case("cross_entropy_soft", [axis], [x, p], y, dtype, 8, 8)
    # large logits, and one that is as good as certain
    x, labels = T("f64", [[1000, 990, -1000], [0, 40, -800]]), T("u8", [0, 1])
    y = -np.take_along_axis(log_softmax(x.wide(), 1), labels.a[:, None], 1)[:, 0]
    case("cross_entropy", [1, 0], [x, labels], y, "f64", 4, 1)
    x, labels = T("f32", [[-inf, 0, 0], [0, -inf, -inf]]), T("i8", [1, 2])
    case("cross_entropy", [-1, 0], [x, labels], [np.log(2), inf], "f32", 4)
    x, p = T("f32", [[-inf, 0, 0], [0, -inf, -inf]]), T("f32", [[0, 1, 0], [1, 0, 0]])
    case("cross_entropy_soft", [-1], [x, p], [np.log(2), 0], "f32", 4)


def main():
    print("# Written by tests/data/composites.py.")
    warnings.simplefilter("ignore")
    with np.errstate(all="ignore"):
        for part in (division, two_numbers, broadcasting, one_number, choosing, reductions,
                     hard_reductions, shapes, parts, repeating, rolling, triangles, indexing, putting,
                     products, losses):
            part()


main()
