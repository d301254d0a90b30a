package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
)

// runTable holds the runs of a division by columns, in the order of the verdicts: by benchmark, then solver. Half a
// million runs fit into some tens of megabytes.
type runTable struct {
	solvers  *names
	teams    []string // of the solvers
	logics   []string
	families []familyRef
	benches  []bench
	answers  *names
	verdicts *names
	endings  *names
	reasons  *names

	bench   []uint32
	solver  []uint16
	answer  []uint8
	verdict []uint8
	ending  []uint8
	reason  []uint16
	wall    []float64
	cpu     []float64
	memory  []int64
	detail  []detail // nil when no run has any
}

type familyRef struct {
	logic  int
	name   string
	folder string // of its benchmarks, with a slash at the end
}

type bench struct {
	family int
	name   string // the rest of the path
	path   string
	status string
	script string // digest
}

// detail is what only the details of a run show.
type detail struct {
	runKey, stdout, stdoutSHA, stderrSHA string
	checks, checksCorrect, checksWrong   int64
	assertions, coreSize                 int64
	validation                           string
}

// names numbers texts in the order of their first use.
type names struct {
	list []string
	at   map[string]int
}

func newNames() *names { return &names{at: map[string]int{}} }

func (n *names) of(s string) int {
	if i, ok := n.at[s]; ok {
		return i
	}
	n.at[s] = len(n.list)
	n.list = append(n.list, s)
	return len(n.list) - 1
}

func newRunTable() *runTable {
	return &runTable{solvers: newNames(), answers: newNames(), verdicts: newNames(), endings: newNames(),
		reasons: newNames()}
}

// verdicts reads the runs once and files them under their divisions.
func (b *builder) verdicts(ctx context.Context) error {
	if b.m.in.Verdicts == nil {
		return nil
	}
	last := [3]string{}
	families := map[[3]string]*familyCount{}
	var order []*familyCount
	var owners []*track
	n := 0
	for v, err := range b.m.in.Verdicts {
		if err != nil {
			return fmt.Errorf("read the verdicts: %w", err)
		}
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		key := [3]string{v.Track, v.Benchmark, v.Solver}
		if slices.Compare(key[:], last[:]) <= 0 && n > 1 {
			return fmt.Errorf("the verdicts are not sorted by track, benchmark and solver, or name a run twice: %s "+
				"%s %s", v.Track, v.Benchmark, v.Solver)
		}
		last = key
		d := b.division(v.Track, first(v.Division, v.Logic))
		if d.runs == nil {
			d.runs = newRunTable()
		}
		fresh, err := d.runs.add(&v)
		if err != nil {
			return err
		}
		b.count(d, &v)
		if fresh {
			k := [3]string{v.Track, v.Logic, v.Family}
			f, ok := families[k]
			if !ok {
				f = &familyCount{Logic: v.Logic, Family: v.Family}
				families[k] = f
				order, owners = append(order, f), append(owners, d.track)
			}
			f.add(v.Status)
		}
	}
	for i, f := range order {
		owners[i].families = append(owners[i].families, *f)
	}
	return nil
}

func (f *familyCount) add(status string) {
	f.Benchmarks++
	switch comp.Status(status) {
	case comp.StatusSat:
		f.Sat++
	case comp.StatusUnsat:
		f.Unsat++
	default:
		f.Unknown++
	}
}

// count adds a run to the totals of its track and solver.
func (b *builder) count(d *division, v *results.VerdictRow) {
	t, s := d.track, b.solver(v.Solver)
	t.wallLimit, t.cores = max(t.wallLimit, v.WallLimitS), max(t.cores, v.Cores)
	t.totals.Runs++
	t.totals.CPUSeconds += v.CPUTimeS
	s.runs++
	s.cpuSeconds += v.CPUTimeS
	s.competitive = s.competitive || v.Competitive
	s.team, s.base = first(s.team, v.Team), first(s.base, v.BaseSolver)
	switch comp.Verdict(v.Verdict) {
	case comp.Correct:
		t.totals.Correct++
		s.correct++
	case comp.Wrong:
		t.totals.Wrong++
		s.wrongTotal++
		if len(s.wrong) < maxWrong {
			s.wrong = append(s.wrong, wrongRun{division: d, benchmark: v.Benchmark, status: v.Status, answer: v.Answer,
				reason: v.Reason,
				wall:   v.WallTimeS, stdout: v.Stdout, log: v.StdoutSHA256})
		}
	}
}

// add appends a run. fresh reports whether it is the first of its benchmark.
func (t *runTable) add(v *results.VerdictRow) (fresh bool, err error) {
	if n := len(t.benches); n == 0 || t.benches[n-1].path != v.Benchmark {
		t.addBench(v)
		fresh = true
	}
	solver, reason := t.solvers.of(v.Solver), t.reasons.of(v.Reason)
	answer, verdict, ending := t.answers.of(v.Answer), t.verdicts.of(v.Verdict), t.endings.of(v.Ending)
	if solver > 0xFFFF || reason > 0xFFFF || max(answer, verdict, ending) > 0xFF {
		return false, fmt.Errorf("the runs of division %q have more than 65,536 solvers or reasons, or more than 256 "+
			"answers, verdicts or endings", v.Division)
	}
	if solver == len(t.teams) {
		t.teams = append(t.teams, v.Team)
	}
	t.bench = append(t.bench, uint32(len(t.benches)-1))
	t.solver = append(t.solver, uint16(solver))
	t.reason = append(t.reason, uint16(reason))
	t.answer, t.verdict, t.ending = append(t.answer, uint8(answer)), append(t.verdict, uint8(verdict)),
		append(t.ending, uint8(ending))
	t.wall, t.cpu, t.memory = append(t.wall, v.WallTimeS), append(t.cpu, v.CPUTimeS), append(t.memory, v.MemoryBytes)
	d := detail{runKey: v.RunKey, stdout: v.Stdout, stdoutSHA: v.StdoutSHA256, stderrSHA: v.StderrSHA256,
		checks:        v.Checks,
		checksCorrect: v.ChecksCorrect, checksWrong: v.ChecksWrong, assertions: v.Assertions, coreSize: v.CoreSize,
		validation: v.Validation}
	if t.detail == nil && !d.hasMore() {
		return fresh, nil
	}
	for len(t.detail) < len(t.bench)-1 {
		t.detail = append(t.detail, detail{})
	}
	t.detail = append(t.detail, d)
	return fresh, nil
}

// hasMore reports whether the detail says more than the columns.
func (d *detail) hasMore() bool {
	return d.runKey != "" || d.stdout != "" || d.stdoutSHA != "" || d.stderrSHA != "" || d.validation != "" ||
		d.checks > 1 || d.assertions > 0
}

func (t *runTable) addBench(v *results.VerdictRow) {
	li := slices.Index(t.logics, v.Logic)
	if li < 0 {
		li = len(t.logics)
		t.logics = append(t.logics, v.Logic)
	}
	slash := strings.LastIndexByte(v.Benchmark, '/') + 1
	ref := familyRef{li, v.Family, v.Benchmark[:slash]}
	fi := len(t.families) - 1
	if fi < 0 || t.families[fi] != ref {
		fi = len(t.families)
		t.families = append(t.families, ref)
	}
	t.benches = append(t.benches, bench{family: fi, name: v.Benchmark[slash:], path: v.Benchmark, status: v.Status,
		script: v.ScriptSHA256})
}

// sortedSolvers returns the numbers of the solvers in the order of their names, for stable colours and lists.
func (t *runTable) sortedSolvers() []int {
	order := make([]int, len(t.solvers.list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return foldOrder(t.solvers.list[x], t.solvers.list[y]) })
	return order
}

// solved returns the ascending times of the correct runs of every solver, by its number.
func (t *runTable) solved(times []float64) [][]float64 {
	out := make([][]float64, len(t.solvers.list))
	correct, ok := t.verdicts.at[string(comp.Correct)]
	if !ok {
		return out
	}
	for i, v := range t.verdict {
		if int(v) == correct {
			out[t.solver[i]] = append(out[t.solver[i]], times[i])
		}
	}
	for _, ts := range out {
		slices.SortFunc(ts, cmp.Compare)
	}
	return out
}
