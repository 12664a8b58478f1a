#!/usr/bin/env python3
"""Run random programs in XLA's CPU client and compare the results with ours.

usage: fuzz_jax.py FOLDER

FOLDER holds what `programs --write FOLDER` wrote (build/bin/tests/fuzz/programs): N.mlir, and N.npz
with arguments in0, in1, ... and results out0, out1, ... in reference numerics. Programs of the styles
`smooth` and `linear` compare best: their numbers are moderate. Known deviations are in
tests/fuzz/programs/xla_deviations.txt. Prints a line for each program that differs otherwise, and
how many were the same, known, not run and different. Exit status: 0, 1 when one differs, 77
(skipped) when JAX is not installed.
"""
import glob
import os
import re
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
try:
    import jax
    import ml_dtypes
    import numpy
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jaxlib.mlir import ir
    jax.config.update("jax_enable_x64", True)
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
DEVIATIONS = os.path.join(HERE, "..", "tests", "fuzz", "programs", "xla_deviations.txt")
NAMES = {"i1": "bool", "ui2": "uint2", "ui4": "uint4", "ui8": "uint8", "ui16": "uint16",
         "ui32": "uint32", "ui64": "uint64", "i2": "int2", "i4": "int4", "i8": "int8",
         "i16": "int16", "i32": "int32", "i64": "int64", "bf16": "bfloat16", "f16": "float16",
         "f32": "float32", "f64": "float64", "complex<f32>": "complex64",
         "complex<f64>": "complex128"}


def deviations():
    """[(what, pattern, why)] of the file."""
    with open(DEVIATIONS, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if line[0] not in "#\n"]
    return [(what, re.compile(pattern), why) for what, pattern, why in lines]


def dtype_of(element):
    """NumPy's dtype of a type in StableHLO's text."""
    name = NAMES.get(element)
    if name is None:  # f8E4M3FN -> float8_e4m3fn
        name = "float" + re.sub("E", "_e", element[1:], count=1).lower()
    return numpy.dtype(getattr(ml_dtypes, name, None) or name)


def as_array(stored, element):
    """What NumPy's files call something else."""
    wanted = dtype_of(element)
    return stored if stored.dtype == wanted else stored.view(wanted).reshape(stored.shape)


def signature(text):
    """Elements of the arguments' and of the results' types."""
    line = re.search(r"func\.func public @main\((.*?)\)(?: -> (.*))? \{", text)
    elements = [re.findall(r"tensor<(?:\d+x)*((?:complex<\w+>|[a-zA-Z]\w*))>", part or "")
                for part in line.groups()]
    return elements[0], elements[1]


def as_doubles(array):
    """For comparing, where NumPy has no arithmetic of the dtype."""
    kind = numpy.complex128 if array.dtype.kind == "c" else numpy.float64
    return numpy.asarray(array).astype(kind)


def run(path):
    """None, or how the results differ."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    arrays = numpy.load(path.removesuffix(".mlir") + ".npz")
    given, made = signature(text)
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        device = jax.devices("cpu")[0]
        executable = device.client.compile_and_load(mlir.module_to_bytecode(module),
                                                    xla_client.DeviceList((device,)),
                                                    xla_client.CompileOptions())
    arguments = [jax.device_put(as_array(arrays[f"in{i}"], element), device)
                 for i, element in enumerate(given)]
    results = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
    for i, ((result,), element) in enumerate(zip(results, made)):
        ours = as_doubles(as_array(arrays[f"out{i}"], element))
        size = numpy.max(numpy.abs(ours), initial=1) if numpy.all(numpy.isfinite(ours)) else 1
        bound = 1e-9 if element in ("f64", "complex<f64>") else 1e-2
        if not numpy.allclose(as_doubles(result), ours, rtol=bound, atol=bound * size,
                              equal_nan=True):
            return f"result {i}, {element}"
    return None


def verdict(path, known):
    """("same" | "known" | "not run" | "different", why)"""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        found, kind, subject = run(path), "text", text
    except Exception as error:  # XLA's errors are of many classes
        found, kind, subject = str(error), "error", str(error)
    if found is None:
        return "same", ""
    for what, pattern, why in known:
        if what == kind and pattern.search(subject):
            return ("known" if what == "text" else "not run"), why
    return "different", found.splitlines()[0] if found else ""


def main(folder):
    """Run all; the exit status."""
    known = deviations()
    counts = {"same": 0, "known": 0, "not run": 0, "different": 0}
    for path in sorted(glob.glob(os.path.join(folder, "*.mlir"))):
        kind, why = verdict(path, known)
        counts[kind] += 1
        if kind == "different":
            print(f"{path}: {why}")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
