package report

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// readVerdicts sets the judged runs and the Parquet file that contains them. The tables are read row by row whenever
// they are needed.
func (act *action) readVerdicts(store *cache.Store, in *site.Input) {
	if len(act.verdicts) == 0 {
		in.Verdicts = site.Rows[results.VerdictRow](nil)
		return
	}
	divisions := divisionsOf(in.Scores)
	in.Verdicts = divisions.fill(merged(store, act.verdicts))
	in.VerdictsID = divisions.identify(digests(act.verdicts)...)
	in.Entrants = func() ([]results.VerdictRow, string, error) {
		kept, err := stages.KeptIn(store, Kind)
		if err != nil {
			return nil, "", err
		}
		of, err := kept.Entered(act.verdicts)
		return of.Kinds, divisions.identify(of.Rest), err
	}
	in.Stored[act.verdicts[0].Schema] = sync.OnceValues(func() ([]byte, error) {
		if len(act.verdicts) == 1 {
			same, err := divisions.same(store, act.verdicts[0])
			if err != nil {
				return nil, err
			}
			if same { // the provenance page shows its digest
				return store.ReadBytes(act.verdicts[0].Digest)
			}
		}
		var all bytes.Buffer
		err := results.WriteSeq(&all, in.Verdicts)
		return all.Bytes(), err
	})
}

// readBenchmarks sets the benchmarks. Their rows are read one after another.
func (act *action) readBenchmarks(store *cache.Store, in *site.Input) {
	if len(act.benchmarks) == 0 {
		return
	}
	in.BenchmarksID = divisions(nil).identify(digests(act.benchmarks)...)
	in.Benchmarks = func(yield func(results.BenchmarkRow, error) bool) {
		for _, t := range act.benchmarks {
			for row, err := range artifact.Rows[results.BenchmarkRow](store, t) {
				if !yield(row, err) {
					return
				}
			}
		}
	}
}

// merged returns the tables' rows ordered by track, benchmark and solver. Each table must already have that order.
func merged(store *cache.Store, tables []stages.Artifact) iter.Seq2[results.VerdictRow, error] {
	if len(tables) == 1 {
		return artifact.Rows[results.VerdictRow](store, tables[0])
	}
	type head struct {
		row  results.VerdictRow
		next func() (results.VerdictRow, error, bool)
	}
	return func(yield func(results.VerdictRow, error) bool) {
		var heads, left []*head
		for _, t := range tables {
			next, stop := iter.Pull2(artifact.Rows[results.VerdictRow](store, t))
			defer stop()
			heads = append(heads, &head{next: next})
		}
		for _, h := range heads {
			row, err, more := h.next()
			if err != nil {
				yield(row, err)
				return
			}
			if h.row = row; more {
				left = append(left, h)
			}
		}
		for len(left) > 0 {
			least := slices.MinFunc(left, func(a, b *head) int { return byKey(&a.row, &b.row) })
			if !yield(least.row, nil) {
				return
			}
			row, err, more := least.next()
			if err != nil {
				yield(row, err)
				return
			}
			if least.row = row; !more {
				left = slices.DeleteFunc(left, func(h *head) bool { return h == least })
			}
		}
	}
}

func byKey(a, b *results.VerdictRow) int {
	return cmp.Or(strings.Compare(a.Track, b.Track), strings.Compare(a.Benchmark, b.Benchmark),
		strings.Compare(a.Solver, b.Solver))
}

// divisions holds the rankings' divisions, by track and logic.
type divisions map[[2]string]string

func divisionsOf(scores []results.ScoreRow) divisions {
	all := divisions{}
	for i := range scores {
		if s := &scores[i]; s.Logic != "" {
			all[[2]string{s.Track, s.Logic}] = s.Division
		}
	}
	return all
}

// of returns a run's division: the division in the rankings, or else the run's own division, or else its logic.
func (d divisions) of(track, logic, own string) string {
	return cmp.Or(d[[2]string{track, logic}], own, logic)
}

// fill sets the verdicts' divisions.
func (d divisions) fill(rows iter.Seq2[results.VerdictRow, error]) iter.Seq2[results.VerdictRow, error] {
	return func(yield func(results.VerdictRow, error) bool) {
		for v, err := range rows {
			v.Division = d.of(v.Track, v.Logic, v.Division)
			if !yield(v, err) {
				return
			}
		}
	}
}

// digests returns the tables' digests.
func digests(tables []stages.Artifact) (all []string) {
	for _, t := range tables {
		all = append(all, t.Digest.String())
	}
	return all
}

// identify returns a text that identifies tables, which the texts identify, with these divisions.
func (d divisions) identify(tables ...string) string {
	k := cache.NewKeyWriter("divided tables/1")
	for _, t := range tables {
		k.String("table", t)
	}
	for _, of := range slices.SortedFunc(maps.Keys(d), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		k.String(of[0]+"/"+of[1], d[of])
	}
	return k.Key().String()
}

// same reports whether every verdict in a table already has its division.
func (d divisions) same(store *cache.Store, t stages.Artifact) (same bool, err error) {
	same = true
	err = artifact.EachRow(store, t, []string{"track", "logic", "division"}, func(_ int64, v []table.Column, i int) {
		same = same && d.of(v[0].Text(i), v[1].Text(i), v[2].Text(i)) == v[2].Text(i)
	})
	return same, err
}

// readRuns reads what only the runs' records contain: memory limits, and where and how the runs were measured. Each
// run's measurements are read when a file shows them.
func (act *action) readRuns(store *cache.Store, in *site.Input) error {
	memory, days := map[string]int64{}, map[string]bool{}
	hardware, isolation, versions := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, t := range act.runs {
		err := artifact.EachRow(store, t, []string{"track", "memory_limit_bytes", "measured_at", "hardware",
			"isolation", "measured_with"}, func(_ int64, v []table.Column, i int) {
			if i > 0 && alike(v, i) {
				return
			}
			if track, limit := v[0].Text(i), v[1].IntAt(i); limit > memory[track] {
				memory[strings.Clone(track)] = limit
			}
			day, _, _ := strings.Cut(v[2].Text(i), "T")
			note(days, day)
			note(hardware, v[3].Text(i))
			note(isolation, v[4].Text(i))
			note(versions, v[5].Text(i))
		})
		if err != nil {
			return err
		}
	}
	for _, track := range slices.Sorted(maps.Keys(memory)) {
		in.Limits = append(in.Limits, site.TrackLimits{Track: track, MemoryBytes: memory[track]})
	}
	in.Provenance.Machine = slices.Concat(facts("Hardware", hardware), facts("Isolation of runs", isolation),
		period(days), facts("Measured with smtpipe", versions))
	in.Measured = sync.OnceValues(func() (func(string) (site.Measured, bool), error) {
		return act.readMeasurements(store)
	})
	in.MeasuredID = divisions(nil).identify(digests(act.runs)...)
	return nil
}

// alike reports whether a row is known to have the same values as the previous one.
func alike(columns []table.Column, i int) bool {
	for k := range columns {
		if c := &columns[k]; !c.Constant() && !c.Alike(i, i-1) {
			return false
		}
	}
	return true
}

// period returns the range of days on which runs were measured.
func period(days map[string]bool) []site.Fact {
	delete(days, "") // imported runs have no day
	all := slices.Sorted(maps.Keys(days))
	switch len(all) {
	case 0:
		return nil
	case 1:
		return []site.Fact{{Name: "Measured on (UTC)", Value: all[0]}}
	}
	return []site.Fact{{Name: "Measured on (UTC)", Value: all[0] + " to " + all[len(all)-1]}}
}

// note adds a copy of a text to a set. The text itself is valid only until the next row.
func note(set map[string]bool, text string) {
	if !set[text] {
		set[strings.Clone(text)] = true
	}
}

// facts returns a fact with the given name for each value of a set, in order.
func facts(name string, values map[string]bool) []site.Fact {
	delete(values, "") // imported runs have no value
	var all []site.Fact
	for _, v := range slices.Sorted(maps.Keys(values)) {
		all = append(all, site.Fact{Name: name, Value: v})
	}
	return all
}
