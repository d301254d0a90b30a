#!/usr/bin/python3
"""Invents judged runs of five solvers, always the same ones, as verdicts.csv. In a competition: stage "validate"."""
import csv
import random

LOGICS = {"QF_BV": "QF_Bitvec", "QF_LIA": "QF_LinearIntArith", "QF_IDL": "QF_LinearIntArith", "UF": "Equality", "LRA": "Arith"}
SOLVERS = [  # name, team, whether it competes, mean seconds, CPU-seconds per second of wall time
    ("hare", "burrow", True, 50, 1.0), ("tortoise", "shell", True, 300, 1.0), ("fox", "den", True, 90, 3.5),
    ("vixen", "den", True, 80, 3.9), ("last-years-hare", "burrow", False, 60, 1.0),
]
T = 1200


def outcome(rnd, status, mean):
    """An answer and a wall time. One answer in fifty is wrong; some runs answer after the limit."""
    wall = round(mean * rnd.random() / (1 - rnd.random()), 3)
    if rnd.random() < 0.15:
        return "unknown", wall
    if wall > T and rnd.random() < 0.5:
        return "timeout", T + 0.5
    answer = status if status != "unknown" else "unsat"
    if rnd.random() < 0.02:
        answer = {"sat": "unsat", "unsat": "sat"}[answer]
    return answer, min(wall, T + 0.25)


rnd = random.Random(2026)
with open("verdicts.csv", "w", newline="") as f:
    out = csv.writer(f)
    out.writerow("track benchmark solver division logic team competitive status answer wall_time_s cpu_time_s wall_limit_s "
                 "cores core_size val_unsat val_sat last_wall_s last_cpu_s".split())
    for i in range(300):
        logic = list(LOGICS)[i % len(LOGICS)]
        status = ("sat", "unsat", "unknown")[int(rnd.random() * 3)]
        for name, team, competitive, mean, cores in SOLVERS:
            if name == "tortoise" and logic == "LRA":
                continue  # it does not enter this logic
            answer, wall = outcome(rnd, status, mean)
            out.writerow(["single_query", f"non-incremental/{logic}/made-up/b{i:03}.smt2", name, LOGICS[logic], logic, team,
                          competitive, status, answer, wall, round(wall * cores, 3), T, 4, -1, -1, -1, -1, -1])
