#!/usr/bin/env python3
"""Checks an output's last solution and its value: model.py BENCHMARK OUTPUT VALUE_PATTERN."""
import re
import sys

pattern, benchmark, output = sys.argv[1], *(open(name).read() for name in sys.argv[2:])
benchmark = re.sub(r"(?m)^\*.*$", "", benchmark)
# The lines with the last solution. Other output separates earlier solutions' lines from it.
blocks = re.findall(r"(?:^v .*\n?)+", output, re.MULTILINE)
if not blocks:
    sys.exit(print("WRONG: there is no solution"))
words = blocks[-1].replace("\nv", " ").split()[1:]
value = {word.lstrip("-"): not word.startswith("-") for word in words}
if len(value) < len(set(words)):
    sys.exit(print("WRONG: a variable is true and false"))


def total(terms):
    return sum(int(c) for c, v in re.findall(r"([+-]?\d+) +(x\d+)", terms) if value.get(v))


for constraint in benchmark.split(";"):
    if found := re.fullmatch(r"\s*(.*?)\s*(>=|=)\s*([+-]?\d+)\s*", constraint, re.DOTALL):
        terms, relation, bound = found.groups()
        if total(terms) < int(bound) or relation == "=" and total(terms) != int(bound):
            sys.exit(print("WRONG: not satisfied:", " ".join(constraint.split())))
claimed = re.findall(pattern, output, re.MULTILINE)
objective = re.search(r"min:(.*?);", benchmark)
if objective and claimed and int(claimed[-1]) != total(objective[1]):
    sys.exit(print(f"WRONG: the value is {total(objective[1])}, and not {claimed[-1]}"))
print("RIGHT")
