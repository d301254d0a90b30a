#!/usr/bin/env python3
"""Computes the division tables of a frozen solver competition again, and checks single cells of them.

  python3 check.py [FOLDER]     a frozen folder (its own): digests, the hash tree over all runs, every division table
  python3 check.py CELL.json.gz one cell, from the file that "smtpipe prove" wrote; nothing else is needed
  python3 check.py OFFICIAL     official results (runs.csv.gz and published.json), by the organisers' practice

--key FILE after them refuses what is not signed by a key of this file, by ssh-keygen: public keys, one a line, or
allowed_signers, as "smtpipe verify --key" reads them. Rule sets are trees of expressions, rules/DIGEST.json of the
folder, which "smtpipe verify" compares with the HCL. This program evaluates them and shares nothing with smtpipe. It
needs Python 3.8. Exit code 0: it holds; 1: it does not; 2: usage, or something could not be checked."""
import bisect, csv, decimal, fractions, gzip, hashlib, itertools, json, math, operator, pathlib, re, subprocess, sys
import tempfile
from collections import Counter, defaultdict, namedtuple

# The columns of runs in the hash tree: what scoring needs, and the rest. Only those of runs/1 tell who takes part.
SCORED = """benchmark solver participation attempt track logic team competitive barred base_solver
    wall_time_s cpu_time_s stdout wall_limit_s cores""".split()
REST = """open_source new_entrant run_key script_sha256 ending exit_code signal memory_bytes answer_wall_time_s
    stdout_sha256 stdout_bytes stderr_sha256 stderr_bytes trace flags isolation hardware cpu_limit_s
    memory_limit_bytes problem measured_at measured_with""".split()
TOLD = "team competitive barred base_solver open_source new_entrant".split()
ENTRANTS = """table track solver participation team type base_solver logics submitted open_source new_entrant barred
    seed runs competes ranked unranked_logics reasons sections texts reason_logics""".split()
SIDES = {"runs/1": (SCORED, REST), "runs/2": tuple([c for c in side if c not in TOLD] for side in (SCORED, REST))}
SECOND = 10 ** 12  # times are whole numbers of picoseconds, so that nothing is lost in sums
class Refused(Exception): """What was to be checked does not hold."""
class Unknown(Exception): """Something cannot be checked by this program."""
def time_of(text): return int((decimal.Decimal(text) * SECOND).to_integral_value())
def value_in(details): return next((fractions.Fraction(x[6:]) for x in details.split("\n") if x[:6] == "value="), None)
RUN = {name: kind for names, kind in (
    ("track benchmark solver division logic team barred base_solver status answer validation", str),
    ("wall_time_s cpu_time_s wall_limit_s last_wall_s last_cpu_s", time_of), ("competitive", "true".__eq__),
    ("cores n_checks n_checks_correct n_checks_wrong n_assertions core_size val_unsat val_sat", int),
    ("details", value_in),  # of which scoring needs the value of the answer
) for name in names.split()}
Run = namedtuple("Run", RUN)
def run_of(row): return Run(*(kind(row[name]) for name, kind in RUN.items()))
# ---------------------------------------------------------------------------------------------------------- rule sets
# An expression of a rule set becomes one of Python, with the kind of its values. It is fixed if these do not depend on
# the run. A number beside a time is one of seconds.
Expr = namedtuple("Expr", "kind code fixed", defaults=(False,))
# A run as it is scored: T is the view's limit, any and sound what solvers said of the benchmark, best the values of it
# that count, sorted, and p the parallel score.
Case = namedtuple("Case", "r T short sequential any sound best p")
Place = namedtuple("Place", "track division r", defaults=(None,))
Score = namedtuple("Score", "e n w c aw ac solved claim points")
KINDS = dict(zip(Score._fields, "bool number time time time time bool text number".split()))
EMPTY = {"bool": "False", "number": "0", "time": "0", "text": "''"}

def leaves(**fields):  # names in rule sets by kind, such as r.wall_s=r.wall_time_s
    return {(*name.split("."),): Expr(kind, code or name) for kind, names in fields.items()
            for name, _, code in (n.partition("=") for n in names.split())}
OF_BENCHMARKS = {  # what each benchmark has, also without a run
    **leaves(text="b.name=r.benchmark b.status=r.status b.logic=r.logic b.division=r.division track=r.track",
             number="m=r.cores", time="T=x.T", bool="short=x.short"),
    **{("b", f"{who}_{answer}"): Expr("bool", f"('{answer}' in x.{who})") for who in ("any", "sound")
       for answer in ("sat", "unsat")},
    ("b", "settled"): Expr("text", "('sat' if 'sat' in x.sound else 'unsat' if x.sound else r.status)"),
    ("b", "has_value"): Expr("bool", "bool(known(x.best))"),
    ("b", "least"): Expr("number", "min(known(x.best), default=0)"),
    ("b", "greatest"): Expr("number", "max(known(x.best), default=0)")}
OF_RUNS = {**OF_BENCHMARKS, **leaves(
    text="r.answer r.validation s.name=r.solver s.team=r.team",
    bool="s.competitive=r.competitive sequential=x.sequential",
    time="r.wall_s=r.wall_time_s r.cpu_s=r.cpu_time_s r.T=r.wall_limit_s r.last_wall_s r.last_cpu_s",
    number="r.n_checks r.n_checks_correct r.n_checks_wrong r.n_assertions r.core_size r.val_unsat r.val_sat"),
    ("r", "value"): Expr("number", "(known(r.details) or 0)"),
    ("r", "has_value"): Expr("bool", "(known(r.details) is not None)"),
    ("r", "below"): Expr("number", "beside(x, operator.lt)"), ("r", "above"): Expr("number", "beside(x, operator.gt)"),
    **{("r", name): Expr("bool", f"(r.{column} >= 0)") for name, column in {"has_last_wall": "last_wall_s",
       "has_last_cpu": "last_cpu_s", "has_core": "core_size", "has_votes": "val_unsat"}.items()},
    # Only files of organisers have these.
    **{("r", "recorded_" + name): Expr("number", "-1", True) for name in ("e", "n", "wrong", "total")},
    **{("r", name): Expr("bool", "False", True) for name in ("recorded", "excluded")},
    **{("r", name): Expr("text", "''", True) for name in
        ("run_status", "validator_status", "validator_error", "validator_exception", "job_set")}}
OF_SCORES = {**OF_RUNS, **leaves(bool="p.e=x.p.e p.solved=x.p.solved", number="p.n=x.p.n", text="p.claim=x.p.claim",
                                 time="p.w_s=x.p.w p.c_s=x.p.c p.aw_s=x.p.aw p.ac_s=x.p.ac")}
OF_DIVISIONS = leaves(text="division=x.division track=x.track")

# How operators and functions are written: by what they take.
COMPARE = {op: "({} %s {})" % op for op in ("==", "!=", "<", "<=", ">", ">=")}
SUM = {"+": "({} + {})", "-": "({} - {})", "min": "min", "max": "max", "abs": "abs({})"}
OF_NUMBERS = {"floor": "floor({})", "ceil": "ceil({})", "square": "({} ** 2)", "%": "modulo({}, {})"}
OF_TEXTS = {"startswith": "{}.startswith({})", "endswith": "{}.endswith({})", "contains_text": "({1} in {0})"}
def modulo(a, b): return a - b * math.trunc(fractions.Fraction(a) / b)
def said(claim): return claim if claim in ("sat", "unsat") else ""
NONE = "no values"  # of the answers in the file of a cell
def known(value):
    if value == NONE: raise Unknown("its rule set compares values of answers, which only the whole folder has")
    return value
def beside(x, compare): return 0 if known(x.r.details) is None else sum(compare(v, x.r.details) for v in x.best)
SPACE = {"Fraction": fractions.Fraction, "floor": math.floor, "ceil": math.ceil, "modulo": modulo, "said": said,
         "Score": Score, "known": known, "beside": beside, "operator": operator}

def always(kind, value): return Expr(kind, repr(value), True)
def value_of(e): return eval(e.code, dict(SPACE))
def apply(kind, form, *args):
    form = form if "{" in form else form + "(" + ", ".join(["{}"] * len(args)) + ")"
    out = Expr(kind, form.format(*(a.code for a in args)))
    return always(kind, value_of(out)) if all(a.fixed for a in args) else out
def as_time(e): return apply("time", "({} * %d)" % SECOND, e) if e.kind == "number" else e
def aligned(*args):  # of one kind
    args = tuple(map(as_time, args)) if "time" in {a.kind for a in args} else args
    if len({a.kind for a in args}) != 1:
        raise Unknown("an expression has values of several kinds: " + " and ".join(a.kind for a in args))
    return args

def compiled(e, names, used):
    """The expression of a tree. names has those that it may use; those that it uses are added to used."""
    def part(e): return compiled(e, names, used)
    if not isinstance(e, list):
        kinds = {bool: "bool", str: "text", int: "number", fractions.Fraction: "number"}
        if type(e) not in kinds:
            raise Unknown(f"an expression has {e}")
        return always(kinds[type(e)], e)
    op, *rest = e
    if op == "get":
        if tuple(rest) not in names:
            raise Unknown(f"an expression has {'.'.join(rest)}, which is not known here")
        used.add(tuple(rest))
        return names[tuple(rest)]
    if op in ("&&", "||"):
        left, absorbs = part(rest[0]), op == "||"
        if left.fixed:  # what no reading takes may have anything
            return left if value_of(left) is absorbs else part(rest[1])
        right = compiled(rest[1], names, beside := set())
        if right.fixed:
            return right if value_of(right) is absorbs else left
        used.update(beside)
        return Expr("bool", f"({left.code} {'or' if absorbs else 'and'} {right.code})")
    if op == "if":
        condition = compiled(rest[0], names, beside := set())
        if condition.fixed:
            return part(rest[1 if value_of(condition) else 2])
        used.update(beside)
        yes, no = aligned(part(rest[1]), part(rest[2]))
        return Expr(yes.kind, f"({yes.code} if {condition.code} else {no.code})")
    if op == "call":
        op, *rest = rest
    args = [part(x) for x in rest]
    kinds, n = {a.kind for a in args}, len(args)
    if op == "list":
        return apply("list", "[" + ", ".join(["{}"] * n) + "]", *args) if n else always("list", [])
    if op == "!" and kinds == {"bool"}:
        return apply("bool", "(not {})", *args)
    if op in COMPARE and n == 2:
        return apply("bool", COMPARE[op], *aligned(*args))
    if op == "-" and n == 1:
        return apply(args[0].kind, "(-{})", *args)
    if op in SUM and kinds <= {"time", "number"}:
        args = aligned(*args)
        return args[0] if n == 1 and op != "abs" else apply(args[0].kind, SUM[op], *args)
    if op == "*" and kinds <= {"time", "number"} and [a.kind for a in args] != ["time", "time"]:
        return apply("time" if "time" in kinds else "number", "({} * {})", *args)
    if op == "/" and kinds <= {"time", "number"} and [a.kind for a in args] != ["number", "time"]:
        kind = "time" if [a.kind for a in args] == ["time", "number"] else "number"
        return apply(kind, "(Fraction({}) / {})", *args)
    if op in OF_NUMBERS and kinds == {"number"}:
        return apply("number", OF_NUMBERS[op], *args)
    if op in OF_TEXTS and kinds == {"text"}:
        return apply("bool", OF_TEXTS[op], *args)
    if op == "contains" and n == 2:
        return apply("bool", "({1} in {0})", *args)
    raise Unknown(f"an expression has {op} of {' and '.join(a.kind for a in args)}, which is not known here")

class Block:  # of a rule set
    def __init__(self, rules, block):
        self.rules, self.label, self.used = rules, "".join(block.get("labels", [])), set()
        self.attributes = dict(block.get("attributes", []))
        self.inner = {b["type"]: Block(rules, b) for b in block.get("blocks", [])}
        self.lets = [x for b in block.get("blocks", []) if b["type"] == "let" for x in b["attributes"]]

    def const(self, name, default=None):  # a constant
        return value_of(self.compile(name, {})) if name in self.attributes else default

    def compile(self, name, names, kind=None):
        out = compiled(self.attributes[name], {**names, **self.rules.names}, self.used)
        out = as_time(out) if kind == "time" else out
        if kind not in (None, out.kind):
            raise Unknown(f"{name} of {self.label} is a {out.kind}, and should be a {kind}")
        return out

    def function(self, names, kinds, result, lets=()):
        """A function of a case: result makes an expression of those of the attributes, and lets are definitions."""
        names, lines = dict(names), []
        for i, (name, e) in enumerate(lets):
            e = compiled(e, {**names, **self.rules.names}, self.used)
            names[name,] = e if e.fixed else e._replace(code=f"v{i}")
            lines += [] if e.fixed else [(f"v{i}", e.code)]
        text = result({name: self.compile(name, names, kind).code for name, kind in kinds.items()
                       if name in self.attributes})
        source = "    return " + text
        for name, code in reversed(lines):  # those that are needed
            if re.search(rf"\b{name}\b", source):
                source = f"    {name} = {code}\n{source}"
        space = dict(SPACE)
        exec(f"def function(x):\n    r = x.r\n{source}", space)
        return space["function"]

    def one(self, name, names, kind, default):  # the attribute as a function
        return self.function(names, {name: kind}, lambda codes: codes.get(name, default))

class Rules:  # a rule set, under readings
    def __init__(self, text, readings):
        tree = json.loads(text, parse_float=fractions.Fraction)
        if tree["format"] != "rules/1":
            raise Unknown("the rule set has the format " + tree["format"])
        of, self.names = defaultdict(list), {}
        for block in tree["blocks"]:
            of[block["type"]].append(Block(self, block))
        self.readings = {b.label: readings.get(b.label, b.const("values")[0]) for b in of["reading"]}
        self.names = {**{("reading", name): always("text", v) for name, v in self.readings.items()},
                      **{("practice", b.label): always("bool", False) for b in of["practice"]}}
        none = Block(self, {})
        def only(name): return (of[name] or [none])[0]
        if only("rule_set").const("regroup"):
            raise Unknown("its rule set has divisions of its own")
        self.year, self.remove = only("rule_set").const("year"), only("disagreements").const("remove", ())
        self.derived, out = only("derived") if of["derived"] else None, only("disqualify")
        self.errors, self.wrappers = out.const("errors", 0), out.const("wrappers", False)
        self.qualified = out.one("qualified_only", OF_DIVISIONS, "bool", "False")(Place("", ""))
        self.teams = only("competitive").const("teams", 2)
        self.when = only("competitive").one("when", OF_DIVISIONS, "bool", "True")
        self.all_views, self.scores = [View(self, b) for b in of["view"]], {}
        def score(codes):
            of = {name: codes.get(name, EMPTY[kind]) for name, kind in KINDS.items()}
            return "Score(" + ", ".join("said(%s)" % c if name == "claim" else c for name, c in of.items()) + ")"
        for b in of["score"]:
            function = b.function(OF_RUNS, KINDS, score, b.lets)
            for track in b.const("tracks"):
                self.scores.setdefault(track, (function, b.used))
        drops = [(b.const("tracks"), b.one("when", OF_RUNS, "bool", "False")) for b in of["drop"]]
        self.dropped = lambda x: any(when(x) for tracks, when in drops if tracks is None or x.r.track in tracks)

    def views(self, track): return {v.name: v for v in self.all_views if track in v.tracks}
    def score(self, x): return self.scores[x.r.track][0](x)

class View:
    def __init__(self, rules, b):
        self.name, self.tracks, self.rules = b.label, b.const("tracks"), rules
        limit = re.fullmatch(r"([0-9.]+)([smh])", b.const("limit", ""))
        self.limit = time_of(limit[1]) * {"s": 1, "m": 60, "h": 3600}[limit[2]] if limit else None
        self.sequential, self.order = b.const("clock") == "cpu", b.const("order")
        self.points = any(key.strip("-") == "points" for key in self.order)
        def score(codes):
            where = codes.pop("where", "True")
            own = ", ".join(f"{name}={code}" for name, code in codes.items())
            return (f"x.p._replace({own})" if own else "x.p") + f" if {where} else None"
        kinds = {name: KINDS.get(name, "bool") for name in ("where", "e", "n", "w", "c")}
        self.score = b.function(OF_SCORES, kinds, score, b.lets)  # of x.p; None: the view does not count the run
        self.of = b.one("of", OF_BENCHMARKS, "bool", "") if "of" in b.attributes else None
        absent = b.inner.get("absent")
        self.absent = absent and [absent.one(name, OF_BENCHMARKS, "time", "0") for name in "wc"]

    def key(self, row):  # what rows are ordered by
        for name in self.order:
            column, sign = name.lstrip("-"), -1 if name[0] == "-" else 1
            average = row["solved"] == 0, fractions.Fraction(row["solved_c"], max(row["solved"], 1))
            yield from (sign * v for v in (average if column == "avg_cpu" else (row[column],)))
# ------------------------------------------------------------------------------------------------------ division tables
class Division:  # the runs of a division in one track, and what the rules say of its benchmarks and solvers
    def __init__(self, rules, track, name, runs, disqualified=()):
        self.rules, self.place, self.out, self.views = rules, (track, name), disqualified, rules.views(track)
        self.any, self.sound, self.scored = defaultdict(set), defaultdict(set), {}  # what solvers said of benchmarks
        if track not in rules.scores:
            raise Unknown("its rule set has no score for the track " + track)
        self.best = defaultdict(list)  # values of benchmarks: those that a checker refuted do not count
        for r in (r for r in runs if r.details is not None and r.validation in ("", "valid")):
            self.best[r.benchmark].append(r.details)
        self.runs = [r for r in runs if not rules.dropped(self.case(r))]
        if any(r.cpu_time_s < 0 for r in self.runs):
            raise Unknown(f"CPU times of {name} were not recorded")
        self.par = [rules.score(self.case(r)) for r in self.runs]
        unsound = {r.solver for r, p in zip(self.runs, self.par) if p.e}
        for r, p in zip(self.runs, self.par):
            if p.claim:
                self.any[r.benchmark].add(p.claim)
                self.sound[r.benchmark].update({p.claim} if r.solver not in unsound else ())
        if any(name[1:] and name[1].startswith(("any_", "sound_", "settled")) for name in rules.scores[track][1]):
            self.par = [rules.score(self.case(r)) for r in self.runs]  # they depend on what solvers said
        # Sound solvers disagree on these.
        self.removed = {r.benchmark for r in self.runs if track in rules.remove and
                        r.status not in ("sat", "unsat") and len(self.sound[r.benchmark]) == 2}

    def case(self, r, view=None, p=None):
        T = min(r.wall_limit_s, view.limit) if view and view.limit is not None else r.wall_limit_s
        return Case(r, T, T < r.wall_limit_s, bool(view and view.sequential), self.any.get(r.benchmark, ()),
                    self.sound.get(r.benchmark, ()), NONE if r.details == NONE else self.best.get(r.benchmark, ()), p)

    def scores(self, view):  # of each run; None: the view does not count it
        if view.name not in self.scored:
            again = view.limit is not None or view.sequential and ("sequential",) in self.rules.scores[self.place[0]][1]
            self.scored[view.name] = out = []
            for r, p in zip(self.runs, self.par):
                if r.benchmark in self.removed:
                    out.append(None)
                    continue
                x = self.case(r, view, self.rules.score(self.case(r, view)) if again else p)
                out.append(view.score(x))
        return self.scored[view.name]

    def terms(self, view, logic="", solver=""):  # each run with what it adds
        for r, s in zip(self.runs, self.scores(view)):
            if logic in ("", r.logic) and solver in ("", r.solver):
                yield r, s

    def table(self, view, logic=""):  # the sums of all solvers, their ranks, and who wins
        table, benchmarks, runs, ran, all_of = {}, set(), {}, defaultdict(set), {}
        for r, s in self.terms(view, logic):
            row, runs[r.solver] = table.setdefault(r.solver, Counter()), r
            ran[r.solver].add(r.benchmark)
            all_of.setdefault(r.benchmark, r)
            if s:
                benchmarks.add(r.benchmark)
                row.update({name: getattr(s, name) for name in ("e", "n", "w", "c", "aw", "ac", "points")})
                row.update(counted=1, solved=int(s.n > 0), solved_c=s.c if s.n > 0 else 0)
        used = {b: self.case(r, view) for b, r in all_of.items() if b not in self.removed}
        if view.of:
            benchmarks = {b for b, x in used.items() if view.of(x)}
        charges = {b: [get(x) for get in view.absent] for b, x in used.items()} if view.absent else {}
        for s, row in table.items():
            row.update(n_benchmarks=len(benchmarks), abstained=len(benchmarks) - row["counted"],
                       unsolved=row["counted"] - row["solved"])
            for b in charges.keys() - ran[s]:  # what a solver was not run on
                row.update(w=charges[b][0], c=charges[b][1])
        self.rank(view, logic, table, runs)
        return table

    def better(self, table, s, base):  # whether a derived solver improves enough on its base
        column = "c" if self.rules.readings.get("par2_component") == "c" else "w"
        mine, theirs = table[s][column], table[base][column]
        return theirs != 0 and 100 * mine <= (100 - self.rules.derived.const("percent", 0)) * theirs

    def rank(self, view, logic, table, runs):
        rules, keys, out = self.rules, {s: tuple(view.key(row)) for s, row in table.items()}, set()
        def founded(s):  # its base solver entered as well, and is not derived from it (2008 §2, 2026 §4)
            chain = [s]
            while (base := runs[chain[-1]].base_solver) in runs and base not in chain: chain.append(base)
            return len(chain) > 1 and base != s
        based = {s for s, r in runs.items() if r.base_solver and (rules.derived or rules.wrappers)}
        if rules.errors:
            out = {s for s in table if s in self.out}
        if rules.wrappers:  # a wrapper that is not ahead of what it wraps
            out |= {s for s in based - out if runs[s].base_solver not in keys or (
                runs[s].base_solver not in out and keys[s] >= keys[runs[s].base_solver])}
        competing = {s for s, r in runs.items() if r.competitive and not r.barred and (s not in based or founded(s))}
        able = competing - out
        if rules.derived and based & able:
            compared = self.views.get(rules.derived.const("view"))
            sums = {} if not compared else table if compared is view else self.table(compared, logic)
            able = {s for s in able if s not in based or (compared and self.better(sums, s, runs[s].base_solver))}
        def teams(solvers): return len({runs[s].team for s in solvers}) >= rules.teams
        contest = teams(competing - out if rules.qualified else competing) and rules.when(
            Place(self.place[0], logic or self.place[1]))
        first = min(able, key=lambda s: (keys[s], s), default=None)
        if first is None or (table[first]["n"] == 0 and rules.readings.get("nothing_solved") != "order"):
            contest = False  # nobody wins with nothing
        for s, row in table.items():
            row["rank"] = 0 if s in out else 1 + sum(keys[x] < keys[s] for x in keys if x not in out)
            row["winner"] = int(contest and s in able and keys[s] == keys[first] and row["n_benchmarks"] > 0)
# ------------------------------------------------------------------------------------------------- what a folder holds
def sha256(data): return hashlib.sha256(data).hexdigest()
def rows_of(path):
    path = path if path.exists() else path.with_name(path.name + ".gz")  # large tables are compressed
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
def entrants_root(count, leaves, path=()): return f"{count} sha256:{side(count, leaves, path).hex()}" if count else ""

def read_lock(text):  # the roots, the entries of all sections but the last by name, and the files
    def unquote(s): return json.loads('"' + s + '"').replace("$${", "${").replace("%%{", "%{")
    quoted = r'"((?:[^"\\]|\\.)*)"'
    def section(text): return {unquote(name): {k: unquote(v) for k, v in re.findall(r"(\w+) = " + quoted, attrs)}
                               for name, attrs in re.findall(r"^  " + quoted + r" = \{(.*)\}$", text, re.M)}
    head, _, files = text.partition("\nfiles = {\n")
    roots = ["".join(re.findall(rf'^{name} +=  *"([^"]*)"$', head, re.M)) for name in ("runs", "entrants")]
    return roots, section(head), section(files)

def joined(entries, digests):
    """The tables of entrants that were joined with verdicts of these digests, if any were."""
    tables = (name[:-len("verdicts")] + "entrants" for name, entry in entries.items()
              if entry.get("sha256") in digests and name.endswith(".verdicts"))
    return {name for name in tables if int(entries.get(name, {}).get("rows", 0))}
def told(rows):  # what rows of entrants tell, by track, solver and logic
    return {(row["track"], row["solver"], logic): [
        row["team"], {"yes": "true"}.get(row["submitted"], "false"), row["barred"], row["base_solver"],
        *({"yes": "true"}.get(row[name], "false") for name in ("open_source", "new_entrant"))]
        for row in rows for logic in row["logics"].split()
        if row["ranked"] == "true" and logic not in row["unranked_logics"].split()}
def check_joined(entrants, verdicts):
    of = told(rows_of(entrants))
    for v in rows_of(verdicts) if of else ():
        if of.get((v["track"], v["solver"], v["logic"])) != [v[name] for name in TOLD]:
            raise Refused(f"{v['solver']} in {verdicts} is not what {entrants.name} tells of it in {v['logic']}")

def rules_of(address, components, entries, files, read):
    """The rule set that a stage scores by, its name, and the digests of its tables of verdicts."""
    key, verdicts, readings = hashlib.sha256(), [], {}
    for text in (t.encode() for c in components for t in c):
        key.update(len(text).to_bytes(8, "little") + text)
    if key.hexdigest() != entries[address]["key"]:
        raise Refused(f"{address}: its record does not have the key that the lock has")
    for name, value in components:
        first, _, rest = re.sub(r'["\]]', "", name).replace("[", ".").partition(".")
        if first == "readings" and rest != "count":
            readings[rest] = json.loads(value)
        elif first in ("practice", "removed", "divisions", "reading") and rest != "count" and value != '"rules"':
            raise Unknown(f"{address} scores with {name} = {value}, which this program does not know")
        verdicts += [value.split(":")[1]] if first == "verdicts" and rest != "count" else []
    digest = dict(components)["rules"].replace("sha256:", "")
    text = read(name := f"rules/{digest}.json")
    if text is None:
        raise Unknown(f"{address}: its rule set is not here as the tree {name}")
    if files and sha256(text.encode()) != files.get(name, {}).get("sha256"):
        raise Refused(f"{name} does not have the digest that the lock has")
    try:
        return Rules(text, readings), "rule set " + digest[:8], verdicts
    except Unknown as e:
        raise Unknown(f"{address}: {e}")

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
    ((root, entered), entries, files), wrong, unknown = read_lock(lock), [], []
    check_files(folder, lock, files)
    print(check_signature(lock, signature.read_text() if signature.exists() else "", key))
    records = {f.parent: json.loads(f.read_text("utf-8")) for f in (folder / "stages").rglob("record.json")
               if "files" not in f.parts}  # which are trees
    tables = {f"{r['address']}.{name}": at / f"{name}.csv" for at, r in records.items() for name in r["outputs"]}
    leaves = sorted(([utf8(x) for x in [name, *map(row.get, PLACE)]], leaf(map(net, [name, *map(row.get, sides[0])])),
                     leaf(map(net, map(row.get, sides[1])))) for name in tables
                    if (sides := SIDES.get(entries[name].get("schema"))) for row in rows_of(tables[name]))
    if tree_root(len(leaves), *(dict(enumerate(x[i] for x in leaves)) for i in (1, 2))) != root:
        raise Refused("the runs are not those of the root in the lock")
    takers = sorted(([utf8(x) for x in (name, row["track"], row["solver"])], int(row["participation"]),
                     leaf(map(net, [name, *row.values()]))) for name in tables
                    if entries[name].get("schema") == "entrants/1" for row in rows_of(tables[name]))
    if entrants_root(len(takers), dict(enumerate(x[2] for x in takers))) != entered:
        raise Refused("the entrants are not those of the root in the lock")
    for name in joined(entries, {entry.get("sha256") for entry in entries.values()}):
        check_joined(tables[name], tables[name[:-len("entrants")] + "verdicts"])
    print(f"All files have their digests, and {len(leaves)} runs are those of the root in the lock.")
    def read(name): return (folder / name).read_bytes().decode() if (folder / name).exists() else None
    for at, record in sorted((at, r) for at, r in records.items() if r["kind"] == "score"):
        try:
            components, address = [(c["name"], c["value"]) for c in record["components"]], record["address"]
            rules, named, digests = rules_of(address, components, entries, files, read)
            # Equal tables, such as verdicts without and with entrants of whom nothing is told, are one.
            verdicts = {entries[name]["sha256"]: table for name, table in sorted(tables.items())
                        if entries[name].get("sha256") in digests}
            check_scores(address, rules, named, sorted(verdicts.values()), at, wrong)
        except Unknown as e:
            unknown.append(str(e))
    if wrong:
        raise Refused(f"{len(wrong)} figures of division tables differ:\n" + "\n".join(wrong[:20]))
    if unknown:
        raise Unknown("; ".join(unknown))

def check_scores(address, rules, named, verdicts, folder, wrong):
    runs, tables, out, count = defaultdict(list), {}, defaultdict(set), 0
    for row in (row for path in verdicts for row in rows_of(path)):
        check_answer(rules.year, *map(row.get, ANSWERED))
        runs[row["track"], row["division"]].append(run_of(row))
    divisions = [Division(rules, *place, of, out[place[0]]) for place, of in runs.items()]
    for d in divisions if rules.errors else ():  # so many wrong answers in a division disqualify from all (2008 §5)
        first = next(iter(d.views.values()))
        out[d.place[0]].update(s for s, row in d.table(first).items() if row["e"] >= rules.errors)
    for d in divisions:
        for logic, view in itertools.product({""} | {r.logic for r in d.runs}, d.views.values()):
            for solver, row in d.table(view, logic).items():
                row["points"] *= view.points  # others have none
                tables[(*d.place, logic, view.name, solver)] = row
    for row in rows_of(folder / "scores.csv"):
        place, count = tuple(row[c] for c in ("track", "division", "logic", "view", "solver")), count + 1
        ours = tables.pop(place, Counter({"rank": -1}))
        for name in "rank winner n_benchmarks e n points aw w ac c solved unsolved abstained".split():
            theirs = float({"true": 1, "false": 0}.get(row.get(name), row.get(name, row.get(name + "_s"))))
            value = ours[name] / SECOND if name in ("aw", "w", "ac", "c") else ours[name]
            if value != theirs:
                wrong.append(f"{address}: {' '.join(place)}: {name} is {theirs}, and {value} by {named}")
    wrong.extend(f"{address}: {' '.join(place)} is missing" for place in tables)
    print(f"{address}: {count} rows of {len(divisions)} divisions, by {named}.")

def columns_of(table, names, n, kind=lambda name, value: value):
    """Columns of a cell's file: values, and the step of each row from the place of the value before to its own."""
    for name in names:
        values, places = [kind(name, v) for v in table[name][0]], [*itertools.accumulate(table[name][1])]
        if len(places) != n:
            raise Refused(f"the column {name} does not have {n} rows")
        yield [values[at] for at in places]

def told_of(p, places, judged, row, root, tables):
    """Columns of what is told of the solvers of runs: by the entrants in tables; if there are none, by nobody."""
    names, count, out = list(p["entrants"]), int((root or "0").split()[0]), []
    if names not in ([], ENTRANTS):
        raise Refused("the columns of the entrants are other ones")
    rows = [*zip(*columns_of(p["entrants"], names, len(p["places"])))]
    leaves = dict(zip(p["places"], (leaf(map(net, r)) for r in rows)))
    if len(leaves) != len(rows) or entrants_root(count, leaves, p["entrants_path"]) != root:
        raise Refused("the entrants are not below the root of the hash tree")
    of = told(r for r in (dict(zip(names, r)) for r in rows) if r["table"] in tables)
    for at, track, solver, logic in zip(places, row["track"], row["solver"], row["logic"]):
        if tables and at in judged and (track, solver, logic) not in of:
            raise Refused(f"nothing is told of {solver} in {logic}")
        out.append(of.get((track, solver, logic), [solver, "true", "", "", "false", "false"]))
    return {name: [values, [min(i, 1) for i in range(len(values))]] for name, values in zip(TOLD, zip(*out))}

def check_cell(path, key):  # a cell of a table: its runs against the root, then the table again
    data = path.read_bytes()
    if data[:75] != b"\x1f\x8b\x08\x10\0\0\0\0\2\xff%b\0" % sha256(data[75:]).encode():  # the comment of a gzip file
        raise Refused("the file was changed: it does not have the digest that is in its header")
    p = json.loads(gzip.decompress(data))
    schema = {"cell/2": "runs/1", "cell/3": "runs/2"}.get(p["format"])
    if not schema:
        raise Unknown(f"the file has the format {p['format']}; the check.py of its folder can check it")
    cell, ((root, entered), entries, files), both = p["cell"], read_lock(p["lock"]), {**p["judged"], **p["scored"]}
    scored, rest = SIDES[schema]
    print(check_signature(p["lock"], p["signature"], key))
    rules, named, digests = rules_of(cell["stage"], p["components"], entries, files, lambda name: p["rules"])
    places, count = [at for lo, hi in p["spans"] for at in range(lo, hi)], int(root.split()[0])
    row = {c: next(columns_of(both, [c], len(places))) for c in ["table", "division", "answer"] + scored}
    judged = {at for at, *of in zip(places, row["track"], row["division"]) if of == [cell["track"], cell["division"]]}
    own = {at: benchmark for at, solver, logic, benchmark in zip(places, row["solver"], row["logic"], row["benchmark"])
           if at in judged and solver == cell["solver"] and cell["logic"] in ("", logic)}
    def leaves(where, names):  # by place
        nets = columns_of({**p["rest"], **p["scored"]}, names, len(where), lambda _, v: net(v))
        return dict(zip(where, map(leaf, zip(*nets))))
    if tree_root(count, leaves(places, ["table"] + scored), leaves(own, rest), p["path"], p["rest_path"]) != root:
        raise Refused("the runs are not below the root of the hash tree")
    if schema != "runs/1":  # who takes part is on the third side
        both.update(told_of(p, places, judged, row, entered, joined(entries, digests)))
    group = dict(zip(places, zip(*map(row.get, ("table", "track", "logic")))))
    beside, whole = {at + d for at in judged for d in (-1, 1)} - judged - {-1, count}, {group[at] for at in judged}
    if places != sorted(group) or not beside <= set(group) or whole & {group[at] for at in beside}:
        raise Refused("runs of the division are missing")
    for values in {x[:3]: x for at, x in zip(places, zip(*map(row.get, ANSWERED))) if at in judged}.values():
        check_answer(rules.year, *values)
    both["details"] = [[NONE], [0] * len(places)]
    runs = zip(*columns_of(both, RUN, len(places), lambda name, v: v and (NONE if v == NONE else RUN[name](v))))
    d = Division(rules, cell["track"], cell["division"], [Run(*r) for at, r in zip(places, runs) if at in judged])
    view = d.views.get(cell["view"])
    if not own or not view:
        raise Refused(f"there is no such cell by {named}")
    col, number = cell["column"], int if cell["column"] in ("e", "n", "points") else time_of
    terms = [[r.benchmark, getattr(s, col)] for r, s in d.terms(view, cell["logic"], cell["solver"]) if s]
    theirs = [[name, number(v)] for name, v in zip(own.values(), p["terms"]) if v is not None]
    ours = d.table(view, cell["logic"])[cell["solver"]][col] if view.absent else sum(n for _, n in terms)
    if ours != number(cell["value"]) or terms != theirs or len(p["terms"]) != len(own):
        raise Refused(f"the cell is not {cell['value']} by {named}")
    print(f"{cell['logic'] or cell['division']} {cell['track']} {cell['view']} {cell['solver']}.{col} is",
          f"{cell['value']} by {named}, from {len(terms)} of {len(d.runs)} runs.\nThey are leaves of the",
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
