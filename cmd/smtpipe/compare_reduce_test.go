package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestReduce has ddsmt shrink a script in which one assertion makes a build answer unknown.
func TestReduce(t *testing.T) {
	t.Parallel()
	ddsmt := filepath.Dir(testkit.Python(t, "ddsmt"))
	dir := t.TempDir()
	const script = `(set-logic QF_LIA)
(set-info :status sat)
(declare-fun x () Int)
(declare-fun y () Int)
(assert (and (<= x 3) (>= y (+ x 7))))
(assert (or (= x 5) (< y 9)))
(assert (=> (= x 1) (not (= y 2))))
(check-sat)
(exit)
`
	files := map[string]string{"old": "#!/bin/sh\necho sat\n", "b/QF_LIA/f/x.smt2": script,
		"new": "#!/bin/sh\ncase $(cat $1) in *'(<= x 3)'*check-sat*) echo unknown;; *) echo sat;; esac\n"}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text),
			0o755)); err != nil {
			t.Fatal(err)
		}
	}
	reduce := func() (string, error) {
		cmd := exec.Command("smtpipe", "compare", "./old", "./new", "--benchmarks", "b", "--wall", "20s", "--isolation",
			"best_effort", "--progress", "none", "--reduce", "QF_LIA/f/x.smt2")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+string(filepath.ListSeparator)+ddsmt)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := reduce()
	small, failed := os.ReadFile(filepath.Join(dir, "x.small.smt2"))
	if err := errors.Join(err, failed); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := strings.Join(strings.Fields(string(small)), " "); got != "(assert (<= x 3)) (check-sat)" {
		t.Errorf("the small script is %s", got)
	}
	if !strings.Contains(out, "x.small.smt2 shows the finding in ") {
		t.Error(out)
	}
	if out, err := reduce(); err == nil || !strings.Contains(out,
		"x.small.smt2 already exists; name another file with --witness") {
		t.Errorf("a second time: %v, %s", err, out)
	}
}
