package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Loss lists the finished runs that the pipeline's last evaluation used but a plan would not.
type Loss struct {
	Key         string      `json:"key"` // accepts the loss of exactly this plan (Options.Discard)
	Runs        int         `json:"runs"`
	CoreSeconds float64     `json:"core_seconds"`
	Stages      []StageLoss `json:"stages"`
}

// StageLoss is one instance's part of a loss.
type StageLoss struct {
	Addr        string   `json:"address"`
	Runs        int      `json:"runs"`
	Finished    int      `json:"finished_runs"` // number of finished runs, lost or not
	CoreSeconds float64  `json:"core_seconds"`
	Reasons     []string `json:"reasons"` // changed arguments with their positions, the first cause first

	lost []cache.Key
}

// LossError ends an execution before any run of a stage is measured.
type LossError struct{ Loss *Loss }

func (e *LossError) Error() string {
	return fmt.Sprintf("finished runs would no longer be used (%s)", e.Loss.Key)
}

// losses compares the items that a plan would use with those of the last evaluation.
type losses struct {
	*snapshot
	bounds  *extents
	steps   map[string]*Step // steps of the planned instances
	planned map[string]*stages.Instance
	used    map[cache.Key]bool // items that the plan uses
	open    map[string]bool    // instances whose items are unknown
	planKey *cache.KeyWriter
}

// Losses returns the finished runs that executing the plan would no longer use, or nil if they took at most
// Options.MayLose core-seconds. It executes nothing in the store. Results of quick stages go to the store that scratch
// returns, and other stages contribute only results that the store already has. Instances whose runs depend on other
// results are checked when they execute.
func (e *Engine) Losses(ctx context.Context, plan *Plan, scratch func() (*cache.Store, error)) (*Loss, error) {
	before := e.evaluations(plan)
	if e.unchanged(plan, before) {
		return nil, nil
	}
	store, err := scratch()
	if err != nil {
		return nil, err
	}
	x := &losses{
		snapshot: &snapshot{Engine: e, opt: SnapshotOptions{Scratch: store}, known: stages.Known{}, trail: newTrail(),
			result: &Snapshot{}},
		bounds: e.newExtents(), steps: map[string]*Step{}, planned: map[string]*stages.Instance{},
		used: map[cache.Key]bool{}, open: map[string]bool{}, planKey: cache.NewKeyWriter("discard/1"),
	}
	for i := range e.nodes {
		if diags := x.foresee(ctx, &e.nodes[i], before); diags.HasErrors() {
			return nil, nil // execution reports them
		}
	}
	var parts []StageLoss
	for _, addr := range slices.Sorted(maps.Keys(before)) {
		ev := e.opt.Store.Evaluation(e.opt.Name, addr)
		if x.open[addr] || ev == nil {
			continue
		}
		part, err := x.stageLoss(ev, x.used)
		if err != nil {
			return nil, err
		}
		if part.Runs > 0 {
			part.Reasons = x.reasons(ev)
			now := ""
			if step := x.steps[addr]; step != nil {
				now = step.Key
			}
			x.planKey.String(addr, now)
			parts = append(parts, part)
		}
	}
	return e.loss(parts, x.planKey), ctx.Err()
}

// evaluations returns the last evaluations of a plan's instances. It omits instances with a new attempt, because a new
// attempt is meant to discard runs.
func (e *Engine) evaluations(plan *Plan) map[string]*cache.Evaluation {
	all := e.opt.Store.Evaluations(e.opt.Name)
	for addr := range all {
		fresh := slices.ContainsFunc(e.opt.Fresh, func(f string) bool { return Covers(f, addr) })
		planned := e.selected == nil ||
			slices.ContainsFunc(plan.Steps, func(s Step) bool { return Covers(s.Addr, addr) })
		if fresh || !planned {
			delete(all, addr)
		}
	}
	return all
}

// unchanged reports whether a plan has the same measured instances as the last evaluation.
func (e *Engine) unchanged(plan *Plan, before map[string]*cache.Evaluation) bool {
	now := map[string]string{}
	for i := range plan.Steps {
		now[plan.Steps[i].Addr] = plan.Steps[i].Key
	}
	for addr, ev := range before {
		if now[addr] != ev.Key {
			return false
		}
	}
	return true
}

// foresee records the items and outputs of a block's instances, where they are known.
func (x *losses) foresee(ctx context.Context, node *stages.Node, before map[string]*cache.Evaluation) hcl.Diagnostics {
	instances, diags := x.expand(node, x.known, x.trail)
	if diags.HasErrors() {
		return diags
	}
	for i := range instances {
		in := &instances[i]
		step := x.planInstance(in, x.bounds)
		x.steps[in.Addr], x.planned[in.Addr] = &step, in
		if in.Kind.ByItems {
			x.items(in, &step, before[in.Addr])
		}
		switch {
		case step.Outputs != nil:
			x.known[in.Addr] = step.Outputs
		case step.Decision != Deferred && !in.Kind.Measured:
			if outputs := x.outputs(ctx, in, step.Quick); outputs != nil {
				x.known[in.Addr] = outputs
			}
		}
	}
	return diags
}

// outputs returns the known outputs of an instance, or nil.
func (x *losses) outputs(ctx context.Context, in *stages.Instance, quick bool) map[string]cty.Value {
	do := func(env *stages.Env) error { return in.Action.Execute(ctx, env) }
	if !quick {
		f, ok := in.Action.(stages.Foreseer)
		if !ok {
			return nil
		}
		do = func(env *stages.Env) error { return f.Foresee(ctx, env) }
		x.planKey.String(in.Addr, x.steps[in.Addr].Key) // the same outputs may be foreseen for several plans
	}
	outputs, err := x.compute(in, func(env *stages.Env) error {
		if latest := x.latest(in.Addr); latest != nil {
			env.Latest, _ = outputsOf(in.Kind, latest) // a damaged record is ignored
		}
		return do(env)
	})
	if err != nil {
		return nil // execution reports the error and checks later stages
	}
	return outputs
}

// items marks the items of a measured instance as used, or the instance as open.
func (x *losses) items(in *stages.Instance, step *Step, before *cache.Evaluation) {
	switch {
	case before != nil && before.Key == step.Key:
		if ev := x.Engine.opt.Store.Evaluation(x.Engine.opt.Name, in.Addr); ev != nil {
			x.use(ev.Items)
		}
	case step.Decision == Deferred:
		x.open[in.Addr] = true
	default:
		_, keys, err := x.itemsOf(in, x.opt.Scratch)
		x.use(keys)
		x.open[in.Addr] = err != nil
	}
}

func (x *losses) use(keys []cache.Key) {
	for _, k := range keys {
		x.used[k] = true
	}
}

// itemsOf returns the keys of a measured instance's items without measuring any. The instance's inputs must be in the
// store.
func (e *Engine) itemsOf(in *stages.Instance, store *cache.Store) (namespace string, keys []cache.Key, err error) {
	of, _ := e.newExtents().noting(in.Args)
	_, err = in.Kind.Estimate(in, &stages.Forecast{
		Store: store, Jobs: e.opt.Jobs, Attempt: e.attempt(in.Addr), Extent: of,
		Tables: func(string) []stages.Artifact { return nil },
		Recorded: func(name string, all []cache.Key) ([]bool, error) {
			namespace, keys = name, all
			return e.recorded(in.Addr, name, all)
		},
	})
	return namespace, keys, err
}

// stageLoss returns the finished items of an evaluation that are no longer used.
func (e *Engine) stageLoss(before *cache.Evaluation, used map[cache.Key]bool) (StageLoss, error) {
	part := StageLoss{Addr: before.Address}
	log, err := e.opt.Store.Items(before.Namespace)
	if err != nil {
		return part, err
	}
	seen := map[cache.Key]bool{} // two solvers may share their runs
	for i, place := range log.Locate(before.Items) {
		if !place.Found() || seen[before.Items[i]] {
			continue
		}
		seen[before.Items[i]] = true
		part.Finished++
		if used[before.Items[i]] {
			continue
		}
		record, ok, err := log.At(before.Items[i], place)
		if err != nil || !ok {
			continue // a damaged record is already lost
		}
		spent, err := e.spent(before.Address, record)
		if err != nil {
			continue
		}
		part.Runs, part.CoreSeconds = part.Runs+1, part.CoreSeconds+spent
		part.lost = append(part.lost, before.Items[i])
	}
	return part, nil
}

// spent returns the core-seconds that an item took. Its instance may no longer exist.
func (e *Engine) spent(addr string, record []byte) (float64, error) {
	if kind := stages.FindKind(e.opt.Kinds, kindOf(addr)); kind != nil && kind.Spent != nil {
		return kind.Spent(record)
	}
	return 0, errors.New("no stage kind has such items")
}

// kindOf returns the kind in an address: execute for module.m.stage.execute.x.
func kindOf(addr string) string {
	parts := addressParts(addr)
	if len(parts) < 2 {
		return ""
	}
	return parts[len(parts)-2].name
}

// loss combines the parts. It returns nil if the loss is too small to ask about.
func (e *Engine) loss(parts []StageLoss, plan *cache.KeyWriter) *Loss {
	l, counted := &Loss{Stages: parts}, map[cache.Key]bool{}
	for i := range parts {
		fresh := 0
		for _, k := range parts[i].lost {
			if !counted[k] {
				counted[k] = true
				fresh++
				plan.String("lost", k.String())
			}
		}
		l.Runs += fresh
		if fresh > 0 {
			l.CoreSeconds += parts[i].CoreSeconds * float64(fresh) / float64(parts[i].Runs)
		}
	}
	if l.Runs == 0 || l.CoreSeconds <= e.opt.MayLose {
		return nil
	}
	l.Key = plan.Key().String()[:16]
	return l
}

// Discard forgets the lost runs, so later runs do not ask about them again.
func (e *Engine) Discard(l *Loss) error {
	for i := range l.Stages {
		ev, lost := e.opt.Store.Evaluation(e.opt.Name, l.Stages[i].Addr), map[cache.Key]bool{}
		if ev == nil {
			continue
		}
		for _, k := range l.Stages[i].lost {
			lost[k] = true
		}
		ev.Items = slices.DeleteFunc(ev.Items, func(k cache.Key) bool { return lost[k] })
		if err := e.opt.Store.PutEvaluation(e.opt.Name, ev); err != nil {
			return err
		}
	}
	return nil
}

// reasons returns the reasons why an evaluation would not be repeated, the first cause first.
func (x *losses) reasons(before *cache.Evaluation) []string {
	var all []string
	if x.steps[before.Address] == nil {
		all = append(all, fmt.Sprintf("%s is gone from the pipeline", before.Address))
	}
	made := map[string]bool{} // digests of upstream outputs
	old := map[string][]cache.Component{before.Address: before.Components}
	for addr, key := range before.Upstream {
		action := x.recordOf(key)
		if action == nil {
			continue
		}
		old[addr] = action.Components
		for _, out := range action.Outputs {
			made[out.Digest] = true
		}
	}
	order := map[string]int{}
	for i, n := range x.nodes {
		order[n.Addr] = i
	}
	addrs := slices.SortedFunc(maps.Keys(old), func(a, b string) int {
		return cmp.Or(cmp.Compare(order[blockOf(a)], order[blockOf(b)]), cmp.Compare(a, b))
	})
	for _, addr := range addrs {
		step := x.steps[addr]
		if step == nil || step.Decision == Deferred {
			continue
		}
		changes := slices.DeleteFunc(diffComponents(old[addr], step.Components), func(c Change) bool {
			_, digest, file := strings.Cut(c.Old, "sha256:")
			return file && made[digest]
		})
		for _, text := range Summarise(changes) {
			all = append(all, fmt.Sprintf("%s: %s%s", addr, text.Text, x.place(addr, text.Name)))
		}
	}
	return all
}

// place returns an argument's position as " (FILE:LINE)".
func (x *losses) place(addr, component string) string {
	in := x.planned[addr]
	if in == nil {
		return ""
	}
	rng := in.Range
	if root := rootOf(component); in.Args != nil && stages.FindAttr(in.Kind.Attrs, root) != nil {
		rng = in.Args.RangeOf(root)
	}
	if rng.Filename == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", rng.Filename, rng.Start.Line)
}

// guard checks a measured instance's items before any of them is executed, and then remembers them.
func (x *execution) guard(in *stages.Instance) func(namespace string, keys []cache.Key) error {
	key, components := x.instanceKey(in)
	return func(namespace string, keys []cache.Key) error {
		plan := cache.NewKeyWriter("discard/1")
		plan.String(in.Addr, key.String())
		before := x.opt.Store.Evaluation(x.opt.Name, in.Addr)
		fresh := slices.ContainsFunc(x.opt.Fresh, func(f string) bool { return Covers(f, in.Addr) })
		if before != nil && before.Key != key.String() && !fresh {
			used := map[cache.Key]bool{}
			for _, k := range keys {
				used[k] = true
			}
			part, err := x.stageLoss(before, used)
			if err != nil {
				return err
			}
			for _, text := range Summarise(diffComponents(before.Components, components)) {
				part.Reasons = append(part.Reasons, in.Addr+": "+text.Text)
			}
			if l := x.loss([]StageLoss{part}, plan); l != nil && !slices.Contains(x.opt.Discard, l.Key) {
				return &LossError{l}
			}
		}
		return x.remember(in, namespace, keys)
	}
}

// remember stores an instance's items as part of the pipeline's last evaluation.
func (x *execution) remember(in *stages.Instance, namespace string, keys []cache.Key) error {
	key, components := x.instanceKey(in)
	ev := &cache.Evaluation{Address: in.Addr, Namespace: namespace, Key: key.String(), Components: components,
		Upstream: map[string]string{}, Items: keys}
	x.mu.Lock()
	for _, step := range x.trail.lineage(in, x.result.Known, x.Engine).Steps {
		if step.Addr != in.Addr {
			ev.Upstream[step.Addr] = x.state.Latest[step.Addr]
		}
	}
	x.mu.Unlock()
	return x.opt.Store.PutEvaluation(x.opt.Name, ev)
}

// adopt remembers the items of a measured instance whose outputs are in the store, unless they are already remembered.
// It does nothing if the store is read-only.
func (x *execution) adopt(in *stages.Instance, key cache.Key) {
	if !x.opt.Guard || !in.Kind.ByItems || in.Kind.Estimate == nil {
		return
	}
	if before := x.opt.Store.Evaluations(x.opt.Name)[in.Addr]; before != nil && before.Key == key.String() {
		return
	}
	if namespace, keys, err := x.itemsOf(in, x.opt.Store); err == nil {
		x.remember(in, namespace, keys)
	}
}

// forget drops the evaluations of all instances that are not part of a complete run.
func (x *execution) forget() {
	if !x.opt.Guard || x.selected != nil || len(x.errs) > 0 || x.result.Failed+x.result.Skipped > 0 || x.again {
		return
	}
	for addr := range x.opt.Store.Evaluations(x.opt.Name) {
		if x.result.Known[addr] == nil {
			x.opt.Store.DropEvaluation(x.opt.Name, addr)
		}
	}
}
