#!/usr/bin/env python3
"""Writes docs/operations.md from ops/ops.def and the comments of the headers.

usage: operations.py [--check]     --check: exit 1 if the file differs from what would be written
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs/operations.md"
RULES = {"RULE": "yes", "WHOLE": "yes", "LATER": "later"}


WITHOUT_FUNCTION = {
    "constant": "a concrete tensor that a trace captured.",
    "transposed_call": "inside of reverse transforms alone: a vjp rule, which they transpose back. "
                       "Derivative: linear; forward the transpose of its function, backward the function itself",
    "call": "a function applied to traced values: `ct_apply`, `ct_call`.",
}


def split_columns(text):
    """The comma-separated columns of a row; commas in strings and parentheses do not count."""
    columns, depth, quoted, column = [], 0, False, ""
    for c in text:
        quoted ^= c == '"'
        depth += (c == "(") - (c == ")") if not quoted else 0
        if c == "," and not quoted and depth == 0:
            columns.append(column.strip())
            column = ""
        else:
            column += c
    return columns + [column.strip()]


def rows():
    """Sections of ops.def: (title, [row])."""
    sections = []
    for line in (ROOT / "ops/ops.def").read_text().splitlines():
        title = re.match(r"/\* ---- (.*?)(: ops/.*)? \*/$", line)
        if title:
            sections.append((title[1], []))
        row = re.match(r"OP\((.*)\)$", line)
        if row:
            sections[-1][1].append(split_columns(row[1]))
    return sections


def one_line(comment):
    """A comment as one line of a table: paragraphs and lines indented by three become lines there."""
    text = re.sub(r"\n \*\n|\n \*   (?=\w)", "<br>", comment)
    text = re.sub(r"(<br>)+( \* +)?", "<br>", text)
    text = re.sub(r"\s*\n \* *", " ", text).strip()
    return re.sub(r"^---- \w+\. ", "", text)


def comments():
    """The comment before each ct_op_NAME_at in op*.h, behind that of its ct_NAME_dims, as one line."""
    headers = sorted(ROOT.glob("include/cotangent/op*.h"))
    text = "\n".join(header.read_text() for header in headers if header.stem != "operand")
    text = re.sub(r"^/\* clang-format o\w+ \*/\n", "", text, flags=re.M)
    found, dims, last = {}, {}, ""
    for m in re.finditer(r"^/\*(.*?)\*/|^typedef struct ct_(\w+)_dims|\bct_op_(\w+)_at\(", text, re.S | re.M):
        if m[1] is not None:
            last = one_line(m[1])
        elif m[2] is not None:
            dims[m[2]] = last
        elif m[3] not in found:
            before = dims.get(m[3], last)
            found[m[3]] = last if before == last else f"{before}<br>{last}"
    return found


COMPOSITES = ["elementwise", "reduce", "cumulative", "sort", "shape", "index", "linalg", "loss", "control",
              "tensor", "random"]


def composites(header):
    """The functions of a header in groups that share a comment: ([name], text)."""
    text = (ROOT / f"include/cotangent/{header}.h").read_text()
    groups, last = [], ""
    for m in re.finditer(r"^/\*(.*?)\*/|^CT_API [^;(]*?\b(ct_\w+?)(?:_at)?\(", text, re.S | re.M):
        if m[1] is not None:
            last = one_line(m[1])
        elif groups and groups[-1][1] == last:
            groups[-1][0].append(m[2])
        else:
            groups.append(([m[2]], last))
    return groups


def rule(column):
    none = re.match(r'NONE\("(.*)"\)', column)
    return f"none: {none[1]}" if none else "yes" if column.startswith("BY(") else RULES[column]


def cell(text):
    return text.replace("|", "\\|")


def document():
    described = comments()
    out = [
        "# Operations",
        "",
        "Written by `scripts/operations.py` from `ops/ops.def` and the comments of the headers.",
        "The primitive add is `ct_op_add`, and so on. Constraints are numbered C1, C2, …; breaking one is an",
        "error that names it in words. Composites (`include/cotangent/elementwise.h` and its neighbours) are made of these.",
        "",
    ]
    for title, operations in rows():
        out += [f"## {title}", "", "| name | StableHLO | meaning, constraints, derivative | jvp | transpose | batch |",
                "|---|---|---|---|---|---|"]
        for name, _, _, _, _, _, jvp, transpose, batch, _, _, spelling in operations:
            text = WITHOUT_FUNCTION.get(name) or described[name]
            out.append(f"| {name} | `{spelling.strip(chr(34))}` | {cell(text)} | {rule(jvp)} | {rule(transpose)} | {rule(batch)} |")
        out.append("")
    out += ["# Composites", "", "Names, formulas, shapes and errors as the headers have them.", ""]
    for header in COMPOSITES:
        out += [f"## `include/cotangent/{header}.h`", "", "| functions | meaning |", "|---|---|"]
        for names, text in composites(header):
            out.append(f"| {', '.join(f'`{name}`' for name in names)} | {cell(text)} |")
        out.append("")
    return "\n".join(out)


def write_or_check(target, text, usage):
    """The main of a script that generates a document: writes it, or with --check fails if it differs."""
    if sys.argv[1:] == ["--check"]:
        if target.read_text() != text:
            sys.exit(f"{target.relative_to(ROOT)} is out of date: run scripts/{pathlib.Path(sys.argv[0]).name}")
    elif sys.argv[1:]:
        sys.exit(usage)
    else:
        target.write_text(text)


if __name__ == "__main__":
    write_or_check(TARGET, document(), __doc__)
