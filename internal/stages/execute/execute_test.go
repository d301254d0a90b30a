package execute_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/smt/trace"
)

// pipeline is a pipeline that executes solvers on one script.
const pipeline = `
stage "texts" "x" { scripts = { "QF_UF/a.smt2" = %q } }
stage "execute" "x" {
  scripts  = stage.texts.x.scripts
  solvers  = solver
  track    = %q
  executor = executor.local.here
  %s
  limits {
    wall_time = "%s"
    memory    = "200MB"
  }
}
`

const script = "(set-logic QF_UF)\n(check-sat)\n(exit)\n"

func solverBlocks(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "solver %q { command = [\"./%s\"] }\n", n, n)
	}
	return b.String()
}

// TestSolvers executes solvers that behave in every known way.
func TestSolvers(t *testing.T) {
	tests := []struct {
		name, shell string
		ending      comp.Ending
		code        int64
		answer      bool // the output must contain an answer with a time
		stdout      string
		cut         bool
	}{
		{name: "answers", shell: "grep -q check-sat $1 && echo unsat", ending: comp.Exited, answer: true,
			stdout: "unsat\n"},
		{name: "crashes", shell: "kill -SEGV $$", ending: comp.Signalled, code: -1},
		{name: "fails", shell: "echo '(error \"no\")'; echo x >&2; exit 3", ending: comp.Exited, code: 3,
			stdout: "(error \"no\")\n"},
		{name: "garbage", shell: `printf '\377\000unsatisfiable\n'`, ending: comp.Exited,
			stdout: "\xff\x00unsatisfiable\n"},
		{name: "silent", shell: ":", ending: comp.Exited},
		{name: "hangs", shell: "echo sat; exec sleep 60", ending: comp.WallTimeout, answer: true, stdout: "sat\n"},
		{name: "floods", shell: "exec yes", ending: comp.WallTimeout, cut: true},
	}
	solvers := map[string]string{}
	var names []string
	for _, tt := range tests {
		solvers[tt.name] = "#!/bin/sh\n" + tt.shell + "\n"
		names = append(names, tt.name)
	}
	l := newLab(t, solvers)
	bySolver := map[string]results.RunRow{}
	for _, limit := range []string{"600ms", "6s"} { // retry with a higher limit, in case the machine is busy
		rows, made, err := l.run(t, solverBlocks(names...)+fmt.Sprintf(pipeline, script, "single_query", "", limit))
		if err != nil {
			t.Fatal(err)
		}
		if made != int64(len(tests)) || len(rows) != len(tests) {
			t.Fatalf("%d runs were made and %d rows are there, want %d of both", made, len(rows), len(tests))
		}
		timeouts := 0
		for _, r := range rows {
			bySolver[r.Solver] = r
			if r.Ending == comp.WallTimeout {
				timeouts++
			}
		}
		if timeouts == 2 {
			break
		}
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := bySolver[tt.name]
			if r.Ending != tt.ending || (tt.ending == comp.Exited && r.ExitCode != tt.code) {
				t.Errorf("ended %s with code %d, want %s and %d", r.Ending, r.ExitCode, tt.ending, tt.code)
			}
			if (r.AnswerWallTimeS >= 0) != tt.answer {
				t.Errorf("the answer came at %v s, want an answer: %v", r.AnswerWallTimeS, tt.answer)
			}
			if !tt.cut && r.Stdout != tt.stdout {
				t.Errorf("it printed %q, want %q", r.Stdout, tt.stdout)
			}
			if tt.cut && (r.StdoutSHA256 == "" || r.StdoutBytes < 1000) {
				t.Errorf("of a flood %d bytes were seen, digest %q", r.StdoutBytes, r.StdoutSHA256)
			}
			if r.WallTimeS <= 0 || r.WallTimeS > 20 || r.RunKey == "" || r.Hardware == "" {
				t.Errorf("the record is not complete: %+v", r)
			}
			if tt.name == "fails" && r.StderrBytes != 2 {
				t.Errorf("%d bytes on standard error, want 2", r.StderrBytes)
			}
		})
	}
}

// TestOneStream executes a solver that prints to standard output and standard error, with separate and with merged
// streams. The merged output is in the order of writing.
func TestOneStream(t *testing.T) {
	l := newLab(t, map[string]string{"a": "#!/bin/sh\necho warning >&2\necho sat\necho more >&2\n"})
	for _, tt := range []struct {
		name, extra, stdout string
		stderr              int64
	}{
		{"apart", "", "sat\n", int64(len("warning\nmore\n"))},
		{"merged", "merge_stderr = true", "warning\nsat\nmore\n", 0},
	} {
		rows, made, err := l.run(t, solverBlocks("a")+fmt.Sprintf(pipeline, script, "single_query", tt.extra, "20s"))
		if err != nil {
			t.Fatal(err)
		}
		if made != 1 || rows[0].Stdout != tt.stdout || rows[0].StderrBytes != tt.stderr {
			t.Errorf("%s: %d runs, %q on standard output and %d bytes on standard error, want 1, %q and %d", tt.name,
				made, rows[0].Stdout, rows[0].StderrBytes, tt.stdout, tt.stderr)
		}
	}
}

// TestResume executes the same runs again: with an additional solver, in a renamed stage, under another limit, and
// afresh.
func TestResume(t *testing.T) {
	l := newLab(t, map[string]string{"a": "#!/bin/sh\necho sat\n", "b": "#!/bin/sh\necho unsat\n"})
	one := fmt.Sprintf(pipeline, script, "single_query", "", "20s")
	renamed := strings.ReplaceAll(one, `"texts" "x"`, `"texts" "y"`)
	renamed = strings.ReplaceAll(renamed, "texts.x", "texts.y")
	steps := []struct {
		name, pipeline string
		fresh          []string
		made           int64
		rows           int
	}{
		{"first", solverBlocks("a") + one, nil, 1, 1},
		{"again", solverBlocks("a") + one, nil, 0, 1},
		{"a new solver", solverBlocks("a", "b") + one, nil, 1, 2},
		{"other names of stages", solverBlocks("a", "b") + renamed, nil, 0, 2},
		{"another limit", solverBlocks("a") + strings.Replace(one, `"20s"`, `"21s"`, 1), nil, 1, 1},
		{"the first limit again", solverBlocks("a") + one, nil, 0, 1},
		{"afresh", solverBlocks("a") + one, []string{"stage.execute.x"}, 1, 1},
		{"two benchmarks with one script", solverBlocks("a") + strings.Replace(one, `"QF_UF/a.smt2" =`,
			`"QF_UF/b.smt2" = "(check-sat)\n", "QF_UF/c.smt2" = "(check-sat)\n", "QF_UF/a.smt2" =`, 1), nil, 2, 3},
	}
	for _, s := range steps {
		rows, made, err := l.runWith(t.Context(), t, s.pipeline, s.fresh)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if made != s.made || len(rows) != s.rows {
			t.Errorf("%s: %d runs were made and %d rows are there, want %d and %d", s.name, made, len(rows), s.made,
				s.rows)
		}
	}
}

// TestInterrupted cancels an execution halfway: the killed run is not kept, but all other runs are.
func TestInterrupted(t *testing.T) {
	l := newLab(t, map[string]string{"a": "#!/bin/sh\necho sat\n", "slow": "#!/bin/sh\nexec sleep 60\n"})
	p := solverBlocks("a", "slow") + fmt.Sprintf(pipeline, script, "single_query", "", "100s")
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	if rows, _, err := l.runWith(ctx, t, p, nil); rows != nil {
		t.Fatalf("the execution has %d rows, error %v", len(rows), err)
	}
	p = strings.Replace(p, `"100s"`, `"300ms"`, 1)
	rows, _, err := l.run(t, p)
	if err != nil || len(rows) != 2 || rows[1].Ending != comp.WallTimeout {
		t.Errorf("after it %v, %+v", err, rows)
	}
	for _, r := range rows {
		if r.Ending == comp.Killed {
			t.Errorf("the interrupted run became a result: %+v", r)
		}
	}
}

// TestCannotStart uses solvers that cannot be started: the stage fails and names them, and all other solvers' runs are
// kept.
func TestCannotStart(t *testing.T) {
	l := newLab(t, map[string]string{"good": "#!/bin/sh\necho sat\n", "no-interpreter": "#!/nonexistent/sh\n"})
	l.write(t, "not-executable", "#!/bin/sh\necho unsat\n", 0o644)
	l.zip(t, "s.zip", map[string]string{"bin/run": "#!/bin/sh\necho sat\n"})
	p := solverBlocks("good", "no-interpreter", "not-executable") +
		"solver \"missing\" {\n command = [\"run\"]\n archive = \"s.zip\"\n}\n" + fmt.Sprintf(pipeline, script,
		"single_query", "", "20s")
	rows, made, err := l.run(t, p)
	if err != nil || len(rows) != 1 || rows[0].Solver != "good" || made != 4 {
		t.Errorf("%d runs were due, want 4; rows %v, error %v, want the run of the good solver", made, rows, err)
	}
	absent := fmt.Sprint(l.absent)
	for _, want := range []string{"{missing it cannot be started: ", "the file of this name is bin/run",
		"{no-interpreter it cannot be started: ", "{not-executable it cannot be started: "} {
		if !strings.Contains(absent, want) {
			t.Errorf("%q is not among those that could not take part: %s", want, absent)
		}
	}
	if _, made, err = l.run(t, p); err != nil || made != 0 || fmt.Sprint(l.absent) != absent {
		t.Errorf("from the store, %d runs were due, error %v, and %v could not take part, want %s", made, err, l.absent,
			absent)
	}
	// The machine is to blame if the program was started before or is the only one.
	for _, alone := range []string{"no-interpreter", "not-executable"} {
		_, _, err = l.run(t, solverBlocks(alone)+fmt.Sprintf(pipeline, script, "single_query", "", "20s"))
		if err == nil || !strings.Contains(err.Error(), alone+" cannot be started") {
			t.Errorf("alone, %s has the error %v", alone, err)
		}
	}
	rows, made, err = l.run(t, solverBlocks("good")+fmt.Sprintf(pipeline, script, "single_query", "", "20s"))
	if err != nil || made != 0 || len(rows) != 1 || rows[0].Stdout != "sat\n" {
		t.Errorf("without them %d runs were made, rows %v, error %v; want the run that was kept", made, rows, err)
	}
}

// TestArchives executes solvers from archives: plain, with arguments, with StarExec's environment and for the
// incremental track.
func TestArchives(t *testing.T) {
	const talk = "#!/bin/sh\nwhile read -r l; do case $l in '(check-sat)') echo sat;; '(exit)') exit;; *) echo " +
		"success;; esac; done\n"
	l := newLab(t, nil)
	l.zip(t, "s.zip", map[string]string{
		"bin/run":                     "#!/bin/sh\necho sat\necho \"$@\"\npwd\necho limit $STAREXEC_WALLCLOCK_LIMIT\n",
		"bin/smtcomp_run_incremental": talk,
		"other/talk":                  talk,
	})
	const traced = "sat\n" + trace.Separator + "\n(set-logic QF_UF)\n(check-sat)\n(exit)\n"
	block := func(name, command, more string) string {
		return fmt.Sprintf("solver %q {\n command = [%s]\n archive = \"s.zip\"\n %s\n}\n", name, command, more)
	}
	tests := []struct {
		name, solver, track, script, more string
		stdout                            string
	}{
		{"plain", block("s", `"bin/run"`, ""), "single_query", script, "", "sat\nBENCHMARK\n/work\nlimit\n"},
		{"arguments", block("s", `"bin/run", "-a"`, ""), "single_query", script, `arguments = { s = ["b c"] }`,
			"sat\n-a b c BENCHMARK\n/work\nlimit\n"},
		{"starexec", block("s", `"bin/run"`, "starexec = true"), "single_query", script, "",
			"sat\nBENCHMARK /tmp\n/solver/bin\nlimit 5\n"},
		{"on standard input", block("s", `"bin/run"`, ""), "single_query", script, `input = "stdin"`,
			"sat\n\n/work\nlimit\n"},
		{"incremental script", block("s", `"bin/run"`, ""), "incremental", traced, "", "success\nsuccess\nsat\n"},
		{"incremental command", block("s", `"other/talk"`, ""), "incremental", traced, "", "success\nsuccess\nsat\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows, _, err := l.run(t, tt.solver+fmt.Sprintf(pipeline, tt.script, tt.track, tt.more, "5s"))
			if err != nil {
				t.Fatal(err)
			}
			got := rows[0].Stdout
			if rows[0].Isolation != "full" { // without full isolation, the paths are the machine's own
				t.Skipf("isolation is %s", rows[0].Isolation)
			}
			got = strings.ReplaceAll(got, "/input/benchmark.smt2", "BENCHMARK")
			got = strings.ReplaceAll(got, "limit \n", "limit\n")
			if got != tt.stdout {
				t.Errorf("it printed\n%s\nwant\n%s", got, tt.stdout)
			}
		})
	}
}

// TestIncremental conducts dialogues with solvers that answer correctly, wrongly, prematurely, partially or not at all.
func TestIncremental(t *testing.T) {
	const answers = `while read -r l; do case $l in "(check-sat)") echo ${1:-sat}; shift;; *) echo success;; esac; done`
	tests := []struct {
		name, shell string
		ending      trace.Ending
		process     comp.Ending
		answers     string
	}{
		{"right", "set -- sat unsat\n" + answers, trace.Finished, comp.Exited, "sat,unsat"},
		{"wrong", "set -- sat sat\n" + answers + "\nexec sleep 60", trace.WrongAnswer, comp.Killed, "sat*2"},
		{"unsupported", "echo success; echo unsupported; exec sleep 60", trace.BadResponse, comp.Killed, ""},
		{"dies", "echo success; echo success; echo sat; kill -9 $$", trace.SolverEnded, comp.Signalled, "sat"},
		{"hangs", "echo success; echo success; echo sat; exec sleep 60", trace.SolverEnded, comp.WallTimeout, "sat"},
	}
	solvers := map[string]string{}
	var names []string
	for _, tt := range tests {
		solvers[tt.name] = "#!/bin/sh\n" + tt.shell + "\n"
		names = append(names, tt.name)
	}
	l := newLab(t, solvers)
	const traced = "sat\nunsat\n" + trace.Separator + "\n(set-logic QF_UF)\n(check-sat)\n(check-sat)\n(exit)\n"
	rows, _, err := l.run(t, solverBlocks(names...)+fmt.Sprintf(pipeline, traced, "incremental", "", "3s"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range rows {
				if r.Solver != tt.name {
					continue
				}
				var got trace.Result
				if err := json.Unmarshal([]byte(r.Trace), &got); err != nil {
					t.Fatal(err)
				}
				if got.Ending != tt.ending || r.Ending != tt.process ||
					trace.EncodeAnswers(got.Answers) != tt.answers {
					t.Errorf("dialogue %s, process %s, answers %s; want %s, %s, %s", got.Ending, r.Ending,
						trace.EncodeAnswers(got.Answers), tt.ending, tt.process, tt.answers)
				}
				return
			}
			t.Error("there is no row")
		})
	}
}

// TestEnter checks that solvers enter the logics that the stage specifies.
func TestEnter(t *testing.T) {
	l := newLab(t, map[string]string{"a": "#!/bin/sh\necho sat\n", "b": "#!/bin/sh\necho sat\n"})
	p := solverBlocks("a", "b") + fmt.Sprintf(strings.Replace(pipeline, `"QF_UF/a.smt2" =`,
		`"LRA/b.smt2" = "(check-sat)", "QF_UF/a.smt2" =`, 1),
		script, "single_query", `enter = { QF_UF = ["b"] }`, "5s")
	rows, _, err := l.run(t, p)
	if err != nil || len(rows) != 1 || rows[0].Solver != "b" || rows[0].Logic != "QF_UF" {
		t.Errorf("rows %+v, error %v; want that of b on QF_UF", rows, err)
	}
}

// TestCorrection checks that a solver block can correct who takes part without executing a run or the stage again.
func TestCorrection(t *testing.T) {
	l := newLab(t, map[string]string{"s": "#!/bin/sh\necho sat\n"})
	for i, told := range []string{"", "team = \"T\"\n competitive = false\n open_source = true\n new_entrant = true\n seed = 7\n" +
		"type = \"portfolio\"\n website = \"w\"\n system_description = \"d\""} {
		block := fmt.Sprintf("solver \"s\" {\n command = [\"./s\"]\n %s\n}\n", told)
		rows, made, err := l.run(t, block+fmt.Sprintf(pipeline, script, "single_query", "", "20s"))
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != 1 || made != int64(1-i) {
			t.Fatalf("%d rows, %d runs made; want 1 and %d", len(rows), made, 1-i)
		}
		if l.found != (i == 1) {
			t.Errorf("with %q the stage is found: %t", told, l.found)
		}
	}
}
