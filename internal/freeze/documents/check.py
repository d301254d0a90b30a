#!/usr/bin/env python3
"""Computes the division tables of a frozen solver competition again, and checks single cells of them.

  python3 check.py [FOLDER]     a frozen folder (its own): digests, the hash tree over all runs, every division table
  python3 check.py CELL.json.gz one cell, from the file that "smtpipe prove" wrote; nothing else is needed
  python3 check.py OFFICIAL     official results (runs.csv.gz and published.json), by the organisers' practice

--key FILE after them refuses what is not signed by a key of this file, by ssh-keygen: public keys, one a line, or
allowed_signers, as "smtpipe verify --key" reads them. The program
was written from the rules documents of the competition ("§" is a section of that of the year) and shares nothing with
smtpipe. It needs Python 3.8. Exit code 0: it holds; 1: it does not; 2: usage, or something could not be checked."""
import bisect, csv, decimal, fractions, gzip, hashlib, itertools, json, pathlib, re, subprocess, sys, tempfile
from collections import Counter, defaultdict, namedtuple

# Which rules document a rule set is: SHA-256 of its text without comments and layout, as records of stages have it.
RULES = {
    "a6817b9b6f5885180f9db2b8836b6af02e1068716beeb46ebf9b743ae9276e08": 2008,
    "3ad38484cd74da972f3577b4079b85a68889add2b2fc65f64586f3ec0c4d6aa6": 2015,
    "a342bed6a9ad4c5fd6a90da8a0b72e944fee625cae666e1b5fb9fef3470ce297": 2019,
    "d97fcc6b493f04ff4f04c7bd62de842031c7d83cd3b8cefb6fd54b01f55eb39e": 2022,
    "46facb011d04037b5a124e74ed4136147206c2decad1ef5e8e04fc23f20334d9": 2026}
# Where the documents are unclear, the literal reading is taken; what has none here changes other tables only.
USUAL = set("""nothing_solved=no_winner unknown_status=text sat_view=sound late_answer=text cut_c=literal nd nd_view
    late_c=literal seq_error=actual par2_component=w core_unvalidated=split entrants_2008=all pairs pairs_total
    log2015""".split())
# The columns of runs in the hash tree: what scoring needs, and the rest.
SCORED = """benchmark solver participation attempt track logic team competitive barred base_solver
    wall_time_s cpu_time_s stdout wall_limit_s cores""".split()
REST = """open_source new_entrant run_key script_sha256 ending exit_code signal memory_bytes answer_wall_time_s
    stdout_sha256 stdout_bytes stderr_sha256 stderr_bytes trace flags isolation hardware cpu_limit_s
    memory_limit_bytes problem measured_at measured_with""".split()
SECOND = 10 ** 12  # times are whole numbers of picoseconds, so that nothing is lost in sums
class Refused(Exception): """What was to be checked does not hold."""
class Unknown(Exception): """Something cannot be checked by this program."""
def time_of(text): return int((decimal.Decimal(text) * SECOND).to_integral_value())
# ---------------------------------------------------------------------------------------------------- benchmark scores
RUN = {name: kind for names, kind in (
    ("track benchmark solver division logic team barred base_solver status answer validation", str),
    ("wall_time_s cpu_time_s wall_limit_s last_wall_s last_cpu_s", time_of), ("competitive", "true".__eq__),
    ("cores n_checks n_checks_correct n_checks_wrong n_assertions core_size val_unsat val_sat", int),
) for name in names.split()}
Run = namedtuple("Run", RUN)
Score = namedtuple("Score", "e n points w c aw ac solved claim")
def run_of(row): return Run(*(kind(row[name]) for name, kind in RUN.items()))
def is_incremental(r): return r.track == "incremental" or (r.track == "industry_challenge" and r.n_checks > 0)

def benchmark_score(year, r, limit=None):
    """The score of one run (2008 §5; later §7.1), under the limit T of the run or a shorter one of the view."""
    T = min(r.wall_limit_s, limit or r.wall_limit_s)
    late, said, mT = r.wall_time_s > T, r.answer in ("sat", "unsat"), r.cores * T
    counts = not late or (year >= 2019 and T == r.wall_limit_s)  # §7.1.2: also answers before it was stopped
    w, c, claim = min(r.wall_time_s, T), min(r.cpu_time_s, mT), r.answer if said and counts else ""
    if is_incremental(r):  # §7.1.3
        e, claim = r.n_checks_wrong > 0, ""
        n = 0 if e else r.n_checks_correct
        solved = not e and r.n_checks > 0 and n == r.n_checks
    elif r.track == "unsat_core":  # §7.1.4: the reduction; without a core the whole benchmark is the core
        core, broken = r.answer == "unsat" and r.core_size >= 0, r.answer == "unsat" and r.validation == "illformed"
        voted = core and r.validation == "" and min(r.val_unsat, r.val_sat) >= 0
        refuted = core and (r.validation == "invalid" or (voted and r.val_sat > r.val_unsat))
        tied = year >= 2026 and voted and r.val_unsat == r.val_sat  # §5.4: more must say unsat than sat
        e = counts and (r.answer == "sat" or refuted or (tied and r.val_sat > 0) or (broken and year < 2022))
        accepted = core and not refuted and not tied and not broken
        n = max(r.n_assertions - r.core_size, 0) if counts and accepted else 0
        whole = r.answer == "unsat" and r.core_size < 0 and r.validation not in ("invalid", "illformed")
        solved = counts and (accepted or whole)
    elif r.track == "model_validation":  # §7.1.5
        e = counts and (r.validation == "INVALID" or (r.validation == "" and r.answer == "unsat"))
        n = solved = counts and r.validation == "VALID"
    else:  # §7.1.2
        e = counts and said and r.status != "unknown" and r.answer != r.status
        n = solved = counts and said and not e
    aw, ac = (w, c) if year == 2026 else (0, 0)
    points = n - 8 * e if year == 2008 else 0  # Figure 1
    if year == 2008:
        w, c = 0, r.cpu_time_s
    elif year == 2026 and r.track == "incremental":  # §7.1: the time of the last answer
        answered = r.n_checks_correct + r.n_checks_wrong > 0
        w = min(r.last_wall_s, T) if r.last_wall_s >= 0 else w if answered else 0
        c = min(r.last_cpu_s, mT) if r.last_cpu_s >= 0 else c if answered else 0
    elif year == 2026:  # zero unless it was solved in time
        w = r.wall_time_s if solved and not late else 0
        c = r.cpu_time_s if solved and r.cpu_time_s <= mT else 0
    return Score(int(e), int(n), points, w, c, aw, ac, solved, claim)

def view_score(year, view, r, p):  # what a view makes of a run with the parallel score p
    if view == "24s":
        return benchmark_score(year, r, 24 * SECOND)
    if view == "seq":  # 2015 §7.2, later §7.1.1: results count only within T of CPU time
        cut = {"e": 0, "n": 0} if r.cpu_time_s > r.wall_limit_s else {}
        times = {"c": min(p.c, r.wall_limit_s)} if year < 2026 else {"w": 0, "c": 0} if cut else {}
        return p._replace(**cut, **times)
    if view == "par2":  # 2026 §7.2.2
        good = p.solved and not p.e
        return p._replace(w=p.aw if good else 2 * r.wall_limit_s, c=p.ac if good else 2 * r.cores * r.wall_limit_s)
    return p

def views_of(year, track):
    several = {2015: ("single_query",), 2019: ("single_query", "unsat_core", "model_validation", "industry_challenge")}
    views = ["par"] + ["seq"] * (track in several.get(year, several[2019][:3])) + ["par2"] * (year == 2026)
    return ["points"] if year == 2008 else views + ["24s", "sat", "unsat"] * (year > 2015 and track == "single_query")
# ------------------------------------------------------------------------------------------------------ division tables
class Division:  # the runs of a division in one track, and what the rules say of its benchmarks and solvers
    def __init__(self, year, runs, disqualified=()):
        self.year, self.out = year, disqualified
        # 2008 §4, 2015 §6: benchmarks of unknown status are not used
        self.runs = [r for r in runs if year > 2015 or r.track != "single_query" or r.status != "unknown"]
        self.par = [benchmark_score(year, r) for r in self.runs]
        unsound = {r.solver for r, p in zip(self.runs, self.par) if p.e}
        self.sound = defaultdict(set)  # what sound solvers answered, by benchmark
        for r, p in zip(self.runs, self.par):
            if p.claim and r.solver not in unsound:
                self.sound[r.benchmark].add(p.claim)

    def in_view(self, view, r):  # whether a view has the benchmark of a run (§7.2)
        if self.year > 2015 and r.track in ("single_query", "industry_challenge") and len(self.sound[r.benchmark]) == 2:
            return False  # removed: sound solvers disagree
        return not (view == "seq" and is_incremental(r)) and (view not in ("sat", "unsat") or r.status == view or (
            r.status == "unknown" and view in self.sound[r.benchmark]))

    def terms(self, view, logic="", solver=""):  # each run with what it adds; None: the view does not count it
        for r, p in zip(self.runs, self.par):
            if logic in ("", r.logic) and solver in ("", r.solver):
                yield r, view_score(self.year, view, r, p) if self.in_view(view, r) else None

    def table(self, view, logic=""):  # the sums of all solvers, their ranks, and who wins
        table, benchmarks, runs = {}, set(), {}
        for r, p in self.terms(view, logic):
            row, runs[r.solver] = table.setdefault(r.solver, Counter()), r
            if p:
                benchmarks.add(r.benchmark)
                row.update({**dict(zip(p._fields[:7], p)), "counted": 1, "solved": int(p.n > 0)})
                row["solved_c"] += p.c if p.n > 0 else 0
        for s, row in table.items():
            missing, r = len(benchmarks) - row["counted"], runs[s]
            row.update(n_benchmarks=len(benchmarks), abstained=missing, unsolved=row["counted"] - row["solved"])
            if view == "par2":  # what a solver was not run on is not solved
                row.update(w=missing * 2 * r.wall_limit_s, c=missing * 2 * r.cores * r.wall_limit_s)
        self.rank(view, logic, table, runs)
        return table

    def rank(self, view, logic, table, runs):
        def founded(s):  # its base solver entered as well, and is not derived from it (2008 §2, 2026 §4)
            chain = [s]
            while (base := runs[chain[-1]].base_solver) in runs and base not in chain: chain.append(base)
            return len(chain) > 1 and base != s
        def key(row):
            if view == "points":  # ties by the average CPU time of correct answers
                return -row["points"], row["solved"] == 0, fractions.Fraction(row["solved_c"], max(row["solved"], 1))
            return (row["e"], -row["n"]) + ((row["c"],) if view == "seq" else (row["w"], row["c"]))
        keys, out = {s: key(row) for s, row in table.items()}, set()
        based = {s for s, r in runs.items() if r.base_solver and self.year in (2008, 2026)}
        if self.year == 2008:  # four wrong answers in a division (§5); a wrapper not ahead of what it wraps (§2)
            out = {s for s in table if table[s]["e"] >= 4 or s in self.out}
            out |= {s for s in based - out if runs[s].base_solver not in keys or (
                runs[s].base_solver not in out and keys[s] >= keys[runs[s].base_solver])}
        par2 = self.table("par2", logic) if based and self.year == 2026 and view != "par2" else table
        competing = {s for s, r in runs.items() if r.competitive and not r.barred and (s not in based or founded(s))}
        able = {s for s in competing - out if s not in based or self.year == 2008 or (
            0 < 10 * par2[s]["w"] <= 9 * par2[runs[s].base_solver]["w"])}  # derived: 10 % better than its base (§7.5)
        teams = len({runs[s].team for s in competing})  # 2008 §5, 2015 §7, later §6
        contest = teams >= (3 if self.year == 2008 else 2) and not (self.year == 2015 and "FP" in self.runs[0].logic)
        best = min((keys[s] for s in able), default=None)
        for s, row in table.items():
            row["rank"] = 0 if s in out else 1 + sum(keys[x] < keys[s] for x in keys if x not in out)
            row["winner"] = int(contest and s in able and keys[s] == best and row["solved"] > 0)
# ------------------------------------------------------------------------------------------------- what a folder holds
def sha256(data): return hashlib.sha256(data).hexdigest()
def rows_of(path):
    csv.field_size_limit(1 << 30)
    how = {"mode": "rt", "encoding": "utf-8", "errors": "surrogateescape", "newline": ""}
    with (gzip.open if path.suffix == ".gz" else open)(path, **how) as f:
        yield from csv.DictReader(f)

def tree_root(count, scored, rest, path=(), rest_path=()):  # from leaves by place of both sides; as the lock has it
    sides = ((scored, path), (rest, rest_path))
    return f"{count} sha256:{sha256(bytes([2]) + b''.join(side(count, *x) for x in sides))}" if count else ""

def side(count, leaves, path):
    """The root of an RFC 6962 tree of so many leaves: known ones by place, other parts from the path, left to right."""
    path, places = iter(path), sorted(leaves)
    def node(lo, n):
        known = bisect.bisect_left(places, lo + n) - bisect.bisect_left(places, lo)
        if not known:
            return bytes.fromhex(next(path, ""))
        if known < n:
            k = 1 << ((n - 1).bit_length() - 1)
            return hashlib.sha256(b"\1" + node(lo, k) + node(lo + k, n - k)).digest()
        level = [leaves[at] for at in range(lo, lo + n)]
        while len(level) > 1:  # the last one goes up alone if their number is odd
            pairs = itertools.zip_longest(level[::2], level[1::2])
            level = [hashlib.sha256(b"\1" + x + y).digest() if y else x for x, y in pairs]
        return level[0]
    root = node(0, count)
    return root if next(path, None) is None else b"a path that is too long"
def net(text): return b"%d:%b," % (len(utf8(text)), utf8(text))
def utf8(text): return text.encode("utf-8", "surrogateescape")  # solvers print any bytes
def leaf(nets): return hashlib.sha256(b"\0" + b"".join(nets)).digest()
PLACE = "track logic solver benchmark participation attempt".split()  # what leaves are sorted by, in a table

def read_lock(text):  # the root, the entries of all sections but the last by name, and the files
    def unquote(s): return json.loads('"' + s + '"').replace("$${", "${").replace("%%{", "%{")
    quoted = r'"((?:[^"\\]|\\.)*)"'
    def section(text): return {unquote(name): {k: unquote(v) for k, v in re.findall(r"(\w+) = " + quoted, attrs)}
                               for name, attrs in re.findall(r"^  " + quoted + r" = \{(.*)\}$", text, re.M)}
    head, _, files = text.partition("\nfiles = {\n")
    return "".join(re.findall(r'^runs +=  *"([^"]*)"$', head, re.M)), section(head), section(files)

def rules_of(address, components, entries):
    """The year that a stage scores by, and the digests of its tables of verdicts."""
    key, verdicts = hashlib.sha256(), []
    for text in (t.encode() for c in components for t in c):
        key.update(len(text).to_bytes(8, "little") + text)
    if key.hexdigest() != entries[address]["key"]:
        raise Refused(f"{address}: its record does not have the key that the lock has")
    year = RULES.get(dict(components)["rules"].replace("sha256:", ""))
    if not year:
        raise Unknown(f"{address}: its rule set is that of no year")
    for name, value in components:
        first, _, rest = re.sub(r'["\]]', "", name).replace("[", ".").partition(".")
        usual = rest == "count" or first == "readings" and {rest, rest + "=" + value.strip('"')} & USUAL
        if first in ("practice", "removed", "divisions", "readings", "reading") and value != '"rules"' and not usual:
            raise Unknown(f"{address} scores with {name} = {value}, which this program does not know")
        verdicts += [value.split(":")[1]] if first == "verdicts" and rest != "count" else []
    return year, verdicts

def check_signature(lock, signature, key):
    if not key: return "Nobody's signature was checked (--key)."
    with tempfile.NamedTemporaryFile("w") as f, tempfile.NamedTemporaryFile("w") as signers:
        print(signature, end="", file=f, flush=True)
        for line in pathlib.Path(key).read_text("utf-8").splitlines():
            kind, _, rest = line.strip().partition(" ")
            if re.match("ssh-|ecdsa-|sk-", kind):  # a public key; its comment is whose it is
                line = re.sub(r"[^\w@.+-]", "_", rest.partition(" ")[2]) or "key"
                line += f" {kind} {rest}"
            print(line, file=signers, flush=True)
        def ask(*args): return subprocess.run(["ssh-keygen", "-Y", *args, "-s", f.name, "-f", signers.name],
                                              input=lock.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        who = ask("find-principals").stdout.decode().split("\n")[0]
        if not who or ask("verify", "-I", who, "-n", "smtpipe").returncode:
            raise Refused("the lock is not signed by a key of " + key)
    return f"The lock is signed by {who}."
ANSWERED = "track stdout answer solver benchmark".split()
def check_answer(year, track, stdout, answer, solver, benchmark):  # by a short output (§5.1)
    lines = [x.strip() for x in stdout.split("\n") if x.strip() not in ("", "success") and x.strip()[0] != ";"]
    if track in ("single_query", "parallel") and lines and lines[0] in ("sat", "unsat") and lines[0] != answer:
        if year > 2015 or answer in ("sat", "unsat", "unknown", ""):  # earlier rules drop what comes late
            raise Refused(f"{solver} said {lines[0]} on {benchmark} and was judged as {answer}")

LOCK, SUMS = "smtpipe.lock.hcl", "SHA256SUMS"
def check_files(folder, lock, files):  # every file has its digest, and none is missing or more
    sums = {line[66:]: line[:64] for line in (folder / SUMS).read_text("utf-8").splitlines()}
    if files:  # the lock of smtpipe 0.1 names none
        if sums != {LOCK: sha256(lock.encode()), **{name: file["sha256"] for name, file in files.items()}}:
            raise Refused(SUMS + " is not what the lock implies")
        there = {path.relative_to(folder) for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()}
        names = {path.as_posix() for path in there if ".smtpipe" not in path.parts} - {SUMS, LOCK + ".sig"}
        for name in sorted(names ^ set(sums)):
            raise Refused(f"{name} is missing" if name in sums else f"{name} was added: the lock does not have it")
    for name, want in sums.items():
        path, got = folder / name, hashlib.sha256()
        if path.is_symlink() or not path.is_file():
            raise Refused(f"{name} is not a regular file")
        with open(path, "rb") as f:
            for part in iter(lambda: f.read(1 << 20), b""):
                got.update(part)
        if got.hexdigest() != want:
            raise Refused(f"{name} does not have its digest")

def check_folder(folder, key):  # everything in a frozen folder that follows from its tables of runs and verdicts
    lock, signature = (folder / LOCK).read_bytes().decode(), folder / (LOCK + ".sig")
    (root, entries, files), wrong, unknown = read_lock(lock), [], []
    check_files(folder, lock, files)
    print(check_signature(lock, signature.read_text() if signature.exists() else "", key))
    records = {f.parent: json.loads(f.read_text("utf-8")) for f in (folder / "stages").rglob("record.json")
               if "files" not in f.parts}  # which are trees
    tables = {f"{r['address']}.{name}": at / f"{name}.csv" for at, r in records.items() for name in r["outputs"]}
    leaves = sorted(([utf8(x) for x in [name, *map(row.get, PLACE)]], leaf(map(net, [name, *map(row.get, SCORED)])),
                     leaf(map(net, map(row.get, REST)))) for name in tables
                    if entries[name].get("schema") == "runs/1" for row in rows_of(tables[name]))
    if tree_root(len(leaves), *(dict(enumerate(x[i] for x in leaves)) for i in (1, 2))) != root:
        raise Refused("the runs are not those of the root in the lock")
    print(f"All files have their digests, and {len(leaves)} runs are those of the root in the lock.")
    for at, record in sorted((at, r) for at, r in records.items() if r["kind"] == "score"):
        try:
            components, address = [(c["name"], c["value"]) for c in record["components"]], record["address"]
            year, digests = rules_of(address, components, entries)
            verdicts = {table for name, table in tables.items() if entries[name].get("sha256") in digests}
            check_scores(address, year, sorted(verdicts), at, wrong)
        except Unknown as e:
            unknown.append(str(e))
    if wrong:
        raise Refused(f"{len(wrong)} figures of division tables differ:\n" + "\n".join(wrong[:20]))
    if unknown:
        raise Unknown("; ".join(unknown))

def check_scores(address, year, verdicts, folder, wrong):
    runs, tables, count = defaultdict(list), {}, 0
    for row in (row for path in verdicts for row in rows_of(path)):
        check_answer(year, *map(row.get, ANSWERED))
        runs[row["track"], row["division"]].append(run_of(row))
    divisions = {place: Division(year, of) for place, of in runs.items()}
    everywhere = (d.table("points").items() for d in divisions.values()) if year == 2008 else ()
    out = {s for rows in everywhere for s, row in rows if row["e"] >= 4}
    for (track, name), d in divisions.items():
        logics, d.out = {r.logic for r in d.runs}, out
        for logic, view in ((x, v) for x in {""} | logics for v in views_of(year, track)):
            tables.update({(track, name, logic, view, solver): row for solver, row in d.table(view, logic).items()})
    for row in rows_of(folder / "scores.csv"):
        place, count = tuple(row[c] for c in ("track", "division", "logic", "view", "solver")), count + 1
        ours = tables.pop(place, Counter({"rank": -1}))
        for name in "rank winner n_benchmarks e n points aw w ac c solved unsolved abstained".split():
            theirs = float({"true": 1, "false": 0}.get(row.get(name), row.get(name, row.get(name + "_s"))))
            value = ours[name] / SECOND if name in ("aw", "w", "ac", "c") else ours[name]
            if value != theirs:
                wrong.append(f"{address}: {' '.join(place)}: {name} is {theirs}, and {value} by the rules of {year}")
    wrong.extend(f"{address}: {' '.join(place)} is missing" for place in tables)
    print(f"{address}: {count} rows of {len(divisions)} divisions, by the rules of {year}.")

def columns_of(table, names, n, kind=lambda name, value: value):
    """Columns of a cell's file: values, and the step of each row from the place of the value before to its own."""
    for name in names:
        values, places = [kind(name, v) for v in table[name][0]], [*itertools.accumulate(table[name][1])]
        if len(places) != n:
            raise Refused(f"the column {name} does not have {n} rows")
        yield [values[at] for at in places]

def check_cell(path, key):  # a cell of a table: its runs against the root, then the table again
    data = path.read_bytes()
    if data[:75] != b"\x1f\x8b\x08\x10\0\0\0\0\2\xff%b\0" % sha256(data[75:]).encode():  # the comment of a gzip file
        raise Refused("the file was changed: it does not have the digest that is in its header")
    p = json.loads(gzip.decompress(data))
    cell, (root, entries), both = p["cell"], read_lock(p["lock"])[:2], {**p["judged"], **p["scored"]}
    print(check_signature(p["lock"], p["signature"], key))
    year, _ = rules_of(cell["stage"], p["components"], entries)
    places, count = [at for lo, hi in p["spans"] for at in range(lo, hi)], int(root.split()[0])
    row = {c: next(columns_of(both, [c], len(places))) for c in ["table", "division", "answer"] + SCORED}
    judged = {at for at, *of in zip(places, row["track"], row["division"]) if of == [cell["track"], cell["division"]]}
    own = {at: benchmark for at, solver, logic, benchmark in zip(places, row["solver"], row["logic"], row["benchmark"])
           if at in judged and solver == cell["solver"] and cell["logic"] in ("", logic)}
    def leaves(where, names):  # by place
        nets = columns_of({**p["rest"], **p["scored"]}, names, len(where), lambda _, v: net(v))
        return dict(zip(where, map(leaf, zip(*nets))))
    if tree_root(count, leaves(places, ["table"] + SCORED), leaves(own, REST), p["path"], p["rest_path"]) != root:
        raise Refused("the runs are not below the root of the hash tree")
    group = dict(zip(places, zip(*map(row.get, ("table", "track", "logic")))))
    beside, whole = {at + d for at in judged for d in (-1, 1)} - judged - {-1, count}, {group[at] for at in judged}
    if places != sorted(group) or not beside <= set(group) or whole & {group[at] for at in beside}:
        raise Refused("runs of the division are missing")
    for values in {x[:3]: x for at, x in zip(places, zip(*map(row.get, ANSWERED))) if at in judged}.values():
        check_answer(year, *values)
    runs = zip(*columns_of(both, RUN, len(places), lambda name, v: v and RUN[name](v)))
    d = Division(year, [Run(*r) for at, r in zip(places, runs) if at in judged])
    col, number = cell["column"], int if cell["column"] in ("e", "n", "points") else time_of
    terms = [[r.benchmark, getattr(s, col)] for r, s in d.terms(cell["view"], cell["logic"], cell["solver"]) if s]
    theirs = [[name, number(v)] for name, v in zip(own.values(), p["terms"]) if v is not None]
    ours = d.table("par2", cell["logic"])[cell["solver"]][col] if cell["view"] == "par2" else sum(n for _, n in terms)
    known = own and cell["view"] in views_of(year, cell["track"]) and (p["format"], p["year"]) == ("cell/1", year)
    if not known or ours != number(cell["value"]) or terms != theirs or len(p["terms"]) != len(own):
        raise Refused(f"the cell is not {cell['value']} by the rules of {year}")
    print(f"{cell['logic'] or cell['division']} {cell['track']} {cell['view']} {cell['solver']}.{col} is",
          f"{cell['value']} by the rules of {year}, from {len(terms)} of {len(d.runs)} runs.\nThey are leaves of the",
          f"tree {root}.\nTaken as given: what benchmarks are, what validators said, and that {cell['division']} is",
          " ".join(sorted({r.logic for r in d.runs})) + '.\n"smtpipe verify" of the folder checks this.')
# ---------------------------------------------------------------------------------------- what the organisers published
def practice(year, view, r, T, said_of, unsound):
    """What the organisers' programs made of a run: e, n, wall and CPU time; zeros if the view does not count it."""
    e, n, wall, cpu = int(r["error"]), int(r["n_correct"]), time_of(r["wall_s"]), time_of(r["cpu_s"])
    said, limit = r["answer"], 24 * SECOND if view == "twentyfour" else T
    if 2019 <= year < 2024:
        if (cpu if view == "sequential" else wall) > limit or "memout" in (said, r.get("run_status")):
            said, wall, cpu = "unknown", limit, limit
        if said not in ("sat", "unsat") or ("core_size" in r and r["status"] not in ("unknown", said)):
            e = n = 0
    elif year >= 2024 and said not in ("sat", "unsat") and r["status"] != "incremental":
        wall = cpu = 0
    counted = year < 2024 or view != "twentyfour" or time_of(r["wall_s"]) <= limit
    if view in ("sat", "unsat"):
        by = {s for s, solver in said_of[r["benchmark"]] if year < 2024 or solver not in unsound}
        status = r["status"] if year < 2024 else "sat" if "sat" in by else "unsat" if "unsat" in by else r["status"]
        member = status == view or (year < 2024 and status == "unknown" and view in by)
        counted = said == view or member and said not in ("sat", "unsat") if year == 2022 else member
    return (e, n, wall, cpu) if counted else (0, 0, 0, 0)

def check_published(folder):
    want, runs, differ, cells = json.loads((folder / "published.json").read_text("utf-8")), defaultdict(list), [], 0
    year, near = want["year"], .0006 if 2019 <= want["year"] < 2024 else .006
    for r in rows_of(folder / "runs.csv.gz"):
        runs[r["division"]].append(r)
    for name, division in want["divisions"].items():
        T, said = division.get("time_limit", 0) * SECOND, defaultdict(set)
        unsound = {r["solver"] for r in runs[name] if r["error"] != "0"}
        for r in runs[name]:
            said[r["benchmark"]].add((r["answer"] if time_of(r["wall_s"]) <= T else "", r["solver"]))
        cut = {"sequential"} if year == 2022 else set()  # whose files are cut for the parallel view
        for view in {"sequential", "parallel", "sat", "unsat", "twentyfour"} & set(division) - cut:
            sums = defaultdict(lambda: [0, 0, 0, 0])
            for r in runs[name]:
                mine = sums[r["solver"], r.get("solver_id")]
                mine[:] = [a + b for a, b in zip(mine, practice(year, view, r, T, said, unsound))]
            left = [(solver, e, n, wall / SECOND, cpu / SECOND) for (solver, _), (e, n, wall, cpu) in sums.items()]
            for row in division[view]:
                place, cells = (row["solver"], row["error"], row["correct"]), cells + 1
                same = [x for x in left if x[:3] == place and abs(x[3] - row["wall"]) < near > abs(x[4] - row["cpu"])]
                if same:
                    left.remove(same[0])
                elif any(place[1:]) or row["wall"] or place[0] in {x[0] for x in left}:  # else an entrant without runs
                    differ.append(f"{name} {view}: {place[0]} is {[x[1:] for x in left if x[0] == place[0]]} here")
            differ.extend(f"{name} {view}: {x} is not published" for x in left if any(x[1:]))
    print(f"{cells} rows of {len(want['divisions'])} divisions of {year}.")
    if differ or not cells:
        raise Refused(f"{len(differ)} published rows differ:\n" + "\n".join(differ[:20]))

def main():
    if len(args := sys.argv[1:] or [pathlib.Path(__file__).parent]) not in (1, 3) or args[1:2] not in ([], ["--key"]):
        sys.exit(print(__doc__, file=sys.stderr) or 2)
    path, key = pathlib.Path(args[0]), "".join(args[2:])
    try:
        official = (path / "published.json").exists()
        check_published(path) if official else check_folder(path, key) if path.is_dir() else check_cell(path, key)
    except Unknown as e:
        sys.exit(print("Not checked:", e) or 2)
    except Exception as e:  # what is malformed is refused as well
        sys.exit(print("Refused:", e if isinstance(e, Refused) else f"{type(e).__name__}: {e}") or 1)
    print("It holds.")

if __name__ == "__main__": main()
