"""Writes stablehlo_numbers.txt: decimals and the bits that they are in every float type, by numpy and
ml_dtypes: as f64, and that rounded to the type.

    python tests/data/stablehlo_numbers.py > tests/data/stablehlo_numbers.txt      (needs ml_dtypes)
"""
import fractions
import random
import struct
import warnings

import ml_dtypes
import numpy as np

warnings.simplefilter("ignore")
TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
         "f4E2M1FN": ml_dtypes.float4_e2m1fn, "f6E2M3FN": ml_dtypes.float6_e2m3fn,
         "f6E3M2FN": ml_dtypes.float6_e3m2fn, "f8E3M4": ml_dtypes.float8_e3m4,
         "f8E4M3": ml_dtypes.float8_e4m3, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
         "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
         "f8E5M2": ml_dtypes.float8_e5m2, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz}


def exact(x):
    """All digits of a double."""
    f = fractions.Fraction(x)
    e = f.denominator.bit_length() - 1
    digits = str(abs(f.numerator) * 5**e).rjust(e + 1, "0")
    return ("-" if f < 0 else "") + (digits[:-e] + "." + digits[-e:] if e else digits + ".0")


def decimals():
    yield from """0.0 -0.0 1.0 -1.0 0.1 3. 1.5e0 -2.5E+1 1.0e-3 123456789.0 0.33333333333333331 1.1920929E-7
    4.9406564584124654e-324 2.4703282292062327e-324 2.4703282292062328e-324 2.2250738585072011e-308
    2.2250738585072014e-308 1.7976931348623157e308 1.7976931348623158e308 1.7976931348623159e308 1.0e400
    -1.0e400 1.0e-400 9007199254740993.0 9007199254740991.0 9007199254740992.0 1.0e22 1.0e23 8.5e22
    123456789012345678901234567890.0 65504.0 65519.0 65520.0 3.4028235e38 3.4028236e38 448.0 449.0 464.0
    480.0 6.0 5.0 7.0 28.0 7.5 15.5 30.0 240.0 57344.0 61440.0 0.015625 0.0078125 0.00390625
    0.001953125 1.0e-45 7.0e-46 5.9604645e-8 2.9802322e-8 000123.4500e002 0.00000000000000000000000000001
    1.0e-9999999999 0.0e9999999999""".split()
    rng = random.Random(1)
    for _ in range(60):
        yield f"{rng.uniform(-1, 1) * 10.0 ** rng.randint(-12, 12):.{rng.randint(1, 18)}e}"
    for _ in range(12):
        x = struct.unpack("d", struct.pack("Q", rng.getrandbits(63) % (0x7ff << 52)))[0]
        yield repr(x) if "." in repr(x) else repr(x).replace("e", ".0e")
        yield exact(x) if 1e-60 < abs(x) < 1e60 else f"{x:.30e}"
    for x in (1.0, 2.0**-1022, 2.0**52, 3.0e-5):  # halfway between doubles, and just beside
        half = fractions.Fraction(x) + fractions.Fraction(np.spacing(x)) / 2
        e = half.denominator.bit_length() - 1
        text = str(half.numerator * 5**e).rjust(e + 1, "0")
        text = text[:-e] + "." + text[-e:] if e else text + ".0"
        yield text
        yield text + "0" * 50 + "1"


def bits(value, t):
    x = np.array(value, np.float64).astype(t)
    return x.tobytes()[::-1].hex().upper()


print("# By stablehlo_numbers.py: the text of a number, then its bits in each type.")
print("#", *TYPES)
for text in decimals():
    print(text, *(bits(float(text), t) for t in TYPES.values()))
