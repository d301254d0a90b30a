package engine

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// SnapshotOptions selects what a snapshot contains in addition to complete outputs.
type SnapshotOptions struct {
	// Scratch stores everything that is computed for the snapshot. It is an overlay of the engine's store. If it is
	// nil, nothing is computed, and the snapshot contains only complete outputs.
	Scratch *cache.Store
	// Through lists the kinds of stages to execute on the items so far, such as "validate" and "score". Other kinds
	// would change which runs are executed next, or cost too much.
	Through []string
	// For lists the kinds that the snapshot is intended for, such as "report". They are not executed. Missing outputs
	// that kinds in For or Through need are replaced by empty tables.
	For []string
	// Memo keeps item records from one snapshot to the next. It may be nil.
	Memo *Memo
}

// Snapshot is the state of a pipeline at one moment, possibly while another process executes it.
type Snapshot struct {
	Steps    []SnapshotStep
	Problems []error // reasons why stages could not be computed from the items so far
}

// SnapshotStep is an instance in a snapshot.
type SnapshotStep struct {
	stages.Instance
	Uses     []string             // addresses of the instances whose outputs the instance uses
	Key      string               // empty if the arguments are unknown or incomplete
	Outputs  map[string]cty.Value // nil if unknown
	Complete bool                 // the outputs are in the store
	// Begun marks an incomplete fan-out whose items are known. Done and Total count the items.
	Begun bool
	Done  int64
	Total int64
	Parts []stages.Part
}

// Snapshot collects complete outputs and computes the requested ones from the items so far. It executes no items and
// writes only to opt.Scratch.
func (e *Engine) Snapshot(ctx context.Context, opt SnapshotOptions) (*Snapshot, hcl.Diagnostics) {
	x := &snapshot{Engine: e, opt: opt, known: stages.Known{}, trail: newTrail(), touched: map[string]bool{},
		kinds: map[string]*stages.Kind{}, result: &Snapshot{}}
	var diags hcl.Diagnostics
	for _, node := range e.nodes {
		x.kinds[node.Addr] = node.Kind
		more := x.node(ctx, &node)
		diags = append(diags, more...)
		if ctx.Err() != nil {
			break
		}
	}
	return x.result, diags
}

// snapshot is one call of Snapshot.
type snapshot struct {
	*Engine
	opt     SnapshotOptions
	known   stages.Known
	trail   trail
	touched map[string]bool // blocks whose outputs are incomplete
	kinds   map[string]*stages.Kind
	result  *Snapshot
}

func (x *snapshot) node(ctx context.Context, node *stages.Node) hcl.Diagnostics {
	instances, diags := x.expand(node, x.known, x.trail)
	if diags.HasErrors() {
		return diags
	}
	judges := slices.Contains(x.opt.Through, node.Kind.Name) && slices.ContainsFunc(node.Deps,
		func(d string) bool { return x.touched[d] })
	shown := slices.Contains(x.opt.For, node.Kind.Name)
	if (judges || shown) && x.opt.Scratch != nil && slices.ContainsFunc(instances,
		func(in stages.Instance) bool { return len(in.Waits) > 0 }) {
		if instances, diags = x.filled(node, instances); diags.HasErrors() { // a fatal error, such as a signal
			return diags
		}
	}
	for i := range instances {
		step := SnapshotStep{Instance: instances[i]}
		for _, from := range x.trail.uses(&instances[i], x.known) {
			step.Uses = append(step.Uses, from.Addr)
		}
		x.step(ctx, &step, judges)
		if step.Outputs != nil {
			x.known[step.Addr] = step.Outputs
			x.touched[node.Addr] = x.touched[node.Addr] || !step.Complete
		}
		x.result.Steps = append(x.result.Steps, step)
	}
	return diags
}

// step sets the outputs of one instance.
func (x *snapshot) step(ctx context.Context, step *SnapshotStep, judges bool) {
	in := &step.Instance
	if len(in.Waits) > 0 {
		return
	}
	key, _ := x.instanceKey(in)
	if _, outputs := x.lookup(in, key); outputs != nil {
		step.Key, step.Outputs, step.Complete = key.String(), outputs, true
		return
	}
	if x.opt.Scratch == nil || ctx.Err() != nil {
		return
	}
	var err error
	if partial, ok := in.Action.(stages.PartialAction); ok {
		step.Begun = true
		step.Outputs, err = x.compute(in, func(env *stages.Env) (err error) {
			step.Parts, err = partial.ExecutePartial(ctx, env)
			return err
		})
		for _, p := range step.Parts {
			step.Done, step.Total = step.Done+p.Done, step.Total+p.Total
		}
	} else if judges {
		step.Outputs, err = x.compute(in, func(env *stages.Env) error { return in.Action.Execute(ctx, env) })
	}
	if err != nil {
		x.result.Problems = append(x.result.Problems, fmt.Errorf("%s: %w", in.Addr, x.redacted(err)))
	}
}

// compute executes do with the scratch store, on one core. The other cores are for runs.
func (x *snapshot) compute(in *stages.Instance, do func(*stages.Env) error) (map[string]cty.Value, error) {
	temp, err := x.opt.Scratch.TempDir()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	env := stages.NewEnv(in.Kind)
	env.Store, env.Folder, env.Temp = x.opt.Scratch, x.Engine.opt.Folder, temp
	env.Attempt = x.attempt(in.Addr)
	env.Items = &memoSource{itemSource{store: x.Engine.opt.Store, addr: in.Addr, observer: Discard{}}, x.opt.Memo}
	env.Tables = func(schema string) []stages.Artifact { return tablesOf(x.known, schema) }
	if err := do(env); err != nil {
		return nil, err
	}
	return env.Finish()
}

// filled expands a block again, with empty tables for missing outputs.
func (x *snapshot) filled(node *stages.Node, instances []stages.Instance) ([]stages.Instance, hcl.Diagnostics) {
	known := maps.Clone(x.known)
	for i := range instances {
		for _, w := range instances[i].Waits {
			kind := x.kinds[blockOf(w)]
			if kind == nil || known[w] != nil {
				continue
			}
			outputs := map[string]cty.Value{}
			for _, out := range kind.Outputs {
				schema, ok := stages.TableSchema(out.Type)
				if !ok {
					continue
				}
				art, err := artifact.EmptyTable(x.opt.Scratch, schema)
				if err != nil {
					x.result.Problems = append(x.result.Problems, err)
					continue
				}
				outputs[out.Name] = stages.ArtifactVal(art)
			}
			known[w] = outputs
		}
	}
	return x.expand(node, known, x.trail)
}
