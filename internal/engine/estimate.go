package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Totals is the total cost of a plan. The sums cover steps with known costs; the counts of other steps show how
// complete the sums are.
type Totals struct {
	Stages       int   `json:"stages"` // steps that will execute or are deferred
	MeasuredOpen int   `json:"stages_of_unknown_size"`
	Runs         int64 `json:"runs"`
	Reused       int64 `json:"runs_reused"`
	Exact        bool  `json:"runs_exact"`

	// Runs on the output of other runs, such as unsat cores, and their CPU time if they reach their limits. These
	// bounds are seldom tight, and no other sum includes them.
	RunsOnResults      int64   `json:"runs_on_results"`
	CPULimitOnResultsS float64 `json:"cpu_time_limit_on_results_s"`

	stages.Times
	NotEstimated  int   `json:"stages_without_estimate"` // stages whose runs have no estimated CPU time
	DiskBytes     int64 `json:"disk_estimate_bytes"`
	DiskUncertain int   `json:"stages_without_disk_estimate"`
}

// Totals returns the total cost of a plan. Stages that execute runs share the cores, so their wall times add up.
func (p *Plan) Totals() Totals {
	t := Totals{Exact: true}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Decision == Cached {
			continue
		}
		t.Stages++
		if s.Disk >= 0 {
			t.DiskBytes += s.Disk
		} else {
			t.DiskUncertain++
		}
		switch c := s.Cost; {
		case c == nil:
		case s.OfRuns && c.Runs >= 0:
			t.RunsOnResults += c.Runs
			t.CPULimitOnResultsS += max(c.CPULimitS, 0)
		default:
			t.add(c)
		}
	}
	return t
}

func (t *Totals) add(c *stages.Cost) {
	if c.Runs < 0 || c.CPULimitS < 0 {
		t.MeasuredOpen++
	}
	t.Exact = t.Exact && c.Exact
	t.Runs += max(c.Runs, 0)
	t.Reused += max(c.Reused, 0)
	t.CPULimitS += max(c.CPULimitS, 0)
	t.WallLimitS += max(c.WallLimitS, 0)
	if c.CPUTimeS < 0 {
		t.NotEstimated++
	}
	t.CPUTimeS += max(c.CPUTimeS, 0)
	t.WallTimeS += max(c.WallTimeS, 0)
}

// estimate sets the expected cost of executing an instance.
func (e *Engine) estimate(in *stages.Instance, step *Step, plan *Plan, bounds *extents) error {
	latest := e.latest(in.Addr)
	step.Disk = diskAsBefore(latest, int64(step.Rows))
	if in.Kind.Estimate == nil {
		return nil
	}
	of, ofRuns := bounds.noting(in.Args)
	f := &stages.Forecast{
		Store:   e.opt.Store,
		Jobs:    e.opt.Jobs,
		Attempt: e.attempt(in.Addr),
		Repeat:  e.opt.Repeat,
		Extent:  of,
		Tables:  plan.tables,
		Recorded: func(namespace string, keys []cache.Key) ([]bool, error) {
			return e.recorded(in.Addr, namespace, keys)
		},
	}
	if latest != nil {
		f.Latest, _ = outputsOf(in.Kind, latest) // a damaged record is ignored
	}
	cost, err := in.Kind.Estimate(in, f)
	if err != nil {
		return err
	}
	step.Cost, step.OfRuns = cost, *ofRuns
	if cost != nil && cost.DiskBytes >= 0 {
		step.Disk = cost.DiskBytes
	}
	return nil
}

// diskAsBefore estimates the size of a stage's outputs from its latest record, scaled by the number of rows. It returns
// -1 if there is no record.
func diskAsBefore(latest *cache.Action, rows int64) int64 {
	if latest == nil {
		return -1
	}
	var size, had int64
	for _, out := range latest.Outputs {
		size += out.SizeBytes
		if out.Schema != "tree" && out.Schema != "blob" {
			had = max(had, out.Rows)
		}
	}
	if rows >= 0 && had > 0 && rows < had {
		size = int64(float64(size) * float64(rows) / float64(had))
	}
	return size
}

// tables returns the known output tables with the given schema.
func (p *Plan) tables(schema string) []stages.Artifact {
	var all []stages.Artifact
	for i := range p.Steps {
		all = appendTables(all, p.Steps[i].Outputs, schema)
	}
	return all
}

// appendTables appends the outputs with the given schema, sorted by name.
func appendTables(all []stages.Artifact, outputs map[string]cty.Value, schema string) []stages.Artifact {
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		if art, ok := stages.ArtifactOf(outputs[name]); ok && art.Schema == schema {
			all = append(all, art)
		}
	}
	return all
}

// recorded implements Forecast.Recorded for an instance. It fetches missing records from a remote store.
func (e *Engine) recorded(addr, namespace string, keys []cache.Key) ([]bool, error) {
	log, err := e.opt.Store.Items(namespace)
	if err != nil {
		return nil, err
	}
	have := make([]bool, len(keys))
	log.HasEach(keys, have)
	var missing []cache.Key
	for i, k := range keys {
		if !have[i] && k != (cache.Key{}) {
			missing = append(missing, k)
		}
	}
	if n := log.Pull(context.Background(), missing); n > 0 {
		e.opt.Observer.Observe(ItemsPulled{Addr: addr, N: int64(n), Unit: "runs"})
		log.HasEach(keys, have)
	}
	return have, nil
}

// notEstimated returns a warning about a step whose cost cannot be estimated.
func notEstimated(step *Step, err error) *hcl.Diagnostic {
	return &hcl.Diagnostic{
		Severity: hcl.DiagWarning,
		Summary:  "Work cannot be estimated",
		Detail: fmt.Sprintf("How long %s will take is not known: %s.", step.Addr,
			strings.TrimSuffix(err.Error(), ".")),
		Subject: &step.Range,
	}
}
