// Package reproduce reproduces a published run on this machine: it fetches the run's script, command, limits and
// output, and executes it again.
package reproduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/audit/prove"
	"github.com/smtpipe/smtpipe/internal/audit/verify"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
	scorestage "github.com/smtpipe/smtpipe/internal/stages/score"
)

// Options describe which run to reproduce, and where to find it.
type Options struct {
	project.Options
	Folder  string
	Site    string
	Release string
	Solver  string
	Out     string
	NoRun   bool
}

func (f *Options) Run(ctx context.Context, stdout, stderr io.Writer, text string) (err error) {
	named, err := parseNamed(text)
	if err != nil {
		return err
	}
	if f.Site != "" && (f.Folder != "" || f.Pipeline != "" || f.Evidence != "") {
		return exit.With(exit.Usage, errors.New("--site names all that is known of the run; leave -p, --evidence and --frozen out"))
	}
	if f.Site == "" && f.Release+f.Solver != "" {
		return exit.With(exit.Usage, errors.New("--release and --solver are for --site: stores and frozen folders have both, or do not"))
	}
	h := &homeward{ctx: ctx, stdout: stdout, stderr: stderr, flags: f}
	if f.Site != "" {
		done, err := h.openSite()
		if err != nil {
			return err
		}
		defer done()
		if err := h.findInSite(named); err != nil {
			return err
		}
		return h.takeNamed(text, named, h.takeFromSite)
	}
	if f.Folder != "" {
		done, err := f.useFrozen()
		if err != nil {
			return err
		}
		defer done()
	}
	p, err := f.Open(ctx, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	h.project = p
	if h.engine, err = p.Engine(engine.Options{Distrusted: p.Evidence != nil}); err != nil {
		return err
	}
	h.plan, _ = h.engine.Plan()
	if err := h.find(named); err != nil {
		return err
	}
	return h.takeNamed(text, named, h.takeFromProject)
}

// takeNamed takes the run home if exactly one matches the name, or lists the runs if several match.
func (h *homeward) takeNamed(text string, named namedRuns, take func(foundRun) error) error {
	switch {
	case len(h.runs) == 0 && named.cell != nil && h.project != nil:
		return fmt.Errorf("no run that is judged belongs to the cell %s; are its stages executed?", text)
	case len(h.runs) == 0 && named.cell != nil:
		return fmt.Errorf("the site has no run for cell %s; its pages list the divisions, views and solvers", text)
	case len(h.runs) == 0:
		return fmt.Errorf("there is no run %s", text)
	case len(h.runs) > 1:
		return h.list(text)
	}
	return take(h.runs[0])
}

// useFrozen opens the pipeline in the frozen folder or archive, with its evidence and a store. done removes everything
// that was created for this.
func (f *Options) useFrozen() (done func(), err error) {
	if f.Pipeline != "" || f.Evidence != "" {
		return nil, exit.With(exit.Usage, errors.New("--frozen already names the pipeline and its evidence; omit -p and --evidence"))
	}
	scratch, done, err := worker.Scratch("smtpipe-reproduce-")
	if err != nil {
		return nil, err
	}
	if err = f.openFrozen(scratch); err != nil {
		done()
		return nil, err
	}
	f.Store = cmp.Or(f.Store, filepath.Join(scratch, "store"))
	return done, nil
}

// openFrozen finds the pipeline and the evidence. It unpacks an archive below scratch.
func (f *Options) openFrozen(scratch string) error {
	path, err := verify.Unpacked(f.Folder, filepath.Join(scratch, "folder"))
	if err != nil {
		return err
	}
	folder, err := frozen.Open(path)
	if err != nil {
		return fmt.Errorf("%w; --frozen must name a folder or archive written by \"smtpipe freeze\"", err)
	}
	pipeline := folder.Lock.Pipeline
	if err := folder.Close(); err != nil {
		return err
	}
	if rel, err := filepath.Rel("pipeline", filepath.FromSlash(pipeline)); err != nil || !filepath.IsLocal(rel) {
		return exit.With(exit.CannotVerify, fmt.Errorf("the lock of %s names the pipeline %q, which is not in its folder "+
			"pipeline", f.Folder, pipeline))
	}
	f.Evidence, f.Pipeline = path, filepath.Join(path, filepath.FromSlash(pipeline))
	return nil
}

// homeward takes runs home: it writes them to a folder and executes them again.
type homeward struct {
	ctx            context.Context
	stdout, stderr io.Writer
	flags          *Options
	project        *project.Project
	engine         *engine.Engine
	plan           *engine.Plan
	runs           []foundRun

	site       string               // the site's folder, or the folder for files downloaded from it
	executions []evidence.Execution // how the site's stages executed their runs
}

// foundRun is a stage's run, with its verdict if there is one.
type foundRun struct {
	addr, output string
	results.RunRow
	verdict *results.VerdictRow
}

// runPlace identifies a run within a stage.
type runPlace struct{ track, benchmark, solver string }

// namedRuns describes what the command line names: a run or a cell.
type namedRuns struct {
	addr, benchmark, solver string // names of a run; addr may be empty
	cell                    *prove.Name
	counted                 map[string]bool // benchmarks of the cell's runs; if nil, only verdicts decide
}

// parseNamed parses the name of a run or cell.
func parseNamed(text string) (n namedRuns, err error) {
	cell, err := prove.ParseName(text)
	if err == nil {
		return namedRuns{cell: &cell}, nil
	}
	item := text
	if before, after, ok := strings.Cut(text, "::"); ok {
		n.addr, item = before, after
	}
	at := strings.LastIndexByte(item, '@')
	if at <= 0 {
		return n, exit.With(exit.Usage, fmt.Errorf("%q must name a run, such as QF_BV/fam/x.smt2@cvc5, or a "+
			"cell: %w", text, err))
	}
	n.benchmark, n.solver = item[:at], item[at+1:]
	return n, nil
}

// mayHave reports whether a run is among the named ones, unless its verdict is not in the cell.
func (n *namedRuns) mayHave(track, benchmark, solver string) bool {
	if n.cell == nil {
		return stages.IsRun(n.benchmark, n.solver)(track, benchmark, solver)
	}
	return track == n.cell.Track && solver == n.cell.Solver && (n.counted == nil || n.counted[benchmark])
}

// has reports whether a run is among the named ones. v may be nil.
func (n *namedRuns) has(r *results.RunRow, v *results.VerdictRow) bool {
	if !n.mayHave(r.Track, r.Benchmark, r.Solver) {
		return false
	}
	if n.cell == nil || n.counted != nil {
		return true
	}
	return v != nil && (n.cell.Column != "n" || v.Verdict == string(comp.Correct)) &&
		(n.cell.Column != "e" || v.Verdict == string(comp.Wrong)) &&
		(v.Division == n.cell.Table || v.Logic == n.cell.Table)
}

// count returns the benchmarks of the runs that a cell counts. Among the runs that the cell's view counts, these are
// the correct ones for n, the wrong ones for e, and otherwise all.
func (h *homeward) count(cell *prove.Name) (map[string]bool, error) {
	for _, addr := range slices.Sorted(maps.Keys(h.plan.Known)) {
		in := h.instance(addr)
		if in == nil {
			continue
		}
		s, ok := in.Action.(project.Scorer)
		if !ok || !s.RuleSet().Covers(cell.Track) {
			continue
		}
		runs, readings, err := s.Load(h.project.Store, nil)
		if err != nil {
			return nil, err
		}
		if !runs.Has(cell.Track) {
			continue // as every track may have a stage of its own
		}
		at, err := scorestage.CellAt(runs, strings.Join([]string{cell.Track, cell.Table, cell.View, cell.Solver}, "/"))
		if err != nil {
			return nil, err
		}
		x, err := score.Explain(h.ctx, s.RuleSet(), runs, readings, at)
		if err != nil {
			return nil, err
		}
		counted := map[string]bool{}
		for _, t := range x.Terms {
			if t.Counted && (cell.Column != "n" || t.N > 0) && (cell.Column != "e" || t.Error) {
				counted[t.Benchmark] = true
			}
		}
		return counted, nil
	}
	return nil, fmt.Errorf("no stage has scored track %s", cell.Track)
}

// find finds the named runs.
func (h *homeward) find(named namedRuns) (err error) {
	if named.cell != nil {
		if named.counted, err = h.count(named.cell); err != nil {
			return err
		}
	}
	verdicts, err := h.verdicts(&named)
	if err != nil {
		return err
	}
	return h.tables("runs/", func(addr, output string, art stages.Artifact) error {
		if named.addr != "" && addr != named.addr {
			return nil
		}
		rows, err := artifact.Select[results.RunRow](h.project.Store, art, named.mayHave)
		if err != nil {
			return err
		}
		for _, r := range results.LastAttempts(rows) {
			if v := verdicts[runPlace{r.Track, r.Benchmark, r.Solver}]; named.has(&r, v) {
				h.runs = append(h.runs, foundRun{addr, output, r, v})
			}
		}
		return nil
	})
}

// verdicts returns the verdicts of all runs that may be the named ones.
func (h *homeward) verdicts(named *namedRuns) (map[runPlace]*results.VerdictRow, error) {
	all := map[runPlace]*results.VerdictRow{}
	err := h.tables("verdicts/", func(_, _ string, art stages.Artifact) error {
		rows, err := artifact.Select[results.VerdictRow](h.project.Store, art, named.mayHave)
		for i := range rows {
			all[runPlace{rows[i].Track, rows[i].Benchmark, rows[i].Solver}] = &rows[i]
		}
		return err
	})
	return all, err
}

// tables visits the known tables that have any version of a schema, ordered by address and output.
func (h *homeward) tables(schema string, visit func(addr, output string, art stages.Artifact) error) error {
	for _, addr := range slices.Sorted(maps.Keys(h.plan.Known)) {
		for _, output := range slices.Sorted(maps.Keys(h.plan.Known[addr])) {
			art, ok := stages.ArtifactOf(h.plan.Known[addr][output])
			if !ok || !strings.HasPrefix(art.Schema, schema) {
				continue
			}
			if err := visit(addr, output, art); err != nil {
				return err
			}
		}
	}
	return nil
}

// list prints the matching runs, and the command that takes the first one home.
func (h *homeward) list(text string) error {
	out := h.stdout
	fmt.Fprintf(out, "%s covers %d runs:\n\n", text, len(h.runs))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i := range h.runs {
		r := &h.runs[i]
		fmt.Fprintf(t, "%s\t%s\t%.2f s\t%s\n", r.said(), r.Ending, r.WallTimeS, r.name())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	from := ""
	for _, f := range [][2]string{{"frozen", h.flags.Folder}, {"site", h.flags.Site}, {"release", h.flags.Release},
		{"solver", h.flags.Solver}} {
		if f[1] != "" {
			from += "--" + f[0] + " " + words.Shell(f[1]) + " "
		}
	}
	_, err := fmt.Fprintf(out, "\nTake one of them home with\n\n  smtpipe reproduce %s%s\n", from,
		words.Shell(h.runs[0].name()))
	return err
}

// name returns the run's name for the commands reproduce, logs and explain.
func (r *foundRun) name() string {
	if r.addr == "" {
		return r.Benchmark + "@" + r.Solver
	}
	return r.addr + "::" + r.Benchmark + "@" + r.Solver
}

// said returns a run's answer with its verdict.
func (r *foundRun) said() string {
	if r.verdict == nil {
		return cmp.Or(strings.TrimSpace(r.Stdout), "not judged")
	}
	return strings.TrimSpace(r.verdict.Answer + " " + r.verdict.Verdict)
}

// instance returns a stage's instance.
func (h *homeward) instance(addr string) *stages.Instance {
	for _, instances := range h.plan.Blocks {
		for i := range instances {
			if instances[i].Addr == addr {
				return &instances[i]
			}
		}
	}
	return nil
}

// seed returns the scrambler seed of a run's script as explain shows it: a sensitive seed is hidden. It returns "" if
// the seed is unknown.
func (h *homeward) seed(in *stages.Instance) string {
	scripts, ok := in.Args.Artifact("scripts")
	if !ok {
		return ""
	}
	for _, addr := range slices.Sorted(maps.Keys(h.plan.Known)) {
		made, ok := stages.ArtifactOf(h.plan.Known[addr]["scripts"])
		if !ok || made.Digest != scripts.Digest {
			continue
		}
		if x, err := h.engine.Explain(addr); err == nil {
			return componentOf(x.Components, "seed")
		}
	}
	return ""
}

// has reports whether a blob is available.
func (h *homeward) has(digest string) bool {
	d, err := cache.ParseDigest(digest)
	if h.project.Evidence != nil {
		return err == nil && h.project.Evidence.Has(d)
	}
	return err == nil && h.project.Store.Has(d)
}
