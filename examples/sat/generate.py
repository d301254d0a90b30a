#!/usr/bin/env python3
"""Writes the benchmarks of the example into the folder benchmarks: pigeons (unsat), planted (sat), parity (both), random."""
import itertools
import pathlib
import random


def write(family, name, status, variables, clauses):
    path = pathlib.Path("benchmarks", family, f"{name}.cnf")
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"c status: {status}"] if status else []
    lines += [f"p cnf {variables} {len(clauses)}"] + [" ".join(map(str, c + [0])) for c in clauses]
    path.write_text("\n".join(lines) + "\n")


def pigeons(holes):
    """One more pigeon than holes, and no two pigeons share a hole."""
    at = lambda pigeon, hole: pigeon * holes + hole + 1
    clauses = [[at(p, h) for h in range(holes)] for p in range(holes + 1)]
    for h in range(holes):
        clauses += [[-at(p, h), -at(q, h)] for p, q in itertools.combinations(range(holes + 1), 2)]
    return (holes + 1) * holes, clauses


def threes(seed, variables, clauses, planted):
    """Random clauses with three literals; planted: no clause excludes that exactly the even variables are true."""
    draw, out = random.Random(seed), []
    while len(out) < clauses:
        clause = [v * draw.choice([1, -1]) for v in draw.sample(range(1, variables + 1), 3)]
        if not planted or any((v > 0) == (v % 2 == 0) for v in clause):
            out.append(clause)
    return variables, out


def parity(length, odd):
    """x1 = 0, neighbours differ, and the last variable has the implied value, or not."""
    clauses = [[-1]]
    for v in range(1, length):
        clauses += [[v, v + 1], [-v, -v - 1]]
    return length, clauses + [[length if odd else -length]]


for n in (4, 5, 6):
    write("pigeons", f"holes-{n}", "unsat", *pigeons(n))
for n in (1, 2, 3):
    write("planted", f"planted-{n}", "sat", *threes(n, 60 * n, 240 * n, True))
    write("random", f"random-{n}", "", *threes(n + 10, 40, 170, False))
    write("parity", f"sat-{n}", "sat", *parity(8 * n, True))
    write("parity", f"unsat-{n}", "unsat", *parity(8 * n, False))
