package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// python returns a command that executes the notebook's Python, which finds the package smtpipe and this program.
func python(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	program, err := exec.LookPath("smtpipe")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../python")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), testkit.Python(t, "notebook"), arguments...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+root, "SMTPIPE="+program, "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

// TestPythonPackage opens a competition in every way that the package supports, with every library. The competition has
// two solvers that each know one answer, on 20 benchmarks, ten of which are sat.
func TestPythonPackage(t *testing.T) {
	t.Parallel()
	cmd := python(t, "-c", pythonCalls)
	cmd.Dir = smallProject(t)
	smtpipe(t, "freeze", "-p", cmd.Dir, "-o", filepath.Join(cmd.Dir, "frozen"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

const pythonCalls = `
import smtpipe

for library in "polars", "pandas", "arrow":
    for place in ".", ".smtpipe", "frozen":
        opened = smtpipe.open(place, library=library)
        rows = {name: len(getattr(opened, name)()) for name in ("benchmarks", "runs", "verdicts")}
        assert rows == {"benchmarks": 20, "runs": 40, "verdicts": 40}, (library, place, rows)
        scores = opened.scores("stage.score.main")
        columns = list(scores.schema.names if library == "arrow" else scores.columns)
        assert columns[0] == "track" and columns[-1] == "stage", columns
    verdicts = opened.verdicts()
    places = smtpipe.score(verdicts, "2026").rows
    par = {p["solver"]: (p["n"], p["e"]) for p in places if p["view"] == "par"}
    assert par == {"yes": (10, 10), "no": (10, 10)}, par
    assert len(smtpipe.what_if(verdicts, against="2026", rules="2026").rows) == 0

here = smtpipe.open(library="pandas")
assert here.verdicts().groupby(["solver", "verdict"]).size().to_dict() == {
    ("no", "correct"): 10, ("no", "wrong"): 10, ("yes", "correct"): 10, ("yes", "wrong"): 10}
assert {s["address"]: s["decision"] for s in here.plan()["steps"]}["stage.execute.main"] == "cached"
assert [s["kind"] for s in here.plan("stage.cap.main")["steps"]] == ["fetch", "index", "cap"]
first = here.verdicts().iloc[0]
explained = here.explain(f"{first.stage}::{first.benchmark}@{first.solver}")
assert explained["item"] and {"name": "verdict", "value": first.verdict} in explained.rows, explained.rows
assert "<td>" + first.verdict + "</td>" in explained._repr_html_()
assert len(here.explain("stage.score.main")["key"]) == 64
assert here.what_if(rules=["2022", "2026"])["data"][0]["rules"] == "2026"
assert here._repr_html_().count("<tr>") == len(here.plan()["steps"]) + 1

compared = smtpipe.compare("./no", "./yes", benchmarks="release", wall="1s", sample=4, isolation="none", answers=1)
assert compared["regression"] and compared["solved"] == [4, 0], compared["reasons"]
compared.table("arrow")

def refused(call, text, code):
    try:
        call()
    except smtpipe.Error as e:
        assert text in str(e) and e.exit_code == code, (e, e.exit_code)
    else:
        raise AssertionError(text)

refused(lambda: smtpipe.open("nowhere"), "There is no nowhere", 2)
refused(lambda: here.explain("stage.skore.main"), "did you mean stage.score.main?", 2)
refused(lambda: here.runs("stage.score.main"), "No stage has a table", 1)
refused(lambda: smtpipe.Document.of(b'{"format": "smtpipe/plan/2"}'), "smtpipe/plan/2", 1)
`

// TestNotebookPages executes the documentation's notebooks on the published runs of 2022 and 2025, and on a small
// sample of the quickstart's benchmarks. Except for measurements, they must print what their pages show.
func TestNotebookPages(t *testing.T) {
	t.Parallel()
	results := testkit.Shared(t, "official-results")
	script, err := filepath.Abs("../../scripts/notebook.py")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"who-won", "one-rule", "better-build"}
	for _, i := range testkit.Sample(len(names), 1) {
		name := names[i]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const pages = "../../docs/notebooks"
			file := name + ".ipynb"
			cmd := python(t, script, file)
			if os.Getenv("SMTPIPE_UPDATE") == "1" {
				cmd.Args = append(cmd.Args, "write")
				cmd.Env = append(cmd.Env, "SAMPLE=120")
			}
			cmd.Dir = t.TempDir()
			if err := os.CopyFS(cmd.Dir, os.DirFS(pages)); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(cmd.Dir, "incremental/verdicts.py"), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd.Env = append([]string{"SAMPLE=12"}, append(cmd.Env, "RESULTS="+results, "MPLCONFIGDIR="+cmd.Dir,
				"JUPYTER_PLATFORM_DIRS=1", "HOME="+cmd.Dir)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if os.Getenv("SMTPIPE_UPDATE") != "1" {
				return
			}
			text, err := os.ReadFile(filepath.Join(cmd.Dir, file))
			if err == nil {
				err = os.WriteFile(filepath.Join(pages, file), text, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestPythonPackageIsSmall checks that the package has at most 400 lines, which suffice because it only calls the
// program.
func TestPythonPackageIsSmall(t *testing.T) {
	files, err := filepath.Glob("../../python/smtpipe/*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	lines := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(text), "\n")
	}
	if lines > 400 {
		t.Errorf("the Python package has %d lines", lines)
	}
}

// TestCitation checks that the repository's metadata for archives contains the program's version and the changelog's
// date.
func TestCitation(t *testing.T) {
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, date, found := strings.Cut(string(changes), "\n## "+version+" (")
	if !found || len(date) < 10 {
		t.Fatalf("CHANGELOG.md has no section of %s", version)
	}
	for file, texts := range map[string][]string{
		"CITATION.cff": {"\nversion: " + version + "\n", "\ndate-released: \"" + date[:10] + "\"\n"},
		".zenodo.json": {`"version": "` + version + `"`},
	} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range texts {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s has no %q", file, want)
			}
		}
	}
}
