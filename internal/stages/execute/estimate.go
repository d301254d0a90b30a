package execute

import (
	"fmt"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/solvertree"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// extent implements Kind.Extent: there is one run for each pair of a script and a solver.
func extent(a *stages.Args, of func(attr string) (stages.Extent, bool)) (stages.Extent, bool) {
	scripts, ok := of("scripts")
	if !ok {
		return stages.Extent{}, false
	}
	solvers, ok := countSolvers(a, of)
	return stages.Extent{Rows: scripts.Rows * solvers}, ok
}

// countSolvers returns an upper bound on the number of participating solvers.
func countSolvers(a *stages.Args, of func(attr string) (stages.Extent, bool)) (int64, bool) {
	v, act := a.Value("solvers"), knownParts(a)
	if !v.IsWhollyKnown() {
		x, ok := of("solvers")
		if tracks := x.By("track"); act.kind != 0 && tracks != nil {
			return tracks[act.track], ok // the table has a row for each participation in a track
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

// knownParts reads the arguments that are already known.
func knownParts(a *stages.Args) *action {
	act := newBare(a)
	if v := a.Value("track"); v.IsWhollyKnown() && !v.IsNull() {
		act.kinds, _ = a.Kinds() // newAction reports the errors
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
	c.times()
	return &c.cost, nil
}

// forecast computes the expected cost of an instance.
type forecast struct {
	*stages.Forecast
	act     *action
	cost    stages.Cost
	missing []runName // runs without a record; nil if the runs are not known
	perJob  int64     // concurrent runs in an engine's job; 0 if the executor has no jobs
}

// runName identifies a run across years.
type runName struct{ benchmark, solver string }

// bounds counts the runs when they are not individually known.
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

// pairs lists the runs and finds the runs with a record. A solver whose archive has not been unpacked has no known
// records.
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
	if err == nil && c.Repeat != "" {
		err = fanout.Without(c.Store, c.Repeat, keys, have)
	}
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

// solverKeys returns the keys of the solvers whose program digests are known.
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

// toMake returns an upper bound on the number of runs to execute; -1 if unknown.
func (c *forecast) toMake() int64 {
	if c.cost.Runs < 0 {
		return -1
	}
	return c.cost.Runs - max(c.cost.Reused, 0)
}

// slots sets the number of concurrent runs: as many as the cores, the memory and the executor allow.
func (c *forecast) slots() {
	cores, jobs := int64(max(c.act.limits.Cores, 1)), int64(c.act.place.Jobs)
	n := jobs // the only known bound on other machines
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

// limits computes the cost if each run reaches its limits. A process tree on m cores uses at most m times its wall time
// as CPU time.
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

// times estimates the cost from the latest record's runs, or else from runs of earlier competitions in the pipeline.
func (c *forecast) times() {
	n := c.toMake()
	if n == 0 {
		c.cost.CPUTimeS, c.cost.WallTimeS, c.cost.DiskBytes = 0, 0, 0
	}
	if n <= 0 {
		return
	}
	p, basis, bytes := c.past()
	if p.Len() == 0 {
		c.cost.DiskBytes = n * recordBytes
		return
	}
	cpu, wall := 0.0, 0.0
	if c.missing == nil {
		mean := p.Mean()
		cpu, wall = float64(n)*mean.CPU, float64(n)*mean.Wall
	}
	for _, m := range c.missing {
		t := p.Estimate(m.benchmark, m.solver)
		cpu, wall = cpu+t.CPU, wall+t.Wall
	}
	c.cost.CPUTimeS, c.cost.WallTimeS, c.cost.Basis = cpu, wall/float64(c.cost.Slots), basis
	if c.perJob > 0 {
		c.cost.NodeTimeS = wall / float64(c.perJob)
	}
	if bytes > 0 {
		c.cost.DiskBytes = int64(bytes * float64(n))
	}
}

// past reads the known runs. It returns their origin, and the average size of a run in the store or 0 if unknown.
func (c *forecast) past() (p *fanout.Past, basis string, bytes float64) {
	limit := fanout.Spent{CPU: c.cpuLimit(), Wall: c.act.limits.WallTime.Seconds()}
	p = fanout.NewPast(limit)
	if limit.Wall <= 0 {
		return p, "", 0
	}
	if art, ok := stages.ArtifactOf(c.Latest["runs"]); ok {
		n, most := 0, c.act.limits.OutputBytes
		bytes = float64(art.SizeBytes)
		err := p.Latest(c.Store, art, func(stdout, stderr int64) {
			n++
			bytes += recordBytes + float64(min(stdout, most)+min(stderr, most))
		})
		if err != nil { // the record exists, but its table is unreadable
			return p, "", 0
		}
		if n > 0 {
			return p, fmt.Sprintf("%d runs of the latest record of this stage", n), bytes / float64(n)
		}
	}
	p.History(c.Store, c.Tables(results.SchemaOf[results.HistoryRow]().Name), c.act.track)
	return p, fmt.Sprintf("%d runs of earlier competitions", p.Len()), 0
}

// recordBytes is the size in the store of a run's record without the output: key, checksum and measurements.
const recordBytes = 200
