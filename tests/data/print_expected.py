"""Writes print_expected.txt: arrays and the text that NumPy prints for them.

    python3 tests/data/print_expected.py > tests/data/print_expected.txt      (made with NumPy 2.4)

A case is a line "case DTYPE EXTENT… : HEX", the text's lines, each after a "|", and an empty line.
HEX is the elements' bytes in little-endian order; they are repeated until the shape is full.
"""

import itertools
import numpy as np

DTYPES = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
          "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
          "f16": np.float16, "f32": np.float32, "f64": np.float64,
          "c64": np.complex64, "c128": np.complex128}


def case(dtype, shape, values):
    with np.errstate(over="ignore"):
        values = np.array(values).astype(DTYPES[dtype]).ravel()
    size = int(np.prod(shape, dtype=np.int64))
    array = np.resize(values, shape) if size else np.zeros(shape, DTYPES[dtype])
    print("case", dtype, *shape, ":", values.tobytes().hex())
    print("\n".join("|" + line for line in str(array).split("\n")))
    print()


def floats():
    inf, nan = np.inf, np.nan
    rng = np.random.default_rng(1)
    for dtype in ("f16", "f32", "f64"):
        info = np.finfo(DTYPES[dtype])
        for v in (0.0, -0.0, 1.0, 1.5, 0.1, 1 / 3, -2 / 3, 1e-4, 9.9e-5, 1e-5, 999, 1000, 1001,
                  65504, 999999, 1e6, 1e7, 1e8, 123456789, 1e15, 1e16, 1.5e16, nan, inf, -inf,
                  float(info.max), float(info.tiny), float(info.smallest_subnormal)):
            case(dtype, (), [v])
            case(dtype, (1,), [v])
            case(dtype, (2,), [v, 1])
            case(dtype, (3,), [-v, 0.25, 100])
        for values in ([1, 2.5, 3], [0.001, 1], [0.00099, 1], [1e-3, 1.001], [99.5, 0.1],
                       [100, 0.1], [100.1, 0.1], [1000, 1], [1001, 1], [999, 1], [nan, 1.25],
                       [inf, 1], [-inf, 1], [nan, -inf, inf, 123.456], [nan, nan], [inf, -inf],
                       [nan], [0, 0, 0], [0, 1e-3], [0, 1e-5, 2], [-1, 1], [-0.5, -12.25],
                       [0.1, 0.22, 0.333, 0.4444], [1e10, nan], [1e-10, inf, -1], [12345.678, 1],
                       [99999.99, 1000], [123456.7, 200000.25], [9999999.5, 5000000],
                       [12345678.12345678, 99999999.4], [0.123456789012, 0.5],
                       [9.999999999, 1.0], [0.999999999, 0.5], [1e300, 1e-300], [1e100, 1]):
            case(dtype, (len(values),), values)
            case(dtype, (2, len(values)), values)
        bits = {"f16": np.uint16, "f32": np.uint32, "f64": np.uint64}[dtype]
        for count in (1, 2, 5, 9):
            for _ in range(20):
                raw = rng.integers(0, 2 ** info.bits - 1, count, np.uint64, endpoint=True)
                case(dtype, (count,), raw.astype(bits).view(DTYPES[dtype]))
                case(dtype, (count,), rng.normal(size=count) * 10.0 ** rng.integers(-2, 3))
        powers = 2.0 ** np.arange(max(-140, info.minexp - 9), min(120, info.maxexp), 1)
        for v in powers:
            case(dtype, (), [v])
        for shape in ((7, 3), (2, 3, 4), (2, 2, 2, 2), (1, 1, 1), (40,), (5, 30)):
            case(dtype, shape, rng.normal(size=shape))
            case(dtype, shape, rng.integers(-20, 200, size=shape) / 4)


def integers():
    for dtype in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"):
        info = np.iinfo(DTYPES[dtype])
        limits = np.array([info.min, info.max, 0, 1, 100], DTYPES[dtype])
        for shape in ((), (1,), (5,), (2, 5), (40,), (3, 2, 2)):
            case(dtype, shape, limits)
            case(dtype, shape, [1, 2, 3])
    for shape in ((), (1,), (2,), (3, 2), (60,)):
        case("bool", shape, [True, False])
        case("bool", shape, [True])
        case("bool", shape, [False])


def complexes():
    rng = np.random.default_rng(2)
    parts = [0.0, -0.0, 1.0, -2.5, 0.1, 1e-5, 1e6, 1e16, np.nan, np.inf, -np.inf]
    for dtype in ("c64", "c128"):
        for real, imaginary in itertools.product(parts, parts):
            case(dtype, (), [complex(real, imaginary)])
            case(dtype, (2,), [complex(real, imaginary), complex(1, 2)])
        for shape in ((3,), (2, 3), (20,), (2, 2, 2)):
            case(dtype, shape, rng.normal(size=shape) + 1j * rng.normal(size=shape))


def shapes():
    for shape in ((0,), (2, 0), (0, 3), (1, 0, 2), (3, 0, 0)):
        case("f32", shape, [1])
        case("i8", shape, [1])
    for shape in ((1000,), (1001,), (500, 3), (3, 500), (7, 200), (6, 200), (11, 10, 12),
                  (2, 3, 200), (1, 1, 1001), (1001, 1), (8, 8, 8, 8), (2,) * 10, (2,) * 11):
        case("i16", shape, np.arange(7) * 13 - 40)
        case("f32", shape, np.arange(11) / 4)
    case("f64", (5000,), [1e-9, 1, 1000])
    case("bool", (5000,), [True, False, True])
    case("c64", (1200,), [1 + 2j, -0.5j, 3.25 - 1j])
    case("i32", (1,) * 32, [5])  # brackets
    case("i32", (1,) * 31 + (50,), [123456])
    case("i8", (34, 25), [1])
    case("f64", (2, 60), [0.1234567891])


floats()
integers()
complexes()
shapes()
