#!/usr/bin/env python3
"""Prints a benchmark with renamed variables in another order, determined by a seed: permute.py SEED BENCHMARK."""
import random
import re
import sys

draw = random.Random(int(sys.argv[1]))
text = open(sys.argv[2]).read()
variables, clauses = map(int, re.search(r"(?m)^p cnf +(\d+) +(\d+)", text).groups())
names = list(range(1, variables + 1))
draw.shuffle(names)
signs = [draw.choice([1, -1]) for _ in names]
new = [[]]
for literal in map(int, re.sub(r"(?m)^[cp].*$", "", text).split()):
    if literal:
        i = abs(literal) - 1
        new[-1].append(names[i] * signs[i] * (1 if literal > 0 else -1))
    else:
        draw.shuffle(new[-1])
        new.append([])
new.pop()
draw.shuffle(new)
print(f"p cnf {variables} {len(new)}")
for clause in new:
    print(*clause, 0)
