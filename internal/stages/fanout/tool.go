package fanout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Tool is a program in the pipeline that a stage executes on each of its items, isolated like a solver.
type Tool struct {
	Name              string // name of the block
	Program           stages.File
	Interpreter, Args []string
	Limits            comp.Limits
	Place             Place

	block    *stages.Args
	executed cache.Digest // digest of what executes the program; see ExecutedBy
}

// ProgramTool returns the tool of a stage or block whose attributes include program and interpreter, as in ToolAttrs.
func ProgramTool(b *stages.Args) *Tool {
	t := &Tool{Name: b.Label, Interpreter: b.Strings("interpreter"), Args: b.Strings("args"), block: b}
	t.Program, _ = b.File("program")
	return t
}

// ToolAttrs are the attributes of a block that ReadTool reads.
var ToolAttrs = []stages.Attr{
	{Name: "program", Type: stages.FileType, Required: true,
		Doc: "the program: a file of the pipeline, with #! or binary"},
	{Name: "interpreter", Type: cty.List(cty.String),
		Doc: "interpreter of the program, such as [\"/usr/bin/python3\"]; default: the program itself"},
	{Name: "args", Type: cty.List(cty.String), Doc: "arguments before the files"},
	{Name: "wall_time", Type: cty.Number, Unit: stages.Duration, Default: cty.NumberIntVal(int64(time.Minute)),
		Doc: "wall time limit of one execution"},
	{Name: "memory", Type: cty.Number, Unit: stages.Size, Default: cty.NumberIntVal(4e9),
		Doc: "memory limit of one execution"},
	{Name: "executor", Type: stages.ExecutorType, Doc: "where it is executed; default: on this machine, with the " +
		"attribute isolation", NotInKey: true},
	{Name: "isolation", Type: cty.String, Default: cty.StringVal("best_effort"),
		Doc: "without an executor: full, or best_effort if the machine does not support that", NotInKey: true},
}

// ReadTool reads a block with ToolAttrs. output is the maximum size of the program's output, in bytes.
func ReadTool(b *stages.Args, output int64) (*Tool, error) {
	t := ProgramTool(b)
	t.Limits = comp.Limits{
		WallTime: b.Duration("wall_time"), MemoryBytes: b.Bytes("memory"), Cores: 1, OutputBytes: output,
		Processes: 256,
	}
	isolation, err := runner.ParseIsolation(b.String("isolation"))
	if err != nil {
		err = b.Invalid("isolation", "Invalid isolation", err.Error()+".")
	}
	t.Place = Here(isolation)
	errs := []error{err, t.Place.Read(b)}
	const least = 1 << 20
	if t.Limits.WallTime <= 0 || t.Limits.MemoryBytes < least {
		errs = append(errs, b.Invalid("wall_time", "Invalid limits", "A program needs a wall time limit above zero "+
			"and at "+
			"least 1 MiB of memory."))
	}
	return t, errors.Join(errs...)
}

// WriteKey writes everything that determines the program's output, except its files.
func (t *Tool) WriteKey(k *cache.KeyWriter) {
	k.Digest("program", t.Program.Digest)
	k.Digest(executedBy, t.executed)
	k.String("words", fmt.Sprintf("%q %q", t.Interpreter, t.Args))
	k.Int("wall_time_ns", int64(t.Limits.WallTime))
	k.Int("memory_bytes", t.Limits.MemoryBytes)
}

// Work returns the Work that executes the program on files. The files' paths are its last arguments, after args.
func (t *Tool) Work(id string, site *Site, files [][]byte, args ...string) (*worker.Work, error) {
	cmd := Brought(t.Program.Path)
	cmd.HostSystem, cmd.Limits = true, t.Limits
	cmd.Argv = slices.Concat(t.Interpreter, cmd.Argv, t.Args, args)
	for i, content := range files {
		at := []string{ScriptPath, runner.InputDir + "/output", runner.InputDir + "/proof"}[i]
		cmd.Inputs = append(cmd.Inputs, runner.Input{Target: at, Content: content})
		cmd.Argv = append(cmd.Argv, at)
	}
	if !site.Private() {
		Expose(&cmd)
	}
	w, err := worker.FromCommand(id, &cmd, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range append([]string{t.Program.Path}, t.Interpreter[:min(len(t.Interpreter), 1)]...) {
		more, err := site.Verify(p)
		if err != nil {
			return nil, err
		}
		w.Verify = append(w.Verify, more...)
	}
	return w, nil
}

// Each executes the work for each item without a record, and stores the record that take derives from the result. If
// work returns no Work, Each stores the record that work returns instead.
func Each(ctx context.Context, env *stages.Env, place Place, limits comp.Limits, purpose string, items stages.Items,
	name func(i int) string, work func(i int, site *Site, id string) (w *worker.Work, record []byte, err error),
	take func(i int, r *worker.Result) ([]byte, error)) error {
	missing := Distinct(items, items.Missing())
	if len(missing) == 0 {
		return nil
	}
	site, err := place.Open(ctx, env, limits, purpose)
	if err != nil {
		return err
	}
	defer site.Close()
	put := func(i int, record []byte) error {
		env.Progress.Add(1, "")
		return items.Put(i, record)
	}
	fan := &Fanout{
		Env: env, Site: site, Limits: limits, Tasks: len(missing), RetryKilled: true,
		Key:    func(k int) cache.Key { return items.Key(missing[k]) },
		Name:   func(k int) string { return name(missing[k]) },
		Expect: func(int) (float64, int) { return limits.WallTime.Seconds(), 0 },
		Limit:  true,
		Found:  func(k int) (found, given bool) { return items.Recorded(missing[k]), false },
		Works: func(k int) ([]*worker.Work, error) {
			w, record, err := work(missing[k], site, items.Key(missing[k]).String())
			if w == nil && err == nil {
				err = put(missing[k], record)
			}
			if w == nil || err != nil {
				return nil, err
			}
			w.About.Number, w.About.Script = missing[k], missing[k]
			return []*worker.Work{w}, nil
		},
		Take: func(k int, results []*worker.Result, _ string) error {
			record, err := take(missing[k], results[0])
			if err != nil {
				return err
			}
			return put(missing[k], record)
		},
	}
	return fan.Execute(ctx)
}
