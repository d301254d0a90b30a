#!/usr/bin/env python3
"""Keeps the benchmarks for which a condition on features holds: features.py CONDITION.

Features are the variables and clauses of the benchmark itself, and those of a database in the manner of GBD: a table
features in SQLite, or CSV, joined by its column hash (GBD's hash) or sha256, and never by name. family is that of the
database, if it has one, so that benchmarks can be capped by it.
"""
import csv
import hashlib
import os
import pathlib
import re
import sqlite3
import sys

folder = pathlib.Path(os.environ["SMTPIPE_IN"])


def database(path):
    """A database's rows, by digest."""
    if path.read_bytes().startswith(b"SQLite format 3"):
        db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
        db.row_factory = sqlite3.Row
        rows = [dict(row) for row in db.execute("SELECT * FROM features")]
    else:
        rows = csv.DictReader(path.open(newline=""))
    return {row.pop("sha256", None) or row.pop("hash"): row for row in rows}


class Features(dict):
    """A feature without a value is None."""

    def __missing__(self, name):
        return None


def number(text):
    return float(text) if re.fullmatch(r"-?\d+(\.\d+)?", str(text)) else text


def features(row):
    text = (folder / "files" / row["path"]).read_text()
    variables, clauses = map(int, re.search(r"(?m)^p cnf +(\d+) +(\d+)", text).groups())
    words = " ".join(re.sub(r"(?m)^[cp].*$", "", text).split())
    found = known.get(row["sha256"]) or known.get(hashlib.md5(words.encode()).hexdigest()) or {}
    told = {name: number(value) for name, value in found.items()}
    return Features({"family": row["family"], "variables": variables, "clauses": clauses, **told})


known = database(folder / "gbd")
with open(folder / "benchmarks.csv", newline="") as given, open("benchmarks.csv", "w", newline="") as kept:
    reader = csv.DictReader(given)
    writer = csv.DictWriter(kept, reader.fieldnames)
    writer.writeheader()
    for row in reader:
        has = features(row)
        if eval(sys.argv[1], {}, has):
            writer.writerow({**row, "family": has["family"]})
