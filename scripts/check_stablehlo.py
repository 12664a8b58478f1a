#!/usr/bin/env python3
"""Parse and verify StableHLO modules with StableHLO's own parser, as JAX ships it.

usage: check_stablehlo.py [--compile] [--run FOLDER] FILE.mlir...

FILE.generic.mlir must mean what FILE.mlir beside it does. --compile also compiles each module for
the CPU with XLA; --run runs it too, where FOLDER holds a NAME.npz with its arguments in0, in1, ...
and results out0, out1, .... Prints a line per failure and
`N passed, N failed` last. Exit status: 0 when all passed, 1 when one failed, 77 (skipped) when
JAX is not installed.
"""
import argparse
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
try:
    import jax
    import numpy
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jaxlib.mlir import ir
    jax.config.update("jax_enable_x64", True)
except ImportError as reason:
    print(f"skipped: {reason}")
    sys.exit(77)


def loaded(array):
    """NumPy forgets the name of bfloat16 in files."""
    return array.view(jax.numpy.bfloat16) if array.dtype == "V2" else array


def run(executable, path, folder):
    """Raise where the results for the archive's arguments are not the archive's."""
    archive = os.path.join(folder, os.path.basename(path).removesuffix(".mlir") + ".npz")
    arrays = numpy.load(archive)
    device = jax.devices("cpu")[0]
    arguments = [jax.device_put(loaded(arrays[f"in{i}"]), device)
                 for i in range(sum(name.startswith("in") for name in arrays.files))]
    results = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
    for i, (result,) in enumerate(results):
        want = loaded(arrays[f"out{i}"])
        if not numpy.allclose(numpy.asarray(result), want, rtol=2e-5, atol=2e-5, equal_nan=True):
            raise ValueError(f"result {i} differs from the archive's")


def check(path, compiles, folder):
    """Raise what is wrong with the module in the file."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        module.operation.verify()
        if path.endswith(".generic.mlir"):
            with open(path.removesuffix(".generic.mlir") + ".mlir", encoding="utf-8") as file:
                if str(ir.Module.parse(file.read())) != str(module):
                    raise ValueError("it is not the program of the other form")
        if compiles or folder:
            device = jax.devices("cpu")[0]
            devices = xla_client.DeviceList((device,))
            executable = device.client.compile_and_load(mlir.module_to_bytecode(module), devices,
                                                        xla_client.CompileOptions())
            if folder:
                run(executable, path, folder)


def main(arguments):
    options = argparse.ArgumentParser()
    options.add_argument("--compile", action="store_true")
    options.add_argument("--run", metavar="FOLDER")
    options.add_argument("paths", nargs="+", metavar="FILE.mlir")
    options = options.parse_args(arguments)
    failed = 0
    for path in options.paths:
        try:
            check(path, options.compile, options.run)
        except Exception as error:  # each kind of error says what is wrong
            failed += 1
            print(f"{path}: {error}")
    print(f"{len(options.paths) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
