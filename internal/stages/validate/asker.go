package validate

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
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/exec/solvertree"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	judge "github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// Asker asks another program for its opinion on models.
type Asker struct {
	Form    judge.OpinionForm
	Program string        // path on this machine, or path in Folder
	Args    []string      // arguments before the script
	Folder  string        // an unpacked archive's folder; empty for an installed program
	Image   *fanout.Image // the program's root file system; nil means the machine's own files
	InImage bool          // the image contains the program
	Limits  comp.Limits
}

// Ask asks about one response. If a solver cannot be asked about it, the opinion says so.
func (a *Asker) Ask(ctx context.Context, x worker.Executor, benchmark, response []byte) (judge.Opinion, error) {
	w, err := a.Work("opinion", x.Hello().Isolation, benchmark, response)
	if _, ok := errors.AsType[*NotAsked](err); ok {
		return judge.Opinion{Said: err.Error()}, nil
	}
	if err != nil {
		return judge.Opinion{}, err
	}
	results, err := worker.Do(ctx, x, w)
	if err != nil {
		return judge.Opinion{}, err
	}
	return a.Opinion(results[0])
}

// NotAsked is the error for a response that a solver cannot be asked about.
type NotAsked struct{ Why error }

func (e *NotAsked) Error() string { return "not asked: " + e.Why.Error() }

// Work returns the Work that asks about a response. Its script reveals only the benchmark's text.
func (a *Asker) Work(id string, isolation runner.Isolation, benchmark, response []byte) (*worker.Work, error) {
	script, stdin := benchmark, response
	if a.Form == judge.OpinionOfSolver {
		text, err := model.Substituted(benchmark, response)
		if err != nil {
			return nil, &NotAsked{err}
		}
		script, stdin = text, nil
	}
	cmd, err := a.command(isolation)
	if err != nil {
		return nil, err
	}
	cmd.Limits = a.Limits
	cmd.Argv = append(cmd.Argv, fanout.ScriptPath)
	cmd.Inputs = []runner.Input{{Target: fanout.ScriptPath, Content: script}}
	return worker.FromCommand(id, &cmd, stdin)
}

// command returns the program's command without the script.
func (a *Asker) command(isolation runner.Isolation) (cmd runner.Command, err error) {
	switch {
	case a.Folder != "":
		cmd = runner.Command{Argv: append([]string{runner.SolverDir + "/" + a.Program}, a.Args...), HostSystem: true,
			Mounts: []runner.Mount{{Source: a.Folder, Target: runner.SolverDir, Warm: true}}}
	default:
		cmd = a.Image.Program(a.InImage, a.Program, a.Args...)
	}
	return cmd, a.Image.Apply(&cmd, isolation)
}

// Opinion reads the opinion from a result. It returns an error if the program cannot be started. A program that fails
// or reaches a limit has no opinion.
func (a *Asker) Opinion(r *worker.Result) (judge.Opinion, error) {
	if r.Failure != nil {
		return judge.Opinion{}, r.Failure.Err()
	}
	rec := r.Record
	if a.Form == judge.OpinionOfDolmen {
		return judge.DolmenOpinion(rec.Ending, rec.ExitCode, append(rec.Stdout.Bytes(), rec.Stderr.Bytes()...)), nil
	}
	return judge.SolverOpinion(rec.Ending, rec.ExitCode, rec.Stdout.Bytes(), rec.Stderr.Bytes()), nil
}

// second is a second_opinion block.
type second struct {
	name     string
	asker    Asker
	archive  *solvertree.Archive // unpacked before the first question
	digest   cache.Digest        // digest of the program and the files it loads, or of the archive
	verdicts []string
	share    float64 // percentage, 0 to 100
	place    fanout.Place
}

// secondOpinion declares the block.
var secondOpinion = stages.Block{
	Name:  "second_opinion",
	Label: "name",
	Doc: `model validation: another program that is asked about models, isolated like a solver. If its verdict differs from
that of the checker, the run is in the output disagreements. The verdict stays that of the checker`,
	Attrs: []stages.Attr{
		{Name: "solver", Type: stages.SolverType, Required: true, Doc: "the program, a solver block"},
		{Name: "form", Type: cty.String, Default: cty.StringVal(string(judge.OpinionOfSolver)), Doc: "how it is " +
			"asked: with the model's definitions inserted into the benchmark, and its answer must be sat " +
			"(solver), or with benchmark and response, and its message and exit code are the verdict (dolmen)"},
		{Name: "verdicts", Type: cty.List(cty.String),
			Doc: "the checker's verdicts to get an opinion on, such as [\"INVALID\", \"UNKNOWN\"]; default: all"},
		{Name: "share", Type: cty.Number, Default: cty.NumberIntVal(100),
			Doc: "percentage of these models, chosen by the digests of script and response"},
		{Name: "wall_time", Type: cty.Number, Unit: stages.Duration, Default: cty.NumberIntVal(int64(time.Minute)),
			Doc: "wall time limit of one opinion"},
		{Name: "memory", Type: cty.Number, Unit: stages.Size, Default: cty.NumberIntVal(4e9),
			Doc: "memory limit of one opinion"},
		{Name: "executor", Type: stages.ExecutorType, Doc: "where it is asked; default: on this machine, with the " +
			"attribute isolation", NotInKey: true},
		{Name: "isolation", Type: cty.String, Default: cty.StringVal("best_effort"),
			Doc: "without an executor: full, or best_effort if the machine does not support that", NotInKey: true},
	},
}

// readSeconds reads all second_opinion blocks.
func readSeconds(a *stages.Args) ([]second, error) {
	var all []second
	var errs []error
	for _, b := range a.Blocks(secondOpinion.Name) {
		s, err := readSecond(b)
		if slices.ContainsFunc(all, func(o second) bool { return o.name == s.name }) {
			errs = append(errs, b.Invalid("solver", "Two second opinions of one name",
				fmt.Sprintf("A second opinion %q is asked for already.", s.name)))
		}
		errs = append(errs, err)
		all = append(all, s)
	}
	return all, errors.Join(errs...)
}

func readSecond(b *stages.Args) (second, error) {
	s := second{name: b.Label, verdicts: b.Strings("verdicts")}
	s.asker.Limits = comp.Limits{
		WallTime: b.Duration("wall_time"), MemoryBytes: b.Bytes("memory"), Cores: 1, OutputBytes: 1 << 16,
		Processes: 256,
	}
	var errs []error
	var err error
	if s.asker.Form, err = judge.ParseOpinionForm(b.String("form")); err != nil {
		errs = append(errs, b.Invalid("form", "Unknown form", err.Error()+"."))
	}
	isolation, err := runner.ParseIsolation(b.String("isolation"))
	if err != nil {
		errs = append(errs, b.Invalid("isolation", "Invalid isolation", err.Error()+"."))
	}
	s.place = fanout.Here(isolation)
	errs = append(errs, s.place.Read(b))
	for _, v := range s.verdicts {
		if v != string(judge.ModelValid) && v != string(judge.ModelInvalid) && v != string(judge.ModelUnknown) {
			errs = append(errs, b.Invalid("verdicts", "Unknown verdict", fmt.Sprintf("%q is not a verdict on a model; "+
				"they are VALID, INVALID and UNKNOWN.", v)))
		}
	}
	if v := b.Value("share"); !v.IsNull() {
		s.share, _ = v.AsBigFloat().Float64()
	}
	if s.share < 0 || s.share > 100 {
		errs = append(errs, b.Invalid("share", "Invalid share", "The share is a number of percent, 0 to 100."))
	}
	const least = 1 << 20
	if s.asker.Limits.WallTime <= 0 || s.asker.Limits.MemoryBytes < least {
		errs = append(errs, b.Invalid("wall_time", "Invalid limits", "A second opinion needs a wall time limit "+
			"above zero "+
			"and at least 1 MiB of memory."))
	}
	if err := s.locate(b.Value("solver")); err != nil {
		errs = append(errs, b.Invalid("solver", "Invalid solver", err.Error()+"."))
	}
	return s, errors.Join(errs...)
}

// locate determines where a solver block's program is.
func (s *second) locate(v cty.Value) error {
	if v.IsNull() {
		return nil // the language has already reported the missing attribute
	}
	command := stages.Texts(v.GetAttr("command"))
	if len(command) == 0 {
		return errors.New("the solver has no command")
	}
	s.asker.Program, s.asker.Args = command[0], command[1:]
	var err error
	if s.asker.Image, err = fanout.ReadImage(v.GetAttr("image")); err != nil {
		return err
	}
	if f, ok := stages.FileOf(v.GetAttr("archive")); ok {
		s.digest = f.Digest
		if f.IsDir {
			s.asker.Folder = f.Path
		} else {
			s.archive = &solvertree.Archive{SHA256: f.Digest, Path: f.Path}
		}
		return nil
	}
	f, ok := stages.FileOf(v.GetAttr("program"))
	if s.asker.InImage = !ok && s.asker.Image != nil; s.asker.InImage {
		s.digest = s.asker.Image.ID
		return nil
	}
	if !ok {
		return errors.New("the solver names neither a program installed here nor an archive")
	}
	s.asker.Program, s.digest = f.Path, f.Digest
	return nil
}

// open unpacks the image and the archive, and checks that the archive or folder contains the program.
func (s *second) open(ctx context.Context, store *cache.Store) error {
	if s.asker.Image != nil {
		if err := s.asker.Image.Unpack(ctx, store); err != nil {
			return err
		}
	}
	if s.archive != nil {
		f, err := solvertree.Open(ctx, store, *s.archive)
		if err != nil {
			return err
		}
		s.asker.Folder = f.Path
	}
	if s.asker.Folder == "" {
		return nil
	}
	_, err := solver.FindEntry(s.asker.Folder, append([]string{s.asker.Program}, s.asker.Args...), comp.SingleQuery,
		solver.Plain)
	return err
}

// writeKey writes everything that an opinion depends on except script and response.
func (s *second) writeKey(k *cache.KeyWriter) {
	k.String("form", string(s.asker.Form))
	k.Digest("program", s.digest)
	if s.asker.Folder != "" || s.archive != nil || s.asker.InImage {
		k.String("command", s.asker.Program)
	}
	if s.asker.Image != nil {
		k.Digest("image", s.asker.Image.ID)
	}
	k.Int("arguments", int64(len(s.asker.Args)))
	for i, arg := range s.asker.Args {
		k.String(fmt.Sprintf("argument[%d]", i), arg)
	}
	k.Int("wall_time_ns", int64(s.asker.Limits.WallTime))
	k.Int("memory_bytes", s.asker.Limits.MemoryBytes)
}
