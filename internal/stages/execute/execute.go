// Package execute provides the "execute" stage, which executes and measures every solver on every script that it
// enters, under limits. internal/exec/runner isolates and measures a run; this package lists the runs and keeps their
// records.
package execute

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/language"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "execute",
	Version: 3,
	Summary: "Executes solvers on scripts and measures them",
	Doc: `Executes every solver on every script of a logic that it enters. A run is identified by the solver's program and
command, the script, the limits, the isolation and the machine. A run that has a record is never executed again, whichever
pipeline it occurs in. A failure of the machine (a process cannot be started, the disk is full) is not a result: the run is
tried again, and the stage fails if the failure persists. A solver that cannot be started is left out of the table, and smtpipe
run ends with exit code 7; the others are scored. The stage fails if that solver has been started before, or if no solver can be
started, because the machine may be at fault. The same happens to a solver whose first fifty runs all end with one error and the
same output, such as a library that is missing: the rest of its runs would only repeat it, unless keep_failing is set.

The runs on a random 5 % of the benchmarks are executed first, for early rankings (docs/write/randomness.md). The others follow, the
longest expected runs first.

A run that was ended by a SIGKILL has the flag foreign_kill if smtpipe did not send the signal and no limit explains it. The
cause may be somebody else on the machine, a kernel that ran out of memory, or the solver itself. With retry_killed the
run is repeated once, by every executor: the table has both attempts, and the last counts.

Solvers are solver blocks, a table of solvers, or both. Information about entrants, such as the team, is joined later by
a stage "verdicts", so a correction executes nothing again. A solver that comes as an archive is unpacked once for all runs. Runs
see it as /solver, read-only, and its program is named relative to the archive. A solver that asks for StarExec's environment
gets the service's variables and starts in the folder of its program.

The script is the last argument of the command, or takes the place of the argument {benchmark}. The incremental track differs: the commands of the script come on standard
input, each after the response to the one before, and a script smtcomp_run_incremental in the archive replaces the command. In
the proof track, two scripts in the archive replace the command, smtcomp_solver and smtcomp_checker (2022 rules, §5.8). The
first is called with the script, the second with the script and a file with the output of the first. They are one run, whose
limits hold for both together. Their standard error is ignored. In the incremental track the dialogue ends at the first wrong
answer or invalid response. Every answer is recorded with its wall time and CPU time.`,
	Example: `stage "execute" "single_query" {
  scripts = stage.scramble.single_query.scripts
  solvers = [solver.z3, solver.cvc5]
  track   = "single_query"
  limits {
    wall_time = "20m"
    memory    = "30GB"
    cores     = 4
  }
}`,
	Measured: true,
	ByItems:  true,
	Attrs: []stages.Attr{
		{Name: "scripts", Type: stages.TableType("scripts/1"), Required: true, Doc: "the scripts",
			Agree: map[string]func(theirs, ours string) bool{"track": scriptsFit}},
		{Name: "solvers", Type: cty.DynamicPseudoType, Required: true,
			InKey: stages.Programs,
			Doc:   "solver blocks, such as [solver.z3, solver.cvc5], solver for all, or a table of solvers"},
		{Name: "arguments", Type: cty.Map(cty.List(cty.String)),
			Doc: "further arguments in this track by solver, such as { z3 = [\"-in\"] }"},
		{Name: "enter", Type: cty.Map(cty.List(cty.String)),
			Doc: "solvers by logic, if not every solver enters every logic; default: the logics that solvers declare"},
		{Name: "track", Type: cty.String, Required: true,
			Doc: "the track, which determines how a solver gets the script"},
		stages.KindsAttr,
		answersOnly,
		{Name: "input", Type: cty.String, Default: cty.StringVal("argument"),
			Doc: "how the script is passed: as the last argument (argument) or on standard input (stdin)"},
		{Name: "merge_stderr", Type: cty.Bool, Default: cty.False, Doc: "standard error goes into standard output, " +
			"in the order of writing, if the rules do not distinguish them; not for a dialogue"},
		{Name: "dialogue", Type: cty.Bool, Doc: "give the commands of the script one by one; default: in the " +
			"incremental track only (the scripts must be scrambled for it)"},
		{Name: "continue_after_unknown", Type: cty.Bool, Default: cty.True,
			Doc: "incremental: continue the dialogue after a check-sat with unknown status"},
		stages.ImageAttr,
		{Name: "executor", Type: stages.ExecutorType, Doc: "where runs are executed; default: on this machine, fully " +
			"isolated",
			NotInKey: true},
		{Name: "retry_killed", Type: cty.Bool, Default: cty.True, NotInKey: true,
			Doc: "a run that was ended by a SIGKILL is repeated once if smtpipe did not send the signal and no limit " +
				"explains it; both attempts are kept, and the second counts"},
		{Name: "keep_failing", Type: cty.Bool,
			Doc: "keep executing a solver whose first fifty runs all end with the same " +
				"error; default: false"},
	},
	Blocks: []stages.Block{{
		Name: "limits",
		Doc:  "limits of one run",
		Min:  1,
		Max:  1,
		Attrs: []stages.Attr{
			{Name: "wall_time", Type: cty.Number, Unit: stages.Duration, Required: true, Doc: "wall time T"},
			{Name: "cpu_time", Type: cty.Number, Unit: stages.Duration,
				Doc: "CPU time of the whole process tree; default: no limit"},
			{Name: "memory", Type: cty.Number, Unit: stages.Size, Required: true,
				Doc: "memory of the whole process tree, excluding swap"},
			{Name: "cores", Type: cty.Number, Whole: stages.WholeFrom(1, 1<<16), Default: cty.NumberIntVal(1),
				Doc: "cores m for one run"},
			{Name: "output", Type: cty.Number, Unit: stages.Size, Default: cty.NumberIntVal(32_000_000),
				Doc: "size of the output to keep, beginning and end; BenchExec keeps 20 MB by default"},
			{Name: "scratch", Type: cty.Number, Unit: stages.Size, Doc: "scratch space; default: the memory limit"},
			{Name: "processes", Type: cty.Number, Whole: stages.WholeFrom(1, 1<<31-1), Default: cty.NumberIntVal(4096),
				Doc: "concurrent processes and threads"},
		},
	}},
	Outputs: []stages.Output{
		{Name: "runs", Type: stages.TableType("runs/2"), Doc: "the records of all runs"},
	},
	Recall:   recall,
	Spent:    spentOn,
	New:      newAction,
	Extent:   extent,
	Estimate: estimate,
}

// answersOnly is the attribute for the language whose answers are counted during execution.
var answersOnly = func() stages.Attr {
	a := stages.LanguageAttr(nil)
	a.NotInKey = true
	return a
}()

type action struct {
	language *language.Reader // nil means SMT-LIB
	scripts  stages.Artifact
	track    string
	kind     comp.Track // kind of the track
	kinds    comp.Kinds
	limits   comp.Limits
	entrants []entrant // entrants from solver blocks
	tables   []stages.Artifact
	// image is the root file system of runs whose solver has none; nil means the machine's own programs.
	image                *fanout.Image
	arguments            map[string][]string
	enter                map[string][]string // nil means that solvers enter the logics of their blocks
	stdin                bool
	oneStream            bool                           // merges standard error into standard output
	dialogue             bool                           // sends the commands one after another, like a dialogue
	keepFailing          bool                           // keeps executing a solver whose runs all fail
	images               map[cache.Digest]*fanout.Image // the solvers' images, each once
	retryKilled          bool                           // repeats a run that an unexplained SIGKILL ended
	continueAfterUnknown bool                           // continues after a check-sat of unknown status
	place                fanout.Place                   // includes the hardware that measures the runs
}

// newBare returns a stage's action without an executor: runs are executed here, fully isolated. With evidence, the
// place names the hardware that measured the runs.
func newBare(a *stages.Args) *action {
	act := &action{place: fanout.Here(runner.Full)}
	var elsewhere bool
	if act.place.Hardware, elsewhere = a.Recorded(hardwareComponent); !elsewhere {
		act.place.Hardware = runner.Hardware().String()
	}
	return act
}

// hardwareComponent is the name of the hardware's component in keys.
const hardwareComponent = "hardware"

func newAction(a *stages.Args) (stages.Action, error) {
	act := newBare(a)
	act.arguments, act.enter = lists(a.Value("arguments")), lists(a.Value("enter"))
	act.retryKilled, act.keepFailing = a.Bool("retry_killed"), a.Bool("keep_failing")
	act.continueAfterUnknown = a.Bool("continue_after_unknown")
	act.scripts, _ = a.Artifact("scripts")
	kinds, err := a.Kinds()
	errs := []error{err}
	act.language, err = a.Language()
	errs = append(errs, err)
	track, kind, err := kinds.Parse(a.String("track"))
	if err != nil {
		errs = append(errs, a.Invalid("track", "Unknown track", err.Error()+"."))
	}
	if kind == comp.Cloud {
		errs = append(errs, a.Invalid("track", "The cloud track is not executed", "Its solvers run on many machines. "+
			"Import the results of the runs: stage \"import\" with wall_time has them as runs."))
	}
	act.track, act.kind, act.kinds, act.dialogue = track, kind, kinds, kind == comp.Incremental
	if a.Has("dialogue") {
		act.dialogue = a.Bool("dialogue")
	}
	act.oneStream = a.Bool("merge_stderr")
	if act.oneStream && act.dialogue {
		errs = append(errs, a.Invalid("merge_stderr", "A dialogue is held on standard output",
			"What the solver prints on standard error is no response; leave merge_stderr out for this track."))
	}
	errs = append(errs, act.readInput(a), act.readLimits(a.Block("limits")), act.place.Read(a), act.readImage(a))
	if kind != 0 {
		if err := act.readSolvers(a.Value("solvers")); err != nil {
			errs = append(errs, a.Invalid("solvers", "Invalid solvers", sentence(err)))
		}
	}
	return act, errors.Join(errs...)
}

// readImage reads the image for runs whose solver has none: the executor's image, or else the stage's or the
// competition's.
func (act *action) readImage(a *stages.Args) (err error) {
	if act.image = act.place.Image; act.image == nil {
		if act.image, err = fanout.ReadImage(a.Value("image")); err != nil {
			return a.Invalid("image", "Invalid image", stages.Sentence(err))
		}
	}
	if act.image != nil && !act.place.SeparateRoot() {
		return a.Invalid("executor", "No room for an image", fmt.Sprintf("Runs with the isolation %q see the files of "+
			"the machine. An image needs an executor whose isolation is full or namespaces.", act.place.Isolation))
	}
	return nil
}

func (act *action) readInput(a *stages.Args) error {
	switch how := a.String("input"); how {
	case "argument":
	case "stdin":
		act.stdin = true
	default:
		return a.Invalid("input", fmt.Sprintf("Unknown input %q", how),
			"A script is given as an \"argument\" or on \"stdin\".")
	}
	return nil
}

// lists reads a map of lists; nil if it is null.
func lists(v cty.Value) map[string][]string {
	if v.IsNull() {
		return nil
	}
	all := map[string][]string{}
	for name, list := range v.AsValueMap() {
		all[name] = stages.Texts(list)
	}
	return all
}

// sentence joins the lines of an error into one paragraph for a diagnostic.
func sentence(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") + "." }

func (act *action) readLimits(l *stages.Args) error {
	if l == nil {
		return nil // the language has already reported the missing block
	}
	act.limits = comp.Limits{
		WallTime:     l.Duration("wall_time"),
		CPUTime:      l.Duration("cpu_time"),
		MemoryBytes:  l.Bytes("memory"),
		Cores:        int(l.Int("cores")),
		OutputBytes:  l.Bytes("output"),
		ScratchBytes: l.Bytes("scratch"),
		Processes:    int(l.Int("processes")),
	}
	var errs []error
	if act.limits.WallTime <= 0 {
		errs = append(errs, l.Invalid("wall_time", "Invalid wall time limit", "The wall time limit must be above "+
			"zero, such as \"20m\"."))
	}
	if err := comp.Scorable(act.limits.WallTime, int64(act.limits.Cores)); err != nil {
		errs = append(errs, l.Invalid("wall_time", "Limits too large to be scored", sentence(err)))
	}
	const least = 1 << 20
	if act.limits.MemoryBytes < least {
		errs = append(errs, l.Invalid("memory", "Invalid memory limit", "The memory limit must be at least 1 MiB."))
	}
	return errors.Join(errs...)
}

// ExtendKey implements stages.KeyExtender.
func (act *action) ExtendKey(k *cache.KeyWriter) {
	act.writePlace(k)
	if act.image != nil { // the key already contains the stage's image, but not the executor's
		k.Digest("image_id", act.image.ID)
	}
}

func (act *action) writePlace(k *cache.KeyWriter) {
	k.String("isolation", string(act.place.Isolation))
	k.String(hardwareComponent, act.place.Hardware)
}

// pair is a planned run: a script and a solver, by their indices.
type pair struct{ script, solver int32 }

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	f, err := act.open(ctx, env)
	if err != nil {
		return err
	}
	if missing := fanout.Distinct(f.items, f.items.Missing()); len(missing) > 0 {
		err = f.executeMissing(ctx, missing)
	}
	if err := errors.Join(err, f.items.Close()); err != nil {
		return err
	}
	return f.writeRuns(func(i int) bool { return !f.excluded[f.pairs[i].solver] })
}

// open lists the runs and finds the runs that have a record.
func (act *action) open(ctx context.Context, env *stages.Env) (*execution, error) {
	scripts, err := artifact.ReadTable[results.ScriptRow](env.Store, act.scripts)
	if err != nil {
		return nil, err
	}
	entrants, err := act.allEntrants(ctx, env.Store)
	if err != nil {
		return nil, err
	}
	if len(entrants) == 0 {
		env.Log.Warn(act.nobody() + "; it has no runs")
	}
	f := &execution{action: act, env: env, scripts: scripts, entrants: entrants, excluded: map[int32]bool{}}
	f.pairs = f.listPairs()
	if err := f.digestScripts(); err != nil {
		return nil, err
	}
	f.solverKeys = make([]cache.Key, len(entrants))
	for j := range entrants {
		f.solverKeys[j] = act.solverKey(&entrants[j], env.Attempt).Key()
	}
	f.items, err = env.Items.Open(ctx, recordsName, "runs", len(f.pairs), func(i int) cache.Key {
		return runKey(f.solverKeys[f.pairs[i].solver], f.digests[f.pairs[i].script])
	})
	if err == nil && env.Healing {
		err = f.forgetSilent()
	}
	if err == nil && env.Repeat != "" {
		err = f.forgetNode()
	}
	return f, err
}

// solverKey writes everything that identifies a run except its script.
func (act *action) solverKey(e *entrant, attempt int64) *cache.KeyWriter {
	k := cache.NewKeyWriter("run/1")
	k.Digest("program", e.digest)
	args := e.command[1:]
	if e.inImage() {
		args = e.command
	}
	if e.inArchive() { // the archive contains many programs
		args = e.command
		k.Bool("starexec", e.starexec)
		if act.kind == comp.ProofExhibition {
			// The archive's proof scripts are executed; older versions executed the command.
			k.Bool("proof_scripts", true)
		}
	}
	k.Int("arguments", int64(len(args)))
	for i, arg := range args {
		k.String(fmt.Sprintf("argument[%d]", i), arg)
	}
	k.String("track", act.kind.String())
	if act.dialogue {
		k.Bool("dialogue", true)
		k.Bool("continue_after_unknown", act.continueAfterUnknown)
	}
	if act.stdin {
		k.String("input", "stdin")
	}
	if act.oneStream {
		k.Bool("merge_stderr", true)
	}
	k.Int("wall_time_ns", int64(act.limits.WallTime))
	k.Int("cpu_time_ns", int64(act.limits.CPUTime))
	k.Int("memory_bytes", act.limits.MemoryBytes)
	k.Int("cores", int64(act.limits.Cores))
	k.Int("output_bytes", act.limits.OutputBytes)
	k.Int("scratch_bytes", act.limits.ScratchBytes)
	k.Int("processes", int64(act.limits.Processes))
	act.writePlace(k)
	if e.image != nil {
		k.Digest("image", e.image.ID)
	}
	k.Int("attempt", attempt)
	return k
}

func runKey(solver cache.Key, script cache.Digest) cache.Key {
	var b [2 * sha256.Size]byte
	copy(b[:], solver[:])
	copy(b[sha256.Size:], script[:])
	return sha256.Sum256(b[:])
}

// scriptsFit reports whether scripts of one track can be executed in another. A challenge has benchmarks of both kinds,
// each scrambled as in its usual track.
func scriptsFit(theirs, ours string) bool {
	return theirs == ours || ours == comp.IndustryChallenge.String() &&
		(theirs == comp.SingleQuery.String() || theirs == comp.Incremental.String())
}
