#!/usr/bin/env python3
"""Keeps the benchmarks of SMT-LIB for which a condition on features of SMT-LIB-db holds: features.py CONDITION.

Features are the columns of Benchmarks, such as category, generator and passesDolmen, and those of Queries, such as
assertsCount, added up over the queries of a benchmark; of maxTermDepth it is the largest. The database has no digests.
It is joined by the whole path, and a benchmark of another size is another file. What nobody tells is None, and a
benchmark for which the condition has no value, such as None > 3, is left out.
"""
import csv
import os
import pathlib
import sqlite3
import sys

COUNTS = """normalizedSize assertsCount declareFunCount declareConstCount declareSortCount defineFunCount
    defineFunRecCount constantFunCount defineSortCount declareDatatypeCount""".split()
folder = pathlib.Path(os.environ["SMTPIPE_IN"])


class Features(dict):
    """A feature that nobody tells is None."""

    def __missing__(self, name):
        return None


def database(path):
    """The features of benchmarks by path and size."""
    db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    db.row_factory = sqlite3.Row
    sums = ", ".join(f"SUM({name}) AS {name}" for name in COUNTS)
    rows = db.execute(f"""SELECT B.*, F.folderName, Q.* FROM Benchmarks B JOIN Families F ON F.id = B.family
        LEFT JOIN (SELECT benchmark, {sums}, MAX(maxTermDepth) AS maxTermDepth FROM Queries GROUP BY benchmark) Q
        ON Q.benchmark = B.id""")
    for row in rows:
        collection = "incremental" if row["isIncremental"] else "non-incremental"
        yield ("/".join((collection, row["logic"], row["folderName"], row["name"])), str(row["size"])), Features(row)


def holds(condition, features):
    try:
        return eval(condition, {}, features)
    except TypeError:
        return False


known = dict(database(folder / "smtlib"))
with open(folder / "benchmarks.csv", newline="") as given, open("benchmarks.csv", "w", newline="") as kept:
    reader = csv.DictReader(given)
    writer = csv.DictWriter(kept, reader.fieldnames)
    writer.writeheader()
    for row in reader:
        if holds(sys.argv[1], known.get((row["path"], row["size_bytes"]), Features())):
            writer.writerow(row)
