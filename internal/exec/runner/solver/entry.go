package solver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// Environment is the execution environment that a submission was written for.
type Environment string

// The environments. The empty string means Plain.
const (
	Plain Environment = "plain" // SMT-COMP since 2024: the command, started in the archive's folder
	// SMT-COMP until 2023: a script in bin/, started in that folder, with StarExec's variables
	StarExec Environment = "starexec"
)

// incrementalEntry is a script that an incremental solver may provide next to its command (SMT-COMP 2022 and 2026
// rules, §5.3 "Input and output"). It is called without arguments.
const incrementalEntry = "smtcomp_run_incremental"

// The two scripts that a proof track solver may provide next to its command, and the shell script that calls them as
// the SMT-COMP 2022 rules, §5.8, require: first the solver with the benchmark, then the checker with the benchmark and
// the solver's output. Both belong to one run and share its limits. Their standard error is ignored. The checker also
// judges the output of a solver that fails.
const (
	proofSolver  = "smtcomp_solver"
	proofChecker = "smtcomp_checker"

	proofShell = `"$1" "$3" >"$TMPDIR/smtcomp_proof" 2>/dev/null; echo "; checking proof"; ` +
		`exec "$2" "$3" "$TMPDIR/smtcomp_proof" 2>/dev/null`
)

// EntryPoint describes how to start a track's program in a run.
type EntryPoint struct {
	Argv []string // program and arguments; the program is a path in the run, below runner.SolverDir
	Dir  string   // working folder in the run; empty means the run's default
	Env  []string
	// Incremental means that the benchmark arrives on standard input instead of as the last argument.
	Incremental bool
}

// FindEntry derives a track's entry point from a submission's command. The command's first word is a path relative to
// the archive. dir is the host folder with the unpacked archive or the solver, which runs see as runner.SolverDir.
//
// In the incremental track, a script smtcomp_run_incremental next to the command's program, or in the archive's bin
// folder, replaces the program. In the proof track, the two scripts smtcomp_solver and smtcomp_checker do; it is an
// error if only one of them exists. In the StarExec environment the program is started in its own folder, as StarExec
// did.
func FindEntry(dir string, command []string, track comp.Track, env Environment) (*EntryPoint, error) {
	if len(command) == 0 {
		return nil, errors.New("the submission has no command")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	program := path.Clean(command[0])
	args := command[1:]
	e := &EntryPoint{Incremental: track == comp.Incremental}
	if e.Incremental {
		if script, ok := findScript(root, program, incrementalEntry); ok && program != script {
			program, args = script, nil
		}
	}
	if track == comp.ProofExhibition {
		solver, checker, err := proofScripts(root, program)
		if err != nil {
			return nil, err
		}
		if solver != "" {
			return proofEntry(solver, checker, env), nil
		}
	}
	if err := checkProgram(root, program); err != nil {
		return nil, err
	}
	e.Argv = append([]string{path.Join(runner.SolverDir, program)}, args...)
	if env == StarExec {
		e.Dir = path.Dir(e.Argv[0])
	}
	return e, nil
}

// findScript finds a script next to the command's program, in the archive's bin folder, or at the archive's top level.
func findScript(root *os.Root, program, name string) (found string, ok bool) {
	for _, folder := range []string{path.Dir(program), "bin", "."} {
		candidate := path.Join(folder, name)
		if info, err := root.Stat(candidate); err == nil && info.Mode().IsRegular() {
			return candidate, true
		}
	}
	return "", false
}

// proofScripts returns the proof track's two scripts, or empty strings if there are none.
func proofScripts(root *os.Root, program string) (solver, checker string, err error) {
	solver, hasSolver := findScript(root, program, proofSolver)
	checker, hasChecker := findScript(root, program, proofChecker)
	switch {
	case hasSolver && !hasChecker:
		err = fmt.Errorf("the archive has %s but not %s, which checks its proofs", solver, proofChecker)
	case hasChecker && !hasSolver:
		err = fmt.Errorf("the archive has %s but lacks %s, which produces the proofs", checker, proofSolver)
	case hasSolver:
		err = errors.Join(checkProgram(root, solver), checkProgram(root, checker))
	}
	return solver, checker, err
}

// proofEntry returns an entry point that calls the solver, then the checker. The shell receives the benchmark as its
// last argument.
func proofEntry(solver, checker string, env Environment) *EntryPoint {
	solver, checker = path.Join(runner.SolverDir, solver), path.Join(runner.SolverDir, checker)
	e := &EntryPoint{Argv: []string{"/bin/sh", "-c", proofShell, proofSolver, solver, checker}}
	if env == StarExec {
		e.Dir = path.Dir(solver)
	}
	return e
}

// checkProgram reports errors in the command once, before they occur in each of a thousand runs.
func checkProgram(root *os.Root, program string) error {
	info, err := root.Stat(program)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("the command's program %q is not in the archive; %s", program, suggestPrograms(root, program))
	case err != nil:
		return fmt.Errorf("the command's program %q: %w", program, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("the command's program %q is not a file", program)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("the command's program %q is not executable; pack the archive with its file mode", program)
	}
	return nil
}

// suggestPrograms lists files in the archive that have the program's name.
func suggestPrograms(root *os.Root, program string) string {
	tree, err := ReadTree(context.Background(), root.Name())
	if err != nil {
		return "its content cannot be listed"
	}
	var found []string
	for _, e := range tree.Entries {
		if path.Base(e.Path) == path.Base(program) {
			found = append(found, e.Path)
		}
	}
	if len(found) == 0 {
		return "and no file has this name"
	}
	return "the file of this name is " + strings.Join(found, ", ")
}

// Variables returns the variables that StarExec set for a run with the given limits (StarExec user guide,
// "Configurations"), in whole seconds and megabytes.
func (env Environment) Variables(lim comp.Limits) []string {
	if env != StarExec {
		return nil
	}
	vars := []string{"STAREXEC_MAX_WRITE=" + strconv.FormatInt(max(1, lim.OutputBytes/1e6), 10)}
	if lim.WallTime > 0 {
		vars = append(vars, "STAREXEC_WALLCLOCK_LIMIT="+strconv.FormatInt(int64(lim.WallTime.Seconds()), 10))
	}
	if lim.CPUTime > 0 {
		vars = append(vars, "STAREXEC_CPU_LIMIT="+strconv.FormatInt(int64(lim.CPUTime.Seconds()), 10))
	}
	if lim.MemoryBytes > 0 {
		vars = append(vars, "STAREXEC_MAX_MEM="+strconv.FormatInt(lim.MemoryBytes/1e6, 10))
	}
	return vars
}

// Command returns the command that runs an entry point. benchmark is the benchmark's path in the run; the incremental
// track omits it. The StarExec environment adds its variables and, as the second argument, a folder for output files.
func (e *EntryPoint) Command(dir, benchmark string, lim comp.Limits, env Environment) runner.Command {
	argv := append([]string{}, e.Argv...)
	if !e.Incremental {
		argv = append(argv, benchmark)
		if env == StarExec {
			argv = append(argv, "/tmp")
		}
	}
	return runner.Command{
		Argv: argv, Dir: e.Dir, HostSystem: true, Limits: lim,
		Env:    append(append([]string{}, e.Env...), env.Variables(lim)...),
		Mounts: []runner.Mount{{Source: dir, Target: runner.SolverDir, Warm: true}},
	}
}
