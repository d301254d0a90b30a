"""Draws a sample as docs/write/randomness.md says. Input: seed, number, and benchmarks as [logic, family, path]."""
import itertools
import json
import random
import sys

seed, number, benchmarks = json.load(sys.stdin)
generator = random.Random(seed)
placed = []
for _, group in itertools.groupby(sorted(benchmarks), lambda b: b[:2]):
    paths = [b[2] for b in group]
    shift = generator.getrandbits(53) / 2**53
    generator.shuffle(paths)
    for k, path in enumerate(paths):
        placed.append(((k + shift) / len(paths), path, generator.getrandbits(1) == 1))
json.dump([[path, second] for _, path, second in sorted(placed)[:number]], sys.stdout)
