#!/usr/bin/env python3
"""Writes the benchmarks of the example into the folder benchmarks: quantified formulas that are true, false, or random."""
import pathlib
import random


def write(family, name, status, blocks, clauses):
    """blocks are the quantifiers with their variables, from the outside in."""
    path = pathlib.Path("benchmarks", family, f"{name}.qdimacs")
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"c status: {status}"] if status else []
    lines.append(f"p cnf {max(v for _, vs in blocks for v in vs)} {len(clauses)}")
    lines += [" ".join([quantifier, *map(str, variables), "0"]) for quantifier, variables in blocks]
    path.write_text("\n".join(lines + [" ".join(map(str, c + [0])) for c in clauses]) + "\n")


def differ(pairs):
    """Each y differs from its x."""
    return [c for i in range(pairs) for x, y in [(2 * i + 1, 2 * i + 2)] for c in ([x, y], [-x, -y])]


def draw(seed, blocks, size, clauses):
    rand = random.Random(seed)
    inner = [v for quantifier, variables in blocks if quantifier == "e" for v in variables]
    others = [v for _, variables in blocks for v in variables]
    pick = lambda v: v * rand.choice([1, -1])
    for _ in range(clauses):
        first = rand.choice(inner)
        yield [pick(first)] + [pick(v) for v in rand.sample([v for v in others if v != first], size - 1)]


for n in (2, 4, 6):
    xs, ys = list(range(1, 2 * n, 2)), list(range(2, 2 * n + 1, 2))
    write("differ", f"answers-{n}", "true", [("a", xs), ("e", ys)], differ(n))
    write("differ", f"guesses-{n}", "false", [("e", ys), ("a", xs)], differ(n))
    blocks = [("e", [1, 2, 3, 4]), ("a", [5, 6, 7]), ("e", [8, 9, 10, 11])]
    write("random", f"random-{n}", "", blocks, list(draw(n, blocks, 3, 8 + 5 * n)))
