#!/usr/bin/env python3
"""Copy a subset of the golden derivatives: for each family, operation, element type and kind of
value the smallest file.

    python3 choose.py ../../../shared/gradients        (a folder with index.csv and cases/)
"""

import csv
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).parent
LIMIT = 2_000_000


def main():
    source = pathlib.Path(sys.argv[1])
    rows = list(csv.DictReader(open(source / "index.csv")))
    size = {row["file"]: (source / row["file"]).stat().st_size for row in rows}
    smallest = {}
    for row in sorted(rows, key=lambda row: (size[row["file"]], row["file"])):
        for op in row["ops"].split():
            smallest.setdefault((row["family"], op, row["dtype"], row["kind"]), row["file"])
    chosen, total = [], 0
    for name in sorted(set(smallest.values()), key=lambda name: (size[name], name)):
        if total + size[name] > LIMIT:
            break
        total += size[name]
        chosen.append(name)
    for old in HERE.glob("*/*.mlir"):
        old.unlink()
    for name in chosen:
        copy = HERE / pathlib.Path(name).relative_to("cases")
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(source / name, copy)
    print(len(chosen), "files,", total, "bytes;", len(set(smallest.values())), "smallest ones")


if __name__ == "__main__":
    main()
