"""Executes a notebook and compares what it prints with what it has: notebook.py NOTEBOOK [write]

Cells with the tag "measured" print what a machine measures, and pictures depend on fonts; both only have to work. With
"write" the notebook gets the new outputs.
"""
import sys

import nbformat
from nbclient import NotebookClient


def printed(cell):
    data = [o.get("data", {"text/plain": o.get("text", "")}) for o in cell.get("outputs", [])]
    parts = [d.get("text/plain", "") for d in data if "image/png" not in d]
    return "".join(parts)


name = sys.argv[1]
old, new = nbformat.read(name, 4), nbformat.read(name, 4)
NotebookClient(new, timeout=300, record_timing=False).execute()
for cell in new.cells:
    cell.pop("execution_count", None)
    for output in cell.get("outputs", []):
        output.pop("execution_count", None)
        output.get("data", {}).pop("text/html", None)
    if cell.cell_type == "code":
        cell.execution_count = None
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = None
new.metadata = old.metadata
if sys.argv[2:] == ["write"]:
    nbformat.write(new, name)
for a, b in zip(old.cells, new.cells):
    if not sys.argv[2:] and "measured" not in a.metadata.get("tags", []) and printed(a) != printed(b):
        sys.exit(f"{name}: {a.source}\nhas\n{printed(a)}\nand prints\n{printed(b)}")
