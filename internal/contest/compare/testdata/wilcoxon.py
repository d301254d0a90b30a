"""Reads lists of differences from standard input, and prints the two-sided p-values of scipy's signed-rank test."""
import json
import sys

from scipy.stats import wilcoxon

json.dump([wilcoxon(d, method="exact" if len(d) <= 50 else "asymptotic").pvalue for d in json.load(sys.stdin)], sys.stdout)
