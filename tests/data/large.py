"""Writes large.txt: what JAX and NumPy give for convolution, select_and_scatter, fft, cholesky,
triangular_solve and rng_bit_generator.

    python3 tests/data/large.py > tests/data/large.txt    (JAX 0.10, on the CPU)

A case is a line

    NAME BOUND KEY=NUMBER,… … : TENSOR … = TENSOR …

with tensors "DTYPE EXTENT… : ELEMENT…", operands before and results behind the "=". Elements are
whole or hexadecimal numbers, two of them for a complex one. BOUND is the difference allowed,
relative to the largest element; 0 asks for the same numbers. Keys are attributes.
"""
import itertools

import jax
import ml_dtypes
import numpy as np
from jax import lax
from jax._src.interpreters import mlir
from jax._src.lax import windowed_reductions
from jax._src.lib import xla_client
from jaxlib.mlir import ir

jax.config.update("jax_enable_x64", True)
DTYPES = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
          "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16,
          "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64, "c64": np.complex64,
          "c128": np.complex128}
NAMES = {np.dtype(t): name for name, t in DTYPES.items()}
random = np.random.default_rng(11)


def element(v):
    if isinstance(v, complex):
        return f"{element(v.real)} {element(v.imag)}"
    if isinstance(v, float):
        return repr(v) if v != v or abs(v) == np.inf or v == int(v) and abs(v) < 1e6 else v.hex()
    return str(int(v))


def tensor(x):
    x = np.asarray(x)
    return " ".join([NAMES[x.dtype], *map(str, x.shape), ":", *map(element, x.ravel().tolist())])


def case(name, bound, attributes, operands, results):
    keys = [f"{k}={','.join(str(int(i)) for i in np.ravel(v))}" for k, v in attributes.items()]
    print(name, bound, *keys, ";", *map(tensor, operands), "=", *map(tensor, results))


def wrapped(x, dtype):
    """Whole numbers in a dtype: integers modulo 2^n, bool by or of ands."""
    t = DTYPES[dtype]
    if dtype == "bool":
        return np.asarray(x) != 0
    if np.dtype(t).kind in "iu":
        return np.asarray(x).astype(np.int64).astype(t)
    return np.asarray(x).astype(t)


# ---- convolution


def coded(dtype, shape):
    """Whole numbers that differ from their neighbours along every axis."""
    x = sum(i * w for i, w in zip(np.indices(shape), (1, 3, 7, 13, 17, 19))) if shape else np.array(0)
    x = (x + 1) % 23 - 9
    if dtype == "bool":
        return x > 3
    if dtype[0] == "u":
        x = x + 9
    if dtype[0] == "c":
        x = x + 1j * ((x * 5) % 7 - 3)
    return x.astype(DTYPES[dtype])


def convolution(dtype, batch, features, spatial, kernel, groups=(1, 1), layout=0, to=None, **window):
    """features: of one group's input, and of the output; the layout permutes the axes."""
    n = len(spatial)
    order = [list(itertools.permutations(range(n + 2)))[(layout * k) % len(list(
        itertools.permutations(range(n + 2))))] for k in (1, 3, 5)]
    fg, bg = groups
    w = {"window_strides": [1] * n, "padding_low": [0] * n, "padding_high": [0] * n,
         "lhs_dilation": [1] * n, "rhs_dilation": [1] * n, "window_reversal": [0] * n} | window

    def lay(roles, spec):
        shape = [0] * (n + 2)
        for role, axis in zip(roles, spec):
            shape[axis] = role
        return shape

    x = coded(dtype, lay([batch, features[0] * fg, *spatial], order[0]))
    k = coded(dtype, lay([features[1], features[0], *kernel], order[1]))
    wide = np.complex128 if dtype[0] == "c" else np.float64
    flipped = np.flip(k, [order[1][2 + d] for d in range(n) if w["window_reversal"][d]])
    y = lax.conv_general_dilated(
        x.astype(wide), flipped.astype(wide), w["window_strides"],
        list(zip(w["padding_low"], w["padding_high"])), w["lhs_dilation"], w["rhs_dilation"],
        lax.ConvDimensionNumbers(*order), feature_group_count=fg, batch_group_count=bg,
        precision="highest")
    names = ["input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions",
             "kernel_output_feature_dimension", "kernel_input_feature_dimension",
             "kernel_spatial_dimensions", "output_batch_dimension", "output_feature_dimension",
             "output_spatial_dimensions"]
    roles = [part for spec in order for part in (spec[0], spec[1], spec[2:])]
    numbers = dict(zip(names, roles))
    result = wrapped(y, to or dtype)
    case("convolution", 0, w | numbers | {"feature_group_count": fg, "batch_group_count": bg,
         "dtype": list(DTYPES).index(to or dtype) + 1}, [x, k], [result])


def convolutions():
    for dtype in DTYPES:
        convolution(dtype, 2, (3, 4), (5, 6), (2, 3))
        convolution(dtype, 2, (3, 4), (5,), (3,), padding_low=[2], padding_high=[1], layout=4)
    for dtype, to in [("i8", "i32"), ("f16", "f32"), ("f32", "f64"), ("bf16", "f32"), ("u8", "f32"),
                      ("f64", "f32"), ("f32", "c64"), ("bool", "i32")]:
        convolution(dtype, 2, (3, 4), (5, 6), (2, 3), to=to)
    convolution("f32", 3, (4, 5), (), ())
    convolution("f32", 3, (4, 6), (), (), groups=(2, 1), layout=1)
    convolution("f32", 4, (3, 6), (), (), groups=(1, 2))
    for layout in range(24):
        convolution("f32", 2, (3, 4), (5, 6), (2, 3), layout=layout, padding_low=[1, 0])
    for layout in (7, 50, 101):
        convolution("f64", 2, (2, 3), (4, 5, 3), (2, 3, 2), layout=layout, window_strides=[1, 2, 1])
    convolution("f32", 1, (2, 2), (2, 3, 2, 3), (2, 1, 2, 2), layout=333)
    for i in range(160):
        n = int(random.integers(1, 4))
        pick = lambda low, high: [int(v) for v in random.integers(low, high, n)]
        group = int(random.integers(1, 4))
        groups = ((1, 1), (group, 1), (1, group))[i % 3]
        spatial, dilation, low, high = pick(1, 7), pick(1, 4), pick(-2, 4), pick(-2, 4)
        for d in range(n):  # JAX refuses to take away more than there is
            if (spatial[d] - 1) * dilation[d] + 1 + min(low[d], 0) + min(high[d], 0) < 0:
                low[d] = high[d] = 0
        convolution(("f32", "i32", "c64", "f64")[i % 4], int(random.integers(1, 3)) * groups[1],
                    (int(random.integers(1, 4)), int(random.integers(1, 3)) * group), spatial,
                    pick(1, 4), groups, int(random.integers(0, 24)), window_strides=pick(1, 4),
                    padding_low=low, padding_high=high, lhs_dilation=dilation,
                    rhs_dilation=pick(1, 4), window_reversal=pick(0, 2))
    convolution("f32", 0, (3, 4), (5, 6), (2, 3))
    convolution("f32", 2, (3, 0), (5, 6), (2, 3))
    convolution("f32", 2, (0, 4), (5, 6), (2, 3))
    convolution("f32", 2, (3, 4), (0, 6), (2, 3))
    convolution("f32", 2, (3, 4), (0, 6), (2, 3), padding_low=[1, 0], padding_high=[2, 0])
    convolution("f32", 2, (3, 4), (5, 6), (7, 3))


# ---- The order of sums: taps, then features; products rounded before they are added.


def sequential(x, k, t, wide):
    """x [n, c, l], k [o, c, w] -> [n, o, l - w + 1]"""
    n, c, l = x.shape
    o, _, w = k.shape
    y = np.zeros((n, o, l - w + 1), wide)
    for tap in range(w):
        for i in range(c):
            a, b = x[:, i, tap:tap + l - w + 1].astype(wide), k[:, i, tap].astype(wide)
            y = y + a[:, None, :] * b[None, :, None]
    return y.astype(t)


def sums():
    for dtype, wide in [("f16", np.float32), ("bf16", np.float32), ("f32", np.float32),
                        ("f64", np.float64)]:
        t = DTYPES[dtype]
        x, k = random.normal(size=(2, 7, 9)).astype(t), random.normal(size=(5, 7, 4)).astype(t)
        case("convolution", 0, {
            "window_strides": 1, "padding_low": 0, "padding_high": 0, "lhs_dilation": 1,
            "rhs_dilation": 1, "window_reversal": 0, "input_batch_dimension": 0,
            "input_feature_dimension": 1, "input_spatial_dimensions": 2,
            "kernel_input_feature_dimension": 1, "kernel_output_feature_dimension": 0,
            "kernel_spatial_dimensions": 2, "output_batch_dimension": 0,
            "output_feature_dimension": 1, "output_spatial_dimensions": 2,
            "feature_group_count": 1, "batch_group_count": 1,
            "dtype": list(DTYPES).index(dtype) + 1}, [x, k], [sequential(x, k, t, wide)])


# ---- select_and_scatter: select is >= (0) or < (1), scatter adds


def select_and_scatter(dtype, shape, window, strides, low, high, least):
    x = random.permutation(int(np.prod(shape))).reshape(shape).astype(DTYPES[dtype])
    count = [(l + d + h - w) // s + 1 if l + d + h >= w else 0
             for l, d, h, w, s in zip(low, shape, high, window, strides)]
    source = (1 + np.arange(int(np.prod(count)))).reshape(count).astype(DTYPES[dtype])
    init = np.array(0, DTYPES[dtype])
    y = windowed_reductions._select_and_scatter(
        x, lax.lt if least else lax.ge, tuple(window), tuple(strides), tuple(zip(low, high)),
        source, init, lax.add) if x.size and source.size else np.full(shape, init)
    case("select_and_scatter", 0, {"window_dimensions": window, "window_strides": strides,
         "padding_low": low, "padding_high": high, "least": least}, [x, source, init],
         [np.asarray(y).astype(DTYPES[dtype])])


def selections():
    for dtype in ("f32", "i32", "u8", "f64"):
        select_and_scatter(dtype, (5, 6), (2, 3), (2, 3), (0, 0), (0, 0), 0)
        select_and_scatter(dtype, (5, 6), (3, 2), (1, 1), (1, 0), (1, 1), 1)
    select_and_scatter("f32", (7,), (3,), (2,), (1,), (2,), 0)
    select_and_scatter("f32", (2, 3, 4), (1, 2, 2), (1, 1, 2), (0, 1, 0), (0, 0, 0), 1)
    select_and_scatter("f32", (3, 0), (1, 2), (1, 1), (0, 0), (0, 0), 0)
    select_and_scatter("f32", (3, 2), (1, 4), (1, 1), (0, 0), (0, 0), 0)
    select_and_scatter("f32", (5,), (2,), (1,), (-1,), (-1,), 0)


# ---- fft


def fft(kind, dtype, shape, count):
    x = random.normal(size=shape)
    axes = range(-count, 0)
    if kind != 2:
        x = x + 1j * random.normal(size=shape)
    x = x.astype(DTYPES[dtype])
    lengths = [*shape[len(shape) - count:]]
    out = {"c64": "c64", "c128": "c128", "f32": "c64", "f64": "c128"}[dtype]
    if kind == 3:
        lengths[-1] = 0 if shape[-1] == 0 else 2 * (shape[-1] - 1) + (1 if shape[0] % 2 else 0)
        lengths[-1] = max(lengths[-1], 1) if shape[-1] else 0
        out = {"c64": "f32", "c128": "f64"}[dtype]
    wide = x.astype(np.float64 if kind == 2 else np.complex128)
    result = list(shape)
    result[-1] = lengths[-1] // 2 + 1 if kind == 2 and lengths[-1] else lengths[-1]
    if 0 in result:
        y = np.zeros(result)
    else:
        y = [np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn][kind](wide, lengths, axes)
    case("fft", 1e-15 if dtype in ("f64", "c128") else 1e-7,
         {"fft_type": kind, "fft_length": lengths}, [x], [y.astype(DTYPES[out])])


def transforms():
    for kind in range(4):
        for dtype in ("f32", "f64") if kind == 2 else ("c64", "c128"):
            for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 19, 24, 31, 34, 35, 60):
                fft(kind, dtype, (n,), 1)
            fft(kind, dtype, (3, 4, 5), 1)
            fft(kind, dtype, (2, 3, 4, 5), 2)
            fft(kind, dtype, (2, 3, 4, 5), 3)
            fft(kind, dtype, (3, 4, 6), 3)
            fft(kind, dtype, (3, 2, 17), 2)
            fft(kind, dtype, (2, 0, 4), 1)
            fft(kind, dtype, (2, 3, 0), 1)
            fft(kind, dtype, (2, 0, 4), 2)


# ---- cholesky, triangular_solve: in f64 and c128, rounded


def numbers(dtype, shape):
    x = random.normal(size=shape)
    if dtype[0] == "c":
        x = x + 1j * random.normal(size=shape)
    return x


BOUND = {"f16": 1e-3, "bf16": 8e-3, "f32": 1e-7, "f64": 1e-13, "c64": 2e-7, "c128": 1e-13}


def wide(x):
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def factors():
    for dtype in ("f16", "bf16", "f32", "f64", "c64", "c128"):
        for shape in ((1, 1), (4, 4), (3, 5, 5), (2, 3, 2, 2), (0, 0), (0, 3, 3)):
            for lower in (True, False):
                n = shape[-1]
                x = numbers(dtype, shape)
                a = (x @ np.conj(np.swapaxes(x, -1, -2)) + n * np.eye(n)).astype(DTYPES[dtype])
                a = (np.tril if lower else np.triu)(wide(a))
                other = (np.triu if lower else np.tril)(np.full(shape, 77.0), 1 if lower else -1)
                full = np.tril(a) + np.conj(np.swapaxes(np.tril(a, -1), -1, -2)) if lower else \
                    np.triu(a) + np.conj(np.swapaxes(np.triu(a, 1), -1, -2))
                y = np.linalg.cholesky(full, upper=not lower)
                case("cholesky", BOUND[dtype], {"lower": lower},
                     [(a + other).astype(DTYPES[dtype])], [y.astype(DTYPES[dtype])])
    for lower in (True, False):
        a = np.array([[[4, 1], [1, 0.25]], [[9, 3], [3, 5]], [[-1, 0], [0, 1]], [[1, 2], [2, 1]]])
        y = np.asarray(lax.linalg.cholesky(a if lower else np.swapaxes(a, -1, -2)))
        y = y if lower else np.swapaxes(y, -1, -2)
        case("cholesky", 1e-15, {"lower": lower}, [a], [y])


def solves():
    for dtype in ("f16", "bf16", "f32", "f64", "c64", "c128"):
        for left, lower, unit, op in itertools.product((0, 1), (0, 1), (0, 1), (0, 1, 2)):
            for a_shape, rows in (((3, 3), 2), ((2, 4, 4), 3)):
                a = numbers(dtype, a_shape) * 0.4 + 3 * np.eye(a_shape[-1])
                b = numbers(dtype, a_shape[:-2] + ((a_shape[-1], rows) if left else
                                                   (rows, a_shape[-1])))
                a, b = a.astype(DTYPES[dtype]), b.astype(DTYPES[dtype])
                y = lax.linalg.triangular_solve(wide(a), wide(b), left_side=bool(left),
                                                lower=bool(lower), transpose_a=op > 0,
                                                conjugate_a=op == 2, unit_diagonal=bool(unit))
                case("triangular_solve", BOUND[dtype],
                     {"left_side": left, "lower": lower, "unit_diagonal": unit, "transpose_a": op},
                     [a, b], [np.asarray(y).astype(DTYPES[dtype])])
    for a_shape, b_shape in (((0, 0), (0, 3)), ((3, 3), (3, 0)), ((0, 2, 2), (0, 2, 2))):
        case("triangular_solve", 0,
             {"left_side": 1, "lower": 1, "unit_diagonal": 0, "transpose_a": 0},
             [np.ones(a_shape), np.ones(b_shape)], [np.ones(b_shape)])


# ---- rng_bit_generator: the text, compiled by XLA


MLIR = {"i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "u8": "ui8", "u16": "ui16",
        "u32": "ui32", "u64": "ui64", "f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f64"}


def run(text, *operands):
    with mlir.make_ir_context():
        device = jax.devices("cpu")[0]
        code = mlir.module_to_bytecode(ir.Module.parse(text))
        program = device.client.compile_and_load(code, xla_client.DeviceList((device,)),
                                                 xla_client.CompileOptions())
        results = program.execute_sharded([jax.device_put(x, device) for x in operands])
        return [np.asarray(x[0]) for x in results.disassemble_into_single_device_arrays()]


def bits(algorithm, dtype, state, shape):
    t = "x".join([*map(str, shape), MLIR[dtype]])
    s = f"tensor<{len(state)}xui64>"
    name = ["DEFAULT", "THREE_FRY", "PHILOX"][algorithm]
    text = (f"func.func @main(%s: {s}) -> ({s}, tensor<{t}>) {{ %n, %o = "
            f"stablehlo.rng_bit_generator %s, algorithm = {name} : ({s}) -> ({s}, tensor<{t}>)\n"
            f"return %n, %o : {s}, tensor<{t}> }}")
    state = np.array(state, np.uint64)
    after, y = run(text, state)
    if y.dtype.kind not in "iu":  # as whole numbers: NaNs keep their bits
        y = y.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[y.dtype.itemsize])
    case("rng_bit_generator", 0, {"rng_algorithm": algorithm, "dtype":
         list(DTYPES).index(dtype) + 1, "shape": shape}, [state], [after, y])


def generators():
    key, top = 0x1234567890ABCDEF, 0xFFFFFFFFFFFFFFFF
    for algorithm in (0, 1, 2):
        for dtype in MLIR:
            bits(algorithm, dtype, [key, 7], (3, 5))
            bits(algorithm, dtype, [key, top - 1], (2, 3))
        for dtype in ("u8", "u32", "u64"):
            for shape in ((), (1,), (5,), (7, 4), (3, 5, 3), (5, 3, 7), (2, 0), (1, 1), (4, 2, 2)):
                bits(algorithm, dtype, [top, 1], shape)
            if algorithm != 1:
                for state in ([key, 3, 9], [key, top, 9], [key, top - 1, top]):
                    bits(algorithm, dtype, state, (3, 5))


convolutions()
sums()
selections()
transforms()
factors()
solves()
generators()
