package verify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Measurement is the result of repeating a sample of the runs.
type Measurement struct {
	Seed           uint64          `json:"seed"`
	Here           string          `json:"machine"`
	Isolation      string          `json:"isolation"`
	Elsewhere      bool            `json:"other_machine"` // whether another machine measured the originals
	Factor         float64         `json:"machine_factor"`
	Runs           int             `json:"runs"`
	Contradictions []Contradiction `json:"contradictions"`
	Times          []SolverTimes   `json:"times"`
	NotMade        []string        `json:"not_made"` // runs that could not be repeated, with reasons

	results []results.HistoryRow
}

// Contradiction is a run whose answers differ from the original ones.
type Contradiction struct {
	Benchmark string `json:"benchmark"`
	Solver    string `json:"solver"`
	Then      string `json:"answers_then"`
	Now       string `json:"answers_now"`
	LogThen   string `json:"log_then"`
	LogNow    string `json:"log_now"`
}

// Contradicts reports whether the repeated runs contradict the original ones.
func (m *Measurement) Contradicts() bool {
	return len(m.Contradictions) > 0 || slices.ContainsFunc(m.Times, func(t SolverTimes) bool {
		return t.Verdict == TimesDiffer
	})
}

// measured is a measured table of runs.
type measured struct {
	addr, output string
	rows         []results.RunRow
}

// remeasure repeats a sample of the runs and compares them with the records.
func (v *verification) remeasure(ctx context.Context, e *engine.Engine, again *engine.Rechecked) error {
	m := &Measurement{Seed: v.Sample.Seed, Here: v.Hardware, Isolation: string(runner.Full),
		Contradictions: []Contradiction{}, NotMade: []string{}}
	v.report.Measurement = m
	m.Elsewhere = !slices.Equal(v.folder.Hardware(), []string{v.Hardware})
	tables, divisions, err := v.measured(again)
	if err != nil {
		return err
	}
	strata := v.strata(tables, divisions)
	chosen := map[cache.Key]bool{}
	for _, key := range v.Sample.choose(strata) {
		chosen[key] = true
	}
	pairs := map[string][]timePair{}
	for _, t := range tables {
		if !slices.ContainsFunc(t.rows, func(r results.RunRow) bool { return chosen[keyOf(&r)] }) {
			continue
		}
		outputs, err := e.Remeasure(ctx, t.addr, chosen)
		if errors.Is(err, runner.ErrIsolation) {
			return &CannotError{fmt.Errorf("a frozen folder's programs require full isolation: %w", err)}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.addr, err)
		}
		if err := v.compareRuns(&t, outputs[t.output], chosen, pairs); err != nil {
			return err
		}
	}
	m.Times, m.Factor = compareTimes(pairs, m.Elsewhere, m.Seed)
	return nil
}

// measured returns the tables of runs, and the runs' divisions by run key.
func (v *verification) measured(again *engine.Rechecked) (tables []measured, divisions map[string]string, err error) {
	divisions = map[string]string{}
	for i := range again.Steps {
		step := &again.Steps[i]
		absent, err := Absent(v.store, v.folder, step.Args)
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(v.absent, absent)
		for _, name := range slices.Sorted(maps.Keys(step.Outputs)) {
			art, ok := stages.ArtifactOf(step.Outputs[name])
			switch {
			case ok && results.SchemaOf[results.RunRow]().Reads(art.Schema) && step.Measured != nil &&
				step.Err == nil && len(step.Different) == 0:
				rows, err := artifact.ReadTable[results.RunRow](v.store, art)
				if err != nil {
					return nil, nil, err
				}
				tables = append(tables, measured{step.Addr, name, results.LastAttempts(rows)})
			case ok && art.Schema == "verdicts/1":
				var names table.Dictionary
				err := artifact.EachRow(v.store, art, []string{"run_key", "division"},
					func(_ int64, of []table.Column, i int) {
						divisions[strings.Clone(of[0].Text(i))] = names.Words[names.Code(of[1].Text(i))]
					})
				if err != nil {
					return nil, nil, err
				}
			}
		}
	}
	return tables, divisions, nil
}

// strata returns the runs that this machine can repeat, by solver and division, and records why it cannot repeat the
// others.
func (v *verification) strata(tables []measured, divisions map[string]string) map[stratum][][32]byte {
	all, not := map[stratum][][32]byte{}, map[string]int{}
	for _, t := range tables {
		for i := range t.rows {
			r := &t.rows[i]
			script, err := cache.ParseDigest(r.ScriptSHA256)
			switch {
			case err != nil || !v.folder.Has(script):
				not["their scripts are not in the folder: it was not frozen with --inputs"]++
			case v.absent[r.Solver]:
				not[fmt.Sprintf("the program of solver %s is missing or different", r.Solver)]++
			default:
				s := stratum{r.Solver, divisions[r.RunKey]}
				all[s] = append(all[s], keyOf(r))
			}
		}
	}
	for _, why := range slices.Sorted(maps.Keys(not)) {
		v.report.Measurement.NotMade = append(v.report.Measurement.NotMade, fmt.Sprintf("%d runs: %s", not[why], why))
	}
	return all
}

// Absent returns a stage's solvers whose programs or archives are missing on this machine. archives contains the
// available archives.
func Absent(store *cache.Store, archives interface{ Has(cache.Digest) bool }, args *stages.Args) (map[string]bool,
	error) {
	absent := map[string]bool{}
	for _, name := range args.AbsentSolvers() {
		absent[name] = true
	}
	for _, art := range args.AllArtifacts() {
		if art.Schema != "solvers/1" && art.Schema != "programs/1" {
			continue
		}
		err := artifact.EachRow(store, art, []string{"solver", "program", "archive_sha256"},
			func(_ int64, columns []table.Column, i int) {
				archive, err := cache.ParseDigest(columns[2].Text(i))
				_, statErr := os.Stat(columns[1].Text(i))
				if err == nil && !archives.Has(archive) || err != nil && statErr != nil {
					absent[columns[0].Text(i)] = true
				}
			})
		if err != nil {
			return nil, err
		}
	}
	return absent, nil
}

func keyOf(r *results.RunRow) cache.Key {
	key, _ := cache.ParseKey(r.RunKey) // an invalid key has already been reported
	return key
}

// compareRuns compares the repeated runs with the original ones.
func (v *verification) compareRuns(t *measured, now cty.Value, chosen map[cache.Key]bool,
	pairs map[string][]timePair) error {
	m := v.report.Measurement
	art, _ := stages.ArtifactOf(now)
	rows, err := artifact.ReadTable[results.RunRow](v.store, art)
	if err != nil {
		return err
	}
	rows = results.LastAttempts(rows)
	for i := range rows {
		a, b := &t.rows[i], &rows[i] // both lists contain the same pairs in the same order
		if !chosen[keyOf(a)] {
			continue
		}
		m.Runs++
		m.results = append(m.results, resultOf(b))
		pairs[a.Solver] = append(pairs[a.Solver], timePair{float64(a.CPUTimeS), float64(b.CPUTimeS)})
		then, logThen := Answers(v.store, a)
		is, logNow := Answers(v.store, b)
		if !Agree(a, b, then, is) {
			m.Contradictions = append(m.Contradictions, Contradiction{a.Benchmark, a.Solver, said(a, then), said(b, is),
				logThen, logNow})
		}
	}
	return nil
}

// Answers returns the answers in a run's output, and the start of the output.
func Answers(store *cache.Store, r *results.RunRow) (all []string, log string) {
	stdout := []byte(r.Stdout)
	if d, err := cache.ParseDigest(r.StdoutSHA256); err == nil {
		if stdout, err = store.ReadBytes(d); err != nil {
			return nil, ""
		}
	}
	for line := range strings.Lines(string(stdout)) {
		if isAnswer([]byte(line)) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	const most = 2000
	if len(stdout) > most {
		stdout = stdout[:most]
	}
	return all, strings.ToValidUTF8(string(stdout), "?")
}

// resultOf converts a run to a row of history/1, for tools that handle only results.
func resultOf(r *results.RunRow) results.HistoryRow {
	h := results.HistoryRow{Identity: r.Identity, Usage: r.Usage, Result: string(r.Ending), Answers: -1}
	if t, err := time.Parse(time.RFC3339, r.MeasuredAt); err == nil {
		h.Year = int64(t.Year())
	}
	for line := range strings.Lines(r.Stdout) {
		if status, err := comp.ParseStatus(strings.TrimSpace(line)); err == nil {
			h.Answer = string(status)
			break
		}
	}
	return h
}

// WriteResults writes the repeated runs as a history/1 table in CSV, for a stage "import". If several stages execute a
// solver on the same benchmark, the table contains only the first stage's run.
func (m *Measurement) WriteResults(w io.Writer) error {
	byRun := func(a, b results.HistoryRow) int {
		return cmp.Or(cmp.Compare(a.Benchmark, b.Benchmark), cmp.Compare(a.Year, b.Year),
			cmp.Compare(a.Track, b.Track), cmp.Compare(a.Solver, b.Solver))
	}
	rows := slices.SortedStableFunc(slices.Values(m.results), byRun)
	rows = slices.CompactFunc(rows, func(a, b results.HistoryRow) bool { return byRun(a, b) == 0 })
	var parquet bytes.Buffer
	if err := results.Write(&parquet, rows); err != nil {
		return err
	}
	return results.Export(w, bytes.NewReader(parquet.Bytes()), int64(parquet.Len()), results.CSV)
}

func said(r *results.RunRow, answers []string) string {
	if len(answers) == 0 {
		return string(r.Ending) + " without an answer"
	}
	return strings.Join(answers, " ")
}

// Agree reports whether two executions of a run produced the same answers, up to the first limit that ended either of
// them.
func Agree(a, b *results.RunRow, then, now []string) bool {
	n := min(len(then), len(now))
	if !slices.Equal(then[:n], now[:n]) {
		return false
	}
	return len(then) == len(now) || len(then) == n && limited(a) || len(now) == n && limited(b)
}

// limited reports whether a limit ended the run.
func limited(r *results.RunRow) bool {
	e := comp.Ending(r.Ending)
	return e != comp.Exited && e != comp.Signalled
}
