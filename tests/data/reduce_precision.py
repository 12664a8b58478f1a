#!/usr/bin/env python3
"""Rounding to fewer bits by JAX: reduce_precision.txt, which tests/test_bits.c reads.

usage: reduce_precision.py > reduce_precision.txt     (needs jax)

A line is

    DTYPE EXPONENT_BITS MANTISSA_BITS CRC

with the CRC-32 of the results' bits, two bytes each, the lower first, for all 65536 patterns of
bits in ascending order but NaNs.
"""
import zlib

import jax
import jax.numpy as jnp
import numpy as np

FORMATS = {"f16": (jnp.float16, 5, 10), "bf16": (jnp.bfloat16, 8, 7)}

for name, (dtype, exponent, mantissa) in FORMATS.items():
    x = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    x = x[~np.isnan(x.astype(np.float32))]
    for e in range(1, exponent + 2):
        for m in range(mantissa + 2):
            y = np.asarray(jax.jit(lambda x: jax.lax.reduce_precision(x, e, m))(x))
            print(name, e, m, "%08X" % zlib.crc32(y.view(np.uint16).tobytes()))
