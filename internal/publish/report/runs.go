package report

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// runTable holds a division's runs in columns, in the order of the verdicts: by benchmark, then by solver. Half a
// million runs fit into a few tens of megabytes.
type runTable struct {
	solvers  *names
	teams    []string // teams of the solvers
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
	detail  []detail // nil if no run has details
	texts   *names   // texts of the details
}

type familyRef struct {
	logic  int
	name   string
	folder string // folder of the family's benchmarks, with a trailing slash
}

type bench struct {
	family int
	name   string // the path below the folder
	path   string
	status string
	script string // digest of the script
}

// detail holds the data that only a run's details show. Texts are represented by indexes in runTable.texts.
type detail struct {
	key                          [32]byte // run key; zero if otherKey contains it
	otherKey                     uint32   // index of a run key that is not 64 hexadecimal digits
	stdout, stdoutSHA, stderrSHA uint32
	validation                   uint32
	counts
}

// counts holds a dialogue's or core's numbers.
type counts struct{ checks, checksCorrect, checksWrong, assertions, coreSize int32 }

func countsOf(j *run.Judged) counts {
	return counts{int32(j.Checks), int32(j.ChecksCorrect), int32(j.ChecksWrong), int32(j.Assertions), int32(j.CoreSize)}
}

// runKey returns the run key in hexadecimal.
func (t *runTable) runKey(d *detail) string {
	if d.key == [32]byte{} {
		return t.texts.list[d.otherKey]
	}
	return hex.EncodeToString(d.key[:])
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
	s = strings.Clone(s) // the text may be part of a large one
	n.at[s] = len(n.list)
	n.list = append(n.list, s)
	return len(n.list) - 1
}

func newRunTable() *runTable {
	return &runTable{solvers: newNames(), answers: newNames(), verdicts: newNames(), endings: newNames(),
		reasons: newNames(), texts: newNames()}
}

// verdicts reads the runs once and distributes them to their divisions.
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

// count adds a run to its track's and its solver's totals.
func (b *builder) count(d *division, v *results.VerdictRow) {
	t, s := d.track, b.solver(v.Solver)
	for _, l := range []*limits{&t.limits, &d.limits} {
		l.wall, l.cores = max(l.wall, float64(v.WallLimitS)), max(l.cores, v.Cores)
	}
	t.totals.Runs++
	t.totals.CPUSeconds += float64(v.CPUTimeS)
	s.runs++
	s.cpuSeconds += float64(v.CPUTimeS)
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
			s.wrong = append(s.wrong, wrongRunOf(d, v))
		}
	}
}

func wrongRunOf(d *division, v *results.VerdictRow) wrongRun {
	return wrongRun{division: d, benchmark: strings.Clone(v.Benchmark), status: v.Status, answer: v.Answer,
		reason: v.Reason, wall: float64(v.WallTimeS), stdout: strings.Clone(v.Stdout),
		log: strings.Clone(v.StdoutSHA256)}
}

// add appends a run. fresh means that it is the first run on its benchmark.
func (t *runTable) add(v *results.VerdictRow) (fresh bool, err error) {
	if n := len(t.benches); n == 0 || t.benches[n-1].path != v.Benchmark {
		t.addBench(v)
		fresh = true
	}
	solver, reason := t.solvers.of(v.Solver), t.reasons.of(v.Reason)
	answer, verdict, ending := t.answers.of(v.Answer), t.verdicts.of(v.Verdict), t.endings.of(string(v.Ending))
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
	t.wall, t.cpu, t.memory = append(t.wall, float64(v.WallTimeS)), append(t.cpu, float64(v.CPUTimeS)),
		append(t.memory, v.MemoryBytes)
	if t.detail == nil && !hasMore(v) {
		return fresh, nil
	}
	for len(t.detail) < len(t.bench)-1 {
		t.detail = append(t.detail, t.detailOf(&results.VerdictRow{}))
	}
	t.detail = append(t.detail, t.detailOf(v))
	return fresh, nil
}

// detailOf extracts a run's details.
func (t *runTable) detailOf(v *results.VerdictRow) detail {
	text := func(s string) uint32 { return uint32(t.texts.of(s)) }
	d := detail{stdout: text(v.Stdout), stdoutSHA: text(v.StdoutSHA256), stderrSHA: text(v.StderrSHA256),
		validation: text(v.Validation), counts: countsOf(&v.Judged)}
	if key, err := hex.DecodeString(v.RunKey); err == nil && hex.EncodeToString(key) == v.RunKey &&
		len(key) == len(d.key) {
		d.key = [32]byte(key)
		return d
	}
	d.otherKey = text(v.RunKey)
	return d
}

// hasMore reports whether a run has details beyond the columns.
func hasMore(v *results.VerdictRow) bool {
	return v.RunKey != "" || v.Stdout != "" || v.StdoutSHA256 != "" || v.StderrSHA256 != "" || v.Validation != "" ||
		v.Checks > 1 || v.Assertions > 0
}

func (t *runTable) addBench(v *results.VerdictRow) {
	li := slices.Index(t.logics, v.Logic)
	if li < 0 {
		li = len(t.logics)
		t.logics = append(t.logics, v.Logic)
	}
	path := strings.Clone(v.Benchmark)
	slash := strings.LastIndexByte(path, '/') + 1
	ref := familyRef{li, v.Family, path[:slash]}
	fi := len(t.families) - 1
	if fi < 0 || t.families[fi] != ref {
		fi = len(t.families)
		t.families = append(t.families, ref)
	}
	t.benches = append(t.benches, bench{family: fi, name: path[slash:], path: path, status: v.Status,
		script: strings.Clone(v.ScriptSHA256)})
}

// sortedSolvers returns the solver numbers in name order, so that colours and lists are stable.
func (t *runTable) sortedSolvers() []int {
	order := make([]int, len(t.solvers.list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return foldOrder(t.solvers.list[x], t.solvers.list[y]) })
	return order
}

// solved returns the times of every solver's correct runs in ascending order, by solver number.
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
