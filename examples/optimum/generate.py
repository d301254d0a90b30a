#!/usr/bin/env python3
"""Writes the benchmarks of the example into the folder benchmarks: pseudo-Boolean problems, each with a value to minimise."""
import pathlib
import random


def write(family, name, variables, objective, constraints):
    path = pathlib.Path("benchmarks", family, f"{name}.opb")
    path.parent.mkdir(parents=True, exist_ok=True)
    text = lambda terms: " ".join(f"{c:+d} x{v}" for c, v in terms)
    lines = [f"* #variable= {variables} #constraint= {len(constraints)}", f"min: {text(objective)} ;"]
    lines += [f"{text(terms)} >= {bound} ;" for terms, bound in constraints]
    path.write_text("\n".join(lines) + "\n")


def cover(seed, nodes, edges):
    """The lightest set of nodes that touches all of a graph's edges."""
    draw = random.Random(seed)
    weights = [(draw.randint(1, 20), node) for node in range(1, nodes + 1)]
    pairs = [draw.sample(range(1, nodes + 1), 2) for _ in range(edges)]
    return nodes, weights, [([(1, a), (1, b)], 1) for a, b in pairs]


def knapsack(seed, items, room):
    """The most valuable items that fit, and at least two of them."""
    draw = random.Random(seed)
    sizes = [(draw.randint(5, 40), i) for i in range(1, items + 1)]
    worth = [(-draw.randint(5, 40), i) for i in range(1, items + 1)]
    return items, worth, [([(-s, i) for s, i in sizes], -room), ([(1, i) for _, i in sizes], 2)]


def colours(nodes, colours):
    """The fewest colours for nodes that must all differ: one per node, or no solution if there are fewer colours."""
    at = lambda node, colour: node * colours + colour + 1
    used = lambda colour: nodes * colours + colour + 1
    rules = [([(1, at(n, c)) for c in range(colours)], 1) for n in range(nodes)]
    rules += [([(-1, at(n, c)), (-1, at(m, c))], -1) for n in range(nodes) for m in range(n) for c in range(colours)]
    rules += [([(1, used(c)), (-1, at(n, c))], 0) for n in range(nodes) for c in range(colours)]
    return (nodes + 1) * colours, [(1, used(c)) for c in range(colours)], rules


for n in (1, 2, 3):
    write("cover", f"cover-{n}", *cover(n, 12 * n, 20 * n))
    write("knapsack", f"knapsack-{n}", *knapsack(n, 8 * n, 60 * n))
write("colours", "enough", *colours(4, 4))
write("colours", "too-few", *colours(5, 4))
