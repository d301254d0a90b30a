// Package filter provides the "filter" stage: it drops benchmarks according to rules, and records the reason for each
// dropped benchmark.
package filter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/choices"
)

var scope = rowexpr.Scope{Vars: []rowexpr.Var{
	{Name: "b", Record: stages.RecordOf(results.SchemaOf[results.BenchmarkRow]()), Doc: "the benchmark"},
	{Name: "h", Record: HistoryRecord, Doc: "its runs in earlier competitions"},
}}

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "filter",
	Version: 4,
	Summary: "Drops benchmarks by rules",
	Doc: `Keeps the benchmarks that no drop rule matches. The rules are tried in the order in which they are written, and the
first that holds is recorded as the reason. A benchmark with a problem (it does not parse, it is not where its logic says) is
always dropped, with the problem as the reason. Retired benchmarks are dropped before all others, each with the reason from
the list of retired benchmarks.`,
	Example: `stage "filter" "hard" {
  benchmarks = stage.index.library.benchmarks
  history    = stage.import.history.runs

  drop "easy" {
    when   = h.runs >= 2 && h.all_solved && h.max_cpu < 1
    reason = "solved by all in less than a second" # rules 2026 §6 (2)
    trivial = true                                 # is counted next to the selected ones
  }
}`,
	Attrs: []stages.Attr{
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Required: true,
			Doc: "the benchmarks to choose from"},
		{Name: "retired", Type: stages.TableType("unfit/1"),
			Doc: "benchmarks that the organisers retired, which are dropped first"},
		{Name: "history", Type: stages.TableType("history/1"),
			Doc: "runs from earlier competitions, summarised per benchmark by h"},
		{Name: "track", Type: cty.String, Doc: "count only runs of this track in h"},
		{Name: "years", Type: cty.List(cty.Number), Doc: "count only runs of these years in h"},
		{Name: "runs_per_year", Type: cty.Number, Whole: stages.WholeFrom(1), Default: cty.NumberIntVal(1),
			Doc: "count only years in which the benchmark has at least this many runs in h"},
	},
	Blocks: []stages.Block{{
		Name:  "drop",
		Label: "name of the rule",
		Doc:   "a rule that drops benchmarks",
		Attrs: []stages.Attr{
			{Name: "when", Type: cty.Bool, Row: &stages.Row{Scope: scope}, Required: true,
				Doc: "the benchmark is dropped if this is true"},
			{Name: "reason", Type: cty.String, Doc: "the reason, for people; default: the rule's name"},
			{Name: "trivial", Type: cty.Bool, Doc: "the rule drops trivial (easy) benchmarks, which a selection's " +
				"table counts; default: false"},
			{Name: "each_year", Type: cty.Bool, Doc: "h summarises each year's runs separately, and the rule " +
				"applies if it is true for any year; default: h summarises all years' runs together"},
		},
	}},
	Outputs: []stages.Output{
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Doc: "the benchmarks that are kept"},
		{Name: "exclusions", Type: stages.TableType("exclusions/1"), Doc: "numbers of benchmarks by logic and reason"},
		{Name: "choices", Type: stages.TableType("choices/1"), Doc: "the reason for each dropped benchmark"},
		{Name: "count", Type: cty.Number, Doc: "number of benchmarks that are kept"},
	},
	New:   newAction,
	Quick: stages.Always,
	Extent: func(_ *stages.Args, of func(string) (stages.Extent, bool)) (stages.Extent, bool) {
		return of("benchmarks")
	},
}

type rule struct {
	name     string
	at       hcl.Range
	reason   string
	trivial  bool
	eachYear bool
	when     *rowexpr.Expr
}

type action struct {
	benchmarks stages.Artifact
	retired    *stages.Artifact
	history    *stages.Artifact
	counted    Counted
	rules      []rule
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{counted: Counted{Track: a.String("track")}}
	act.benchmarks, _ = a.Artifact("benchmarks")
	act.retired, act.history = a.OptionalArtifact("retired"), a.OptionalArtifact("history")
	act.counted.Years = a.Ints("years")
	names := map[string]bool{}
	var errs []error
	act.counted.RunsPerYear = a.Int("runs_per_year")
	for _, b := range a.Blocks("drop") {
		if names[b.Label] {
			errs = append(errs, b.Invalid("when", fmt.Sprintf("Rule %q occurs twice", b.Label),
				"Give every drop rule of a stage its own name."))
		}
		names[b.Label] = true
		r := rule{name: b.Label, at: b.RangeOf("when"), reason: b.String("reason"), when: b.Row("when"),
			trivial: b.Bool("trivial"), eachYear: b.Bool("each_year")}
		if r.reason == "" {
			r.reason = b.Label
		}
		if !a.Has("history") && UsesHistory(r.when) {
			errs = append(errs, b.Invalid("when", "There is no history", "This rule uses earlier runs (h), but "+
				"the stage has no history attribute."))
		}
		act.rules = append(act.rules, r)
	}
	return act, errors.Join(errs...)
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	// Open the table first, because waiting for a core must not close it.
	b, err := choices.Open(env, act.benchmarks)
	if err != nil {
		return err
	}
	if err := env.Cores.Acquire(ctx, 1); err != nil { // running several filters concurrently would only use more memory
		return err
	}
	defer env.Cores.Release(1)
	env.Progress.Start(int64(b.Len()), "benchmarks", false)
	past, err := act.summary(env)
	if err != nil {
		return err
	}
	f, err := act.retire(env.Store, b)
	if err != nil {
		return err
	}
	if err := f.apply(ctx, act.rules, past); err != nil {
		return err
	}
	env.Progress.Add(int64(b.Len()), "")
	if b.Len() > 0 && !slices.Contains(f.by, kept) {
		if err := act.warnOfNone(env, f); err != nil {
			return err
		}
	}
	if err := act.warnOfIdle(env, f); err != nil {
		return err
	}
	return f.setOutputs(env)
}

// warnOfIdle warns about rules that hold for no benchmark because of the texts they compare with, such as a misspelt
// family or logic. A limit that no benchmark exceeds is not a mistake. A year's rules suit that year's release.
func (act *action) warnOfIdle(env *stages.Env, f *fates) error {
	for k, r := range act.rules {
		if f.holds[k] || f.b.Len() == 0 || strings.HasPrefix(r.at.Filename, rules.Builtin) {
			continue
		}
		texts, err := choices.ComparesTexts(f.b, r.when)
		if err != nil {
			return err
		}
		if !texts {
			continue
		}
		values, err := choices.Values(f.b, r.when)
		if err != nil {
			return err
		}
		env.Log.Warn(fmt.Sprintf("the rule %q (%s line %d) holds for none of %d benchmarks; is a name misspelt? They "+
			"have %s", r.name, r.at.Filename, r.at.Start.Line, f.b.Len(), values))
	}
	return nil
}

// warnOfNone warns that the rules drop all benchmarks, and lists the number that each rule drops.
func (act *action) warnOfNone(env *stages.Env, f *fates) error {
	reasons := map[string]int64{}
	for row, n := range f.tally() {
		reasons[row.Reason] += n
	}
	var exprs []*rowexpr.Expr
	for _, r := range act.rules {
		exprs = append(exprs, r.when)
	}
	return choices.WarnOfNone(env, f.b, reasons, exprs...)
}

// fates records whether each benchmark is kept, and why.
type fates struct {
	b    *choices.Benchmarks
	by   []int  // per benchmark: kept, problem, or the index in whys of the reason for dropping it
	whys []fate // reasons for dropping; the rules' reasons come first, in order

	holds []bool // per rule: the rule holds for at least one benchmark
}

// fate is a reason for dropping benchmarks.
type fate struct {
	reason  string
	trivial bool
}

const (
	kept    = -1
	problem = -2 // the benchmark cannot be read
)

// retire returns the initial fates, which cover retired benchmarks and benchmarks with a problem.
func (act *action) retire(store *cache.Store, b *choices.Benchmarks) (*fates, error) {
	f := &fates{b: b, by: make([]int, b.Len()), holds: make([]bool, len(act.rules))}
	for _, r := range act.rules {
		f.whys = append(f.whys, fate{r.reason, r.trivial})
	}
	for i := range f.by {
		f.by[i] = kept
		if b.Problems.At(i) != "" {
			f.by[i] = problem
		}
	}
	if act.retired == nil || act.retired.Rows == 0 {
		return f, nil
	}
	retired, err := artifact.ReadTable[results.UnfitRow](store, *act.retired)
	if err != nil {
		return nil, err
	}
	paths, err := b.Paths()
	if err != nil {
		return nil, err
	}
	whys := map[string]int{}
	for _, r := range retired {
		i, ok := slices.BinarySearch(paths, r.Benchmark)
		if !ok {
			continue // an earlier filter dropped the benchmark
		}
		k, ok := whys[r.Reason]
		if !ok {
			k = len(f.whys)
			whys[r.Reason], f.whys = k, append(f.whys, fate{reason: "retired: " + r.Reason})
		}
		f.by[i] = k
	}
	return f, nil
}

// apply determines the rule that drops each benchmark: the first rule that holds.
func (f *fates) apply(ctx context.Context, rules []rule, past past) error {
	for k, r := range rules {
		for _, history := range past.of(r) {
			holds, err := r.holds(ctx, f.b, history)
			if err != nil {
				return fmt.Errorf("rule %q: %w", r.reason, err)
			}
			f.holds[k] = f.holds[k] || slices.Contains(holds, true)
			for i, h := range holds {
				if h && f.by[i] == kept {
					f.by[i] = k
				}
			}
		}
	}
	return nil
}

// holds returns the benchmarks for which the rule holds.
func (r *rule) holds(ctx context.Context, b *choices.Benchmarks, history History) ([]bool, error) {
	if len(history) == 0 || !UsesHistory(r.when) {
		return rowexpr.EvaluateTable("b", b.Table, r.when, func(frame *table.Frame) ([]bool, error) {
			// Without histories, the columns may come from any benchmarks.
			history.AddColumns(frame, make([]string, frame.Len()), r.when)
			return r.when.Bools(ctx, frame)
		})
	}
	paths, err := b.Paths()
	if err != nil {
		return nil, err
	}
	frame := table.NewFrame(b.Len())
	if err := rowexpr.SetColumns(frame, "b", b.Table, r.when); err != nil {
		return nil, err
	}
	history.AddColumns(frame, paths, r.when)
	return r.when.Bools(ctx, frame)
}

// UsesHistory reports whether an expression uses h.
func UsesHistory(e *rowexpr.Expr) bool {
	isHistory := func(use string) bool { return use == "h" || strings.HasPrefix(use, "h.") }
	return e != nil && slices.ContainsFunc(e.Uses(), isHistory)
}

func (f *fates) setOutputs(env *stages.Env) error {
	keep, drop := make([]bool, len(f.by)), make([]bool, len(f.by))
	for i, k := range f.by {
		keep[i], drop[i] = k == kept, k != kept
	}
	stay, err := f.b.Table.Where(keep)
	if err != nil {
		return err
	}
	return errors.Join(
		env.Set("count", cty.NumberIntVal(int64(stay.Len()))),
		f.setChoices(env, drop),
		choices.SetBenchmarks(env, stay),
		stages.SetTable(env, "exclusions", exclusions(f.tally())),
	)
}

// setChoices sets the output with the reasons for dropping benchmarks.
func (f *fates) setChoices(env *stages.Env, drop []bool) error {
	gone, err := f.b.Where(drop)
	if err != nil {
		return err
	}
	made := choices.New(gone.Len())
	reasons := make([]int32, len(f.whys))
	for k, why := range f.whys {
		reasons[k] = made.Reason(why.reason)
	}
	i := 0
	for _, k := range f.by {
		switch k {
		case kept:
			continue
		case problem:
			made.Set(i, false, made.Reason(gone.Problems.At(i)))
		default:
			made.Set(i, false, reasons[k])
		}
		i++
	}
	return made.SetTable(env, gone)
}

// reason returns why a benchmark is kept or dropped.
func (f *fates) reason(i int) results.ExclusionRow {
	logic := f.b.Logics.At(i)
	switch k := f.by[i]; k {
	case kept:
		return results.ExclusionRow{Logic: logic, Reason: "kept"}
	case problem:
		return results.ExclusionRow{Logic: logic, Reason: f.b.Problems.At(i)}
	default:
		return results.ExclusionRow{Logic: logic, Reason: f.whys[k].reason, Trivial: f.whys[k].trivial}
	}
}

// tally counts the benchmarks with each fate. Successive benchmarks usually share a fate, which saves map look-ups.
func (f *fates) tally() map[results.ExclusionRow]int64 {
	counts := map[results.ExclusionRow]int64{}
	by, logics, problems := f.by, f.b.Logics.Codes, f.b.Problems.Codes
	for from := 0; from < len(by); {
		to := from + 1
		for to < len(by) && by[to] == by[from] && logics[to] == logics[from] && problems[to] == problems[from] {
			to++
		}
		counts[f.reason(from)] += int64(to - from)
		from = to
	}
	return counts
}

// exclusions returns the table of counts. Rules with the same reason share a row, which is trivial if one of the rules
// is.
func exclusions(counts map[results.ExclusionRow]int64) []results.ExclusionRow {
	type key struct{ logic, reason string }
	index := map[key]int{}
	var table []results.ExclusionRow // the table is sorted when it is written
	for row, n := range counts {
		at, ok := index[key{row.Logic, row.Reason}]
		if !ok {
			at = len(table)
			index[key{row.Logic, row.Reason}] = at
			table = append(table, results.ExclusionRow{Logic: row.Logic, Reason: row.Reason})
		}
		table[at].Count += n
		table[at].Trivial = table[at].Trivial || row.Trivial
	}
	return table
}

// ExplainItem implements stages.ItemExplainer: it returns the rule that drops a benchmark, if there is one.
func (act *action) ExplainItem(store *cache.Store, outputs map[string]cty.Value, item string) ([]cache.Component,
	error) {
	why, err := choices.Explain(store, outputs, item)
	if !errors.Is(err, choices.ErrNone) {
		return why, err
	}
	art, ok := stages.ArtifactOf(outputs["benchmarks"])
	if !ok {
		return nil, err
	}
	b, openErr := choices.OpenStored(store, art)
	if openErr != nil {
		return nil, openErr
	}
	paths, pathsErr := b.Paths()
	if pathsErr != nil {
		return nil, pathsErr
	}
	i, ok := choices.FindBenchmark(paths, item)
	if !ok {
		return nil, err
	}
	return choices.Components(&results.ChoiceRow{Benchmark: paths[i], Logic: b.Logics.At(i), Selected: true,
		Reason: "no rule drops it"}), nil
}
