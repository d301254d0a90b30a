#!/usr/bin/env python3
"""Checks an answer with the values of the outermost variables: certificate.py BENCHMARK OUTPUT. It expands the rest."""
import itertools
import re
import sys

benchmark, output = (open(name).read() for name in sys.argv[1:])
blocks = [(q, [int(v) for v in words.split()]) for q, words in re.findall(r"(?m)^([ae])((?: -?\d+)*) 0$", benchmark)]
clauses = [[int(w) for w in words.split()] for words in re.findall(r"(?m)^((?:-?[1-9]\d* )+)0$", benchmark)]


def true(depth, values):
    """The formula's value from a block on, given values for the outer variables."""
    if depth == len(blocks):
        return all(any(literal in values for literal in clause) for clause in clauses)
    quantifier, variables = blocks[depth]
    free = [v for v in variables if v not in values and -v not in values]
    choices = itertools.product(*[(v, -v) for v in free])
    return {"a": all, "e": any}[quantifier](true(depth + 1, values | set(choice)) for choice in choices)


said = re.search(r"(?m)^s cnf ([01])", output)[1] == "1"
outer = {int(literal) for literal in re.findall(r"(?m)^V (-?\d+) 0", output)}
if not outer <= {s * v for v in blocks[0][1] for s in (1, -1)} or any(-literal in outer for literal in outer):
    sys.exit(print("WRONG: the values are not of the outermost variables"))
print("RIGHT" if true(0, outer) == said else f"WRONG: the formula is {not said} with these values")
