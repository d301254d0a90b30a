package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// recordedChecker replaces a proof checker. It prints what the checker printed for the same proof and the same rewrite
// rules. With REAL, it calls the real checker and records the output.
const recordedChecker = `#!/bin/sh
for file; do case $file in -* | *.smt2) ;; */*) files="$files $file" ;; esac; done
run=$RUNS/$(cat $files | grep -v '^(include\|^(reference' | sha256sum | cut -c 1-16)
if test -z "$REAL"; then
	cat $run.out $run.err >/dev/null || exit 2
	cat $run.out; cat $run.err >&2; exit $(cat $run.code)
fi
"$REAL" "$@" >$run.out 2>$run.err
echo $? >$run.code
sed -i 's|/[^ ]*/||g' $run.out $run.err
cat $run.out; cat $run.err >&2; exit $(cat $run.code)
`

// TestProofCheckers checks how examples/mini/smtcomp_checker interprets carcara's and ethos's output for cvc5 proofs,
// both as cvc5 wrote them and with a change made by hand. The output was recorded from real runs. CARCARA and ETHOS
// name programs to execute instead, CPC names ethos's rules, and SMTPIPE_UPDATE=1 records the output.
func TestProofCheckers(t *testing.T) {
	t.Parallel()
	for _, checker := range []string{"carcara", "ethos"} {
		program := os.Getenv(strings.ToUpper(checker))
		file := filepath.Join("testdata", "proofcheckers", checker+".txtar")
		recorded, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		runs := filepath.Join(dir, "runs")
		if err := os.Mkdir(runs, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := txtar.Write(recorded, dir); err != nil {
			t.Fatal(err)
		}
		var kept []txtar.File
		for _, f := range recorded.Files {
			if !strings.HasPrefix(f.Name, "runs/") {
				kept = append(kept, f)
			}
			if name, ok := strings.CutSuffix(f.Name, "/want"); ok {
				want := strings.TrimSpace(string(f.Data))
				if got := askChecker(t, checker, filepath.Join(dir, name), runs, program); got != want {
					t.Errorf("%s: %s: %q, want %q", checker, name, got, want)
				}
			}
		}
		if program != "" && os.Getenv("SMTPIPE_UPDATE") == "1" {
			recorded.Files = append(kept, runFiles(t, runs)...)
			if err := os.WriteFile(file, txtar.Format(recorded), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// askChecker returns smtcomp_checker's verdict in a folder that contains a checker, and what it trusted.
func askChecker(t *testing.T, checker, dir, runs, program string) string {
	t.Helper()
	for _, name := range []string{"smtcomp_checker", "proof"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "examples", "mini", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, checker), []byte(recordedChecker), 0o700); err != nil {
		t.Fatal(err)
	}
	if rules := os.Getenv("CPC"); rules != "" && program != "" {
		if err := os.Symlink(rules, filepath.Join(dir, "cpc")); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("python3", filepath.Join(dir, "smtcomp_checker"), filepath.Join(dir, "benchmark.smt2"),
		filepath.Join(dir, "output"))
	cmd.Env = append(os.Environ(), "RUNS="+runs, "REAL="+program)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	verdicts, said := []string{"valid", "holey", "invalid", "unknown"}, []string{}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "hole-") || slices.Contains(verdicts, line) {
			said = append(said, line)
		}
	}
	return strings.Join(said, " ")
}

// runFiles returns the recordings in a folder.
func runFiles(t *testing.T, dir string) []txtar.File {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var files []txtar.File
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, txtar.File{Name: "runs/" + e.Name(), Data: data})
	}
	return files
}
