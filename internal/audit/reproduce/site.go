package reproduce

import (
	"archive/tar"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/audit/verify"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/base/packed"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	runs "github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/lang/builds"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/smt/release"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// siteVerdicts is a site's file with the table of all runs.
const siteVerdicts = "export/verdicts.parquet"

// openSite prepares to read a published site. done removes all files downloaded from it.
func (h *homeward) openSite() (done func(), err error) {
	if !verify.IsAddress(h.flags.Site) {
		h.site = h.flags.Site
		return func() {}, nil
	}
	h.site, done, err = worker.Scratch("smtpipe-site-")
	return done, err
}

// siteFile returns the path of one of the site's files. It downloads the file unless the site is a folder.
func (h *homeward) siteFile(name string) (string, error) {
	file := filepath.Join(h.site, filepath.FromSlash(name))
	if h.site == h.flags.Site {
		return file, nil
	}
	address, err := url.JoinPath(h.flags.Site, name)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o777)
	}
	if err == nil {
		client := release.NewClient(3, slog.New(slog.DiscardHandler))
		err = client.Download(h.ctx, release.Wanted{URL: address}, file, func(int64) {})
	}
	return file, err
}

// executionsIn reads from a site how its runs were executed.
func (h *homeward) executionsIn() error {
	file, err := h.siteFile(site.EvidenceName)
	if err != nil {
		return err
	}
	src, err := limits.Document.ReadFile(file)
	if err == nil {
		src, err = site.EvidenceIn(src)
	}
	if err != nil {
		return err
	}
	doc, err := evidence.Read(src, site.EvidenceName)
	if err == nil {
		h.executions = doc.Executions
	}
	return err
}

// findInSite finds the named runs of a published site, and how they were executed.
func (h *homeward) findInSite(named namedRuns) error {
	err := h.executionsIn()
	var file string
	if err == nil {
		file, err = h.siteFile(siteVerdicts)
	}
	var f *os.File
	if err == nil {
		f, err = limits.Open(file)
	}
	if err != nil {
		if h.ctx.Err() != nil {
			return err
		}
		return exit.With(exit.CannotVerify, fmt.Errorf("%w; an smtpipe site has %s and, if its report includes "+
			"verdicts, %s",
			err, site.EvidenceName, siteVerdicts))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	for v, err := range results.Rows[results.VerdictRow](f, info.Size()) {
		if err != nil {
			return fmt.Errorf("%s: %w", siteVerdicts, err)
		}
		r := results.RunRow{Identity: v.Identity, Measured: v.Measured, Limits: v.Limits, RunKey: v.RunKey,
			ScriptSHA256: v.ScriptSHA256}
		r.Stdout = results.Unescaped(v.Stdout)
		if !named.has(&r, &v) {
			continue
		}
		found := foundRun{RunRow: r, verdict: &v}
		if x, start := h.executionOf(&found); x != nil {
			found.addr, found.Participation, found.Hardware = x.Stage, start.Participation, x.Hardware
			found.CPULimitS, found.MemoryLimit = runs.Seconds(x.CPUS), x.Memory
		}
		if named.addr == "" || named.addr == found.addr {
			h.runs = append(h.runs, found)
		}
	}
	return nil
}

// executionOf returns how a site's run was executed, or nil if the run was imported. If several stages may have
// executed it, the first one counts.
func (h *homeward) executionOf(r *foundRun) (*evidence.Execution, *evidence.Start) {
	if r.RunKey == "" {
		return nil, nil
	}
	for i := range h.executions {
		x := &h.executions[i]
		if x.Track != r.Track || x.WallS != float64(r.WallLimitS) || int64(x.Cores) != r.Cores {
			continue
		}
		for k := range x.Starts {
			s := &x.Starts[k]
			enters := func(pattern string) bool { ok, err := path.Match(pattern, r.Logic); return ok && err == nil }
			if s.Solver == r.Solver && len(s.Command) > 0 &&
				(len(s.Logics) == 0 || slices.ContainsFunc(s.Logics, enters)) {
				return x, s
			}
		}
	}
	return nil, nil
}

// takeFromSite writes a site's run to a folder, and executes it if its benchmark and solver are available.
func (h *homeward) takeFromSite(run foundRun) (err error) {
	t := &taken{homeward: h, run: run,
		noScript: "it is made from the benchmark " + run.Benchmark + " of the release; name that with --release",
		noOutput: "the site has short outputs, and those of wrong answers and failures"}
	one := oneRun{taken: t}
	var done func()
	if one.folder, done, err = worker.Scratch("smtpipe-reproduce-"); err != nil {
		return err
	}
	defer done()
	var start *evidence.Start
	switch one.x, start = h.executionOf(&run); {
	case run.RunKey == "":
		t.missing = append(t.missing, measuredElsewhere)
	case one.x == nil:
		t.missing = append(t.missing, "the command and the archive: the site does not say how the run was executed")
	default:
		t.key, one.start = keyOfStart(one.x, start), *start
	}
	if err := one.write(); err != nil {
		return err
	}
	flags := project.Options{Pipeline: filepath.Join(one.folder, "competition.hcl"), Version: h.flags.Version}
	if h.project, err = flags.Open(h.ctx, h.stderr); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.project.Close()) }()
	if err := one.script(); err != nil {
		return err
	}
	for _, digest := range []string{run.StdoutSHA256, run.StderrSHA256} {
		if err := h.takeLog(digest); err != nil {
			return err
		}
	}
	return t.take(one.again)
}

// takeLog stores an output if the site has it.
func (h *homeward) takeLog(digest string) error {
	want, err := cache.ParseDigest(digest)
	if err != nil {
		return nil // the run has no such output
	}
	file, err := h.siteFile(site.LogName(digest))
	if err != nil {
		return nil // the site lacks this output
	}
	content, err := limits.Document.ReadFile(file)
	if err != nil || cache.DigestOf(content) != want {
		return nil
	}
	_, err = h.project.Store.PutBytes(content)
	return err
}

// keyOfStart returns a site's facts about how a run was started, in the form of key components.
func keyOfStart(x *evidence.Execution, s *evidence.Start) (key []cache.Component) {
	add := func(name, value string) { key = append(key, cache.Component{Name: name, Value: value}) }
	if s.SHA256 != "" {
		add("program", "sha256:"+s.SHA256)
	}
	if s.Packed {
		add("starexec", fmt.Sprint(s.StarExec))
	}
	if s.Image != "" {
		add("image", "sha256:"+s.Image)
	}
	if x.Input == "dialogue" {
		add("dialogue", "true")
	} else {
		add("input", x.Input)
	}
	for i, word := range s.Command {
		add(fmt.Sprintf("command[%d]", i), word)
	}
	return key
}

// oneRun is a pipeline with a single run in a temporary folder.
type oneRun struct {
	*taken
	folder string
	x      *evidence.Execution // nil if the run was imported
	start  evidence.Start
	absent string // why the run cannot be executed; empty if it can
}

// write writes the pipeline: the stages that produce the script if the benchmark is available, and those that execute
// the script if the solver is available.
func (o *oneRun) write() error {
	file := hclwrite.NewEmptyFile()
	block := func(name string, labels ...string) *hclwrite.Body {
		return file.Body().AppendNewBlock(name, labels).Body()
	}
	set := func(b *hclwrite.Body, name string, value any) {
		switch v := value.(type) {
		case string:
			b.SetAttributeValue(name, cty.StringVal(v))
		case bool:
			b.SetAttributeValue(name, cty.BoolVal(v))
		case int64:
			b.SetAttributeValue(name, cty.NumberIntVal(v))
		}
	}
	refer := func(b *hclwrite.Body, name string, to ...string) {
		b.SetAttributeRaw(name, hclwrite.TokensForIdentifier(strings.Join(to, ".")))
	}
	switch given, err := o.benchmark(); {
	case err != nil:
		return err
	case !given:
		o.absent = "its script is not available"
	default:
		set(block("stage", "fetch", "run"), "path", "benchmark.tar")
		refer(block("stage", "index", "run"), "source", "stage.fetch.run.files")
		b := block("stage", "scramble", "run")
		refer(b, "benchmarks", "stage.index.run.benchmarks")
		set(b, "track", o.x.Scramble.Track)
		set(b, "seed", o.x.Scramble.Seed)
	}
	if o.absent == "" && !o.flags.NoRun {
		if err := o.findSolver(); err != nil {
			return err
		}
	}
	if o.absent == "" && !o.flags.NoRun {
		s := block("solver", o.start.Solver)
		words := make([]cty.Value, len(o.start.Command))
		for i, w := range o.start.Command {
			words[i] = cty.StringVal(w)
		}
		s.SetAttributeValue("command", cty.ListVal(words))
		if o.start.Packed {
			set(s, "archive", o.start.Archive)
			set(s, "starexec", o.start.StarExec)
		}
		b := block("stage", "execute", "run")
		refer(b, "scripts", "stage.scramble.run.scripts")
		refer(b, "solvers", "solver")
		set(b, "track", o.x.Kind)
		set(b, "dialogue", o.x.Input == "dialogue")
		if o.x.Input == "stdin" {
			set(b, "input", o.x.Input)
		}
		set(b, "continue_after_unknown", o.x.Past)
		set(b, "merge_stderr", o.x.Merged)
		l := b.AppendNewBlock("limits", nil).Body()
		for name, v := range map[string]float64{"wall_time": o.x.WallS, "cpu_time": o.x.CPUS} {
			if v > 0 {
				set(l, name, strconv.FormatFloat(v, 'f', -1, 64)+"s")
			}
		}
		for name, v := range map[string]int64{"memory": o.x.Memory, "output": o.x.Output, "scratch": o.x.Scratch} {
			if v > 0 {
				set(l, name, fmt.Sprintf("%dB", v))
			}
		}
		set(l, "cores", int64(o.x.Cores))
		set(l, "processes", int64(o.x.Pids))
	}
	return os.WriteFile(filepath.Join(o.folder, "competition.hcl"), file.Bytes(), 0o666)
}

// benchmark puts the run's benchmark into an archive for the pipeline, if the benchmark is given and the script can be
// produced from it.
func (o *oneRun) benchmark() (given bool, err error) {
	if o.x == nil {
		return false, nil
	}
	if o.x.Scramble == nil {
		o.noScript = "the seed is not public, or no stage \"scramble\" made it"
		return false, nil
	}
	o.seed = fmt.Sprint(o.x.Scramble.Seed)
	if o.flags.Release == "" {
		return false, nil
	}
	content, err := findBenchmark(o.flags.Release, o.run.Benchmark)
	if err != nil {
		return false, err
	}
	f, err := os.Create(filepath.Join(o.folder, "benchmark.tar"))
	if err != nil {
		return false, err
	}
	w := tar.NewWriter(f)
	err = w.WriteHeader(&tar.Header{Name: o.run.Benchmark, Mode: 0o644, Size: int64(len(content)),
		Typeflag: tar.TypeReg})
	if err == nil {
		_, err = w.Write(content)
	}
	return true, errors.Join(err, w.Close(), f.Close())
}

// findBenchmark reads a benchmark from its own file or from a release, which is an archive or a folder of files or
// archives. It reads archives named after the logic first.
func findBenchmark(place, name string) (content []byte, err error) {
	if strings.HasSuffix(place, path.Ext(name)) && !release.IsArchive(place) {
		if info, err := os.Stat(place); err == nil && !info.IsDir() {
			return os.ReadFile(place)
		}
	}
	if filepath.IsLocal(name) {
		if content, err := os.ReadFile(filepath.Join(place, filepath.FromSlash(name))); err == nil {
			return content, nil
		}
	}
	archives, err := builds.ArchivesOf(place)
	if err != nil {
		return nil, exit.With(exit.Usage, exit.Plain(err, place))
	}
	logic := path.Base(path.Dir(name))
	if parts := strings.Split(name, "/"); len(parts) > 1 {
		logic = parts[1]
	}
	slices.SortStableFunc(archives, func(a, b string) int {
		of := func(archive string) int {
			if strings.HasPrefix(filepath.Base(archive), logic+".") {
				return 0
			}
			return 1
		}
		return of(a) - of(b)
	})
	for _, archive := range archives {
		if content, err = benchmarkIn(archive, name); content != nil || err != nil {
			return content, err
		}
	}
	return nil, fmt.Errorf("%s does not have the benchmark %s", place, name)
}

var errFound = errors.New("found")

// benchmarkIn returns the archive member with the given name, or nil.
func benchmarkIn(archive, name string) (content []byte, err error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	err = release.Walk(filepath.Base(archive), f, packed.Default, func(m release.Member, r io.Reader) error {
		if m.Path != name || m.Problem != "" {
			return nil
		}
		content = make([]byte, m.Size)
		if _, err := io.ReadFull(r, content); err != nil {
			return err
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return content, err
}

// findSolver determines how the solver is started on this machine, or why it cannot be started.
func (o *oneRun) findSolver() error {
	if o.start.Image != "" {
		o.absent = "the run had an image as its root file system, which a site does not have"
		return nil
	}
	if o.flags.Solver == "" && o.start.Packed {
		o.absent = "its archive is not given (--solver)"
		return nil
	}
	store, err := cache.Open(filepath.Join(o.folder, ".smtpipe"), cache.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	other, err := o.useSolver(&project.Files{Folder: o.folder, Index: store.FileIndex(false)})
	switch {
	case o.flags.Solver == "" && err != nil:
		o.absent = err.Error()
	case err != nil:
		return exit.With(exit.Usage, fmt.Errorf("--solver: %w", err))
	case other && o.flags.Solver == "":
		o.absent = fmt.Sprintf("%s here is not the program of the original run; --solver %[1]s executes it",
			o.start.Command[0])
	case other:
		fmt.Fprintf(o.stderr, "Note: %s is not the solver of the original run.\n", o.flags.Solver)
	}
	return nil
}

// useSolver finds the solver and sets its path. other reports whether the solver differs from the run's.
func (o *oneRun) useSolver(files *project.Files) (other bool, err error) {
	s, place := &o.start, o.flags.Solver
	if place == "" {
		place, err = files.FindProgram(s.Command[0])
	}
	if _, statErr := os.Stat(place); err != nil || statErr != nil {
		place, err = exec.LookPath(cmp.Or(o.flags.Solver, s.Command[0]))
	}
	if err == nil {
		place, err = filepath.Abs(place)
	}
	if err != nil {
		return false, err
	}
	info, err := os.Stat(place)
	if err != nil {
		return false, err
	}
	if !info.IsDir() && !builds.IsPacked(place) {
		f, err := files.Program(place)
		s.Packed, s.Command = false, slices.Concat([]string{place}, s.Command[1:])
		return f.Digest.String() != s.SHA256, err
	}
	f, err := files.File(place)
	if err != nil {
		return false, err
	}
	other = s.Archive != f.Digest.String() && s.SHA256 != f.Digest.String()
	s.Packed, s.Archive = true, "solver-"+filepath.Base(place)
	if info.IsDir() {
		return other, os.CopyFS(filepath.Join(o.folder, s.Archive), os.DirFS(place))
	}
	return other, outfile.LinkOrCopy(place, filepath.Join(o.folder, s.Archive))
}

// script produces the run's script and compares it with the original.
func (o *oneRun) script() error {
	if o.x == nil || o.x.Scramble == nil || o.flags.Release == "" {
		return nil
	}
	known, _, err := o.project.Execute(o.ctx, o.stderr,
		engine.Options{Targets: []string{"stage.scramble.run"}})
	if err != nil {
		return err
	}
	art, _ := stages.ArtifactOf(known["stage.scramble.run"]["scripts"])
	rows, err := artifact.ReadTable[results.ScriptRow](o.project.Store, art)
	if err != nil {
		return err
	}
	if len(rows) != 1 || rows[0].ScriptSHA256 != o.run.ScriptSHA256 {
		return fmt.Errorf("with seed %d, %s in %s does not become the script of the run (sha256:%s): it is another "+
			"version of the benchmark", o.x.Scramble.Seed, o.run.Benchmark, o.flags.Release, o.run.ScriptSHA256)
	}
	return nil
}

// again executes the run again.
func (o *oneRun) again() (now *results.RunRow, why string, err error) {
	if o.absent != "" {
		return nil, o.absent, nil
	}
	e, err := o.project.Engine(engine.Options{Distrusted: true})
	if err != nil {
		return nil, "", err
	}
	result, _, err := e.Run(o.ctx)
	if absent := project.Absentees(e.Absent()); err != nil || absent != "" {
		return nil, absent, err
	}
	now, err = o.one(result.Known["stage.execute.run"]["runs"], func(*results.RunRow) bool { return true })
	return now, "", err
}
