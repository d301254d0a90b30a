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

// Past holds earlier runs, which serve to estimate later ones, in 40 bytes per run instead of a whole row. Times are
// cut off at the later runs' limits. A run that its limit ended is assumed to reach the later limit as well.
type Past struct {
	limit    Spent
	seed     maphash.Seed
	runs     []pastRun // after sort, in hash order; of equal hashes, the run that counts comes first
	solvers  map[string]int32
	bySolver []average
	all      average
	read     int // number of rows read
}

type pastRun struct {
	hash uint64 // hash of benchmark and solver
	rank int64  // of several runs, the one with the largest rank counts
	Spent
	solver int32
}

// average holds the sum of some runs' times and the number of these runs.
type average struct {
	Spent
	n int64
}

func (a *average) add(s Spent) { a.CPU, a.Wall, a.n = a.CPU+s.CPU, a.Wall+s.Wall, a.n+1 }

func (a *average) mean() Spent { return Spent{a.CPU / float64(a.n), a.Wall / float64(a.n)} }

// NewPast returns an empty Past for runs with the given limits.
func NewPast(limit Spent) *Past {
	return &Past{limit: limit, seed: maphash.MakeSeed(), solvers: map[string]int32{}}
}

// Len returns the number of runs that were read, including repeated attempts and runs of several years.
func (p *Past) Len() int { return p.read }

// Mean returns the average of all runs.
func (p *Past) Mean() Spent { return p.all.mean() }

// Latest reads a table of runs, which takes precedence over all others. visit receives the size of each run's output. A
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
			return t, math.MaxInt64>>1 + row, true // the last attempt counts
		})
}

// History reads the runs of earlier competitions in a track. Later tables take precedence over earlier ones. Within a
// table, whose rows are sorted by year, the latest run counts.
func (p *Past) History(store *cache.Store, tables []stages.Artifact, track string) {
	for n, art := range tables {
		_ = p.readTable(store, art, []string{"track"},
			func(row int64, t Spent, v []table.Column, i int) (Spent, int64, bool) {
				return t, int64(n)<<40 + row, v[0].Text(i) == track && t.Wall >= 0
			})
	}
}

// readTable adds a table's runs. visit returns their times and ranks from additional columns. If the table cannot be
// read to its end, no run is added.
func (p *Past) readTable(store *cache.Store, art stages.Artifact, columns []string,
	visit func(row int64, t Spent, v []table.Column, i int) (Spent, int64, bool)) error {
	had := len(p.runs)
	columns = append([]string{"benchmark", "solver", "cpu_time_s", "wall_time_s"}, columns...)
	err := artifact.EachRow(store, art, columns, func(row int64, v []table.Column, i int) {
		wall := v[3].FloatAt(i)
		t := Spent{v[2].FloatAt(i), wall}
		if t.CPU < 0 { // unknown
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
		p.solvers[strings.Clone(solver)] = j // the text belongs to a page that will be released
	}
	p.runs = append(p.runs, pastRun{p.hash(benchmark, solver), rank, Spent{min(t.CPU, p.limit.CPU),
		min(t.Wall, p.limit.Wall)}, j})
}

// hash returns the hash of a run's benchmark and solver.
func (p *Past) hash(benchmark, solver string) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	h.WriteString(benchmark)
	h.WriteByte('@')
	h.WriteString(solver)
	return h.Sum64()
}

// sort keeps one run per pair and computes the averages.
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

// Find returns a run's time.
func (p *Past) Find(benchmark, solver string) (t Spent, ok bool) {
	hash := p.hash(benchmark, solver)
	i, ok := slices.BinarySearchFunc(p.runs, hash, func(r pastRun, h uint64) int { return cmp.Compare(r.hash, h) })
	if ok {
		t = p.runs[i].Spent
	}
	return t, ok
}

// Estimate returns a run's time, or else the average of its solver's runs, or else the average of all runs.
func (p *Past) Estimate(benchmark, solver string) Spent {
	if t, ok := p.Find(benchmark, solver); ok {
		return t
	}
	if j, ok := p.solvers[solver]; ok && p.bySolver[j].n > 0 {
		return p.bySolver[j].mean()
	}
	return p.Mean()
}
