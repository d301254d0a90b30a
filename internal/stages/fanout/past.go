package fanout

import (
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Spent is the time that a run takes, in seconds.
type Spent struct{ CPU, Wall float64 }

// Past holds earlier runs, by which later ones are estimated, in 40 bytes each instead of whole rows. Times are cut at
// the limits of the later runs. A run that was ended by its limit is assumed to use up the new one.
type Past struct {
	limit    Spent
	seed     maphash.Seed
	runs     []pastRun // sorted by hash after sort, the one that counts first
	solvers  map[string]int32
	bySolver []average
	all      average
	read     int // rows
}

type pastRun struct {
	hash uint64 // of several runs of one pair, the one with the largest rank counts
	rank int64  // of several runs of one pair the largest counts
	Spent
	solver int32
}

// average is the sum of several runs.
type average struct {
	Spent
	n int64
}

func (a *average) add(s Spent) { a.CPU, a.Wall, a.n = a.CPU+s.CPU, a.Wall+s.Wall, a.n+1 }

func (a *average) mean() Spent { return Spent{a.CPU / float64(a.n), a.Wall / float64(a.n)} }

// NewPast returns an empty Past for runs with these limits.
func NewPast(limit Spent) *Past {
	return &Past{limit: limit, seed: maphash.MakeSeed(), solvers: map[string]int32{}}
}

// Len returns the number of runs that were read, including repeated attempts and the runs of several years.
func (p *Past) Len() int { return p.read }

// Mean returns the average of all runs.
func (p *Past) Mean() Spent { return p.all.mean() }

// Latest reads a table of runs, which takes precedence over all others. visit gets the size of each run's output. A
// table that cannot be read to its end is not used.
func (p *Past) Latest(store *cache.Store, art stages.Artifact, visit func(stdout, stderr int64)) error {
	return p.readTable(store, art, []string{"ending", "stdout_bytes", "stderr_bytes"},
		func(row int64, t Spent, v []table.Column, i int) (Spent, int64, bool) {
			if visit != nil {
				visit(v[1].IntAt(i), v[2].IntAt(i))
			}
			if v[0].Text(i) == string(comp.WallTimeout) {
				scaled := t.CPU * p.limit.Wall / max(t.Wall, 1e-9)
				t = Spent{max(t.CPU, min(p.limit.CPU, scaled)), p.limit.Wall}
			}
			return t, math.MaxInt64>>1 + row, true // of several attempts the last counts
		})
}

// History reads the runs of earlier competitions in a track. A later table takes precedence over an earlier one. Within
// a table the latest run counts, since its rows are sorted by year.
func (p *Past) History(store *cache.Store, tables []stages.Artifact, track string) {
	for n, art := range tables {
		_ = p.readTable(store, art, []string{"track"},
			func(row int64, t Spent, v []table.Column, i int) (Spent, int64, bool) {
				return t, int64(n)<<40 + row, v[0].Text(i) == track && t.Wall >= 0
			})
	}
}

// readTable adds the runs of a table. visit returns their times and ranks from further columns. If the table cannot be
// read to its end, none is added.
func (p *Past) readTable(store *cache.Store, art stages.Artifact, columns []string,
	visit func(row int64, t Spent, v []table.Column, i int) (Spent, int64, bool)) error {
	had := len(p.runs)
	columns = append([]string{"benchmark", "solver", "cpu_time_s", "wall_time_s"}, columns...)
	err := artifact.EachRow(store, art, columns, func(row int64, v []table.Column, i int) {
		wall := v[3].FloatAt(i)
		t := Spent{v[2].FloatAt(i), wall}
		if t.CPU < 0 { // not known
			t.CPU = wall
		}
		if t, rank, ok := visit(row, t, v[4:], i); ok {
			p.add(v[0].Text(i), v[1].Text(i), rank, t)
		}
	})
	if err != nil {
		p.runs = p.runs[:had]
	}
	p.read += len(p.runs) - had
	p.sort()
	return err
}

// add enters a run.
func (p *Past) add(benchmark, solver string, rank int64, t Spent) {
	j, ok := p.solvers[solver]
	if !ok {
		j = int32(len(p.solvers))
		p.solvers[strings.Clone(solver)] = j // the text belongs to a page that is released
	}
	p.runs = append(p.runs, pastRun{p.hash(benchmark, solver), rank, Spent{min(t.CPU, p.limit.CPU),
		min(t.Wall, p.limit.Wall)}, j})
}

// hash returns a hash of a run's name.
func (p *Past) hash(benchmark, solver string) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	h.WriteString(benchmark)
	h.WriteByte('@')
	h.WriteString(solver)
	return h.Sum64()
}

// sort keeps one run of each pair and computes the averages.
func (p *Past) sort() {
	slices.SortFunc(p.runs, func(a, b pastRun) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(b.rank, a.rank))
	})
	p.runs = slices.CompactFunc(p.runs, func(a, b pastRun) bool { return a.hash == b.hash })
	p.bySolver, p.all = make([]average, len(p.solvers)), average{}
	for _, r := range p.runs {
		p.bySolver[r.solver].add(r.Spent)
		p.all.add(r.Spent)
	}
}

// Find returns the time that a run took.
func (p *Past) Find(benchmark, solver string) (t Spent, ok bool) {
	hash := p.hash(benchmark, solver)
	i, ok := slices.BinarySearchFunc(p.runs, hash, func(r pastRun, h uint64) int { return cmp.Compare(r.hash, h) })
	if ok {
		t = p.runs[i].Spent
	}
	return t, ok
}

// Estimate returns the time that a run took, or else the average of the solver's runs, or else the average of all runs.
func (p *Past) Estimate(benchmark, solver string) Spent {
	if t, ok := p.Find(benchmark, solver); ok {
		return t
	}
	if j, ok := p.solvers[solver]; ok && p.bySolver[j].n > 0 {
		return p.bySolver[j].mean()
	}
	return p.Mean()
}
