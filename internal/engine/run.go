package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Result is the result of a run.
type Result struct {
	Known    stages.Known // outputs of every instance that has outputs
	Executed int          // number of instances executed
	Cached   int          // number of instances found in the store
	Failed   int
	Skipped  int
	Steps    []SnapshotStep // every instance, with its outputs where they are known
}

// execution is one call of Run.
type execution struct {
	*Engine
	cancel context.CancelCauseFunc

	mu        sync.Mutex // guards all fields below, and calls of the pipeline
	trail     trail
	result    Result
	diags     hcl.Diagnostics
	errs      []*StageError
	producers map[cache.Digest]*stages.Instance // the instance that first produced each artifact
	claims    map[cache.Key]chan struct{}       // keys being executed; the channel is closed at the end
	healing   sync.Mutex
	again     bool // execute again, because the selection was widened or inputs were recreated
}

// Run executes the stages whose outputs are not in the store. Diagnostics are errors with a position in the pipeline;
// err is any other error. If an error occurs, finished results stay in the store.
func (e *Engine) Run(ctx context.Context) (*Result, hcl.Diagnostics, error) {
	executed, start := 0, time.Now()
	e.remade, e.repeated = map[string]bool{}, map[string]bool{}
	for {
		x, err := e.run(ctx)
		x.result.Executed += executed
		if !x.again || err != nil || ctx.Err() != nil || x.diags.HasErrors() {
			r := &x.result
			e.opt.Observer.Observe(RunFinished{r.Executed, r.Cached, r.Failed, r.Skipped, time.Since(start)})
			return &x.result, x.diags, err
		}
		executed = x.result.Executed
		if e.selected != nil {
			e.nodes = e.selected.keep(e.pipeline.Nodes())
		}
	}
}

// run executes the selection once.
func (e *Engine) run(ctx context.Context) (*execution, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := &execution{
		Engine:    e,
		cancel:    cancel,
		trail:     newTrail(),
		result:    Result{Known: stages.Known{}},
		producers: map[cache.Digest]*stages.Instance{},
		claims:    map[cache.Key]chan struct{}{},
	}
	done := map[string]chan struct{}{}
	for _, n := range e.nodes {
		done[n.Addr] = make(chan struct{})
	}
	if len(e.opt.Fresh) > 0 {
		// New attempts must survive a kill: otherwise the next run would use the results of the attempts before them.
		if err := x.saveState(); err != nil {
			return x, fmt.Errorf("record the new attempts: %w", err)
		}
	}
	failed := &sync.Map{} // addresses of blocks without outputs
	var wg sync.WaitGroup
	for _, node := range e.nodes {
		wg.Go(func() {
			defer close(done[node.Addr])
			if dep := waitFor(node.Deps, done, failed); dep != "" {
				failed.Store(node.Addr, true)
				x.skip(node.Addr, dep)
				return
			}
			if !x.executeNode(ctx, node) {
				failed.Store(node.Addr, true)
			}
		})
	}
	wg.Wait()
	x.restore(ctx)
	x.saveState()
	x.forget()
	for _, node := range e.nodes {
		for _, in := range x.trail.blocks[node.Addr] {
			outputs := x.result.Known[in.Addr]
			step := SnapshotStep{Instance: in, Outputs: outputs, Complete: outputs != nil}
			x.result.Steps = append(x.result.Steps, step)
		}
	}
	return x, errors.Join(x.sortedErrs()...)
}

// waitFor waits for all deps and returns the first that failed, or "" if none did.
func waitFor(deps []string, done map[string]chan struct{}, failed *sync.Map) string {
	for _, d := range deps {
		if ch, ok := done[d]; ok {
			<-ch
		}
	}
	for _, d := range deps {
		if _, bad := failed.Load(d); bad {
			return d
		}
	}
	return ""
}

func (x *execution) skip(addr, because string) {
	x.mu.Lock()
	x.result.Skipped++
	x.mu.Unlock()
	x.opt.Observer.Observe(StageSkipped{Addr: addr, Because: because})
}

// executeNode expands a block and executes its instances. It reports whether all of them have outputs.
func (x *execution) executeNode(ctx context.Context, node stages.Node) bool {
	if ctx.Err() != nil {
		x.skip(node.Addr, "interrupted")
		return false
	}
	x.mu.Lock()
	instances, diags := x.expand(&node, maps.Clone(x.result.Known), x.trail)
	x.diags = append(x.diags, diags...)
	x.mu.Unlock()
	if diags.HasErrors() {
		x.fail(node.Addr, nil, nil)
		return false
	}
	ok := make([]bool, len(instances))
	var wg sync.WaitGroup
	for i := range instances {
		wg.Go(func() { ok[i] = x.executeInstance(ctx, &instances[i]) })
	}
	wg.Wait()
	return !slices.Contains(ok, false)
}

// StageError is the failure of an instance, with the position of its block.
type StageError struct {
	Addr  string
	Range hcl.Range
	Args  *stages.Args // nil if it failed before it had arguments
	Err   error
}

// One returns the failure with only one of its joined errors.
func (e *StageError) One(err error) *StageError { return &StageError{e.Addr, e.Range, e.Args, err} }

func (e *StageError) Error() string { return e.Addr + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *StageError) Unwrap() error { return e.Err }

// fail records a failure. err is nil if diagnostics already report it, and in is nil if the block has no instances.
func (x *execution) fail(addr string, in *stages.Instance, err error) {
	x.mu.Lock()
	x.result.Failed++
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errStopped) {
		failed := &StageError{Addr: addr, Err: err}
		if in != nil {
			failed.Range, failed.Args = in.Range, in.Args
		}
		x.errs = append(x.errs, failed)
	}
	x.mu.Unlock()
	x.opt.Observer.Observe(StageFailed{Addr: addr, Err: err})
	if !x.opt.KeepGoing {
		x.cancel(errStopped)
	}
}

// sortedErrs returns the failures in the order of the pipeline's blocks, whichever stage failed first.
func (x *execution) sortedErrs() (sorted []error) {
	place := map[string]int{}
	for i, node := range x.nodes {
		place[node.Addr] = i
	}
	slices.SortStableFunc(x.errs, func(a, b *StageError) int {
		return cmp.Or(cmp.Compare(place[blockOf(a.Addr)], place[blockOf(b.Addr)]), cmp.Compare(a.Addr, b.Addr))
	})
	for _, e := range x.errs {
		sorted = append(sorted, e)
	}
	return sorted
}

var errStopped = errors.New("another stage failed")

// executeInstance finds the outputs of an instance in the store, or executes it.
func (x *execution) executeInstance(ctx context.Context, in *stages.Instance) bool {
	if len(in.Waits) > 0 && x.widen(blockOf(in.Addr)) {
		return false
	}
	if len(in.Waits) > 0 {
		x.fail(in.Addr, in, fmt.Errorf("%s is still not known after it was executed; this is a bug in smtpipe",
			strings.Join(in.Waits, ", ")))
		return false
	}
	start := time.Now()
	key, components := x.instanceKey(in)
	repeats := x.repeats(in)
	if _, outputs := x.lookup(in, key); outputs != nil && !repeats {
		x.finish(in, key, outputs, true, time.Since(start))
		return true
	}
	defer x.claim(key)()
	lock, err := x.lock(ctx, in, key)
	if err != nil {
		x.fail(in.Addr, in, err)
		return false
	}
	defer lock.Close()
	if _, outputs := x.lookup(in, key); outputs != nil &&
		!repeats { // another instance or process has produced them meanwhile
		x.finish(in, key, outputs, true, time.Since(start))
		return true
	}
	if ctx.Err() != nil { // interrupted while waiting for another process
		x.skip(in.Addr, "interrupted")
		return false
	}
	if x.refused() {
		x.skip(in.Addr, "a check of the pipeline failed")
		return false
	}
	reason := x.reason(in.Addr, components)
	if repeats {
		reason = "runs of the node " + x.opt.Repeat + " are executed again"
	}
	x.opt.Observer.Observe(StageStarted{Addr: in.Addr, Kind: in.Kind.Name, Reason: reason})
	outputs, err := x.execute(ctx, in)
	if cache.IsLost(err) {
		if err = x.heal(ctx, in, err); err == nil {
			outputs, err = x.execute(ctx, in)
		}
	}
	if errors.Is(err, errRemade) {
		x.skip(in.Addr, err.Error())
		return false
	}
	if err == nil {
		err = x.record(in, key, components, outputs, time.Since(start))
	}
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			x.skip(in.Addr, "interrupted")
			return false
		}
		x.fail(in.Addr, in, err)
		return false
	}
	x.finish(in, key, outputs, false, time.Since(start))
	return true
}

// repeats reports whether an instance is executed although its outputs exist, because some of its runs are to be
// executed again. That happens once per run.
func (x *execution) repeats(in *stages.Instance) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	again := x.opt.Repeat != "" && in.Kind.ByItems && !x.repeated[in.Addr]
	x.repeated[in.Addr] = true
	return again
}

// widen selects all dependencies of a block, because an instance's actual needs were unknown until now. It reports
// whether the selection grew.
func (x *execution) widen(block string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	wider := x.selected != nil && x.selected.widen(block)
	x.again = x.again || wider
	return wider
}

// refused reports whether a check fails with the outputs known now. If so, nothing more is executed: the pipeline asks
// to stop, and the remaining runs may take years of CPU time.
func (x *execution) refused() bool {
	if x.opt.ChecksFail == nil {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.opt.ChecksFail(x.result.Known)
}

// reason explains why an instance executes. It takes the lock, because other instances change the compared state when
// they finish.
func (x *execution) reason(addr string, components []cache.Component) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return reason(x.compare(addr, components))
}

// claim waits until no other instance in this process executes a key, and then reserves the key. The returned function
// releases it.
func (x *execution) claim(key cache.Key) (release func()) {
	for {
		x.mu.Lock()
		busy := x.claims[key]
		if busy == nil {
			done := make(chan struct{})
			x.claims[key] = done
			x.mu.Unlock()
			return func() {
				x.mu.Lock()
				delete(x.claims, key)
				x.mu.Unlock()
				close(done)
			}
		}
		x.mu.Unlock()
		<-busy // closed on cancellation too
	}
}

// lock waits until no other process executes an instance.
func (x *execution) lock(ctx context.Context, in *stages.Instance, key cache.Key) (*os.File, error) {
	const retry = 200 * time.Millisecond
	for told := false; ; {
		lock, busy, err := x.opt.Store.Lock("stage-" + key.String())
		switch {
		case err != nil:
			return nil, err
		case !busy:
			return lock, nil
		case x.opt.NoWait:
			return nil, errors.New("another process executes this stage in the same store; wait for it, or leave " +
				"--no-wait out")
		case !told:
			told = true
			x.opt.Observer.Observe(StageWaiting{Addr: in.Addr})
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(retry):
		}
	}
}

// execute runs an instance's action in a new temporary folder.
func (x *execution) execute(ctx context.Context, in *stages.Instance) (map[string]cty.Value, error) {
	return x.executeWith(ctx, in, func(*stages.Env) {})
}

// executeWith is like execute, but first changes the environment.
func (x *execution) executeWith(
	ctx context.Context, in *stages.Instance, change func(*stages.Env),
) (map[string]cty.Value, error) {
	if err := x.checkEvidence(in); err != nil {
		return nil, err
	}
	if err := x.inputsPresent(in); err != nil {
		return nil, err
	}
	temp, err := x.opt.Store.TempDir()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	env := x.env(in, temp)
	x.addHistory(in, env)
	x.measureNothing(in, env)
	if x.opt.Guard && in.Kind.ByItems && x.opt.Evidence == nil {
		env.Items.(*itemSource).guard = x.guard(in)
	}
	change(env)
	if err := in.Action.Execute(ctx, env); err != nil {
		return nil, x.redacted(err)
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	x.noteAbsent(in.Addr, env.Absent())
	return env.Finish()
}

// addHistory adds results of earlier executions to the environment.
func (x *execution) addHistory(in *stages.Instance, env *stages.Env) {
	x.mu.Lock()
	latest, known := x.state.Latest[in.Addr], maps.Clone(x.result.Known)
	x.mu.Unlock()
	if action := x.recordOf(latest); action != nil {
		env.Latest, _ = outputsOf(in.Kind, action) // a damaged record is ignored
	}
	env.Tables = func(schema string) []stages.Artifact { return tablesOf(known, schema) }
}

// tablesOf returns the output tables with the given schema, sorted by stage address.
func tablesOf(known stages.Known, schema string) []stages.Artifact {
	var all []stages.Artifact
	for _, addr := range slices.Sorted(maps.Keys(known)) {
		all = appendTables(all, known[addr], schema)
	}
	return all
}

// env returns the environment for executing an instance.
func (e *Engine) env(in *stages.Instance, temp string) *stages.Env {
	env := stages.NewEnv(in.Kind)
	env.Store, env.Address, env.Folder, env.Temp = e.opt.Store, in.Addr, e.opt.Folder, temp
	env.Jobs, env.Cores, env.Machine, env.Decoded = e.opt.Jobs, e.cores, e.machine, e.decoded
	env.Attempt, env.Version, env.Repeat = e.attempt(in.Addr), e.opt.Version, e.opt.Repeat
	env.Distrusted = e.opt.Distrusted
	env.Progress = e.progress(in.Addr)
	env.Log = slog.New(warnings{addr: in.Addr, observer: e.opt.Observer, redact: e.opt.Redact})
	env.Items = &itemSource{store: e.opt.Store, addr: in.Addr, observer: e.opt.Observer, log: env.Log}
	return env
}

// Alone returns the environment for a measurement outside a pipeline. It reports to the observer like a stage with the
// given address.
func Alone(store *cache.Store, addr string, observer Observer) *stages.Env {
	env := stages.NewEnv(nil)
	env.Store, env.Address, env.Jobs = store, addr, runtime.NumCPU()
	env.Cores = stages.NewCores(env.Jobs)
	env.Progress, env.Log = progress{addr, observer}, slog.New(warnings{addr: addr, observer: observer})
	return env
}

// inputsPresent checks that an instance's input artifacts are in the store, and fetches missing ones from a remote
// store.
func (x *execution) inputsPresent(in *stages.Instance) error {
	for _, art := range in.Args.AllArtifacts() {
		if err := x.opt.Store.Fetch(art.Digest); err != nil {
			return err
		}
	}
	return nil
}

// record stores the record of an execution.
func (x *execution) record(in *stages.Instance, key cache.Key, components []cache.Component,
	outputs map[string]cty.Value, took time.Duration) error {
	action := &cache.Action{
		Address:    in.Addr,
		Kind:       in.Kind.Name,
		Components: components,
		Outputs:    map[string]cache.Output{},
		Inputs:     inputDigests(in),
		Made:       cache.Made{Finished: time.Now().UTC(), WallTimeS: took.Seconds(), Version: x.opt.Version},
		Absent:     x.Absent()[in.Addr],
	}
	for name, v := range outputs {
		out, err := encodeOutput(v)
		if err != nil {
			return fmt.Errorf("output %s: %w", name, err)
		}
		action.Outputs[name] = out
	}
	return x.opt.Store.PutAction(key, action)
}

// finish publishes an instance's outputs to the execution.
func (x *execution) finish(in *stages.Instance, key cache.Key, outputs map[string]cty.Value, cached bool,
	took time.Duration) {
	if cached {
		x.adopt(in, key)
	}
	x.mu.Lock()
	x.result.Known[in.Addr] = outputs
	if cached {
		x.result.Cached++
	} else {
		x.result.Executed++
	}
	x.state.Latest[in.Addr] = key.String()
	for _, v := range outputs {
		art, ok := stages.ArtifactOf(v)
		// keeps the first producer, because a later one may only pass the artifact on
		if _, known := x.producers[art.Digest]; ok && !known {
			x.producers[art.Digest] = in
		}
	}
	x.mu.Unlock()
	x.opt.Observer.Observe(StageFinished{
		Addr: in.Addr, Kind: in.Kind.Name, Cached: cached, WallTime: took, Rows: firstRows(in.Kind, outputs),
	})
}

// saveState stores the numbers of attempts, and the keys that the next plan's reasons refer to. If there are no new
// attempts, it only serves explanations, and callers ignore its error.
func (x *execution) saveState() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.result.Executed == 0 && len(x.opt.Fresh) == 0 && !x.state.Stale() {
		return nil
	}
	// another process may have started new attempts meanwhile
	now, err := x.opt.Store.LoadState(x.opt.Name)
	if err != nil && !cache.IsLost(err) {
		return err
	}
	for addr, times := range now.Attempts {
		x.state.Attempts[addr] = max(x.state.Attempts[addr], times)
	}
	return x.opt.Store.SaveState(x.state)
}
