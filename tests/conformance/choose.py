#!/usr/bin/env python3
"""Copy a subset of StableHLO's conformance files: for each group of programs and each class of
dtypes the smallest one.

    python3 choose.py ../../../shared/stablehlo        (a folder with index.csv and testdata/)
"""

import csv
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).parent
LIMIT = 2_900_000  # of programs; the folder with its entry and lists stays under 3 MB


def kind(dtypes):
    """The class of the widest element type that a file uses."""
    names = dtypes.split()
    for word, label in (("quant", "quantized"), ("complex", "complex"), ("bf", "bf16"),
                        ("f16", "f16"), ("f32", "f32"), ("f64", "f64"), ("ui", "unsigned")):
        if any(word in name for name in names):
            return label
    return "signed" if any(name != "i1" for name in names) else "bool"


def main():
    source = pathlib.Path(sys.argv[1])
    rows = list(csv.DictReader(open(source / "index.csv")))
    allowed = {line.split()[0] for line in open(HERE / "allow.txt") if line.strip()
               and not line.startswith("#")}
    smallest = {}
    for row in sorted(rows, key=lambda row: int(row["bytes"])):
        smallest.setdefault((row["group"], row["main_op"], kind(row["dtypes"])), row["file"])
    chosen, total = [], 0
    for name in sorted(set(smallest.values()), key=lambda n: (source / "testdata" / n).stat().st_size):
        size = (source / "testdata" / name).stat().st_size
        if pathlib.Path(name).name in allowed or total + size > LIMIT:
            continue
        total += size
        chosen.append(name)
    for old in HERE.glob("*.mlir"):
        old.unlink()
    for name in chosen:
        shutil.copyfile(source / "testdata" / name, HERE / name.replace("/", "_"))
    shutil.copyfile(source / "LICENSE", HERE / "LICENSE")
    print(len(chosen), "files,", total, "bytes;", len(set(smallest.values())), "classes")


if __name__ == "__main__":
    main()
