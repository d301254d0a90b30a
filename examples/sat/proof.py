#!/usr/bin/env python3
"""Checks a DRAT proof after an answer, step by step: proof.py BENCHMARK OUTPUT [FILE]. Meant for small proofs."""
import re
import sys


benchmark, *outputs = (open(name).read() for name in sys.argv[1:])
clauses = {}  # sorted clause -> number of copies


def change(clause, by):
    key = tuple(sorted(set(clause)))
    clauses[key] = clauses.get(key, 0) + by
    if clauses[key] <= 0:
        del clauses[key]


def conflict(false):
    """Whether unit propagation finds a conflict if these literals are false."""
    false, again = set(false), True
    if any(-literal in false for literal in false):
        return True
    while again:
        again = False
        for clause in clauses:
            left = [literal for literal in clause if literal not in false]
            if not left:
                return True
            if len(left) == 1 and -left[0] not in false:
                false.add(-left[0])
                again = True
    return False


def follows(clause):
    """Whether the clause has the property RUP, or RAT on its first literal."""
    if conflict(clause):
        return True
    return bool(clause) and all(conflict(clause + [l for l in other if l != -clause[0]])
                                for other in list(clauses) if -clause[0] in other)


clause = []
for literal in map(int, re.sub(r"(?m)^[cp].*$", "", benchmark).split()):
    if literal:
        clause.append(literal)
    else:
        change(clause, 1)
        clause = []
for step, (deletes, words) in enumerate(re.findall(r"(?m)^(d )?((?:-?[1-9]\d* )*0)$", "\n".join(outputs)), 1):
    clause = [int(word) for word in words.split()[:-1]]
    if not deletes and not follows(clause):
        sys.exit(print("WRONG: step", step, "does not follow:", *clause))
    change(clause, -1 if deletes else 1)
    if not clause and not deletes:
        sys.exit(print("RIGHT"))
print("WRONG: the proof does not end with the empty clause")
