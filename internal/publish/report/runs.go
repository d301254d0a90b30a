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
	solvers *names
	// teams, bases and competitive describe the solvers.
	teams, bases []string
	competitive  []bool
	limits       runLimits
	logics       []string
	families     []familyRef
	benches      []bench
	answers      *names
	verdicts     *names
	endings      *names
	reasons      *names

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
	keys    []byte   // run keys, keySize bytes for each run up to the last one with a key; zero if there is none
	texts   *names   // texts of the details
	id      string   // identifies the content; empty if the runs are not kept
}

// runLimits are the largest limits of a division's runs.
type runLimits struct {
	Wall  float64 // in seconds
	Cores int64
}

type familyRef struct {
	Logic  int
	Name   string
	Folder string // folder of the family's benchmarks, with a trailing slash
}

type bench struct {
	Family int
	Path   string
	Status string
	Script string // digest of the script
}

// name returns the benchmark's path below its family's folder.
func (b *bench) name() string { return b.Path[strings.LastIndexByte(b.Path, '/')+1:] }

// detail holds the data that only a run's details show. Texts are represented by indexes in runTable.texts.
type detail struct {
	OtherKey                     uint32 // index of a run key that is not in runTable.keys
	Stdout, StdoutSHA, StderrSHA uint32
	Validation                   uint32
	Counts
}

// Counts holds a dialogue's or core's numbers.
type Counts struct{ Checks, ChecksCorrect, ChecksWrong, Assertions, CoreSize int32 }

func countsOf(j *run.Judged) Counts {
	return Counts{int32(j.Checks), int32(j.ChecksCorrect), int32(j.ChecksWrong), int32(j.Assertions), int32(j.CoreSize)}
}

// keySize is the size of a run key in bytes.
const keySize = 32

// runKey returns a run's key in hexadecimal.
func (t *runTable) runKey(run int) string {
	if to := keySize * (run + 1); to <= len(t.keys) && [keySize]byte(t.keys[to-keySize:]) != [keySize]byte{} {
		return hex.EncodeToString(t.keys[to-keySize : to])
	}
	return t.texts.list[t.detail[run].OtherKey]
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

// number restores the texts' numbers from the list.
func (n *names) number() {
	for i, s := range n.list {
		n.at[s] = i
	}
}

func newRunTable() *runTable {
	return &runTable{solvers: newNames(), answers: newNames(), verdicts: newNames(), endings: newNames(),
		reasons: newNames(), texts: newNames()}
}

// verdicts distributes the runs to their divisions and counts them. The runs come from an earlier report on the same
// verdicts, or else from the verdicts, which are read once.
func (b *builder) verdicts(ctx context.Context) error {
	if b.m.in.Verdicts == nil {
		return nil
	}
	if !b.kept() {
		if err := b.readVerdicts(ctx); err != nil {
			return err
		}
		if err := b.keep(); err != nil {
			return err
		}
	}
	tracks := slices.Clone(b.m.tracks)
	slices.SortFunc(tracks, func(x, y *track) int { return strings.Compare(x.name, y.name) })
	for _, t := range tracks {
		b.count(t)
	}
	return nil
}

func (b *builder) readVerdicts(ctx context.Context) error {
	last := [3]string{}
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
		if err := d.runs.add(&v); err != nil {
			return err
		}
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

// block is the runs on a benchmark: those from index from to index to of a division's runs.
type block struct {
	d        *division
	path     string
	from, to int
}

// blocks returns a track's runs in the order of the verdicts. It makes sums the same to the last bit, whether the runs
// were read or kept.
func (t *track) blocks() (all []block) {
	for _, d := range t.divisions {
		if d.runs == nil {
			continue
		}
		for from, to := 0, 0; from < len(d.runs.bench); from = to {
			for to = from; to < len(d.runs.bench) && d.runs.bench[to] == d.runs.bench[from]; to++ {
			}
			all = append(all, block{d, d.runs.benches[d.runs.bench[from]].Path, from, to})
		}
	}
	slices.SortStableFunc(all, func(x, y block) int { return strings.Compare(x.path, y.path) })
	return all
}

// count adds a track's runs to the totals of the track and of the solvers.
func (b *builder) count(t *track) {
	solvers := map[*division][]*solver{}
	for _, d := range t.divisions {
		if d.runs != nil {
			solvers[d] = b.describe(d)
		}
	}
	families := map[[2]string]*familyCount{}
	for _, x := range t.blocks() {
		runs, of := x.d.runs, solvers[x.d]
		for i := x.from; i < x.to; i++ {
			t.countRun(of[runs.solver[i]], x.d, i)
		}
		bench := &runs.benches[runs.bench[x.from]]
		ref := &runs.families[bench.Family]
		k := [2]string{runs.logics[ref.Logic], ref.Name}
		if families[k] == nil {
			families[k] = &familyCount{Logic: k[0], Family: k[1]}
		}
		families[k].add(bench.Status)
	}
	for _, f := range families {
		t.families = append(t.families, *f)
	}
}

// describe adds what a division's runs say about limits and solvers. It returns the solvers in the runs' numbering.
func (b *builder) describe(d *division) (solvers []*solver) {
	t, runs := d.track, d.runs
	d.limits.wall, d.limits.cores = runs.limits.Wall, runs.limits.Cores
	t.limits.wall, t.limits.cores = max(t.limits.wall, d.limits.wall), max(t.limits.cores, d.limits.cores)
	for k, name := range runs.solvers.list {
		s := b.solver(name)
		s.competitive = s.competitive || runs.competitive[k]
		s.team, s.base = first(s.team, runs.teams[k]), first(s.base, runs.bases[k])
		solvers = append(solvers, s)
	}
	return solvers
}

// countRun adds a division's run to the totals of the track and the solver.
func (t *track) countRun(s *solver, d *division, run int) {
	runs := d.runs
	t.totals.Runs++
	t.totals.CPUSeconds += runs.cpu[run]
	s.runs++
	s.cpuSeconds += runs.cpu[run]
	switch comp.Verdict(runs.verdicts.list[runs.verdict[run]]) {
	case comp.Correct:
		t.totals.Correct++
		s.correct++
	case comp.Wrong:
		t.totals.Wrong++
		s.wrongTotal++
		if len(s.wrong) < maxWrong {
			s.wrong = append(s.wrong, d.wrongRun(run))
		}
	}
}

func (d *division) wrongRun(i int) wrongRun {
	t := d.runs
	b := &t.benches[t.bench[i]]
	w := wrongRun{division: d, benchmark: b.Path, status: b.Status, answer: t.answers.list[t.answer[i]],
		reason: t.reasons.list[t.reason[i]], wall: t.wall[i]}
	if t.detail != nil {
		w.stdout, w.log = t.texts.list[t.detail[i].Stdout], t.texts.list[t.detail[i].StdoutSHA]
	}
	return w
}

// add appends a run.
func (t *runTable) add(v *results.VerdictRow) error {
	if n := len(t.benches); n == 0 || t.benches[n-1].Path != v.Benchmark {
		t.addBench(v)
	}
	solver, reason := t.solvers.of(v.Solver), t.reasons.of(v.Reason)
	answer, verdict, ending := t.answers.of(v.Answer), t.verdicts.of(v.Verdict), t.endings.of(string(v.Ending))
	if solver > 0xFFFF || reason > 0xFFFF || max(answer, verdict, ending) > 0xFF {
		return fmt.Errorf("the runs of division %q have more than 65,536 solvers or reasons, or more than 256 "+
			"answers, verdicts or endings", v.Division)
	}
	if solver == len(t.teams) {
		t.teams, t.bases, t.competitive = append(t.teams, ""), append(t.bases, ""), append(t.competitive, false)
	}
	t.teams[solver], t.bases[solver] = first(t.teams[solver], v.Team), first(t.bases[solver], v.BaseSolver)
	t.competitive[solver] = t.competitive[solver] || v.Competitive
	t.limits.Wall, t.limits.Cores = max(t.limits.Wall, float64(v.WallLimitS)), max(t.limits.Cores, v.Cores)
	t.bench = append(t.bench, uint32(len(t.benches)-1))
	t.solver = append(t.solver, uint16(solver))
	t.reason = append(t.reason, uint16(reason))
	t.answer, t.verdict, t.ending = append(t.answer, uint8(answer)), append(t.verdict, uint8(verdict)),
		append(t.ending, uint8(ending))
	t.wall, t.cpu, t.memory = append(t.wall, float64(v.WallTimeS)), append(t.cpu, float64(v.CPUTimeS)),
		append(t.memory, v.MemoryBytes)
	if t.detail == nil && !hasMore(v) {
		return nil
	}
	for len(t.detail) < len(t.bench)-1 {
		t.detail = append(t.detail, t.detailOf(&results.VerdictRow{}))
	}
	t.detail = append(t.detail, t.detailOf(v))
	return nil
}

// detailOf extracts a run's details.
func (t *runTable) detailOf(v *results.VerdictRow) detail {
	text := func(s string) uint32 { return uint32(t.texts.of(s)) }
	d := detail{Stdout: text(v.Stdout), StdoutSHA: text(v.StdoutSHA256), StderrSHA: text(v.StderrSHA256),
		Validation: text(v.Validation), Counts: countsOf(&v.Judged)}
	if key, err := hex.DecodeString(v.RunKey); err == nil && hex.EncodeToString(key) == v.RunKey &&
		len(key) == keySize {
		t.keys = append(append(t.keys, make([]byte, keySize*len(t.detail)-len(t.keys))...), key...)
		return d
	}
	d.OtherKey = text(v.RunKey)
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
	t.benches = append(t.benches, bench{Family: fi, Path: path, Status: v.Status,
		Script: strings.Clone(v.ScriptSHA256)})
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
