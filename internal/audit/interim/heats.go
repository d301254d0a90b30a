package interim

import (
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// heatAction is implemented by the action of a stage "heat".
type heatAction interface{ Heats() (last, all int) }

// heats describes a stage "heat" that may provide a stage's benchmarks.
type heats struct {
	addr       string
	All        int // total number of heats
	Groups     map[string]results.SelectionRow
	benchmarks map[string]bool
}

// HeatsOf returns the stages "heat" that precede a step, except those that precede another heat stage.
func HeatsOf(p *project.Project, snap *engine.Snapshot, step *engine.SnapshotStep) ([]heats, error) {
	by := map[string]*engine.SnapshotStep{}
	for i := range snap.Steps {
		by[snap.Steps[i].Addr] = &snap.Steps[i]
	}
	var found []heats
	seen := map[string]bool{}
	for next := []string{step.Addr}; len(next) > 0; next = next[1:] {
		s := by[next[0]]
		if s == nil || seen[s.Addr] {
			continue
		}
		seen[s.Addr] = true
		act, ok := s.Action.(heatAction)
		if !ok {
			next = append(next, s.Uses...)
			continue
		}
		_, all := act.Heats()
		h := heats{addr: s.Addr, All: all, Groups: map[string]results.SelectionRow{}, benchmarks: map[string]bool{}}
		groups, err := outputRows[results.SelectionRow](p, s, "selection")
		if err != nil {
			return nil, err
		}
		for _, r := range groups {
			h.Groups[r.Group] = r
		}
		benchmarks, err := outputRows[results.BenchmarkRow](p, s, "benchmarks")
		if err != nil {
			return nil, err
		}
		for i := range benchmarks {
			h.benchmarks[benchmarks[i].Path] = true
		}
		found = append(found, h)
	}
	return found, nil
}

func outputRows[Row any](p *project.Project, s *engine.SnapshotStep, name string) ([]Row, error) {
	art, ok := stages.ArtifactOf(s.Outputs[name])
	if !ok {
		return nil, nil
	}
	return artifact.ReadTable[Row](p.Store, art)
}

// HeatsWith returns the heats that provide a division's benchmarks.
func HeatsWith(found []heats, addr string, p *score.Points) (*heats, error) {
	var fit []*heats
	for i := range found {
		h := &found[i]
		if !slices.ContainsFunc(p.Benchmarks, func(b string) bool { return !h.benchmarks[b] }) {
			fit = append(fit, h)
		}
	}
	switch {
	case len(fit) == 0:
		return nil, fmt.Errorf("the benchmarks of %s in %s come from several stages \"heat\", or from none", p.Division.Name,
			addr)
	case len(fit) > 1:
		return nil, fmt.Errorf("the benchmarks of %s in %s are in the heats of both %s and %s, so it is not known how "+
			"many are left", p.Division.Name, addr, fit[0].addr, fit[1].addr)
	}
	if _, ok := fit[0].Groups[p.Division.Name]; !ok {
		return nil, fmt.Errorf("%s does not divide its benchmarks by division: it has no "+
			"group %s", fit[0].addr, p.Division.Name)
	}
	return fit[0], nil
}
