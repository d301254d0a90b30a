"""Results of solver competitions as tables.

This package computes nothing. It calls the program ``smtpipe``, which is installed with it, and turns what that prints
into tables of Polars, pandas or Arrow. docs/tools/json.md of smtpipe describes the JSON and its versions, and
docs/stages/tables.md every column. Columns that end in ``_s`` are seconds, in ``_bytes`` bytes.

    import smtpipe
    quickstart = smtpipe.open("quickstart")     # a pipeline's folder, a frozen folder, or a store
    quickstart.scores()                         # one row for each track, division, view and solver
    quickstart.explain("stage.score.single_query::Arith/par/z3")
"""

from __future__ import annotations

import html
import importlib
import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any, Iterable, Literal, Sequence

__all__ = ["Competition", "Document", "Error", "compare", "open", "program", "score", "what_if"]

Library = Literal["polars", "pandas", "arrow"]
Row = dict[str, Any]
StrPath = str | os.PathLike[str]

# What this package understands. A different number after the slash means a different meaning.
FORMATS = {f"smtpipe/{name}/1" for name in ("plan", "explain", "score", "what-if", "compare")}
DIFFERS = 3  # the exit code of commands that found a difference


class Error(Exception):
    """The program refused. The text says what, where, why and what to do; exit_code is the command's."""

    def __init__(self, text: str, exit_code: int) -> None:
        super().__init__(text)
        self.exit_code = exit_code


def program() -> str:
    """Returns the program's path: $SMTPIPE, the program installed with this package, or one in $PATH."""
    if named := os.environ.get("SMTPIPE"):
        return named
    for scheme in (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")):
        path = os.path.join(sysconfig.get_path("scripts", scheme), "smtpipe")
        if os.access(path, os.X_OK):
            return path
    if path_of := shutil.which("smtpipe"):
        return path_of
    raise Error('There is no program "smtpipe": install the package for this platform, or set SMTPIPE to its path.', 1)


def _call(*arguments: StrPath, may_differ: bool = False) -> bytes:
    command = [program(), *(os.fspath(a) for a in arguments)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0 and not (may_differ and done.returncode == DIFFERS):
        raise Error(done.stderr.decode(errors="replace").strip(), done.returncode)
    return done.stdout


def _libraries(wanted: Library | None) -> tuple[str, Any]:
    modules = {"polars": "polars", "pandas": "pandas", "arrow": "pyarrow"}
    if wanted is not None and wanted not in modules:
        raise ValueError(f'library is "polars", "pandas" or "arrow", not {wanted!r}')
    for name in [wanted] if wanted else modules:
        try:
            return name, importlib.import_module(modules[name])
        except ImportError:
            continue
    raise Error(f"Tables need {wanted or 'Polars, pandas or PyArrow'}: pip install polars", 1)


def _tables(parts: Iterable[tuple[str, bytes]], library: Library | None) -> Any:
    """Returns one table from Parquet files. The column stage has the address of each row's stage."""
    name, module = _libraries(library)
    tables = []
    for stage, data in parts:
        if name == "polars":
            tables.append(module.read_parquet(io.BytesIO(data)).with_columns(stage=module.lit(stage)))
        elif name == "pandas":
            tables.append(module.read_parquet(io.BytesIO(data)).assign(stage=stage))
        else:
            table = importlib.import_module("pyarrow.parquet").read_table(io.BytesIO(data))
            tables.append(table.append_column("stage", module.array([stage] * len(table), module.string())))
    if name == "pandas":
        return module.concat(tables, ignore_index=True)
    return module.concat(tables) if name == "polars" else module.concat_tables(tables)


def _table_of_rows(rows: list[Row], library: Library | None) -> Any:
    name, module = _libraries(library)
    if name == "polars":
        return module.DataFrame(rows, infer_schema_length=None)
    return module.DataFrame(rows) if name == "pandas" else module.Table.from_pylist(rows)


class Document(dict[str, Any]):
    """A JSON document from the program, as described in docs/tools/json.md. In a notebook it shows its rows."""

    _shown = 200

    @classmethod
    def of(cls, text: bytes) -> Document:
        """Reads a document. Its format must be one that this package knows."""
        document = cls(json.loads(text))
        if document.get("format") not in FORMATS:
            raise Error(
                f"The program wrote {document.get('format')!r}, and this package reads "
                f"{', '.join(sorted(FORMATS))}. Install the package of the program's version.",
                1,
            )
        return document

    @property
    def rows(self) -> list[Row]:
        """The document's main list, flattened: steps of a plan, components of an explanation, places of rankings,
        changed winners, or measures of groups."""
        kind = self["format"].split("/")[1]
        return {"plan": _steps, "explain": _components, "score": _places, "what-if": _changes, "compare": _measures}[
            kind
        ](self)

    def table(self, library: Library | None = None) -> Any:
        """Returns rows as a Polars, pandas or Arrow table, by default of the first library that is installed."""
        return _table_of_rows(self.rows, library)

    def _repr_html_(self) -> str:
        rows = self.rows
        if not rows:
            return f"<p>{html.escape(self['format'])}: no rows</p>"
        head = "".join(f"<th>{html.escape(name)}</th>" for name in rows[0])
        body = "".join(
            "<tr>" + "".join(f"<td>{_cell(v)}</td>" for v in row.values()) + "</tr>" for row in rows[: self._shown]
        )
        more = f"<p>… {len(rows) - self._shown} more rows</p>" if len(rows) > self._shown else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: Any) -> str:
    return html.escape(f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value))


def _pick(row: Row, names: str) -> Row:
    return {name: row.get(name, "") for name in names.split()}


def _steps(document: Row) -> list[Row]:
    return [_pick(s, "address kind decision rows") | {"runs": s.get("cost", {}).get("runs")} for s in document["steps"]]


def _components(document: Row) -> list[Row]:
    return [{"name": c["name"], "value": c["value"]} for c in document["components"]]


def _places(document: Row) -> list[Row]:
    rows: list[Row] = []

    def add(track: str, division: str, logic: str, result: Row) -> None:
        where = {"track": track, "division": division, "logic": logic}
        for view, ranking in result["views"].items():
            for place in ranking["ranking"]:
                rows.append(where | {"view": view} | place | {"winner": place["solver"] in ranking["winners"]})

    for track, results in document["tracks"].items():
        for name, division in results["divisions"].items():
            add(track, name, "", division)
            for logic, result in division.get("logics", {}).items():
                add(track, name, logic, result)
    return rows


def _changes(document: Row) -> list[Row]:
    rows: list[Row] = []
    for data in document["data"]:
        for other in data["comparisons"]:
            for change in other["changes"]:
                winners = {side: ", ".join(change[side]["winners"]) for side in ("from", "to")}
                rules = {"runs_of": data["name"], "rules": other["to"]}
                rows.append(rules | _pick(change, "track division view") | winners)
    return rows


def _measures(document: Row) -> list[Row]:
    return [
        _pick(g, "logic family pairs") | _pick(m, "name median_ratio p_holm verdict")
        for g in document["groups"]
        for m in g.get("measures", [])
    ]


class Competition:
    """A pipeline with its results.

    Tables have the rows of all stages that write them, unless stage names one; the column ``stage`` says which.
    """

    def __init__(self, flags: Sequence[str], library: Library | None, scratch: Any = None) -> None:
        self._flags, self._library, self._scratch = list(flags), library, scratch

    def plan(self, *targets: str) -> Document:
        """Returns what a run would execute now, and how long that would take: smtpipe/plan/1."""
        return Document.of(_call("plan", "--json", *self._flags, *targets))

    def explain(self, address: str) -> Document:
        """Returns what a stage depends on, or explains one row: smtpipe/explain/1. For the verdict on a run the address
        is ``stage.verdicts.main::BENCHMARK@SOLVER``, for a place ``stage.score.main::DIVISION/VIEW/SOLVER``."""
        return Document.of(_call("explain", "--json", *self._flags, address))

    def what_if(self, stage: str | None = None, rules: Sequence[StrPath] | StrPath = ()) -> Document:
        """Returns who would win under other rules, and why: smtpipe/what-if/1.

        rules are years, folders or files of rule sets; by default all that the program knows. No solver runs.
        """
        stages = [stage] if stage else [s["address"] for s in self.plan()["steps"] if s["kind"] == "score"]
        return _what_if([*self._flags, *stages], rules)

    def runs(self, stage: str | None = None) -> Any:
        """One row for each run of a solver on a benchmark: what was measured, with wall and CPU time in seconds."""
        return self.table("runs", stage)

    def verdicts(self, stage: str | None = None) -> Any:
        """One row for each run with our verdict on its answer: correct, wrong, unknown or disregarded.

        Without stage, what was judged and then joined with the entrants is there once, joined.
        """
        joined = [s["address"] for s in self.plan()["steps"] if s["kind"] == "verdicts"]
        return self.table("verdicts", stage or joined or None)

    def entrants(self, stage: str | None = None) -> Any:
        """One row for each participation of a solver in a track, with every reason against it and what follows."""
        return self.table("entrants", stage)

    def scores(self, stage: str | None = None) -> Any:
        """One row for each track, division, logic (empty: the whole division), view and solver: rank and sums."""
        return self.table("scores", stage)

    def benchmarks(self, stage: str | None = None) -> Any:
        """One row for each benchmark of the release, as indexed."""
        return self.table("benchmarks", stage or [s["address"] for s in self.plan()["steps"] if s["kind"] == "index"])

    def table(self, schema: str, stage: str | Sequence[str] | None = None) -> Any:
        """Returns the tables of a schema, such as "recognitions" or "confidence"; docs/stages/tables.md lists them."""
        stages = [stage] if isinstance(stage, str) else stage
        found = [
            (step["address"], output)
            for step in self.plan()["steps"]
            if stages is None or step["address"] in stages
            for output, t in step.get("tables", {}).items()
            if t["schema"].split("/")[0] == schema
        ]
        if not found:
            raise Error(
                f'No stage has a table "{schema}" that is up to date; "smtpipe plan" says why, and "smtpipe run" '
                "makes it.",
                1,
            )
        return _tables(
            [
                (address, _call("show", "--format", "parquet", *self._flags, f"{address}.{output}"))
                for address, output in found
            ],
            self._library,
        )

    def _repr_html_(self) -> str:
        return self.plan()._repr_html_()


def open(
    path: StrPath = ".",
    *,
    library: Library | None = None,
    store: StrPath | None = None,
    variables: dict[str, str] | None = None,
) -> Competition:
    """Opens a competition: the folder or .hcl file of a pipeline, its store (FOLDER/.smtpipe), or a frozen folder.

    store is the folder of the store if it is not beside the pipeline. variables are those of the pipeline, as with
    ``--var``. Nothing is executed. Of a frozen folder the measurements are used, and nothing is written into it.
    """
    place, scratch = Path(path), None
    if place.name == ".smtpipe":
        place = place.parent
    if not place.exists():
        raise Error(f"There is no {place}: name the folder of a pipeline, its store, or a frozen folder.", 2)
    flags = ["--pipeline", str(place)]
    if (place / "smtpipe.lock.hcl").is_file():
        flags = ["--pipeline", str(place / "pipeline"), "--evidence", str(place)]
        if store is None:
            scratch = tempfile.TemporaryDirectory(prefix="smtpipe-")
            store = scratch.name
    if store is not None:
        flags += ["--store", os.fspath(store)]
    for name, value in (variables or {}).items():
        flags += ["--var", f"{name}={value}"]
    return Competition(flags, library, scratch)


def score(runs: Any, rules: StrPath, readings: Sequence[str] = ()) -> Document:
    """Scores runs: smtpipe/score/1.

    runs is a table of Polars, pandas or Arrow, or the path of a CSV or Parquet file, with the columns of verdicts.
    rules is a year, a folder, or the file of a rule set. readings are as "late_answer=drop".
    """
    with _file_of(runs) as path:
        chosen = [word for reading in readings for word in ("--reading", reading)]
        return Document.of(_call("tool", "score", "--format", "json", "--rules", rules, *chosen, path))


def what_if(
    runs: Any = None,
    *,
    against: StrPath | None = None,
    official: StrPath | None = None,
    rules: Sequence[StrPath] | StrPath = (),
) -> Document:
    """Returns who would win under other rules, and why: smtpipe/what-if/1.

    Either runs, a table or file as for score, with the rules that it is compared against; or official, a folder of
    official results, compared with what was published. rules are as for Competition.what_if.
    """
    if official is not None:
        return _what_if(["--official", official], rules)
    if against is None:
        raise ValueError("against names the rules that produced the current winners, such as 2026")
    with _file_of(runs) as path:
        return _what_if(["--runs", path, "--against", against], rules)


def _what_if(arguments: Sequence[StrPath], rules: Sequence[StrPath] | StrPath) -> Document:
    names = [rules] if isinstance(rules, (str, os.PathLike)) else rules
    others = [word for name in names for word in ("--rules", name)]
    return Document.of(_call("what-if", "--json", *arguments, *others, may_differ=True))


def compare(old: StrPath, new: StrPath, *, benchmarks: StrPath, wall: str = "10s", **options: str | float) -> Document:
    """Executes two builds on the same benchmarks, and returns what the second does worse: smtpipe/compare/1.

    A build is a program with its arguments, an archive, or a submission. wall is the limit of wall time of a run.
    options are other flags of ``smtpipe compare``, such as sample=100.
    """
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    return Document.of(
        _call(
            "compare",
            "--json",
            "-",
            "--progress",
            "none",
            "--benchmarks",
            benchmarks,
            "--wall",
            wall,
            *flags,
            old,
            new,
            may_differ=True,
        )
    )


class _file_of:
    """The path of a table, written as Parquet into a temporary file unless it is a path already."""

    def __init__(self, table: Any) -> None:
        self._table, self._folder = table, tempfile.TemporaryDirectory(prefix="smtpipe-")

    def __enter__(self) -> StrPath:
        if isinstance(self._table, (str, os.PathLike)):
            return self._table
        path = os.path.join(self._folder.name, "runs.parquet")
        if hasattr(self._table, "write_parquet"):
            self._table.write_parquet(path)
        elif hasattr(self._table, "to_parquet"):
            self._table.to_parquet(path, index=False)
        else:
            importlib.import_module("pyarrow.parquet").write_table(self._table, path)
        return path

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


def main() -> None:
    """Becomes the program: ``python -m smtpipe``."""
    os.execv(program(), ["smtpipe", *sys.argv[1:]])
