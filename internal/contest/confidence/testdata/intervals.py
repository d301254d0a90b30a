"""Reads n and the number of benchmarks of families from standard input, and prints the 95 % interval of their ratio."""
import json
import sys

import numpy as np
from scipy.stats import bootstrap

data = json.load(sys.stdin)
r = bootstrap((np.array(data["n"], float), np.array(data["benchmarks"], float)),
              lambda n, b, axis: n.sum(axis=axis) / b.sum(axis=axis), paired=True, vectorized=True,
              n_resamples=20000, method="percentile", random_state=np.random.default_rng(1))
json.dump([r.confidence_interval.low, r.confidence_interval.high], sys.stdout)
