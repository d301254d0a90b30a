package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/examples/quickstart"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// soundPipeline is a pipeline without mistakes. %s is the path of a release.
const soundPipeline = `competition {
  name = "Cup"
  year = 2026
}

locals {
  seed   = 12345
  logics = ["LIA", "QF_UF"]
}

solver "alpha" { command = ["true"] }
solver "beta" { command = ["true"] }

executor "local" "here" {
  isolation = "best_effort"
}

stage "fetch" "library" {
  path = "%s"
  only = local.logics
}

stage "index" "library" {
  source = stage.fetch.library.files
}

stage "filter" "usable" {
  benchmarks = stage.index.library.benchmarks
  drop "big" {
    when   = b.size_bytes > 500000
    reason = "larger than 500 kB"
  }
}

stage "cap" "single" {
  benchmarks = stage.filter.usable.benchmarks
  take       = min(n, 12)
  seed       = local.seed
}

stage "cap" "model" {
  benchmarks = stage.filter.usable.benchmarks
  where      = startswith(b.logic, "QF_") && b.status == "sat"
  take       = min(n, 8)
  seed       = local.seed
}

stage "scramble" "single" {
  benchmarks = stage.cap.single.benchmarks
  track      = "single_query"
  seed       = local.seed
}

stage "scramble" "model" {
  benchmarks = stage.cap.model.benchmarks
  track      = "model_validation"
  seed       = local.seed
}

stage "execute" "single" {
  scripts  = stage.scramble.single.scripts
  solvers  = solver
  track    = "single_query"
  executor = executor.local.here
  limits {
    wall_time = "2s"
    memory    = "1GB"
  }
}

stage "execute" "model" {
  scripts  = stage.scramble.model.scripts
  solvers  = solver
  track    = "model_validation"
  executor = executor.local.here
  limits {
    wall_time = "1s"
    memory    = "1GB"
  }
}

stage "validate" "single" {
  runs       = stage.execute.single.runs
  benchmarks = stage.cap.single.benchmarks
}

stage "score" "single" {
  verdicts = stage.validate.single.verdicts
  rules    = file("my.rules.hcl")
}

stage "report" "site" {
  scores    = [stage.score.single.scores]
  verdicts  = [stage.validate.single.verdicts]
  runs      = [stage.execute.single.runs]
  selection = { single_query = stage.cap.single.selection }
}

output "podium" {
  value = stage.score.single.scores
}
`

// TestMistakes changes one place in a sound pipeline or its rule set. check must report each mistake with its position,
// line and remedy, before any run.
func TestMistakes(t *testing.T) {
	t.Parallel()
	release, err := filepath.Abs("../../examples/quickstart/release")
	if err != nil {
		t.Fatal(err)
	}
	sound := fmt.Sprintf(soundPipeline, release)
	out, _, code := runRules(t, "export", "2026")
	if code != 0 {
		t.Fatal("no rule set")
	}
	if code, text := checkText(t, sound, out); code != 0 {
		t.Fatalf("the sound pipeline is refused:\n%s", text)
	}
	for _, m := range []struct {
		name, old, new, want string
		inRules              bool
	}{
		{"slip in an attribute", "take       = min(n, 12)", "taek       = min(n, 12)", `Did you mean "take"?`, false},
		{"number without a unit", `wall_time = "2s"`, "wall_time = 1200", `wall_time = "20m"`, false},
		{"unit in words", `wall_time = "2s"`, `wall_time = "20 minutes"`, `is not a duration`, false},
		{"no time", `wall_time = "2s"`, `wall_time = "0s"`, "must be above zero", false},
		{"size as a time", `memory    = "1GB"`, `memory    = "1s"`, "is not a size: want a number and a unit", false},
		{"unknown output", "stage.filter.usable.benchmarks\n  take", "stage.filter.usable.benchmark\n  take",
			`Did you mean "benchmarks"?`, false},
		{"unknown stage", "stage.cap.single.benchmarks\n  track", "stage.cap.singel.benchmarks\n  track",
			"Did you mean stage.cap.single?", false},
		{"unknown kind", `stage "cap" "model"`, `stage "caps" "model"`, `Did you mean "cap"?`, false},
		{"cycle", "source = stage.fetch.library.files",
			"source = stage.fetch.library.files\n  new = stage.cap.single.count > 3",
			"Remove one of these references.", false},
		{"logic that the release does not have", `"QF_UF"]`, `"QF_LAI"]`, `no file of the release matches "QF_LAI"`, false},
		{"folder that is not there", `path = "/`, `path = "/nowhere/`, "correct the path", false},
		{"bad regular expression", `when   = b.size_bytes > 500000`, `when   = length(regexall("(", b.family)) > 0`,
			"missing closing )", false},
		{"division by zero for every n", "take       = min(n, 12)", "take       = floor(100 / (n - n))",
			"For a group of n = 1 benchmarks", false},
		{"division by zero for one n", "take       = min(n, 12)", "take       = floor(100 / (n - 19))",
			"For a group of n = 19 benchmarks", false},
		{"unknown track", `track      = "model_validation"`, `track      = "model-validation"`, `Did you mean "model_validation"? The tracks are`, false},
		{"scripts of another track", "scripts  = stage.scramble.model.scripts",
			"scripts  = stage.scramble.single.scripts",
			`Take the scripts of a stage for "model_validation"`, false},
		{"benchmarks of another selection", "benchmarks = stage.cap.single.benchmarks\n}",
			"benchmarks = stage.cap.model.benchmarks\n}", "Take the benchmarks of that stage", false},
		{"table of another kind", "scripts  = stage.scramble.single.scripts", "scripts  = stage.cap.single.benchmarks",
			"take stage.scramble.single.scripts or stage.scramble.model.scripts", false},
		{"brace missing", `stage "cap" "single" {`, `stage "cap" "single"`, "Write { at the end of the line", false},
		{"quote missing", `name = "Cup"`, `name = "Cup`, "no closing \"", false},
		{"rules missing", "  rules    = file(\"my.rules.hcl\")\n", "", `needs the attribute "rules". "smtpipe stages score" lists`, false},
		{"rule set that is not there", `file("my.rules.hcl")`, `file("other.rules.hcl")`, "there is no other.rules.hcl; correct the path", false},
		{"rules of no year", `file("my.rules.hcl")`, `"2062"`, "There is no rule set", false},
		{"negative seed", "seed   = 12345", "seed   = -5", "from 0 to 4294967295", false},
		{"seed as a fraction", "seed   = 12345", "seed   = 1.5", "whole number", false},
		{"limits as an attribute", "limits {\n    wall_time = \"2s\"", "limits = {\n    wall_time = \"2s\"",
			"write limits { ... }", false},
		{"limits missing", "  limits {\n    wall_time = \"2s\"\n    memory    = \"1GB\"\n  }\n", "", `write limits { ... }`,
			false},
		{"number compared with a text", "min(n, 12)", `n > "300" ? 1 : n`, "A text is written in quotes", false},
		{"column compared with a text", "b.size_bytes > 500000", `b.size_bytes > "500 kB"`, "a number has no unit", false},
		{"never equal", `b.status == "sat"`, `b.status == 1`, "A text is written in quotes", false},
		{"status that there is not", `b.status == "sat"`, `b.status == "satt"`, `Did you mean "sat"?`, false},
		{"one equals sign", `b.status == "sat"`, `b.status = "sat"`, "compared with ==", false},
		{"and in words", `&& b.status`, `and b.status`, "write a && b", false},
		{"unknown column", `b.status == "sat"`, `b.stauts == "sat"`, `Did you mean "status"?`, false},
		{"unknown function", "min(n, 12)", "minimum(n, 12)", `Did you mean "min"?`, false},
		{"depends_on", "source = stage.fetch.library.files", "source = stage.fetch.library.files\n  depends_on = []",
			"refer to the output that it needs", false},
		{"count", "source = stage.fetch.library.files", "source = stage.fetch.library.files\n  count = 2", "for_each",
			false},
		{"unknown base solver", `solver "beta" { command = ["true"] }`,
			"solver \"beta\" {\n  command     = [\"true\"]\n  type        = \"derived\"\n  base_solver = \"alfa\"\n}",
			`Did you mean "alpha"?`, false},
		{"entrants not joined", `solver "beta" { command = ["true"] }`,
			"solver \"beta\" {\n  command     = [\"true\"]\n  competitive = false\n}", `the block of the solver "beta"`, false},
		{"names that differ in case", `solver "beta"`, `solver "Alpha"`, "differ only in capital letters", false},
		{"same name twice", `solver "beta"`, `solver "alpha"`, "already declared", false},
		{"unknown program", `solver "beta" { command = ["true"] }`, `solver "beta" { command = ["no-such-solver"] }`,
			"Install it, give its path", false},
		{"command as a text", `solver "beta" { command = ["true"] }`, `solver "beta" { command = "true" }`, "write it in brackets", false},
		{"command in one text", `solver "beta" { command = ["true"] }`, `solver "beta" { command = ["true --fast"] }`, `Did you mean ["true", "--fast"]?`, false},
		{"argument before the program", `solver "beta" { command = ["true"] }`, `solver "beta" { command = ["--fast", "true"] }`, "The program comes first", false},
		{"home folder", `solver "beta" { command = ["true"] }`, `solver "beta" { command = ["~/true"] }`, "write the whole path", false},
		{"variable before the program", `solver "beta" { command = ["true"] }`, `solver "beta" { command = ["A=1", "true"] }`, `["env", "A=1", ...]`, false},
		{"verdicts of another track in a report", "verdicts  = [stage.validate.single.verdicts]",
			"verdicts  = [stage.validate.other.verdicts]\n}\nstage \"validate\" \"other\" {\n  runs       = " +
				"stage.execute.model.runs\n  benchmarks = stage.cap.model.benchmarks\n}\nstage \"report\" \"more\" {\n" +
				"  scores = [stage.score.single.scores]", `The verdicts are for the track "model_validation", but the scores are for "single_query".`, false},
		{"runs of another track in a report", "runs      = [stage.execute.single.runs]",
			"runs = [stage.execute.model.runs]",
			`The runs are for the track "model_validation", but the scores are for "single_query".`, false},
		{"track of a selection", "{ single_query = stage", "{ singel_query = stage", `Did you mean "single_query"?`, false},
		{"verdicts scored twice", "scores    = [stage.score.single.scores]", "scores = [stage.score.single.scores, " +
			"stage.score.again.scores]\n}\nstage \"score\" \"again\" {\n  verdicts = stage.validate.single.verdicts\n" +
			"  rules = \"2022\"\n}\nstage \"report\" \"more\" {\n  scores = [stage.score.single.scores]",
			"stage.score.again and stage.score.single score the same verdicts", false},
		{"placeholder", `solver "beta" { command = ["true"] }`, `solver "beta" { command = ["true", "{script}"] }`, `Nothing replaces "{script}"`, false},
		{"parameter of a shell", `solver "beta" { command = ["true"] }`, `solver "beta" { command = ["true", "$1"] }`, `Nothing replaces "$1"`, false},
		{"redirection", `solver "beta" { command = ["true"] }`, `solver "beta" { command = ["true", "2>/dev/null"] }`, "No shell reads the command", false},
		{"pipe", `solver "beta" { command = ["true"] }`, `solver "beta" { command = ["true", "|", "head"] }`, "No shell reads the command", false},
		{"carriage return in a script", `solver "beta" { command = ["true"] }`, `solver "beta" { command = ["./crlf.sh"] }`, "carriage return", false},
		{"interpreter that is not there", `solver "beta" { command = ["true"] }`, `solver "beta" { command = ["./python9.sh"] }`,
			`interpreter "/usr/bin/python9" of`, false},
		{"program outside of its archive", `solver "beta" { command = ["true"] }`, `solver "beta" {
  command = ["/usr/bin/true"]
  archive = "my.rules.hcl"
}`, "With an archive, the program is a path inside it", false},
		{"no in words", `solver "beta" { command = ["true"] }`, `solver "beta" {
  command     = ["true"]
  competitive = "no"
}`, "write true or false, without quotes", false},
		{"executor in quotes", "executor = executor.local.here", `executor = "local.here"`, "write executor.KIND.NAME, without quotes",
			false},
		{"variable without a value", "locals {", "variable \"x\" { type = string }\nlocals {", "--var x=", false},
		{"variable of no type", "locals {", "variable \"x\" { type = strng }\nlocals {",
			"The types are string, number", false},
		{"unknown executor", "executor.local.here\n  limits {\n    wall_time = \"2s\"",
			"executor.local.there\n  limits {\n    wall_time = \"2s\"", "Did you mean executor.local.here?", false},
		{"isolation that there is not", `isolation = "best_effort"`, `isolation = "best"`, `Did you mean "best_effort"?`, false},
		{"null where a value is needed", "take       = min(n, 12)", "take       = null", "Write a value.", false},
		{"field of the scoring", "r.wall_s > T", "r.walltime > T", "It has ", true},
		{"block of the scoring", "competitive {", "competitiv {", `Did you mean "competitive"?`, true},
		{"syntax of the scoring", "competitive {", "competitive { {", "take this one out", true},
		{"track of the scoring", `["single_query", "parallel", "cloud"]`, `["single_qery"]`, `Did you mean "single_query"?`, true},
		{"track without a score", `["single_query", "parallel", "cloud"]`, `["single_query", "cloud"]`,
			`Write one with tracks = ["parallel"]`, true},
		{"order of the scoring", `order     = ["e", "-n", "w", "c"]`, `order     = ["e", "-k"]`, "the columns are e, n, w, c", true},
		{"switch of the scoring", `practice "first_listed_wins"`, `practice "first_listed_win"`,
			`Did you mean "first_listed_wins"?`, true},
	} {
		t.Run(m.name, func(t *testing.T) {
			pipeline, rules := sound, out
			changed := &pipeline
			if m.inRules {
				changed = &rules
			}
			if !strings.Contains(*changed, m.old) {
				t.Fatalf("there is no %q", m.old)
			}
			*changed = strings.Replace(*changed, m.old, m.new, 1)
			code, text := checkText(t, pipeline, rules)
			if code != exit.Error {
				t.Errorf("exit code %d, want %d", code, exit.Error)
			}
			wantDiagnostic(t, text, m.want)
		})
	}
}

// TestSharedMistakes is like TestMistakes, with mistakes that organisers made.
func TestSharedMistakes(t *testing.T) {
	t.Parallel()
	folder := testkit.Shared(t, "mistakes")
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var mistakes []struct{ Name, Old, New, Append string }
	if err := json.Unmarshal([]byte(read("mistakes.json")), &mistakes); err != nil {
		t.Fatal(err)
	}
	for _, m := range mistakes {
		t.Run(m.Name, func(t *testing.T) {
			// Another machine may be able to execute the runs, so check only warns about a limit that this machine
			// cannot satisfy. No machine has as much memory as this limit requires.
			machine := m.New == `memory    = "300GB"`
			if machine {
				m.New = `memory    = "900TB"`
			}
			dir := t.TempDir()
			text := strings.Replace(read("competition.hcl"), m.Old, m.New, 1) + "\n" + m.Append
			text = strings.Replace(text, `["cvc4", "--quiet", "--lang=smt2"]`, `["true"]`, 1)
			writeFiles(t, dir, map[string]string{"competition.hcl": text, "rules/my.hcl": read("rules/my.hcl")})
			if err := os.Symlink(testkit.Shared(t, "smtlib-mini"), filepath.Join(dir, "release")); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			code := run([]string{"check", "-p", dir}, strings.NewReader(""), &stdout, &stderr)
			if machine {
				if code != exit.Done || !strings.Contains(stderr.String(), "a run needs 900000.0 GB of memory") {
					t.Errorf("exit code %d\n%s", code, stderr.String())
				}
				stderr.Reset()
				code = run([]string{"run", "-p", dir}, strings.NewReader(""), &stdout, &stderr)
				if strings.Contains(stderr.String(), "executing") {
					t.Errorf("something was executed:\n%s", stderr.String())
				}
			}
			if code != exit.Error {
				t.Errorf("exit code %d, want %d", code, exit.Error)
			}
			text = stderr.String()
			wantDiagnostic(t, text[max(strings.Index(text, "Error:"), 0):], "") // warnings precede errors
		})
	}
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkText checks a pipeline that uses a rule set.
func checkText(t *testing.T, pipeline, rules string) (int, string) {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"competition.hcl": pipeline, "my.rules.hcl": rules})
	for name, text := range map[string]string{"crlf.sh": "#!/bin/sh\r\n", "python9.sh": "#!/usr/bin/python9\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	code := run([]string{"check", "-p", dir}, strings.NewReader(""), &stdout, &stderr)
	return code, stderr.String()
}

var diagnostic = regexp.MustCompile(`(?s)^Error: .+?\n  on \S+ line \d+.*?:\n +\d+: .*?\n.*?\w`)

// wantDiagnostic requires an error that contains the text, with its position and line.
func wantDiagnostic(t *testing.T, text, want string) {
	t.Helper()
	plain := strings.Join(strings.Fields(text), " ")
	if !strings.Contains(plain, want) {
		t.Errorf("nothing says %q:\n%s", want, text)
	}
	for _, d := range strings.Split(text, "\n\n") {
		if diagnostic.MatchString(d) {
			return
		}
	}
	t.Errorf("no error has place and line:\n%s", text)
}

// TestSilentMistakes checks that plan warns exactly once about a mistake that is not an error but would waste a
// competition.
func TestSilentMistakes(t *testing.T) {
	t.Parallel()
	text, err := quickstart.Files.ReadFile("competition.hcl")
	if err != nil {
		t.Fatal(err)
	}
	sound := strings.NewReplacer(`"z3"`, `"true"`, `"cvc5"`, `"false"`).Replace(string(text))
	sound = strings.NewReplacer(`solver "true"`, `solver "z3"`, `base_solver = "true"`, `base_solver = "z3"`).Replace(sound)
	for _, m := range []struct {
		name, old, new string
		want           string // expected text; empty if there is no warning
		exit           int
	}{
		{"nothing", "", "", "", exit.Done},
		{"a solver twice", `solver "false" {`, "solver \"copy\" {\n  command = [\"true\"]\n  seed    = 3\n}\nsolver \"false\" {",
			`The solvers "copy" and "z3" are the same program with the same command.`, exit.Done},
		{"a solver twice, for other logics", `solver "false" {`,
			"solver \"copy\" {\n  command = [\"true\"]\n  seed    = 3\n  logics = [\"LIA\"]\n}\nsolver \"false\" {", "", exit.Done},
		{"arguments that look like others", `command     = ["false", "--quiet", "--decision=internal"]`,
			`command = ["false", "--decision={internal}", "-", "a|b", "x>1"]`, "", exit.Done},
		{"a team in two spellings", `team    = "false"`, `team    = "False"`,
			`"false" and "False" count as two teams`, exit.Done},
		{"logics in small letters", `seed    = 97`, "seed = 97\n  logics = [\"qf_bv\"]", `Did you mean "QF_BV"?`, exit.Done},
		{"logics in one text", `seed    = 97`, "seed = 97\n  logics = [\"QF_BV, LIA\"]", "one string per logic", exit.Done},
		{"a regular expression of logics", `seed    = 97`, "seed = 97\n  logics = [\"QF_.*\"]", `as in "QF_*"`, exit.Done},
		{"a division instead of logics", `seed    = 97`, "seed = 97\n  logics = [\"QF_Equality\"]",
			"is a division; its logics are QF_AX, QF_UF.", exit.Done},
		{"a filter that nothing uses", `stage "cap" "single_query" {`, "stage \"filter\" \"more\" {\n  benchmarks = " +
			"stage.index.library.benchmarks\n}\nstage \"cap\" \"single_query\" {",
			"Neither a stage nor an output refers to stage.filter.more", exit.Done},
		{"milliseconds", `default     = "1s"`, `default     = "20ms"`, "Is the unit right?", exit.Done},
		{"megabytes", `memory    = "2GB"`, `memory    = "2MB"`, "Is the unit right?", exit.Done},
		{"scores twice", "scores       = [stage.score.single_query.scores]",
			"scores = [stage.score.single_query.scores, stage.score.single_query.scores]",
			`stage.score.single_query.scores is in "scores" twice.`, exit.Done},
		{"an output in an input", `path  = "site"`, `path  = "release/site"`, `The pipeline reads the folder "release"`,
			exit.Error},
		{"a folder with a longer name", `path  = "site"`, `path  = "release-site"`, "", exit.Done},
		{"a year without rules", "year = 2026", "year = 2031", "This program has no rules of the year 2031",
			exit.Error},
	} {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(sound, m.old) {
				t.Fatalf("there is no %q", m.old)
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, quickstart.Files); err != nil {
				t.Fatal(err)
			}
			writeFiles(t, dir, map[string]string{"competition.hcl": strings.Replace(sound, m.old, m.new, 1)})
			var stdout, stderr bytes.Buffer
			code := run([]string{"plan", "-p", dir}, strings.NewReader(""), &stdout, &stderr)
			text := strings.Join(strings.Fields(stderr.String()), " ")
			if code != m.exit || (m.want == "") != (text == "") || !strings.Contains(text, m.want) {
				t.Errorf("exit code %d\n%s", code, &stderr)
			}
			if n := strings.Count(text, m.want); m.want != "" && m.exit != exit.Error && n != 1 {
				t.Errorf("it is said %d times", n)
			}
		})
	}
}

// TestRehearsedRules checks that a missing minus in a rule set causes a warning with the line before anything executes.
func TestRehearsedRules(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../../pipelines/2026/scoring.rules.hcl")
	if err != nil {
		t.Fatal(err)
	}
	pipeline := fmt.Sprintf(soundPipeline, testkit.Shared(t, "smtlib-mini"))
	order := `order     = ["e", "-n", "w", "c"]`
	for _, m := range []struct{ name, new, want string }{
		{"nothing", order, ""},
		{"a minus less", `order     = ["e", "n", "w", "c"]`, "solves one more benchmark than another ranks worse"},
	} {
		text := strings.ReplaceAll(string(rules), order, m.new)
		code, said := checkText(t, pipeline, text)
		said = strings.Join(strings.Fields(said), " ")
		warned := strings.Contains(said, "upside down")
		if code != exit.Done || warned != (m.want != "") || !strings.Contains(said, m.want) {
			t.Errorf("%s: exit code %d: %s", m.name, code, said)
		}
	}
}
