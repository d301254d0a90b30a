#!/usr/bin/python3
"""Writes the organisers' runs of the incremental track (runs.csv.gz) as a table of verdicts."""
import csv
import glob
import gzip
import os

with gzip.open(glob.glob(os.environ["SMTPIPE_IN"] + "/runs*")[0], "rt") as runs, open("verdicts.csv", "w") as out:
    rows = csv.DictReader(runs)
    table = csv.writer(out)
    table.writerow("track benchmark solver division logic family team competitive status answer wall_time_s cpu_time_s "
                   "wall_limit_s cores n_checks n_checks_correct n_checks_wrong last_wall_s last_cpu_s core_size val_unsat "
                   "val_sat".split())
    for r in rows:
        family = r["benchmark"].rsplit("/", 1)[0].split("/", 1)[1]
        table.writerow(["incremental", r["benchmark"], r["solver"], r["division"], r["logic"], family, r["solver"],
                        r["competitive"], "unknown", r["answer"], r["wall_s"], r["cpu_s"], 1200, 4, r["n_total"],
                        r["n_correct"], r["error"], -1, -1, -1, -1, -1])
