#!/usr/bin/env python3
"""Checks the model after an answer: model.py BENCHMARK OUTPUT [FILE]. Omitted variables may have any value."""
import re
import sys

benchmark, *outputs = (open(name).read() for name in sys.argv[1:])
output = "\n".join(outputs)
body = re.sub(r"(?m)^[cp].*$", "", benchmark)
lines = re.findall(r"(?m)^v (.*)$", output) or re.findall(r"(?m)^SAT\n(.*)$", output)
model = {int(word) for line in lines for word in line.split()}
if any(-literal in model for literal in model if literal):
    sys.exit(print("WRONG: a variable is true and false"))
if not model:
    sys.exit(print("WRONG: there is no model"))
clause = []
for literal in map(int, body.split()):
    if literal:
        clause.append(literal)
    else:
        if not model.intersection(clause):
            sys.exit(print("WRONG: the clause", *clause, "is not satisfied"))
        clause = []
print("RIGHT")
