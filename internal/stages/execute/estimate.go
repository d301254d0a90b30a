package execute

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/artifact"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/solvertree"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/table"
	"github.com/smtpipe/smtpipe/internal/worker"
)

// extent implements Kind.Extent: one run for each pair of a script and a solver.
func extent(a *stages.Args, of func(attr string) (stages.Extent, bool)) (stages.Extent, bool) {
	scripts, ok := of("scripts")
	if !ok {
		return stages.Extent{}, false
	}
	solvers, ok := countSolvers(a, of)
	return stages.Extent{Rows: scripts.Rows * solvers}, ok
}

// countSolvers returns an upper bound of the solvers that take part.
func countSolvers(a *stages.Args, of func(attr string) (stages.Extent, bool)) (int64, bool) {
	v, act := a.Value("solvers"), knownParts(a)
	if !v.IsWhollyKnown() {
		x, ok := of("solvers")
		if tracks := x.By("track"); act.kind != 0 && tracks != nil {
			return tracks[act.track], ok // a row for each participation in a track
		}
		return x.Rows, ok
	}
	if act.kind == 0 || act.readSolvers(v) != nil {
		return 0, false
	}
	n := int64(len(act.entrants))
	for _, t := range act.tables {
		n += t.Rows
	}
	return n, true
}

// knownParts reads those arguments that are known.
func knownParts(a *stages.Args) *action {
	act := newBare(a)
	if v := a.Value("track"); v.IsWhollyKnown() && !v.IsNull() {
		act.kinds, _ = a.Kinds() // newAction reports errors
		act.track, act.kind, _ = act.kinds.Parse(v.AsString())
	}
	if v := a.Value("executor"); v.IsWhollyKnown() {
		_ = act.place.Read(a)
	}
	l := a.Block("limits")
	if l == nil {
		return act
	}
	for _, name := range []string{"wall_time", "cpu_time", "memory", "cores", "output", "scratch", "processes"} {
		if !l.Value(name).IsWhollyKnown() {
			return act
		}
	}
	_ = act.readLimits(l)
	return act
}

// estimate implements Kind.Estimate.
func estimate(in *stages.Instance, f *stages.Forecast) (*stages.Cost, error) {
	c := &forecast{Forecast: f, cost: stages.Cost{
		Benchmarks: -1, Solvers: -1, Runs: -1, Reused: -1,
		Times:     stages.Times{CPULimitS: -1, WallLimitS: -1, CPUTimeS: -1, WallTimeS: -1},
		DiskBytes: -1,
	}}
	var err error
	if act, ok := in.Action.(*action); ok {
		c.act = act
		err = c.pairs()
	} else {
		c.act = knownParts(in.Args)
		c.bounds(in.Args)
	}
	if err != nil {
		return nil, err
	}
	c.slots()
	c.limits()
	if err := c.times(); err != nil {
		return nil, err
	}
	return &c.cost, nil
}

// forecast collects the cost of one instance.
type forecast struct {
	*stages.Forecast
	act     *action
	cost    stages.Cost
	missing []runName // runs, if they are known
	perJob  int64     // concurrent runs in a job of an engine; 0: no jobs
}

// runName identifies a run across years, as in records.
type runName struct{ benchmark, solver string }

// bounds counts runs that are not known one by one.
func (c *forecast) bounds(a *stages.Args) {
	if x, ok := c.Extent("scripts"); ok {
		c.cost.Benchmarks = x.Rows
	}
	if n, ok := countSolvers(a, c.Extent); ok {
		c.cost.Solvers = n
	}
	if c.cost.Benchmarks >= 0 && c.cost.Solvers >= 0 {
		c.cost.Runs = c.cost.Benchmarks * c.cost.Solvers
	}
}

// pairs lists the runs and finds which have a record. For a solver whose archive has not been unpacked, no record is
// known.
func (c *forecast) pairs() error {
	scripts, err := artifact.ReadTable[results.ScriptRow](c.Store, c.act.scripts)
	if err != nil {
		return err
	}
	entrants, err := c.act.listEntrants(c.Store)
	if err != nil {
		return err
	}
	f := &execution{action: c.act, scripts: scripts, entrants: entrants}
	f.pairs = f.listPairs()
	if err := f.digestScripts(); err != nil {
		return err
	}
	keys := make([]cache.Key, len(f.pairs))
	solvers := c.solverKeys(entrants)
	used := map[int32]bool{}
	for i, p := range f.pairs {
		used[p.script] = true
		if k, ok := solvers[p.solver]; ok {
			keys[i] = runKey(k, f.digests[p.script])
		}
	}
	have, err := c.Recorded(recordsName, keys)
	if err != nil {
		return err
	}
	c.cost.Benchmarks, c.cost.Solvers, c.cost.Runs, c.cost.Exact = int64(len(used)), int64(len(entrants)),
		int64(len(f.pairs)), true
	for i, p := range f.pairs {
		if !have[i] {
			c.missing = append(c.missing, runName{scripts[p.script].Benchmark, entrants[p.solver].name})
		}
	}
	c.cost.Reused = c.cost.Runs - int64(len(c.missing))
	return nil
}

// solverKeys returns the keys of the solvers whose programs are known by digest.
func (c *forecast) solverKeys(entrants []entrant) map[int32]cache.Key {
	keys := map[int32]cache.Key{}
	for j := range entrants {
		e := &entrants[j]
		if e.archive != nil && e.digest == (cache.Digest{}) {
			folder, ok := solvertree.Find(c.Store, *e.archive)
			if !ok {
				continue
			}
			e.folder, e.digest = folder.Path, folder.Digest
		}
		keys[int32(j)] = c.act.solverKey(e, c.Attempt).Key()
	}
	return keys
}

// toMake returns an upper bound of the runs to execute; -1 if it is not known.
func (c *forecast) toMake() int64 {
	if c.cost.Runs < 0 {
		return -1
	}
	return c.cost.Runs - max(c.cost.Reused, 0)
}

// slots sets the number of concurrent runs: as many as cores, memory and the executor allow.
func (c *forecast) slots() {
	cores, jobs := int64(max(c.act.limits.Cores, 1)), int64(c.act.place.Jobs)
	n := jobs // all that is known of other machines
	if per := c.act.place.Kind.PerJob; per != nil {
		h := worker.Header{Cores: int(cores), MemoryBytes: c.act.limits.MemoryBytes, Hardware: c.act.place.Hardware}
		c.perJob = int64(per(h, c.act.place.Settings))
		n = max(jobs, 1) * c.perJob
	}
	if c.act.place.Kind.Here {
		slots, err := runner.Slots(runner.Config{Jobs: int(jobs), CoresPerRun: int(cores),
			MemoryPerRun: c.act.limits.MemoryBytes})
		if n = int64(c.Jobs) / cores; jobs > 0 {
			n = min(n, jobs)
		}
		if err != nil {
			c.cost.Refused = err.Error()
		} else {
			n = min(n, int64(slots))
		}
	}
	c.cost.CoresPerRun, c.cost.Slots = cores, max(n, 1)
}

// limits computes the cost if each run uses up its limits. A tree of processes on m cores uses at most m times its wall
// time of CPU time.
func (c *forecast) limits() {
	n, l := c.toMake(), c.act.limits
	if n < 0 || l.WallTime <= 0 {
		return
	}
	c.cost.CPULimitS = float64(n) * c.cpuLimit()
	waves := (n + c.cost.Slots - 1) / c.cost.Slots
	c.cost.WallLimitS = float64(waves) * l.WallTime.Seconds()
	if c.perJob > 0 {
		c.cost.NodeLimitS = float64(n) * l.WallTime.Seconds() / float64(c.perJob)
	}
}

func (c *forecast) cpuLimit() float64 {
	l := c.act.limits
	s := l.WallTime.Seconds() * float64(max(l.Cores, 1))
	if l.CPUTime > 0 {
		s = min(s, l.CPUTime.Seconds())
	}
	return s
}

// times estimates from the runs of the latest record, or else from those of earlier competitions in the pipeline.
func (c *forecast) times() error {
	n := c.toMake()
	if n == 0 {
		c.cost.CPUTimeS, c.cost.WallTimeS, c.cost.DiskBytes = 0, 0, 0
		return nil
	}
	if n < 0 {
		return nil
	}
	s, basis, err := c.samples()
	if err != nil {
		return err
	}
	if len(s.runs) == 0 {
		c.cost.DiskBytes = n * recordBytes
		return nil
	}
	cpu, wall := 0.0, 0.0
	if c.missing == nil {
		mean := s.all.mean()
		cpu, wall = float64(n)*mean.cpu, float64(n)*mean.wall
	}
	for _, m := range c.missing {
		t := s.of(m)
		cpu, wall = cpu+t.cpu, wall+t.wall
	}
	c.cost.CPUTimeS, c.cost.WallTimeS, c.cost.Basis = cpu, wall/float64(c.cost.Slots), basis
	if c.perJob > 0 {
		c.cost.NodeTimeS = wall / float64(c.perJob)
	}
	if s.bytes > 0 {
		c.cost.DiskBytes = int64(s.bytes * float64(n))
	}
	return nil
}

// spent is the time of a run, in seconds.
type spent struct{ cpu, wall float64 }

// average is the sum of several runs.
type average struct {
	spent
	n int64
}

func (a *average) add(s spent) { a.cpu, a.wall, a.n = a.cpu+s.cpu, a.wall+s.wall, a.n+1 }

func (a *average) mean() spent { return spent{a.cpu / float64(a.n), a.wall / float64(a.n)} }

// samples holds known runs in 40 bytes each instead of whole rows.
type samples struct {
	seed     maphash.Seed
	runs     []sample // sorted by hash, the one that counts first, after sort
	solvers  map[string]int32
	bySolver []average
	all      average
	bytes    float64 // of a run in the store, on average; 0: not known
}

type sample struct {
	hash uint64 // of benchmark and solver
	rank int64  // of several runs of one pair the largest counts
	spent
	solver int32
}

func newSamples() *samples { return &samples{seed: maphash.MakeSeed(), solvers: map[string]int32{}} }

// of returns the expected time of a run: that of the same run, or else the average of the solver's runs, or else the
// average of all runs.
func (s *samples) of(m runName) spent {
	hash := hashRun(s.seed, m.benchmark, m.solver)
	if i, ok := slices.BinarySearchFunc(s.runs, hash, func(r sample, h uint64) int {
		return cmp.Compare(r.hash,
			h)
	}); ok {
		return s.runs[i].spent
	}
	if j, ok := s.solvers[m.solver]; ok {
		return s.bySolver[j].mean()
	}
	return s.all.mean()
}

// add enters a run. Its time is cut at the limits of the future runs. A run that its limit ended would use up the new
// limit.
func (s *samples) add(m runName, rank int64, t spent, limit spent, cut bool) {
	if cut {
		t = spent{max(t.cpu, min(limit.cpu, t.cpu*limit.wall/max(t.wall, 1e-9))), limit.wall}
	}
	j, ok := s.solvers[m.solver]
	if !ok {
		j = int32(len(s.bySolver))
		s.solvers[strings.Clone(m.solver)] = j // the text belongs to a page that is released
		s.bySolver = append(s.bySolver, average{})
	}
	s.runs = append(s.runs, sample{hashRun(s.seed, m.benchmark, m.solver), rank, spent{min(t.cpu, limit.cpu),
		min(t.wall, limit.wall)}, j})
}

// sort is called after the last add. It keeps one run of each pair and computes the averages.
func (s *samples) sort() {
	slices.SortFunc(s.runs, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash),
			cmp.Compare(b.rank, a.rank))
	})
	s.runs = slices.CompactFunc(s.runs, func(a, b sample) bool { return a.hash == b.hash })
	for _, r := range s.runs {
		s.bySolver[r.solver].add(r.spent)
		s.all.add(r.spent)
	}
}

// samples reads the known runs and returns where they come from.
func (c *forecast) samples() (*samples, string, error) {
	s := newSamples()
	limit := spent{c.cpuLimit(), c.act.limits.WallTime.Seconds()}
	if limit.wall <= 0 {
		return s, "", nil
	}
	basis := ""
	if art, ok := stages.ArtifactOf(c.Latest["runs"]); ok {
		if c.latest(s, art, limit) != nil {
			// the record exists without its table: there is nothing to estimate from
			return newSamples(), "", nil
		}
		if len(s.runs) > 0 {
			basis = fmt.Sprintf("%d runs of the latest record of this stage", len(s.runs))
		}
	}
	if basis == "" {
		basis = c.history(s, limit)
	}
	s.sort()
	return s, basis, nil
}

// latest reads the runs of the stage's latest record.
func (c *forecast) latest(s *samples, art stages.Artifact, limit spent) error {
	bytes, most := float64(art.SizeBytes), c.act.limits.OutputBytes
	columns := []string{"benchmark", "solver", "cpu_time_s", "wall_time_s", "ending", "stdout_bytes", "stderr_bytes"}
	err := artifact.EachRow(c.Store, art, columns, func(row int64, v []table.Column, i int) {
		cut := v[4].Text(i) == string(comp.WallTimeout)
		// of several attempts the last counts
		s.add(runName{v[0].Text(i), v[1].Text(i)}, row, spent{v[2].FloatAt(i), v[3].FloatAt(i)}, limit, cut)
		bytes += recordBytes + float64(min(v[5].IntAt(i), most)+min(v[6].IntAt(i), most))
	})
	if len(s.runs) > 0 {
		s.bytes = bytes / float64(len(s.runs))
	}
	return err
}

// recordBytes is the size of a run's record in the store, not counting its output: key, checksum and measurements.
const recordBytes = 200

// history reads the runs of earlier competitions in this track. A run of an earlier table takes precedence. Within a
// table the latest run does, since the rows are sorted by year.
func (c *forecast) history(s *samples, limit spent) (basis string) {
	track := c.act.track
	for n, art := range c.Tables(results.SchemaOf[results.HistoryRow]().Name) {
		had := len(s.runs)
		err := artifact.EachRow(c.Store, art, []string{"benchmark", "solver", "cpu_time_s", "wall_time_s", "track"},
			func(row int64, v []table.Column, i int) {
				if cpu, wall := v[2].FloatAt(i), v[3].FloatAt(i); v[4].Text(i) == track && cpu >= 0 && wall >= 0 {
					s.add(runName{v[0].Text(i), v[1].Text(i)}, row-int64(n)<<40, spent{cpu, wall}, limit, false)
				}
			})
		if err != nil {
			s.runs = s.runs[:had] // half a table is of no use
		}
	}
	if len(s.runs) == 0 {
		return ""
	}
	return fmt.Sprintf("%d runs of earlier competitions", len(s.runs))
}
