package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
)

func newTableDiffCommand() *cobra.Command {
	var ofResults, list, paths bool
	var format, track string
	cmd := &cobra.Command{
		Use:   "diff FIRST SECOND...",
		Short: "Compare lists of benchmarks, or results, of two or more years",
		Long: `diff compares each list of benchmarks (of a release, in any form that smtpipe reads) with the one before: for each logic that
differs, it prints how many benchmarks are new, removed, renamed and changed; with --list it prints each of them. A benchmark is
renamed if it is gone and a new one has the same digest; without digests, if exactly one new benchmark has the same file name and
agrees in everything that both lists say (status, assertions, check-sats). It is changed if its status, number of assertions or
check-sats, or digest differs. Benchmarks are compared by their paths below the collection. With --paths, as for two selections,
nothing counts as renamed or changed.

With --results the files are results, each [YEAR=]FILE; without YEAR the year is taken from the name. For each solver of each
track it prints on how many benchmarks it was run in both, and on how many of them the result is the same, gained (an answer where
there was none, more answered check-sats, or a smaller core), lost, or contradicts the earlier one. The line "(any)" counts what any
solver answers.

The exit code tells whether anything differs.

` + exit.Help,
		Example: `  smtpipe table diff benchmarks-2024.json.gz benchmarks-2025.json.gz
  smtpipe table diff --results --list results-sq-2024.json.gz results-sq-2025.json.gz`,
		Args: usageArgs(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			compared := func(files []string) (head, listHead []string, out changes, err error) {
				return compareBenchmarks(files, paths)
			}
			if ofResults {
				compared = func(files []string) (head, listHead []string, out changes, err error) {
					return compareResults(files, track)
				}
			}
			head, listHead, changes, err := compared(args)
			if err != nil {
				return err
			}
			rows := changes.counts
			if list {
				head, rows = listHead, changes.all
			}
			if err := writeCells(cmd.OutOrStdout(), format, head, rows); err != nil || len(changes.all) == 0 {
				return err
			}
			return exit.With(exit.Differs, nil)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&ofResults, "results", false, "the files are results, not lists of benchmarks")
	addResultsTrack(f, &track)
	f.BoolVar(&list, "list", false, "print each difference, not counts")
	f.BoolVar(&paths, "paths", false, "compare only which benchmarks there are")
	addCellsFlag(cmd, &format)
	return cmd
}

// changes holds all differences and the number of each kind.
type changes struct{ counts, all [][]any }

// benchmarkList is a list of benchmarks by libraryID.
type benchmarkList struct {
	name    string
	columns []string
	byID    map[string]*intake.Benchmark
}

func readBenchmarkList(file string) (*benchmarkList, error) {
	l := &benchmarkList{name: filepath.Base(file), byID: map[string]*intake.Benchmark{}}
	var err error
	l.columns, err = intake.Benchmarks(file, func(b *intake.Benchmark) error {
		id := libraryID(b)
		if l.byID[id] != nil {
			return fmt.Errorf("%s occurs twice", id)
		}
		kept := *b
		l.byID[id] = &kept
		return nil
	})
	return l, err
}

func compareBenchmarks(files []string, paths bool) (head, listHead []string, out changes, err error) {
	head = []string{"from", "to", "logic", "first", "second", "new", "removed", "renamed", "changed"}
	listHead = []string{"from", "to", "change", "benchmark", "detail"}
	lists := make([]*benchmarkList, len(files))
	for i, file := range files {
		if lists[i], err = readBenchmarkList(file); err != nil {
			return nil, nil, out, err
		}
	}
	for i, second := range lists[1:] {
		pair := pairOfLists{first: lists[i], second: second, paths: paths}
		pair.compare(&out)
	}
	return head, listHead, out, nil
}

// pairOfLists holds two lists for comparison.
type pairOfLists struct {
	first, second *benchmarkList
	paths         bool    // compare only the paths
	said          []field // fields that both lists contain
}

// field is a property of benchmarks that lists contain.
type field struct {
	column string
	of     func(*intake.Benchmark) string
}

// fields are the properties that show whether a benchmark has changed. Except for the digest, they also show whether
// two benchmarks are the same.
var fields = []field{
	{"status", func(b *intake.Benchmark) string { return b.Status }},
	{"asserts", func(b *intake.Benchmark) string { return fmt.Sprint(b.Asserts) }},
	{"check_sats", func(b *intake.Benchmark) string { return fmt.Sprint(b.CheckSats) }},
	{"sha256", func(b *intake.Benchmark) string { return b.SHA256 }},
}

func (p *pairOfLists) compare(out *changes) {
	for _, f := range fields {
		if !p.paths && slices.Contains(p.first.columns, f.column) && slices.Contains(p.second.columns, f.column) {
			p.said = append(p.said, f)
		}
	}
	var removed, added []string
	for _, id := range slices.Sorted(maps.Keys(p.first.byID)) {
		if p.second.byID[id] == nil {
			removed = append(removed, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.second.byID)) {
		if p.first.byID[id] == nil {
			added = append(added, id)
		}
	}
	renamed := p.renamed(removed, added)
	counts := map[string]*[6]int{} // numbers in the first and second list, then new, removed, renamed and changed
	count := func(logic string, what int) {
		if counts[logic] == nil {
			counts[logic] = &[6]int{}
		}
		counts[logic][what]++
	}
	note := func(what int, change, id, detail, logic string) {
		count(logic, what)
		out.all = append(out.all, cellsOf(p.first.name, p.second.name, change, id, detail))
	}
	became := map[string]bool{}
	for _, id := range removed {
		if to := renamed[id]; to != "" {
			became[to] = true
			note(4, "renamed", id, to, p.first.byID[id].Logic)
		} else {
			note(3, "removed", id, "", p.first.byID[id].Logic)
		}
	}
	for _, id := range added {
		if !became[id] {
			note(2, "new", id, "", p.second.byID[id].Logic)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.first.byID)) {
		old := p.first.byID[id]
		count(old.Logic, 0)
		if b := p.second.byID[id]; b != nil {
			if detail := p.differences(old, b); detail != "" {
				note(5, "changed", id, detail, b.Logic)
			}
		}
	}
	for _, b := range p.second.byID {
		count(b.Logic, 1)
	}
	for _, logic := range slices.Sorted(maps.Keys(counts)) {
		c := counts[logic]
		if c[0] != c[1] || c[2]+c[3]+c[4]+c[5] > 0 {
			row := cellsOf(p.first.name, p.second.name, logic)
			for _, n := range c {
				row = append(row, n)
			}
			out.counts = append(out.counts, row)
		}
	}
}

// differences returns a benchmark's differences between the first and the second list.
func (p *pairOfLists) differences(a, b *intake.Benchmark) string {
	var texts []string
	for _, f := range p.said {
		if x, y := f.of(a), f.of(b); x != y {
			texts = append(texts, fmt.Sprintf("%s %s -> %s", f.column, cmp.Or(x, "none"), cmp.Or(y, "none")))
		}
	}
	return strings.Join(texts, ", ")
}

// renamed returns the new names of removed benchmarks.
func (p *pairOfLists) renamed(removed, added []string) map[string]string {
	same := func(b *intake.Benchmark) string {
		parts := []string{collectionOf(b), b.Name}
		for _, f := range p.said {
			if f.column == "sha256" && b.SHA256 != "" {
				return b.SHA256 // independent of the benchmark's name
			}
			parts = append(parts, f.of(b))
		}
		return strings.Join(parts, "\x00")
	}
	of := func(list *benchmarkList, ids []string) map[string][]string {
		all := map[string][]string{}
		for _, id := range ids {
			key := same(list.byID[id])
			all[key] = append(all[key], id)
		}
		return all
	}
	renamed := map[string]string{}
	if p.paths {
		return renamed
	}
	after := of(p.second, added)
	for key, ids := range of(p.first, removed) {
		if len(ids) == 1 && len(after[key]) == 1 {
			renamed[ids[0]] = after[key][0]
		}
	}
	return renamed
}

// resultKey identifies a run in a year. anySolver represents all solvers.
type resultKey struct{ track, solver, benchmark string }

const anySolver = "(any)"

// outcome is a run's result.
type outcome struct {
	answer  string // sat, unsat or empty
	answers int64  // number of answered check-sats, or size of the core; -1 if not stated
	text    string // text as published
}

func readOutcomes(arg, track string) (map[resultKey]outcome, string, error) {
	rows, file, err := readResults(arg, track)
	if err != nil {
		return nil, "", err
	}
	all := make(map[resultKey]outcome, len(rows))
	for i := range rows {
		r := &rows[i]
		if r.Year != rows[0].Year {
			return nil, "", exit.With(exit.Usage, fmt.Errorf("%s has results of %d and %d; compare files of one year each",
				file, rows[0].Year, r.Year))
		}
		path := r.Benchmark
		if _, below, ok := comp.LibraryPath(path); ok {
			path = below
		}
		o := outcomeOf(r)
		all[resultKey{r.Track, r.Solver, path}] = o
		of := resultKey{r.Track, anySolver, path}
		old, known := all[of]
		switch {
		case !known || old.answer == "" && o.answer != "":
			all[of] = outcome{o.answer, -1, cmp.Or(o.answer, "no answer")}
		case o.answer != "" && !strings.Contains(old.answer, o.answer):
			all[of] = outcome{"sat or unsat", -1, "sat and unsat"}
		}
	}
	return all, filepath.Base(file), nil
}

func outcomeOf(r *results.HistoryRow) outcome {
	o := outcome{answers: -1, text: cmp.Or(r.Result, r.Answer)}
	if r.Answer == string(comp.AnswerSat) || r.Answer == string(comp.AnswerUnsat) {
		o.answer = r.Answer
	}
	if r.Track == comp.Incremental.String() || r.Track == comp.UnsatCore.String() {
		o.answers = r.Answers
		o.text = fmt.Sprintf("%s, %d", o.text, o.answers)
	}
	return o
}

// How a result may differ from the earlier one.
const (
	isSame = iota
	isGained
	isLost
	isContradicting
)

var changeNames = [...]string{isSame: "same", isGained: "gained", isLost: "lost", isContradicting: "contradicts"}

// against compares an outcome with an earlier one in the same track.
func (o outcome) against(old outcome, track string) int {
	switch {
	case old.answer != "" && o.answer != "" && old.answer != o.answer:
		return isContradicting
	case old.answer == "" && o.answer != "":
		return isGained
	case old.answer != "" && o.answer == "":
		return isLost
	case old.answers < 0 || o.answers < 0 || old.answers == o.answers:
		return isSame
	}
	more := o.answers > old.answers
	if track == comp.UnsatCore.String() && old.answers > 0 && o.answers > 0 {
		more = !more // a smaller core is better, and 0 means none
	}
	if more {
		return isGained
	}
	return isLost
}

func compareResults(files []string, track string) (head, listHead []string, out changes, err error) {
	head = []string{"from", "to", "track", "solver", "first", "second", "both", "same", "gained", "lost", "contradicts"}
	listHead = []string{"from", "to", "change", "track", "solver", "benchmark", "first", "second"}
	var first map[resultKey]outcome
	var firstName string
	for i, file := range files {
		second, name, err := readOutcomes(file, track)
		if err != nil {
			return nil, nil, out, err
		}
		if i > 0 {
			pairOfResults(&out, firstName, name, first, second)
		}
		first, firstName = second, name
	}
	return head, listHead, out, nil
}

// pairOfResults compares the results in two files. Solvers and benchmarks that only one of the files contains do not
// count as differences.
func pairOfResults(out *changes, from, to string, first, second map[resultKey]outcome) {
	type place struct{ track, solver string }
	type count struct {
		first, second, both int
		of                  [len(changeNames)]int
	}
	counts := map[place]*count{}
	at := func(k resultKey) *count {
		p := place{k.track, k.solver}
		if counts[p] == nil {
			counts[p] = &count{}
		}
		return counts[p]
	}
	for k := range second {
		at(k).second++
	}
	keys := slices.SortedFunc(maps.Keys(first), func(a, b resultKey) int {
		return cmp.Or(cmp.Compare(a.track, b.track), cmp.Compare(a.solver, b.solver),
			cmp.Compare(a.benchmark, b.benchmark))
	})
	for _, k := range keys {
		c, old := at(k), first[k]
		c.first++
		o, ok := second[k]
		if !ok {
			continue
		}
		c.both++
		change := o.against(old, k.track)
		c.of[change]++
		if change != isSame {
			out.all = append(out.all, cellsOf(from, to, changeNames[change], k.track, k.solver, k.benchmark,
				old.text, o.text))
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(counts), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.track, b.track), cmp.Compare(a.solver, b.solver))
	}) {
		c := counts[p]
		row := append(cellsOf(from, to, p.track, p.solver), c.first, c.second, c.both)
		for _, n := range c.of {
			row = append(row, n)
		}
		out.counts = append(out.counts, row)
	}
}
