#!/usr/bin/python3
"""Points for quick answers: verdicts.csv in $SMTPIPE_IN -> scores.csv."""
import csv, os
from collections import defaultdict
from decimal import Decimal

sums, team = defaultdict(lambda: [0, Decimal(0), 0, Decimal(0), 0]), {}  # minus points, wall time, errors, CPU time, n
for run in csv.DictReader(open(os.environ["SMTPIPE_IN"] + "/verdicts.csv", newline="")):
    key = run["track"], run["division"], run["solver"]
    team[key] = run["team"] if run["competitive"] == "true" else None
    total, wall = sums[key], Decimal(run["wall_time_s"])
    if run["answer"] not in ("sat", "unsat") or wall > Decimal(run["wall_limit_s"]):
        continue
    if run["status"] not in (run["answer"], "unknown"):
        total[0], total[2] = total[0] + 8, total[2] + 1
    else:
        total[0] -= 2 if wall <= 60 else 1
        total[1], total[3], total[4] = total[1] + wall, total[3] + Decimal(run["cpu_time_s"]), total[4] + 1

out = csv.writer(open("scores.csv", "w", newline=""))
out.writerow("track division logic view solver rank winner competitive division_competitive points n w_s e c_s".split())
for place in sorted({key[:2] for key in sums}):
    keys = [key for key in sums if key[:2] == place]
    contested = len({team[key] for key in keys} - {None}) >= 2
    best = min(sums[key][:2] for key in keys if team[key]) if contested else None
    for key in keys:
        rank, (points, wall, errors, cpu, n) = 1 + sum(sums[o][:2] < sums[key][:2] for o in keys), sums[key]
        wins = bool(team[key]) and sums[key][:2] == best
        out.writerow([*place, "", "quick", key[2], rank, wins, bool(team[key]), contested, -points, n, wall, errors, cpu])
