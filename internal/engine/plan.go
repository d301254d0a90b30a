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

// Decision is what will happen to an instance.
type Decision string

// The decisions.
const (
	Create   Decision = "create"   // never executed before
	Rerun    Decision = "re-run"   // executed before with other components
	Cached   Decision = "cached"   // its outputs are in the store
	Deferred Decision = "deferred" // depends on outputs that are not known yet
)

// Step is one instance in a plan.
type Step struct {
	Addr     string   `json:"address"`
	Kind     string   `json:"kind"`
	Decision Decision `json:"decision"`
	Key      string   `json:"key,omitempty"`
	Changes  []Change `json:"changes,omitempty"` // against the latest record of this address
	Waits    []string `json:"known_after,omitempty"`
	Open     bool     `json:"for_each_unknown,omitempty"` // stands for instances that are not known yet
	// of its tables: exact if cached, otherwise an upper bound
	Rows  RowCount `json:"rows,omitzero"`
	Exact bool     `json:"rows_exact"`
	// of a cached step, by output: the tables that "smtpipe show" prints
	Tables  map[string]stages.Artifact `json:"tables,omitempty"`
	Range   hcl.Range                  `json:"-"`
	Outputs map[string]cty.Value       `json:"-"`

	// the preimage of the key; if deferred, the known arguments, see Plan.Document
	Components []cache.Component `json:"components"`
	Disk       int64             `json:"disk_estimate_bytes"` // of its outputs; -1: not known
	Cost       *stages.Cost      `json:"cost,omitempty"`      // of a stage that executes runs and is not in the store
	// its runs are on the output of runs that are not finished
	OfRuns   bool         `json:"on_results"`
	Measured *Measurement `json:"measured,omitempty"` // of a stage that executed runs and is in the store

	// Quick reports whether it is not in the store and may be executed just for a plan.
	Quick bool `json:"-"`

	kind     *stages.Kind
	instance *stages.Instance // if deferred
}

// RowCount is a number of rows, or -1 if there are no tables or it is not known. JSON then leaves it out.
type RowCount int64

// IsZero reports whether JSON leaves the number out.
func (n RowCount) IsZero() bool { return n < 0 }

// Refused warns about runs that this machine cannot execute; nil if it can execute all.
func (s *Step) Refused() *hcl.Diagnostic {
	if c := s.Cost; c == nil || c.Refused == "" || c.Runs >= 0 && c.Runs == c.Reused {
		return nil
	}
	return &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "Runs that this machine cannot execute",
		Detail: s.Addr + ": " + s.Cost.Refused + ".", Subject: &s.Range}
}

// Change is one component of a key that differs from the latest record. Old or New is empty if there was none.
type Change struct {
	Name string `json:"name"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Plan describes what a run would do now.
type Plan struct {
	Steps []Step       `json:"steps"`
	Known stages.Known `json:"-"`

	// Blocks holds the instances of the stage blocks in the plan, by address of the block.
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
	if len(in.Waits) > 0 || in.Action == nil { // an instance that is not known has no key
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

// lookup returns the record of key with its outputs, or nil if there is no usable one. A damaged record counts as
// absent.
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

// compare returns the differences from the latest record of an address.
func (e *Engine) compare(addr string, components []cache.Component) (Decision, []Change) {
	previous := e.latest(addr)
	if previous == nil {
		return Create, nil
	}
	return Rerun, diffComponents(previous.Components, components)
}

// latest returns the latest record of an address, or nil if there is none.
func (e *Engine) latest(addr string) *cache.Action {
	return e.recordOf(e.state.Latest[addr])
}

// recordOf returns the record of a key in the form of a state, or nil if there is no readable one.
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

// diffComponents lists the components that differ, by name.
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

// reason returns in one line why an instance executes.
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

// shorten cuts digests and long texts for one line.
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

// firstRows returns the number of rows of the first table among the outputs, or -1 if there is none.
func firstRows(kind *stages.Kind, outputs map[string]cty.Value) int64 {
	for _, out := range kind.Outputs {
		if art, ok := stages.ArtifactOf(outputs[out.Name]); ok && art.IsTable() {
			return art.Rows
		}
	}
	return -1
}
