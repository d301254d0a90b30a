package solver

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestProgramClosureAgreesWithTheLoader compares closures with the dynamic loader's own output.
func TestProgramClosureAgreesWithTheLoader(t *testing.T) {
	ldd, err := exec.LookPath("ldd")
	if err != nil {
		t.Skip("ldd is not installed (Debian package libc-bin)")
	}
	for _, name := range []string{"z3", "cvc5", "cvc4", "boolector"} {
		t.Run(name, func(t *testing.T) {
			program := testkit.Program(t, name)
			out, err := exec.Command(ldd, program).Output()
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{realPath(t, program): true}
			for _, w := range strings.Fields(string(out)) {
				if strings.HasPrefix(w, "/") {
					want[realPath(t, w)] = true
				}
			}
			files, _, err := ProgramClosure(program)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]bool{}
			for _, f := range files {
				got[f.Real] = true
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("files (-loader +ours):\n%s", diff)
			}
		})
	}
}

func realPath(t *testing.T, p string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

func TestProgramClosureOfScripts(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
		return p
	}
	paths := func(p string) string {
		files, _, err := ProgramClosure(p)
		if err != nil {
			return "error: " + err.Error()
		}
		var all []string
		for _, f := range files {
			all = append(all, f.Path)
		}
		return strings.Join(all, " ")
	}
	if got := paths(write("a", "#!/bin/sh -e\n")); !strings.Contains(got, "/bin/sh") ||
		!strings.Contains(got, "libc.so") {
		t.Errorf("closure of a shell script: %s", got)
	}
	if got := paths(write("b", "#!/usr/bin/env -S sh\n")); !strings.Contains(got, "/usr/bin/env") ||
		!strings.HasSuffix(got, "/sh") {
		t.Errorf("closure of an env script: %s", got)
	}
	loop := filepath.Join(dir, "loop")
	for name, bad := range map[string]string{
		"missing interpreter": write("c", "#!/no/such\n"), "no program": write("d", "text\n"), "short": write("e", "x"),
		"no interpreter": write("f", "#!\n"), "missing env program": write("g", "#!/usr/bin/env no-such-program\n"),
		"missing file": filepath.Join(dir, "none"),
	} {
		if got := paths(bad); !strings.HasPrefix(got, "error: ") {
			t.Errorf("%s: %s", name, got)
		}
	}
	write("loop", "#!"+loop+"\n")
	if got := paths(loop); got != loop { // not executable, but the search must end
		t.Errorf("a script that is its own interpreter: %s", got)
	}
}

func TestClosureDigestChangesWithAFile(t *testing.T) {
	p := filepath.Join(t.TempDir(), "script")
	digest := func(content string) Digest {
		if err := os.WriteFile(p, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
		_, d, err := ProgramClosure(p)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	one, two, again := digest("#!/bin/sh\necho 1\n"), digest("#!/bin/sh\necho 2\n"), digest("#!/bin/sh\necho 1\n")
	if one == two || one != again {
		t.Errorf("digests %v %v %v", one, two, again)
	}
}

// TestClosureOfLibraryByPath checks that a library which a program names by its path is part of the closure.
func TestClosureOfLibraryByPath(t *testing.T) {
	gcc := testkit.Program(t, "gcc")
	dir := t.TempDir()
	lib, program := filepath.Join(dir, "lib.so"), filepath.Join(dir, "program")
	for _, args := range [][]string{{"-shared", "-o", lib, "-xc", "/dev/null"},
		{"-nostartfiles", "-Wl,--no-as-needed,--entry=0", "-o", program, "-xc", "/dev/null", "-xnone", lib}} {
		if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
			t.Fatalf("gcc: %v: %s", err, out)
		}
	}
	files, _, err := ProgramClosure(program)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(files, func(f File) bool { return f.Path == lib }) {
		t.Errorf("closure %+v", files)
	}
}

func TestFindEntry(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{"bin/run", "bin/smtcomp_run_incremental", "other/solve", "data", "proof/run",
		"proof/smtcomp_solver", "proof/smtcomp_checker", "half/run", "half/smtcomp_solver"} {
		full := filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o755)
		if p == "data" {
			mode = 0o644
		}
		if err := os.WriteFile(full, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name    string
		command []string
		track   comp.Track
		env     Environment
		want    *EntryPoint
		err     string
	}{
		{name: "relative", command: []string{"./bin/run", "-a"}, track: comp.SingleQuery,
			want: &EntryPoint{Argv: []string{"/solver/bin/run", "-a"}}},
		{name: "incremental script", command: []string{"bin/run", "-a"}, track: comp.Incremental,
			want: &EntryPoint{Argv: []string{"/solver/bin/smtcomp_run_incremental"}, Incremental: true}},
		{name: "incremental script in bin", command: []string{"other/solve"}, track: comp.Incremental,
			want: &EntryPoint{Argv: []string{"/solver/bin/smtcomp_run_incremental"}, Incremental: true}},
		{name: "incremental script named", command: []string{"bin/smtcomp_run_incremental", "x"},
			track: comp.Incremental,
			want:  &EntryPoint{Argv: []string{"/solver/bin/smtcomp_run_incremental", "x"}, Incremental: true}},
		{name: "solver and checker", command: []string{"./proof/run", "-a"}, track: comp.ProofExhibition,
			want: &EntryPoint{Argv: []string{"/bin/sh", "-c", proofShell, "smtcomp_solver",
				"/solver/proof/smtcomp_solver", "/solver/proof/smtcomp_checker"}}},
		{name: "in another track", command: []string{"proof/run"}, track: comp.SingleQuery,
			want: &EntryPoint{Argv: []string{"/solver/proof/run"}}},
		{name: "solver without a checker", command: []string{"half/run"}, track: comp.ProofExhibition,
			err: "has half/smtcomp_solver but not smtcomp_checker"},
		{name: "neither", command: []string{"other/solve"}, track: comp.ProofExhibition,
			want: &EntryPoint{Argv: []string{"/solver/other/solve"}}},
		{name: "StarExec", command: []string{"bin/run"}, track: comp.SingleQuery, env: StarExec,
			want: &EntryPoint{Argv: []string{"/solver/bin/run"}, Dir: "/solver/bin"}},
		{name: "elsewhere", command: []string{"run"}, track: comp.SingleQuery, err: "the file of this name is bin/run"},
		{name: "nowhere", command: []string{"z3"}, track: comp.SingleQuery, err: "no file has this name"},
		{name: "no mode", command: []string{"data"}, track: comp.SingleQuery, err: "not executable"},
		{name: "folder", command: []string{"bin"}, track: comp.SingleQuery, err: "not a file"},
		{name: "outside", command: []string{"../x"}, track: comp.SingleQuery, err: "escapes"},
		{name: "nothing", track: comp.SingleQuery, err: "no command"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FindEntry(dir, tt.command, tt.track, tt.env)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStarExecVariables(t *testing.T) {
	lim := comp.Limits{WallTime: 20 * time.Minute, CPUTime: 80 * time.Minute, MemoryBytes: 61_440e6, OutputBytes: 3e6}
	want := []string{"STAREXEC_MAX_WRITE=3", "STAREXEC_WALLCLOCK_LIMIT=1200", "STAREXEC_CPU_LIMIT=4800",
		"STAREXEC_MAX_MEM=61440"}
	if diff := cmp.Diff(want, StarExec.Variables(lim)); diff != "" {
		t.Error(diff)
	}
	if got := Plain.Variables(lim); got != nil {
		t.Errorf("the plain environment has %v", got)
	}
}

// tinyBenchmark is a benchmark that every competing solver decides: it has no sorts and no theory.
const tinyBenchmark = `(set-info :smt-lib-version 2.6)
(set-logic QF_UF)
(set-info :status unsat)
(declare-const p Bool)
(assert p)
(assert (not p))
(check-sat)
(exit)
`

const tinyPath = runner.InputDir + "/preflight.smt2"

// TestEntryExecutes executes real solvers in this machine's sandbox, from a folder like an unpacked archive.
func TestEntryExecutes(t *testing.T) {
	h, err := runner.Open(runner.Config{Isolation: runner.BestEffort, Jobs: 1, NoLock: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if h.Isolation() != runner.Full && h.Isolation() != runner.NamespacesOnly {
		t.Skip("no namespaces: a solver's folder cannot be shown as " + runner.SolverDir)
	}
	for _, name := range []string{"z3", "cvc5"} {
		t.Run(name, func(t *testing.T) {
			program := testkit.Program(t, name)
			dir := t.TempDir()
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			script := "#!/bin/sh\nexec " + program + " \"$@\"\n"
			if err := os.WriteFile(filepath.Join(dir, "solver"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			entry, err := FindEntry(dir, []string{"solver"}, comp.SingleQuery, Plain)
			if err != nil {
				t.Fatal(err)
			}
			limits := comp.Limits{WallTime: 10 * time.Second, MemoryBytes: 2e9, OutputBytes: 1 << 20, Processes: 1024}
			cmd := entry.Command(dir, tinyPath, limits, Plain)
			cmd.Inputs = []runner.Input{{Target: tinyPath, Content: []byte(tinyBenchmark)}}
			rec, err := h.Run(context.Background(), cmd)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(rec.Stdout.Bytes()); got != "unsat\n" {
				t.Errorf("stdout %q, stderr %q, ending %s", got, rec.Stderr.Bytes(), rec.Ending)
			}
		})
	}
}

// mounts returns mounts that show a closure's files in a run at the same paths.
func mounts(files []File) []runner.Mount {
	all := make([]runner.Mount, 0, len(files)+1)
	for _, f := range files {
		all = append(all, runner.Mount{Source: f.Real, Target: f.Path, Warm: true})
	}
	const cache = "/etc/ld.so.cache" // without this file, the loader searches only the standard folders
	if _, err := os.Stat(cache); err == nil {
		all = append(all, runner.Mount{Source: cache, Target: cache, Warm: true})
	}
	return all
}

// TestClosureSuffices executes a solver in a root that contains only the solver's closure.
func TestClosureSuffices(t *testing.T) {
	program := testkit.Program(t, "z3")
	h, err := runner.Open(runner.Config{Isolation: runner.BestEffort, Jobs: 1, NoLock: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if h.Isolation() != runner.Full && h.Isolation() != runner.NamespacesOnly {
		t.Skip("no namespaces: the run sees the whole machine")
	}
	files, _, err := ProgramClosure(program)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := h.Run(context.Background(), runner.Command{
		Argv: []string{program, tinyPath}, Mounts: mounts(files), Limits: comp.Limits{WallTime: 10 * time.Second},
		Inputs: []runner.Input{{Target: tinyPath, Content: []byte(tinyBenchmark)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(rec.Stdout.Bytes()); got != "unsat\n" {
		t.Errorf("stdout %q, stderr %q, ending %s", got, rec.Stderr.Bytes(), rec.Ending)
	}
}
