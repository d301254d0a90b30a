package engine

import (
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

// Decision states what a run does with an instance.
type Decision string

// Possible decisions.
const (
	Create   Decision = "create"   // the instance was never executed before
	Rerun    Decision = "re-run"   // the instance was executed before with other components
	Cached   Decision = "cached"   // the outputs are in the store
	Deferred Decision = "deferred" // the instance depends on outputs that are not known yet
)

// Step is a plan's entry for one instance.
type Step struct {
	Addr     string   `json:"address"`
	Kind     string   `json:"kind"`
	Decision Decision `json:"decision"`
	Key      string   `json:"key,omitempty"`
	Changes  []Change `json:"changes,omitempty"` // differences from the latest record of this address
	Waits    []string `json:"known_after,omitempty"`
	Open     bool     `json:"for_each_unknown,omitempty"` // the step represents instances that are not known yet
	// Rows is the row count of the output tables: exact if cached, otherwise an upper bound.
	Rows  RowCount `json:"rows,omitzero"`
	Exact bool     `json:"rows_exact"`
	// Tables are the output tables of a cached step, which "smtpipe show" prints.
	Tables  map[string]stages.Artifact `json:"tables,omitempty"`
	Range   hcl.Range                  `json:"-"`
	Outputs map[string]cty.Value       `json:"-"`

	// Components are the preimage of the key, or the known arguments of a deferred step (see Plan.Document).
	Components []cache.Component `json:"components"`
	Disk       int64             `json:"disk_estimate_bytes"` // size of the outputs, or -1 if unknown
	// Cost is set for a stage that executes runs and is not in the store.
	Cost *stages.Cost `json:"cost,omitempty"`
	// OfRuns means that the runs use the output of unfinished runs.
	OfRuns   bool         `json:"on_results"`
	Measured *Measurement `json:"measured,omitempty"` // origin of a measured stage's outputs that are in the store

	// Quick means that the step's outputs are not in the store but may be computed just for a plan.
	Quick bool `json:"-"`

	kind     *stages.Kind
	instance *stages.Instance // set if deferred
}

// RowCount is a number of rows, or -1 if there are no tables or the number is unknown. JSON omits -1.
type RowCount int64

// IsZero reports whether JSON omits the number.
func (n RowCount) IsZero() bool { return n < 0 }

// Refused returns a warning about runs that this machine cannot execute, or nil if it can execute all.
func (s *Step) Refused() *hcl.Diagnostic {
	if c := s.Cost; c == nil || c.Refused == "" || c.Runs >= 0 && c.Runs == c.Reused {
		return nil
	}
	return &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "This machine cannot execute the runs",
		Detail: s.Addr + ": " + s.Cost.Refused + ".", Subject: &s.Range}
}

// Change is a key component that differs from the latest record. Old is empty for a new component, and New for a
// removed one.
type Change struct {
	Name string `json:"name"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Plan describes the effects of a run.
type Plan struct {
	Steps []Step       `json:"steps"`
	Known stages.Known `json:"-"`

	// Blocks holds the instances of each stage block in the plan, by block address.
	Blocks map[string][]stages.Instance `json:"-"`
}

// Changed reports whether a run would execute anything.
func (p *Plan) Changed() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Decision != Cached })
}

// tableOutputs returns the outputs that are tables.
func tableOutputs(outputs map[string]cty.Value) map[string]stages.Artifact {
	tables := map[string]stages.Artifact{}
	for name, v := range outputs {
		if a, ok := stages.ArtifactOf(v); ok && strings.Contains(a.Schema, "/") {
			tables[name] = a
		}
	}
	return tables
}

// Plan computes what a run would do, without executing anything.
func (e *Engine) Plan() (*Plan, hcl.Diagnostics) {
	trail := newTrail()
	plan := &Plan{Known: stages.Known{}, Blocks: trail.blocks}
	var diags hcl.Diagnostics
	bounds := e.newExtents()
	for _, node := range e.nodes {
		instances, more := e.expand(&node, plan.Known, trail)
		diags = append(diags, more...)
		if more.HasErrors() {
			continue
		}
		for i := range instances {
			step := e.planInstance(&instances[i], bounds)
			if step.Outputs != nil {
				plan.Known[step.Addr], step.Tables = step.Outputs, tableOutputs(step.Outputs)
			} else if err := e.estimate(&instances[i], &step, plan, bounds); err != nil {
				diags = append(diags, notEstimated(&step, err))
			}
			if d := step.Refused(); d != nil && e.opt.Evidence == nil {
				diags = append(diags, d)
			}
			plan.Steps = append(plan.Steps, step)
		}
	}
	return plan, diags
}

func (e *Engine) planInstance(in *stages.Instance, bounds *extents) Step {
	step := Step{Addr: in.Addr, Kind: in.Kind.Name, Rows: -1, kind: in.Kind, Range: in.Range}
	if len(in.Waits) > 0 || in.Action == nil { // an instance with unknown arguments has no key
		step.Decision, step.Waits, step.Open, step.instance = Deferred, in.Waits, in.Open, in
	} else {
		key, components := e.instanceKey(in)
		step.Key, step.Components = key.String(), components
		action, outputs := e.lookup(in, key)
		switch repeats := e.opt.Repeat != "" && in.Kind.ByItems; {
		case action != nil && repeats:
			step.Decision = Rerun
			step.Changes = []Change{{Name: "runs of the node " + e.opt.Repeat, Old: "recorded", New: "executed again"}}
		case action != nil:
			step.Decision, step.Outputs = Cached, outputs
			step.Rows, step.Exact = RowCount(firstRows(in.Kind, outputs)), true
			step.Measured = measurementOf(in.Kind, action)
			return step
		default:
			step.Decision, step.Changes = e.compare(in.Addr, components)
		}
		step.Quick = in.Kind.Quick != nil && in.Kind.Quick(in)
	}
	step.Rows = RowCount(bounds.bound(in))
	return step
}

// lookup returns the record of a key and its outputs, or nil if there is no usable record. A damaged record counts as
// missing.
func (e *Engine) lookup(in *stages.Instance, key cache.Key) (*cache.Action, map[string]cty.Value) {
	action, err := e.opt.Store.GetAction(key)
	if err != nil || action == nil {
		if corrupt, ok := errors.AsType[*cache.CorruptError](err); ok {
			e.opt.Observer.Observe(StageHealing{Addr: in.Addr, Err: corrupt})
		}
		return nil, nil
	}
	outputs, err := outputsOf(in.Kind, action)
	if err != nil {
		e.opt.Observer.Observe(StageHealing{Addr: in.Addr, Err: err})
		return nil, nil
	}
	e.noteAbsent(in.Addr, action.Absent)
	return action, outputs
}

// compare returns the differences from an address's latest record.
func (e *Engine) compare(addr string, components []cache.Component) (Decision, []Change) {
	previous := e.latest(addr)
	if previous == nil {
		return Create, nil
	}
	return Rerun, diffComponents(previous.Components, components)
}

// latest returns an address's latest record, or nil.
func (e *Engine) latest(addr string) *cache.Action {
	return e.recordOf(e.state.Latest[addr])
}

// recordOf returns the record of a key as written in the state, or nil if it is missing or unreadable.
func (e *Engine) recordOf(text string) *cache.Action {
	key, err := cache.ParseKey(text)
	if err != nil {
		return nil
	}
	action, err := e.opt.Store.GetAction(key)
	if err != nil {
		return nil
	}
	return action
}

// diffComponents lists the components that differ, sorted by name.
func diffComponents(old, new []cache.Component) []Change {
	before, after := map[string]string{}, map[string]string{}
	for _, c := range old {
		before[c.Name] = c.Value
	}
	for _, c := range new {
		after[c.Name] = c.Value
	}
	names := slices.Collect(maps.Keys(before))
	for n := range after {
		if _, ok := before[n]; !ok {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	var changes []Change
	for _, n := range names {
		if before[n] != after[n] {
			changes = append(changes, Change{Name: n, Old: before[n], New: after[n]})
		}
	}
	return changes
}

// reason explains in one line why an instance executes.
func reason(d Decision, changes []Change) string {
	switch {
	case d == Create:
		return "never executed before"
	case len(changes) == 0:
		return "its record is gone"
	case len(changes) == 1:
		return changes[0].String()
	}
	return fmt.Sprintf("%s and %d more", changes[0], len(changes)-1)
}

// String describes the change, such as `seed changed 42 → 43`.
func (c Change) String() string {
	switch {
	case c.Old == "":
		return fmt.Sprintf("%s is new: %s", c.Name, shorten(c.New))
	case c.New == "":
		return fmt.Sprintf("%s is gone", c.Name)
	}
	return fmt.Sprintf("%s changed %s → %s", c.Name, shorten(c.Old), shorten(c.New))
}

// shorten truncates digests and long texts to fit one line.
func shorten(s string) string {
	const most = 60
	if i := len(s) - 64; i >= 7 && s[i-7:i] == "sha256:" {
		return s[:i+12]
	}
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// firstRows returns the row count of the first output table, or -1 if there is none.
func firstRows(kind *stages.Kind, outputs map[string]cty.Value) int64 {
	for _, out := range kind.Outputs {
		if art, ok := stages.ArtifactOf(outputs[out.Name]); ok && art.IsTable() {
			return art.Rows
		}
	}
	return -1
}
