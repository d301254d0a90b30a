package report

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/artifact"
	"github.com/smtpipe/smtpipe/internal/cache"
	site "github.com/smtpipe/smtpipe/internal/report"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/table"
)

// readVerdicts reads the judged runs, and offers them as the Parquet file that they are in.
func (act *action) readVerdicts(store *cache.Store, in *site.Input) error {
	verdicts, err := readAll[results.VerdictRow](store, act.verdicts)
	if err != nil {
		return err
	}
	slices.SortFunc(verdicts, func(a, b results.VerdictRow) int {
		if c := strings.Compare(a.Track, b.Track); c != 0 {
			return c
		}
		if c := strings.Compare(a.Benchmark, b.Benchmark); c != 0 {
			return c
		}
		return strings.Compare(a.Solver, b.Solver)
	})
	changed := fillDivisions(verdicts, in.Scores)
	in.Verdicts = site.Rows(verdicts)
	if len(act.verdicts) == 0 {
		return nil
	}
	in.Stored[act.verdicts[0].Schema] = func() (io.ReadCloser, error) {
		if !changed && len(act.verdicts) == 1 { // its digest is on the page on provenance
			b, err := store.ReadBytes(act.verdicts[0].Digest)
			return io.NopCloser(bytes.NewReader(b)), err
		}
		var merged bytes.Buffer
		err := results.Write(&merged, slices.Clone(verdicts))
		return io.NopCloser(&merged), err
	}
	return nil
}

// fillDivisions gives verdicts the division that the rankings have for their logic. It reports whether any got another
// one.
func fillDivisions(verdicts []results.VerdictRow, scores []results.ScoreRow) (changed bool) {
	type key struct{ track, logic string }
	division := map[key]string{}
	for i := range scores {
		if s := &scores[i]; s.Logic != "" {
			division[key{s.Track, s.Logic}] = s.Division
		}
	}
	for i := range verdicts {
		v := &verdicts[i]
		d, ok := division[key{v.Track, v.Logic}]
		switch {
		case ok:
		case v.Division == "":
			d = v.Logic
		default:
			d = v.Division
		}
		changed = changed || d != v.Division
		v.Division = d
	}
	return changed
}

// readRuns takes what only the records of the runs say: memory limits, where they were measured, and how.
func (act *action) readRuns(store *cache.Store, in *site.Input) error {
	memory, days := map[string]int64{}, map[string]bool{}
	all := measurements{runs: map[runID]measured{}, settings: map[site.Setting]int32{}}
	for _, t := range act.runs {
		err := artifact.EachRow(store, t, measuredColumns, func(_ int64, v []table.Column, i int) {
			s := all.add(v, i)
			if track := v[0].Text(i); s.MemoryLimit > memory[track] {
				memory[strings.Clone(track)] = s.MemoryLimit
			}
			day, _, _ := strings.Cut(v[12].Text(i), "T")
			note(days, day)
		})
		if err != nil {
			return err
		}
	}
	for _, track := range slices.Sorted(maps.Keys(memory)) {
		if memory[track] > 0 {
			in.Limits = append(in.Limits, site.TrackLimits{Track: track, MemoryBytes: memory[track]})
		}
	}
	hardware, isolation, versions := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, s := range all.list {
		hardware[s.Hardware], isolation[s.Isolation], versions[s.MeasuredWith] = true, true, true
	}
	in.Provenance.Machine = slices.Concat(facts("Runs measured on", hardware), facts("Isolation of runs", isolation),
		period(days), facts("Runs measured with smtpipe", versions))
	in.Measured = all.of
	return nil
}

// period says on which days runs were measured.
func period(days map[string]bool) []site.Fact {
	delete(days, "") // of imported runs
	all := slices.Sorted(maps.Keys(days))
	switch len(all) {
	case 0:
		return nil
	case 1:
		return []site.Fact{{Name: "Runs measured on the day (UTC)", Value: all[0]}}
	}
	return []site.Fact{{Name: "Runs measured on days (UTC)", Value: all[0] + " to " + all[len(all)-1]}}
}

// note puts a text into a set. It is copied once, as it is valid for a moment only.
func note(set map[string]bool, text string) {
	if !set[text] {
		set[strings.Clone(text)] = true
	}
}

// facts names every value of a set, in order.
func facts(name string, values map[string]bool) []site.Fact {
	delete(values, "") // of imported runs
	var all []site.Fact
	for _, v := range slices.Sorted(maps.Keys(values)) {
		all = append(all, site.Fact{Name: name, Value: v})
	}
	return all
}
