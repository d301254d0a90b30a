package lists

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
)

// Changes holds all differences between lists, and their numbers.
type Changes struct{ Counts, All Table }

// tally counts the members of two lists, and how they differ, by group.
type tally struct {
	names  []string // names of the two lists
	counts []string // names of the counts
	groups map[string][]int
}

func newTally(first, second string, counts []string) *tally {
	return &tally{[]string{first, second}, counts, map[string][]int{}}
}

// add adds 1 to a count of a group, which several texts can name.
func (t *tally) add(count string, group ...string) {
	name := strings.Join(group, diff.KeyEnd)
	if t.groups[name] == nil {
		t.groups[name] = make([]int, len(t.counts))
	}
	t.groups[name][slices.Index(t.counts, count)]++
}

// rows returns the groups that keep accepts, with their counts.
func (t *tally) rows(keep func(counts []int) bool) (rows [][]any) {
	for _, group := range slices.Sorted(maps.Keys(t.groups)) {
		counts := t.groups[group]
		if !keep(counts) {
			continue
		}
		row := cellsOf(slices.Concat(t.names, strings.Split(group, diff.KeyEnd))...)
		for _, n := range counts {
			row = append(row, n)
		}
		rows = append(rows, row)
	}
	return rows
}

// benchmarkList is a list of benchmarks by libraryID.
type benchmarkList struct {
	name    string
	columns []string
	byID    map[string]*intake.Benchmark
}

func readBenchmarkList(file string) (*benchmarkList, error) {
	l := &benchmarkList{name: filepath.Base(file), byID: map[string]*intake.Benchmark{}}
	var err error
	l.columns, err = eachBenchmark(file, func(id string, b *intake.Benchmark) {
		kept := *b
		l.byID[id] = &kept
	})
	return l, err
}

var changeCounts = []string{"first", "second", "new", "removed", "renamed", "changed"}

// CompareBenchmarks compares each list of benchmarks with the one before. With paths, only the paths count, so nothing
// is renamed or changed.
func CompareBenchmarks(files []string, paths bool) (*Changes, error) {
	out := &Changes{Counts: Table{Head: append([]string{"from", "to", "logic"}, changeCounts...)},
		All: Table{Head: []string{"from", "to", "change", "benchmark", "detail"}}}
	var first *benchmarkList
	for i, file := range files {
		second, err := readBenchmarkList(file)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			pair := pairOfLists{first: first, second: second}
			if !paths {
				pair.said = slices.DeleteFunc(slices.Clone(fields), func(f field) bool {
					return !slices.Contains(first.columns, f.column) || !slices.Contains(second.columns, f.column)
				})
				pair.findRenamed()
			}
			pair.compare(out)
		}
		first = second
	}
	return out, nil
}

// pairOfLists holds two lists for comparison.
type pairOfLists struct {
	first, second *benchmarkList
	said          []field           // fields that both lists contain; none if only paths count
	to, from      map[string]string // new names of renamed benchmarks, and their old names
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

func (p *pairOfLists) compare(out *Changes) {
	t := newTally(p.first.name, p.second.name, changeCounts)
	for id, x := range diff.Pairs(p.first.byID, p.second.byID, strings.Compare) {
		change, detail, logic := "", "", ""
		if x.InFrom {
			logic = x.From.Logic
			t.add("first", logic)
		}
		if x.InTo {
			t.add("second", x.To.Logic)
		}
		switch {
		case !x.InTo && p.to[id] != "":
			change, detail = "renamed", p.to[id]
		case !x.InTo:
			change = "removed"
		case !x.InFrom && p.from[id] == "":
			change, logic = "new", x.To.Logic
		case x.InFrom:
			if detail = p.differences(x.From, x.To); detail != "" {
				change, logic = "changed", x.To.Logic
			}
		}
		if change != "" {
			t.add(change, logic)
			out.All.Rows = append(out.All.Rows, cellsOf(p.first.name, p.second.name, change, id, detail))
		}
	}
	out.Counts.Rows = append(out.Counts.Rows, t.rows(func(n []int) bool {
		return n[0] != n[1] || slices.ContainsFunc(n[2:], func(n int) bool { return n > 0 })
	})...)
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

// findRenamed finds the benchmarks that only one list has, and that no other such benchmark resembles.
func (p *pairOfLists) findRenamed() {
	p.to, p.from = map[string]string{}, map[string]string{}
	gone, came := p.only(p.first, p.second), p.only(p.second, p.first)
	for resemblance, ids := range gone {
		if len(ids) == 1 && len(came[resemblance]) == 1 {
			p.to[ids[0]], p.from[came[resemblance][0]] = came[resemblance][0], ids[0]
		}
	}
}

// only returns the benchmarks that only the first of two lists has, by what a renamed benchmark keeps.
func (p *pairOfLists) only(list, other *benchmarkList) map[string][]string {
	all := map[string][]string{}
	for id, b := range list.byID {
		if other.byID[id] == nil {
			kept := p.kept(b)
			all[kept] = append(all[kept], id)
		}
	}
	return all
}

// kept returns what identifies a renamed benchmark: its digest or, without one, its file name and all that both lists
// say.
func (p *pairOfLists) kept(b *intake.Benchmark) string {
	parts := []string{collectionOf(b), b.Name}
	for _, f := range p.said {
		if f.column == "sha256" && b.SHA256 != "" {
			return b.SHA256
		}
		parts = append(parts, f.of(b))
	}
	return strings.Join(parts, diff.KeyEnd)
}
