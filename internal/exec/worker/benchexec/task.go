package benchexec

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// track is the organisers' name for a track, for run definitions and as a name suffix.
type track struct{ name, suffix string }

var tracks = map[comp.Track]track{
	comp.SingleQuery:       {"SingleQuery", ""},
	comp.Incremental:       {"Incremental", "_inc"},
	comp.UnsatCore:         {"UnsatCore", "_unsatcore"},
	comp.ModelValidation:   {"ModelValidation", "_model"},
	comp.ProofExhibition:   {"ProofExhibition", "_proof"},
	comp.Parallel:          {"Parallel", "_parallel"},
	comp.IndustryChallenge: {"IndustryChallenge", "_industry"},
}

// task is one run of a solver on a script.
type task struct {
	about   worker.About
	track   track
	options []string // complete command without the script
	trees   []worker.Mount
	limits  comp.Limits
	trace   bool
	id      string // id of the work
	number  int    // number of the task in its order
}

var notInModule = pattern.Lazy(`[^a-z0-9_]+`)

// newTask returns a work's task. It returns an error for works that BenchExec cannot execute.
func newTask(w *worker.Work) (*task, error) {
	if w.About == nil {
		return nil, errors.New("the work does not say what it is about")
	}
	t := &task{about: *w.About, limits: w.Limits, trace: w.Dialogue != nil}
	of, err := comp.ParseTrack(t.about.Track)
	if err != nil {
		return nil, err
	}
	var ok bool
	if t.track, ok = tracks[of]; !ok {
		return nil, fmt.Errorf("the organisers have no name for the track %s", t.about.Track)
	}
	if strings.ContainsAny(t.about.Solver, ",/\n") || t.module() == "" {
		return nil, fmt.Errorf("the solver's name %q has a comma, a slash or no letter, and it is part of names that "+
			"BenchExec and the organisers read; give it another", t.about.Solver)
	}
	if w.Stdin != nil && w.Dialogue == nil {
		return nil, errors.New("BenchExec provides no standard input; remove input = \"stdin\"")
	}
	if w.Attach != "" {
		return nil, errors.New("BenchExec does not return the {proof} file; have a script print it after " +
			"the answer")
	}
	t.options, err = t.command(w)
	return t, err
}

// module returns the name of the solver's files, in lower case and with only letters, digits and underscores.
func (t *task) module() string {
	name := notInModule().ReplaceAllString(strings.ToLower(t.about.Solver), "")
	if t.about.Participation > 0 && name != "" {
		name += "_p" + strconv.Itoa(t.about.Participation)
	}
	return name
}

// definition returns the run definition's name.
func (t *task) definition() string {
	return fmt.Sprintf("%s,%d,%s", t.about.Solver, t.about.Participation, t.track.name)
}

// file returns the task definition's name.
func (t *task) file() string {
	name := strings.TrimSuffix(path.Base(t.about.Benchmark), ".smt2")
	family := strings.ReplaceAll(t.about.Family, "/", "__")
	return fmt.Sprintf("%d_%s_%s_%s.yml", t.about.Number, t.about.Logic, family, name)
}

func (t *task) script() string { return fmt.Sprintf("scrambled%d.smt2", t.about.Script) }

func (t *task) logName() string { return t.definition() + "." + t.file() }

func (t *task) compare(other *task) int {
	return cmp.Or(cmp.Compare(t.about.Solver, other.about.Solver),
		cmp.Compare(t.about.Participation, other.about.Participation), cmp.Compare(t.about.Number, other.about.Number))
}

// command returns the options of a run definition: the work's command for a machine with the job folder.
func (t *task) command(w *worker.Work) ([]string, error) {
	before, behind := w.Command, ""
	if w.Dialogue == nil {
		i := indexOfScript(w)
		if i < 0 || len(w.Command)-i > 2 {
			return nil, fmt.Errorf("the command %q does not end in its script", w.Command)
		}
		before = w.Command[:i]
		if i+1 < len(w.Command) {
			behind = w.Command[i+1]
		}
	}
	options := []string{"tools/run.sh"}
	var image string
	for _, m := range w.Mounts {
		if m.Target == runner.ImageRoot {
			image = path.Join(unpackFolder, treeName(m))
		}
	}
	inJob := func(p string) string {
		for _, m := range w.Mounts {
			if m.Target == runner.ImageRoot {
				continue
			}
			if at := worker.Moved(p, m.Target, path.Join(unpackFolder, treeName(m))); at != p {
				return at
			}
		}
		return p
	}
	t.trees = w.Mounts
	if w.Dir != "" {
		options = append(options, "-C", inJob(w.Dir))
	}
	if behind != "" {
		options = append(options, "-t", behind)
	}
	if image != "" {
		options = append(options, "-i", image)
		for _, kv := range w.Env {
			options = append(options, "-e", kv)
		}
	} else if len(w.Env) > 0 {
		options = append(append(options, "/usr/bin/env"), w.Env...)
	}
	if w.Dialogue != nil {
		options = append(options, ownProgram, "tool", "trace")
		if w.Dialogue.ContinueAfterUnknown {
			options = append(options, "--continue-after-unknown")
		}
	}
	for i, word := range before {
		if i == 0 {
			word = inJob(word)
		}
		options = append(options, word)
	}
	return options, nil
}

func indexOfScript(w *worker.Work) int {
	for i := len(w.Command) - 1; i > 0; i-- {
		for _, in := range w.Inputs {
			if in.Target == w.Command[i] {
				return i
			}
		}
	}
	return -1
}

// content returns the text of the work's script.
func content(w *worker.Work) ([]byte, error) {
	switch {
	case w.Dialogue != nil && w.Stdin != nil:
		return w.Stdin.Read()
	case len(w.Inputs) == 1:
		return w.Inputs[0].Read()
	}
	return nil, errors.New("the work has no script of its own")
}

// cpuLimit returns the CPU time limit for BenchExec, whose cloud requires one. Without a limit, it is the wall time
// limit times the number of cores.
func (t *task) cpuLimit() time.Duration {
	if t.limits.CPUTime > 0 {
		return t.limits.CPUTime
	}
	return t.limits.WallTime * time.Duration(max(t.limits.Cores, 1))
}
