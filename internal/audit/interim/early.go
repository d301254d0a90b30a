package interim

import (
	"context"
	"maps"
	"slices"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/confidence"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/engine"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
	scorestage "github.com/smtpipe/smtpipe/internal/stages/score"
)

// earlySample is the sample of a division's benchmarks that is executed first.
type earlySample struct {
	benchmarks map[string]bool
	all        int    // number of benchmarks in the division
	ready      bool   // whether all runs on the sample have finished
	from       string // stage that executes the runs
}

// earlySamples returns the early samples of all divisions. A division executed by several stages has no sample, because
// its number of benchmarks is unknown.
func earlySamples(snap *engine.Snapshot, division func(track, logic string) string) map[[2]string]*earlySample {
	out := map[[2]string]*earlySample{}
	for i := range snap.Steps {
		s := &snap.Steps[i]
		for _, part := range s.Parts {
			key := [2]string{part.Track, division(part.Track, part.Logic)}
			d := out[key]
			if d == nil {
				d = &earlySample{benchmarks: map[string]bool{}, ready: true, from: s.Addr}
				out[key] = d
			}
			d.all += part.Benchmarks
			for _, b := range part.Early {
				d.benchmarks[b] = true
			}
			d.ready = d.ready && part.EarlyLeft == 0 && d.from == s.Addr
		}
	}
	return out
}

// earlyRows returns a report's rankings as predicted from the early samples.
func earlyRows(ctx context.Context, store *cache.Store, snap *engine.Snapshot,
	report *engine.SnapshotStep) ([]site.EarlyRow, error) {
	var rows []site.EarlyRow
	for i := range snap.Steps {
		s := &snap.Steps[i]
		ranker, ok := s.Action.(scorestage.Ranker)
		if !ok || s.Outputs == nil || !slices.Contains(report.Uses, s.Addr) {
			continue
		}
		samples := earlySamples(snap, ranker.Division)
		if !slices.ContainsFunc(slices.Collect(maps.Values(samples)), func(d *earlySample) bool { return d.ready }) {
			continue
		}
		err := ranker.Points(ctx, store, func(p *score.Points) error {
			d := samples[[2]string{p.Track, p.Division.Name}]
			if d == nil || !d.ready {
				return nil
			}
			if r := confidence.EarlyOf(p, d.benchmarks, d.all); r != nil {
				rows = append(rows, rowsOfEarly(p, r)...)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func rowsOfEarly(p *score.Points, r *confidence.Early) []site.EarlyRow {
	rows := make([]site.EarlyRow, len(r.Entries))
	for i := range r.Entries {
		e := &r.Entries[i]
		rows[i] = site.EarlyRow{
			Track: p.Track, Division: p.Division.Name, View: p.Ranking.View, Solver: e.Solver,
			Benchmarks: r.Benchmarks, Sample: r.Sample, Best: e.Best, Place: e.Place, Worst: e.Worst, Wrong: e.Wrong,
			WrongLow: int(e.Errors.Low), WrongHigh: int(e.Errors.High),
			CorrectLow: int(e.Correct.Low), CorrectHigh: int(e.Correct.High),
			Clock: r.Clock, TimeLowS: e.Time95.Low, TimeHighS: e.Time95.High,
		}
	}
	return rows
}
