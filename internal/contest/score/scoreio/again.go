package scoreio

import (
	"slices"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/results"
	column "github.com/smtpipe/smtpipe/internal/data/table"
)

// known remembers the data of earlier rows of a batch of a Parquet file. Most rows repeat the benchmark's data of the
// row before and the solver's data of an earlier row. Columns show that for all rows of the batch at once, so that it
// need not be read and looked up again. CSV, which has no dictionary of solvers, is read row by row.
type known struct {
	// The columns of a table: names, the answer and the times,
	solver, name, answer, wall, cpu int

	ofBenchmark, ofSolver []int // other columns about benchmarks and solvers; -1: missing
	ofRun                 []int // columns that most tracks lack

	batch   *results.Batch
	codes   []int32       // of solvers, by row; nil: nothing is known in this batch
	news    []bool        // by row: its benchmark's data differs from the row before,
	others  []bool        // or its solver's data from the solver's first row
	runs    []bool        // or the columns ofRun from the row before
	renamed []bool        // by row: only the benchmark's name differs from those rows
	answers []string      // by code of the answer, or unreadable
	track   string        // of the last row
	spots   []*score.Spot // by solver: of a run in that track; nil if there was none
	next    int           // the row after the last one that was added
}

// start prepares a new batch.
func (k *known) start(t *table) {
	*k = known{solver: k.solver, name: k.name, answer: k.answer, wall: k.wall, cpu: k.cpu,
		ofBenchmark: k.ofBenchmark, ofSolver: k.ofSolver, ofRun: k.ofRun, batch: t.batch}
	if k.solver < 0 {
		return
	}
	solvers := t.values(k.solver)
	if !solvers.IsCoded() {
		return
	}
	names := solvers.Dictionary()
	firsts := slices.Repeat([]int32{-1}, len(names.Words))
	before, first := make([]int32, t.batch.Rows), make([]int32, t.batch.Rows) // by row: numbers of rows
	for i, code := range names.Codes {
		if firsts[code] < 0 {
			firsts[code] = int32(i)
		}
		before[i], first[i] = int32(max(i-1, 0)), firsts[code]
	}
	k.codes, k.spots = names.Codes, make([]*score.Spot, len(names.Words))
	k.news, k.others, k.runs = t.differ(k.ofBenchmark, before), t.differ(k.ofSolver, first), t.differ(k.ofRun, before)
	k.renamed = make([]bool, t.batch.Rows)
	named := t.differ([]int{k.name}, before)
	for i := range k.renamed {
		k.renamed[i] = !k.news[i] && !k.others[i] && !k.runs[i]
	}
	for i := range named {
		k.news[i] = k.news[i] || named[i]
	}
}

// unreadable marks an answer that must be parsed. No real answer equals it.
const unreadable = "\xff"

// look prepares to read rows that differ only in names, answers and times. It returns false if the batch has these in
// another form.
func (k *known) look(t *table, minus bool) bool {
	if k.answers != nil {
		return len(k.answers) > 0
	}
	k.answers = []string{}
	for i, kind := range map[int]column.Kind{k.name: column.String, k.answer: column.String, k.wall: column.Float,
		k.cpu: column.Float} {
		if c := t.values(i); c.Null() != nil || c.Kind() != kind {
			return false
		}
	}
	if !t.values(k.answer).IsCoded() {
		return false
	}
	for _, word := range t.values(k.answer).Dictionary().Words {
		if at := slices.Index(answers, word); at >= 0 {
			word = answers[at]
		} else if !minus || !utf8.ValidString(word) {
			word = unreadable
		}
		k.answers = append(k.answers, word)
	}
	return true
}

// differ reports for each row i whether it differs in some columns from row of[i].
func (t *table) differ(columns []int, of []int32) []bool {
	marks := make([]bool, t.batch.Rows)
	for _, i := range columns {
		if i >= 0 {
			t.values(i).Differ(of, marks)
		}
	}
	return marks
}

// more reads the rows after the current one, as long as only their names, answers and times are new.
func (k *known) more(t *table, b *score.Builder, minus bool) {
	if !k.look(t, minus) {
		return
	}
	name, wall, cpu, coded := t.values(k.name), t.values(k.wall), t.values(k.cpu), t.values(k.answer).Dictionary().Codes
	for at := t.at + 1; at < t.batch.Rows && k.renamed[at]; at++ {
		of, answer := k.spots[k.codes[at]], k.answers[coded[at]]
		w, err := score.TimeOfSeconds(wall.FloatAt(at))
		c, err2 := score.TimeOfSeconds(cpu.FloatAt(at))
		if of == nil || answer == unreadable || err != nil || err2 != nil {
			return
		}
		if !b.More(name.StringAt(at), *of, answer, w, c) {
			return
		}
		t.at, k.next = at, at+1
	}
}

// spot returns an earlier place of the current row's solver, if the row's data about its benchmark equals that of the
// row before, and its data about its solver is known.
func (k *known) spot(t *table) *score.Spot {
	if k.batch != t.batch {
		k.start(t)
	}
	if k.codes == nil || k.next != t.at || k.news[t.at] || k.others[t.at] {
		return nil
	}
	return k.spots[k.codes[t.at]]
}

// sameRun reports whether the current row, which must have a spot, equals the row before in the columns ofRun.
func (k *known) sameRun(t *table) bool { return !k.runs[t.at] }

// note remembers where a row was added.
func (k *known) note(t *table, row *score.Row, at score.Spot) {
	if k.codes == nil {
		return
	}
	if k.next = t.at + 1; k.track != row.Track {
		clear(k.spots)
		k.track = row.Track
	}
	if x := &k.spots[k.codes[t.at]]; *x == nil && !k.others[t.at] {
		*x = &at
	}
}
