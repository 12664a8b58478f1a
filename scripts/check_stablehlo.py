#!/usr/bin/env python3
"""Parse and verify StableHLO modules with StableHLO's own parser, as JAX ships it.

usage: check_stablehlo.py [--compile] FILE.mlir...

FILE.generic.mlir must mean what FILE.mlir beside it does. --compile also compiles each module for the CPU with XLA. Prints a line per failure and
`N passed, N failed` last. Exit status: 0 when all passed, 1 when one failed, 77 (skipped) when
JAX is not installed.
"""
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
try:
    import jax
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jaxlib.mlir import ir
except ImportError as reason:
    print(f"skipped: {reason}")
    sys.exit(77)


def check(path, compiles):
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
        if compiles:
            device = jax.devices("cpu")[0]
            devices = xla_client.DeviceList((device,))
            device.client.compile_and_load(mlir.module_to_bytecode(module), devices,
                                           xla_client.CompileOptions())


def main(arguments):
    compiles = "--compile" in arguments
    paths = [a for a in arguments if a != "--compile"]
    failed = 0
    for path in paths:
        try:
            check(path, compiles)
        except Exception as error:  # each kind of error says what is wrong
            failed += 1
            print(f"{path}: {error}")
    print(f"{len(paths) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
