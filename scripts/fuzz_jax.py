#!/usr/bin/env python3
"""Run random programs in XLA's CPU client and compare the results with ours.

usage: fuzz_jax.py FOLDER

FOLDER holds what `programs --write FOLDER` wrote (build/bin/tests/fuzz/programs): N.mlir, and N.npz
with arguments in0, in1, ... and results out0, out1, ... in reference numerics. Programs of the styles
`smooth` and `linear` compare best: their numbers are moderate. Known deviations are in
tests/fuzz/programs/xla_deviations.txt. Prints a line for each program that differs otherwise, and
how many were the same, known, not run (XLA refuses or crashes) and different. Exit status: 0, 1 when one differs, 77
(skipped) when JAX is not installed.
"""
import concurrent.futures
import glob
import multiprocessing
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


WIDTHS = {"f16": (16, 5), "bf16": (16, 8), "f32": (32, 8), "f64": (64, 11)}


def infinity(element, is_negative):
    """The bits of a float's infinity as a literal, all ones in the exponent; None where it has none."""
    if element not in WIDTHS:
        return None
    bits, exponent = WIDTHS[element]
    value = ((1 << exponent) - 1) << (bits - 1 - exponent)
    return f"0x{value | (is_negative << (bits - 1)):0{bits // 4}X}"


def neutral(operation, element):
    """A literal that changes nothing beside it; None where there is none, or where it is not known."""
    whole = re.fullmatch(r"(u?)i(\d+)", element)
    if operation in ("add", "multiply"):
        value = int(operation == "multiply")
        if element == "i1":
            return "true" if value else "false"
        return (str(value) if whole else f"({value}.0, 0.0)" if element.startswith("complex")
                else f"{value}.0" if element in WIDTHS else None)
    if operation in ("maximum", "minimum"):
        is_most = operation == "maximum"
        if element == "i1":
            return "false" if is_most else "true"
        if not whole:
            return infinity(element, is_most)
        bits = int(whole.group(2)) - (not whole.group(1))
        low = 0 if whole.group(1) else -(1 << bits)
        return str(low if is_most else (1 << bits) - 1)
    if operation in ("and", "or", "xor") and whole:
        if element == "i1":
            return "true" if operation == "and" else "false"
        ones = (1 << int(whole.group(2))) - 1 if whole.group(1) else -1
        return str(ones if operation == "and" else 0)
    return None


REDUCE = re.compile(r"^(\s*)%(\w+) = stablehlo\.reduce\((%\S+) init: (%[^)\s]+)\) applies "
                    r"stablehlo\.(\w+) (across .* : \((\S.*), (tensor<([^<>]*(?:<\w+>)?)>)\) -> (\S+))$",
                    re.MULTILINE)


def start_behind(match):
    """A fold from a neutral number, and its start put in behind it."""
    indent, name, x, init, operation, rest, _, scalar, element, result = match.groups()
    literal = neutral(operation, element)
    if literal is None:
        return match.group(0)
    return (f"{indent}%neutral_{name} = stablehlo.constant dense<{literal}> : {scalar}\n"
            f"{indent}%folded_{name} = stablehlo.reduce({x} init: %neutral_{name}) applies "
            f"stablehlo.{operation} {rest}\n"
            f"{indent}%start_{name} = stablehlo.broadcast_in_dim {init}, dims = [] : "
            f"({scalar}) -> {result}\n"
            f"{indent}%{name} = stablehlo.{operation} %start_{name}, %folded_{name} : {result}")


WINDOWS = re.compile(r"^( *)(%\w+)(:\d+)? = \"stablehlo\.reduce_window\"\(([^)]*)\) <\{([^\n]*)\}> "
                     r"\(\{\n(.*?)^\1\}\) : \(([^)]*)\) -> ([^\n]*)$", re.MULTILINE | re.DOTALL)
LISTS = re.compile(r"(?:padding = dense<(?P<padding>[^>]*)> : tensor<\w+>"
                   r"|base_dilations = array<i64: (?P<dilation>[^>]*)>)(?:, )?")


def padded(x, init, scalar, type_, pads, name, indent):
    """x with elements of init around and between its own: the line, and the type."""
    *extents, element = re.fullmatch(r"tensor<(.*)>", type_).group(1).split("x", len(pads))
    grown = [low + int(extent) + max(int(extent) - 1, 0) * between + high
             for extent, (low, high, between) in zip(extents, pads)]
    made = "tensor<" + "".join(f"{extent}x" for extent in grown) + f"{element}>"
    low, high, between = (", ".join(str(pad[i]) for pad in pads) for i in range(3))
    return (f"{indent}%loose_{name} = stablehlo.pad {x}, {init}, low = [{low}], high = [{high}], "
            f"interior = [{between}] : ({type_}, {scalar}) -> {made}\n"
            f"{indent}%{name} = stablehlo.optimization_barrier %loose_{name} : {made}\n", made)


def padding_before(match):
    """Windows of x padded by init, as the specification says: XLA folds in init once, in any case,
    and makes the same of a pad that it sees. One to less than nothing, which has no windows, stays."""
    indent, name, count, operands, attributes, body, types, results = match.groups()
    found = {key: value for part in LISTS.finditer(attributes)
             for key, value in part.groupdict().items() if value}
    if not found:
        return match.group(0)
    operands, types = operands.split(", "), types.split(", ")
    n, rank = len(operands) // 2, types[0].count("x") - types[0].count("complex")
    ends = [int(number) for number in re.findall(r"-?\d+", found.get("padding", "0"))]
    ends = ends * (2 * rank) if len(ends) == 1 else ends
    dilations = [int(number) for number in re.findall(r"\d+", found.get("dilation", "1, " * rank))]
    pads = [(ends[2 * d], ends[2 * d + 1], dilations[d] - 1) for d in range(rank)]
    if any(low + int(extent) + max(int(extent) - 1, 0) * between + high < 0
           for extent, (low, high, between) in zip(types[0][7:].split("x"), pads)):
        return match.group(0)
    lines, made = zip(*(padded(operands[i], operands[n + i], types[n + i], types[i], pads,
                               f"padded{i}_{name[1:]}", indent) for i in range(n)))
    operands[:n] = [f"%padded{i}_{name[1:]}" for i in range(n)]
    return ("".join(lines) + f"{indent}{name}{count or ''} = \"stablehlo.reduce_window\"("
            f"{', '.join(operands)}) <{{{LISTS.sub('', attributes).rstrip(', ')}}}> ({{\n{body}"
            f"{indent}}}) : ({', '.join([*made, *types[n:]])}) -> {results}")


def program_of(path):
    """The text, whose folds of one operand begin with a neutral number, for XLA asks for that, whose
    windows have no padding, and whose sorts keep the order of ties, as ours do."""
    with open(path, encoding="utf-8") as file:
        text = file.read().replace("is_stable = false", "is_stable = true")
    return WINDOWS.sub(padding_before, REDUCE.sub(start_behind, text))


def run(path):
    """None, or how the results differ."""
    text = program_of(path)
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
    text = program_of(path)
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


def worker():
    """A process that runs programs, for XLA may crash."""
    return concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))


def main(folder):
    """Run all; the exit status."""
    known = deviations()
    counts = {"same": 0, "known": 0, "not run": 0, "different": 0}
    pool = worker()
    for path in sorted(glob.glob(os.path.join(folder, "*.mlir"))):
        try:
            kind, why = pool.submit(verdict, path, known).result()
        except concurrent.futures.process.BrokenProcessPool:
            print(f"{path}: XLA crashes")
            kind, why = "not run", ""
            pool = worker()
        counts[kind] += 1
        if kind == "different":
            print(f"{path}: {why}")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
