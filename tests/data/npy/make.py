#!/usr/bin/env python3
"""The files of this folder, as NumPy and ml_dtypes write them: run it here to make them again.

Elements spell their coordinates, x[i][j] = 10 i + j; complex ones have -1 as imaginary part, bools
the lowest bit of i + j; int64 and uint64 add 2^60.
"""
import io
import zipfile

import ml_dtypes
import numpy as np


def coded(dtype, shape=(2, 3)):
    indices = np.indices(shape)
    dtype = np.dtype(dtype)
    x = sum(indices[d] * 10 ** (len(shape) - 1 - d) for d in range(len(shape)))
    if dtype.kind == "b":
        return (indices.sum(0) & 1).astype(dtype)
    if dtype.itemsize == 8 and dtype.kind in "iu":
        x = x + 2**60
    return (x - 1j if dtype.kind == "c" else x).astype(dtype)


def main():
    for code in "b1 i1 u1".split():
        np.save(f"{code}.npy", coded(code))
    for code in "i2 i4 i8 u2 u4 u8 f2 f4 f8 c8 c16".split():
        np.save(f"{code}_little.npy", coded("<" + code))
        np.save(f"{code}_big.npy", coded(">" + code))
    np.save("columns.npy", np.asfortranarray(coded("<f4", (2, 3, 4))))
    np.save("scalar.npy", np.float64(2.5))
    np.save("empty.npy", np.zeros((3, 0, 2), "<i2"))
    np.save("bfloat16.npy", coded(ml_dtypes.bfloat16))
    np.save("float8_e5m2.npy", np.array([1, -2, 0.5], ml_dtypes.float8_e5m2))
    np.save("float8_e4m3fn.npy", np.array([1, -2, 0.5], ml_dtypes.float8_e4m3fn))
    for name, x in ("float8_e4m3fn", [1, -2, 0.5]), ("int4", [1, -1, -8, 7]):
        x = np.array(x, getattr(ml_dtypes, name))
        np.save(f"named_{name}.npy", x.view([(name, "V1")]))
    for version in (2, 3):
        with open(f"version_{version}.npy", "wb") as file:
            np.lib.format.write_array(file, coded("<f4"), version=(version, 0))
    np.save("text.npy", np.array(["a", "bc"]))
    np.save("record.npy", np.zeros(2, [("a", "<f4"), ("b", "<i4")]))
    np.save("objects.npy", np.array([None], dtype=object))
    arrays = {"x": coded("<f4"), "mask": coded("b1"), "long name/with.dots": coded("<i8", (4,))}
    np.savez("stored.npz", **arrays)
    np.savez_compressed("deflated.npz", zeros=np.zeros((40, 50)), **arrays)
    with zipfile.ZipFile("mixed.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"a comment PK\x05\x06 inside"
        archive.writestr(zipfile.ZipInfo("readme.txt"), "not an array")
        file = io.BytesIO()
        np.save(file, coded(">u2"))
        archive.writestr(zipfile.ZipInfo("x.npy"), file.getvalue(), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
