package report

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// runTable holds a division's runs in columns, in the order of the verdicts: by benchmark, then by solver. Half a
// million runs fit into a few tens of megabytes.
type runTable struct {
	runHead
	runColumns
	solvers *names // numbers the solvers while runs are added
}

// runHead contains everything that the site needs of a division's runs to list its files, without the columns.
type runHead struct {
	Track, Division string
	ID              string // identifies the runs; empty if they are not kept
	Solvers         []string
	Entrants
	Limits runLimits
	Logics []string

	// The following fields are computed from the columns.
	Benchmarks, Runs, Details int
	Keys, Memory              bool     // whether any run has a key, and whether any has its memory
	Pair                      [2]int   // the two solvers that plots compare first
	Paired                    bool     // whether there are two
	Families                  []family // without their runs
	Duels                     []duels  // by solver
	Wrong, Crashed            []string // digests of outputs
}

// Entrants describe a division's solvers.
type Entrants struct {
	Teams, Bases []string
	Competitive  []bool
}

// describe replaces the solvers' descriptions with those by track and solver.
func (t *runTable) describe(of map[[2]string]run.Entrant) {
	for i, solver := range t.Solvers {
		e := of[[2]string{t.Track, solver}]
		t.Teams[i], t.Bases[i], t.Competitive[i] = e.Team, e.BaseSolver, e.Competitive
	}
}

// runColumns holds a value for each run or benchmark.
type runColumns struct {
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
	keys    []byte   // run keys, keySize bytes for each run up to the last one with a key; zero if there is none
	texts   *names   // texts of the details
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
	return &runTable{solvers: newNames(), runColumns: runColumns{answers: newNames(), verdicts: newNames(),
		endings: newNames(), reasons: newNames(), texts: newNames()}}
}

// verdicts distributes the runs to their divisions and counts them. The heads and sums come from an earlier report on
// the same verdicts, or else from the runs.
func (b *builder) verdicts(ctx context.Context) error {
	if b.m.in.Verdicts == nil {
		return nil
	}
	b.m.load = sync.OnceValue(func() error { return b.load(ctx) })
	sums, err := keptOr(b.m.in, b.m.in.keptID("sums of runs/1", b.m.in.VerdictsID), func() (*runSums, error) {
		if err := b.m.load(); err != nil {
			return nil, err
		}
		return b.sums(), nil
	})
	if err == nil {
		b.use(sums)
	}
	return err
}

// load reads the columns of all divisions' runs: those that an earlier report kept, or else the verdicts.
func (b *builder) load(ctx context.Context) error {
	id, of := b.m.in.apart()
	all, ok := b.kept(id, of)
	if !ok {
		var err error
		if all, err = b.readVerdicts(ctx); err != nil {
			return err
		}
		if err := b.keep(id, all); err != nil {
			return err
		}
	}
	for _, t := range all {
		if d := b.division(t.Track, t.Division); d.runs == nil {
			d.runs = t
		} else { // files are being written, and read the head
			d.runs.runColumns = t.runColumns
		}
	}
	return nil
}

func (b *builder) readVerdicts(ctx context.Context) (all []*runTable, err error) {
	at := map[[2]string]*runTable{}
	last := [3]string{}
	n := 0
	for v, err := range b.m.in.Verdicts {
		if err != nil {
			return nil, fmt.Errorf("read the verdicts: %w", err)
		}
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		key := [3]string{v.Track, v.Benchmark, v.Solver}
		if slices.Compare(key[:], last[:]) <= 0 && n > 1 {
			return nil, fmt.Errorf("the verdicts are not sorted by track, benchmark and solver, or name a run twice: "+
				"%s %s %s", v.Track, v.Benchmark, v.Solver)
		}
		last = key
		of := [2]string{v.Track, first(v.Division, v.Logic)}
		if at[of] == nil {
			at[of] = newRunTable()
			at[of].Track, at[of].Division = strings.Clone(of[0]), strings.Clone(of[1])
			all = append(all, at[of])
		}
		if err := at[of].add(&v); err != nil {
			return nil, err
		}
	}
	return all, nil
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

// runSums are the heads and totals of all runs.
type runSums struct {
	Divisions []*runHead
	Tracks    []*trackSums
	Solvers   []*solverSums
}

type trackSums struct {
	Name     string
	Totals   totals
	Families []familyCount
}

// solverSums are a solver's totals over all tracks.
type solverSums struct {
	Name          string
	Runs, Correct int64
	WrongTotal    int64
	CPUSeconds    float64
	Wrong         []wrongRun // the first maxWrong
}

// sums computes the heads and totals from the columns.
func (b *builder) sums() *runSums {
	all, solvers := &runSums{}, map[string]*solverSums{}
	tracks := slices.Clone(b.m.tracks)
	slices.SortFunc(tracks, func(x, y *track) int { return strings.Compare(x.name, y.name) })
	for _, t := range tracks {
		if !slices.ContainsFunc(t.divisions, func(d *division) bool { return d.runs != nil }) {
			continue // only the rankings have the track, and later ones may lack it
		}
		for _, d := range t.divisions {
			if d.runs == nil {
				continue
			}
			d.runs.sum()
			all.Divisions = append(all.Divisions, &d.runs.runHead)
			for _, name := range d.runs.Solvers {
				if solvers[name] == nil {
					solvers[name] = &solverSums{Name: name}
					all.Solvers = append(all.Solvers, solvers[name])
				}
			}
		}
		all.Tracks = append(all.Tracks, t.sums(solvers))
	}
	slices.SortFunc(all.Divisions, func(x, y *runHead) int { // whatever order the rankings have
		return cmp.Or(strings.Compare(x.Track, y.Track), strings.Compare(x.Division, y.Division))
	})
	return all
}

// use adds the runs' heads and totals to the model.
func (b *builder) use(sums *runSums) {
	for _, h := range sums.Divisions {
		d := b.division(h.Track, h.Division)
		if d.runs == nil {
			d.runs = &runTable{runHead: *h}
		}
		b.describe(d)
	}
	for _, of := range sums.Tracks {
		t := b.track(of.Name)
		t.totals, t.families = of.Totals, of.Families
	}
	for _, of := range sums.Solvers {
		for i := range of.Wrong {
			w := &of.Wrong[i]
			w.division = b.division(w.Track, w.Division)
		}
		b.solver(of.Name).sums = *of
	}
}

// sums returns the track's totals, and adds its runs to those of the solvers.
func (t *track) sums(solvers map[string]*solverSums) *trackSums {
	all := &trackSums{Name: t.name}
	families := map[[2]string]*familyCount{}
	for _, x := range t.blocks() {
		runs := x.d.runs
		for i := x.from; i < x.to; i++ {
			all.Totals.count(solvers[runs.Solvers[runs.solver[i]]], runs, i)
		}
		bench := &runs.benches[runs.bench[x.from]]
		ref := &runs.families[bench.Family]
		k := [2]string{runs.Logics[ref.Logic], ref.Name}
		if families[k] == nil {
			families[k] = &familyCount{Logic: k[0], Family: k[1]}
		}
		families[k].add(bench.Status)
	}
	for _, k := range slices.SortedFunc(maps.Keys(families), func(x, y [2]string) int {
		return slices.Compare(x[:], y[:])
	}) {
		all.Families = append(all.Families, *families[k])
	}
	return all
}

// describe adds what a division's runs say about limits and solvers.
func (b *builder) describe(d *division) {
	t, runs := d.track, d.runs
	d.limits.wall, d.limits.cores = runs.Limits.Wall, runs.Limits.Cores
	t.limits.wall, t.limits.cores = max(t.limits.wall, d.limits.wall), max(t.limits.cores, d.limits.cores)
	for k, name := range runs.Solvers {
		s := b.solver(name)
		s.competitive = s.competitive || runs.Competitive[k]
		s.team, s.base = first(s.team, runs.Teams[k]), first(s.base, runs.Bases[k])
	}
}

// count adds a run to the totals and to those of its solver.
func (all *totals) count(s *solverSums, t *runTable, run int) {
	all.Runs++
	all.CPUSeconds += t.cpu[run]
	s.Runs++
	s.CPUSeconds += t.cpu[run]
	switch comp.Verdict(t.verdicts.list[t.verdict[run]]) {
	case comp.Correct:
		all.Correct++
		s.Correct++
	case comp.Wrong:
		all.Wrong++
		s.WrongTotal++
		if len(s.Wrong) < maxWrong {
			s.Wrong = append(s.Wrong, t.wrongRun(run))
		}
	}
}

func (t *runTable) wrongRun(i int) wrongRun {
	b := &t.benches[t.bench[i]]
	w := wrongRun{Track: t.Track, Division: t.Division, Benchmark: b.Path, Status: b.Status,
		Answer: t.answers.list[t.answer[i]], Reason: t.reasons.list[t.reason[i]], Wall: t.wall[i]}
	if t.detail != nil {
		w.Stdout, w.Log = t.texts.list[t.detail[i].Stdout], t.texts.list[t.detail[i].StdoutSHA]
	}
	return w
}

// sum computes the head's figures from the columns.
func (t *runTable) sum() {
	t.Benchmarks, t.Runs, t.Details, t.Keys = len(t.benches), len(t.bench), len(t.detail), len(t.keys) > 0
	t.Memory = slices.ContainsFunc(t.memory, func(x int64) bool { return x > 0 })
	t.Pair, t.Paired = t.bestTwo()
	t.Families, t.Duels = t.byFamily(), t.duels()
	for i := range t.Families {
		t.Families[i].runs = nil
	}
	t.Wrong, t.Crashed = t.notable()
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
	if solver == len(t.Teams) {
		t.Solvers = t.solvers.list
		t.Teams, t.Bases, t.Competitive = append(t.Teams, ""), append(t.Bases, ""), append(t.Competitive, false)
	}
	t.Teams[solver], t.Bases[solver] = first(t.Teams[solver], v.Team), first(t.Bases[solver], v.BaseSolver)
	t.Competitive[solver] = t.Competitive[solver] || v.Competitive
	t.Limits.Wall, t.Limits.Cores = max(t.Limits.Wall, float64(v.WallLimitS)), max(t.Limits.Cores, v.Cores)
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
		v.Checks > 1 || v.Assertions > 0 || v.CoreSize > 0
}

func (t *runTable) addBench(v *results.VerdictRow) {
	li := slices.Index(t.Logics, v.Logic)
	if li < 0 {
		li = len(t.Logics)
		t.Logics = append(t.Logics, v.Logic)
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
	order := make([]int, len(t.Solvers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return foldOrder(t.Solvers[x], t.Solvers[y]) })
	return order
}

// solved returns the times of every solver's correct runs in ascending order, by solver number.
func (t *runTable) solved(times []float64) [][]float64 {
	out := make([][]float64, len(t.Solvers))
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
