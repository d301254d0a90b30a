package reproduce

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/audit/verify"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// taken is a run that is being taken home.
type taken struct {
	*homeward
	run     foundRun
	dir     string
	key     []cache.Component // components of the run's key; nil if unknown because the run was imported
	seed    string            // seed of the script's scrambler; empty if unknown
	missing []string          // descriptions of what is not public
	// noScript and noOutput are why a script or an output known by digest is unavailable.
	noScript, noOutput string
}

// measuredElsewhere is the entry in missing for an imported run.
const measuredElsewhere = "the command and the archive: the run was imported"

// takeFromProject takes home a run from a store or frozen folder.
func (h *homeward) takeFromProject(run foundRun) error {
	const absent = "it is not here; a folder has scripts if it was frozen with --inputs"
	t := &taken{homeward: h, run: run, noScript: absent, noOutput: absent}
	in := h.instance(run.addr)
	if in == nil {
		return fmt.Errorf("%s is not in the plan; this is a bug in smtpipe", run.addr)
	}
	if in.Kind.Measured {
		x, err := h.engine.ExplainItem(run.addr, run.Benchmark+"@"+run.Solver)
		if err != nil {
			return err
		}
		t.key = x.Components
	} else {
		t.missing = append(t.missing, measuredElsewhere)
	}
	t.seed = h.seed(in)
	return t.take(func() (*results.RunRow, string, error) { return t.remeasure(in) })
}

// take writes the run to a folder and, if possible, executes it with again. again returns the new run, or why it cannot
// be executed on this machine.
func (t *taken) take(again func() (now *results.RunRow, why string, err error)) error {
	run := &t.run
	if t.dir = t.flags.Out; t.dir == "" {
		t.dir = fileName(strings.TrimSuffix(path.Base(run.Benchmark), path.Ext(run.Benchmark)) + "@" + run.Solver)
	}
	if err := os.Mkdir(t.dir, 0o777); err != nil {
		return exit.With(exit.Usage, fmt.Errorf("%w; name another folder with -o", err))
	}
	if err := t.write(); err != nil {
		return err
	}
	wrote, err := t.tell()
	if err != nil {
		return err
	}
	if !wrote {
		return exit.With(exit.CannotVerify, os.Remove(t.dir))
	}
	if t.flags.NoRun || t.key == nil {
		return nil
	}
	out := t.stdout
	now, why, err := again()
	if errors.Is(err, runner.ErrIsolation) {
		return exit.With(exit.CannotVerify, fmt.Errorf("untrusted programs require full isolation: %w", err))
	}
	if err != nil {
		return err
	}
	if why != "" {
		_, err := fmt.Fprintf(out, "Not executed here: %s. run.sh executes your own build.\n", why)
		return err
	}
	return t.compare(now)
}

// fileName converts a text to a valid file name.
func fileName(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, strings.TrimLeft(text, ".-"))
}

// write writes the public parts of the run: script, outputs and command.
func (t *taken) write() error {
	var errs []error
	for _, part := range []struct {
		name, what, why, short, digest string
		absent                         bool
	}{
		{"script.smt2", "the script", t.noScript, "", t.run.ScriptSHA256, t.run.ScriptSHA256 == ""},
		{"then.stdout", "what the solver printed", t.noOutput, t.run.Stdout, t.run.StdoutSHA256,
			t.key == nil && t.run.StdoutSHA256 == ""},
		{"then.stderr", "what the solver printed on standard error", t.noOutput, "", t.run.StderrSHA256,
			t.run.StderrSHA256 == ""},
	} {
		switch {
		case part.absent && t.key != nil && part.name == "then.stderr": // absent because nothing was printed
		case part.absent:
			t.missing = append(t.missing, part.what)
		case part.digest != "" && !t.has(part.digest):
			t.missing = append(t.missing, part.what+": "+part.why)
		default:
			errs = append(errs, t.copy(part.name, part.short, part.digest))
		}
	}
	if t.key != nil {
		errs = append(errs, outfile.Write(filepath.Join(t.dir, "run.sh"), []byte(t.script()), 0o777))
	}
	return errors.Join(errs...)
}

// copy writes an output to a file in the folder.
func (t *taken) copy(name, short, digest string) error {
	var b bytes.Buffer
	if err := t.project.CopyOutput(&b, short, digest); err != nil {
		return err
	}
	return outfile.Write(filepath.Join(t.dir, name), b.Bytes(), 0o666)
}

// part returns a component of the run's key.
func (t *taken) part(name string) string { return componentOf(t.key, name) }

// componentOf returns a component's value, or "".
func componentOf(components []cache.Component, name string) string {
	for _, c := range components {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// command returns the solver's command with its arguments.
func (t *taken) command() (words []string) {
	for _, c := range t.key {
		if strings.HasPrefix(c.Name, "command[") {
			words = append(words, c.Value)
		}
	}
	return words
}

// script returns run.sh, which executes a build by the solver's author in the same way.
func (t *taken) script() string {
	var b strings.Builder
	r := &t.run
	fmt.Fprintf(&b, "#!/bin/sh\n# %s on %s, as it was executed: %s\n", words.OneLine(r.Solver),
		words.OneLine(r.Benchmark),
		r.times())
	argv := t.command()
	b.WriteString("cd \"$(dirname \"$0\")\" || exit\n")
	visible := ""
	if t.part("starexec") != "" { // only keys of programs in archives have this component
		fmt.Fprintf(&b, ": \"${SOLVER:?must name the unpacked archive's folder, such as SOLVER=/home/me/solver}\"\n")
		visible = " --read-only-dir \"$SOLVER\""
	}
	if id := t.part("image"); id != "" {
		fmt.Fprintf(&b, ": \"${IMAGE:?is the image that the run had, %s, such as IMAGE=/home/me/image.tar}\"\n", id)
		visible += " --image \"$IMAGE\""
	}
	if t.part("starexec") == "true" {
		b.WriteString("# The competition started it as StarExec does: in its folder, with StarExec's environment " +
			"variables.\n")
	}
	if t.part("dialogue") == "true" {
		b.WriteString("# The competition sent each command after the response to the previous one.\n" +
			"smtpipe=$(command -v smtpipe) || exit\n")
	}
	limits := ""
	if r.WallLimitS > 0 {
		limits += fmt.Sprintf(" --walltimelimit %vs", r.WallLimitS)
	}
	if r.CPULimitS > 0 {
		limits += fmt.Sprintf(" --timelimit %vs", r.CPULimitS)
	}
	if r.MemoryLimit > 0 {
		limits += fmt.Sprintf(" --memlimit %d", r.MemoryLimit)
	}
	if r.Cores > 1 {
		limits += fmt.Sprintf(" --cores 0-%d", r.Cores-1)
	}
	if t.part("input") == "stdin" {
		limits += " --input script.smt2"
	}
	tracer := ""
	if t.part("dialogue") == "true" { // trace runs next to the solver, where only the machine's programs exist
		limits += ` --read-only-dir "$smtpipe"`
		tracer = ` "$smtpipe" tool trace --continue-after-unknown`
	}
	fmt.Fprintf(&b, "exec smtpipe tool exec%s%s --output - --%s", limits, visible, tracer)
	for i, w := range argv {
		switch {
		case i == 0 && t.part("starexec") != "":
			b.WriteString(" \"$SOLVER\"/" + words.Shell(w))
		case i == 0 && tracer != "": // tool trace does not search $PATH
			b.WriteString(" \"$(command -v " + words.Shell(w) + ")\"")
		default:
			b.WriteString(" " + words.Shell(w))
		}
	}
	if t.part("input") != "stdin" {
		b.WriteString(" script.smt2")
	}
	return b.String() + "\n"
}

// commandLine describes how the solver was started.
func (t *taken) commandLine() string {
	command := strings.Join(t.command(), " ")
	switch {
	case t.part("dialogue") == "true":
		return command + ", which received the commands of script.smt2 one at a time"
	case t.part("input") == "stdin":
		return command + " < script.smt2"
	}
	return command + " script.smt2"
}

// times describes the run's times.
func (r *foundRun) times() string {
	return wentText(&r.RunRow) + ": " + r.said()
}

func wentText(r *results.RunRow) string {
	return fmt.Sprintf("%s after %.3f s of wall time and %.3f s of CPU time",
		strings.ReplaceAll(string(r.Ending), "_", " "),
		r.WallTimeS, r.CPUTimeS)
}

// tell prints what is known about the run and what is not public. wrote reports whether it wrote any file.
func (t *taken) tell() (wrote bool, err error) {
	r, out := &t.run, t.stdout
	facts := []cache.Component{{Name: "run", Value: r.name()}, {Name: "then", Value: r.times()}}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, cache.Component{Name: name, Value: value})
		}
	}
	if r.verdict != nil {
		add("reason", r.verdict.Reason)
	}
	if t.key != nil {
		add("command", t.commandLine())
	}
	add("program", t.part("program"))
	limits := fmt.Sprintf("%v s of wall time", r.WallLimitS)
	if r.CPULimitS > 0 {
		limits += fmt.Sprintf(", %v s of CPU time", r.CPULimitS)
	}
	if r.MemoryLimit > 0 {
		limits += ", " + words.Bytes(r.MemoryLimit) + " of memory"
	}
	add("limits", fmt.Sprintf("%s, %s", limits, words.Count(int(r.Cores), "core")))
	add("seed", t.seed)
	add("machine", r.Hardware)
	if err := project.WriteComponents(out, facts); err != nil {
		return false, err
	}
	for _, what := range t.missing {
		fmt.Fprintf(out, "Not public: %s.\n", what)
	}
	entries, err := os.ReadDir(t.dir)
	if err != nil || len(entries) == 0 {
		return false, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	_, err = fmt.Fprintf(out, "Wrote %s: %s.\n", t.dir, strings.Join(names, ", "))
	return true, err
}

// remeasure executes a project's run on this machine.
func (t *taken) remeasure(in *stages.Instance) (now *results.RunRow, why string, err error) {
	if why, err := t.cannot(in); why != "" || err != nil {
		return nil, why, err
	}
	key, err := cache.ParseKey(t.run.RunKey)
	if err != nil {
		return nil, "", err
	}
	outputs, err := t.engine.Remeasure(t.ctx, t.run.addr, map[cache.Key]bool{key: true})
	if err != nil {
		return nil, "", err
	}
	now, err = t.one(outputs[t.run.output], func(r *results.RunRow) bool { return r.RunKey == t.run.RunKey })
	return now, "", err
}

// one returns the run in a table of which wanted is true.
func (t *taken) one(v cty.Value, wanted func(*results.RunRow) bool) (*results.RunRow, error) {
	art, _ := stages.ArtifactOf(v)
	rows, err := artifact.Select[results.RunRow](t.project.Store, art, func(_, _, solver string) bool {
		return solver == t.run.Solver
	})
	if err != nil {
		return nil, err
	}
	rows = results.LastAttempts(rows)
	for i := range rows {
		if wanted(&rows[i]) {
			return &rows[i], nil
		}
	}
	return nil, errors.New("the run was executed and has no result; this is a bug in smtpipe")
}

// compare writes the solver's new output and compares the answers with the previous ones.
func (t *taken) compare(now *results.RunRow) error {
	out := t.stdout
	err := t.copy("here.stdout", now.Stdout, now.StdoutSHA256)
	if now.StderrSHA256 != "" {
		err = errors.Join(err, t.copy("here.stderr", "", now.StderrSHA256))
	}
	if err != nil {
		return err
	}
	is, _ := verify.Answers(t.project.Store, now)
	fmt.Fprintf(out, "Here: %s: %s (isolation %s).\n", wentText(now), answersText(is), now.Isolation)
	if t.run.StdoutSHA256 != "" && !t.has(t.run.StdoutSHA256) {
		_, err = fmt.Fprintln(out, "Its answers are not compared, since the original ones are not public.")
		return err
	}
	then, _ := verify.Answers(t.project.Store, &t.run.RunRow)
	if !verify.Agree(&t.run.RunRow, now, then, is) {
		fmt.Fprintf(out, "The answers differ; the original answer was %s.\n", answersText(then))
		return exit.With(exit.Contradicts, nil)
	}
	_, err = fmt.Fprintln(out, "The answers are the same as before.")
	return err
}

func answersText(answers []string) string {
	if len(answers) == 0 {
		return "no answer"
	}
	return strings.Join(answers, " ")
}

// cannot returns the reason why the run cannot be executed on this machine, or "" if it can.
func (t *taken) cannot(in *stages.Instance) (why string, err error) {
	if !t.has(t.run.ScriptSHA256) {
		return "its script is not available", nil
	}
	var archives interface{ Has(cache.Digest) bool } = t.project.Store
	if t.project.Evidence != nil {
		archives = t.project.Evidence
	}
	absent, err := verify.Absent(t.project.Store, archives, in.Args)
	if absent[t.run.Solver] {
		why = "the solver " + t.run.Solver + " is not at hand, or is not the program of the original run"
	}
	return why, err
}
