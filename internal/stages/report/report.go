// Package report provides the "report" stage: a competition's static site, computed only from its tables.
// internal/publish/report writes the pages, and internal/publish/report/smtcompsite writes the official site's pages.
package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/publish/report/smtcompsite"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "report",
	Version: 24, // also of the files that reports keep
	Summary: "Writes the site of a competition",
	Doc: `Writes a static site with rankings, plots and runs from the given tables. The site needs no server and loads nothing
from other hosts. Its page on provenance draws the stages that the tables come from, with the digests of their outputs and of
the files that they read. These and the version of smtpipe are part of the key. "smtpipe report" writes the same site with the
keys of all stages, even while the competition runs.

With format = "smt-comp-site" it writes the pages and data files that the Hugo theme of the official site reads, and the LaTeX
input of its certificates. These need the date of the results and the participants. Their sources are listed in
docs/publish/report.md.`,
	Example: `stage "report" "site" {
  name         = competition.name
  year         = competition.year
  scores       = [stage.score.single_query.scores]
  verdicts     = [stage.validate.single_query.verdicts]
  runs         = [stage.execute.single_query.runs]
  recognitions = [stage.score.single_query.recognitions]
  solvers      = solver
}`,
	Attrs: []stages.Attr{
		{Name: "format", Type: cty.String, Default: cty.StringVal(formatSite),
			Doc: "site: our own; smt-comp-site: pages for the official site"},
		{Name: "name", Type: cty.String, Default: cty.StringVal("Competition"), Doc: "name of the competition"},
		{Name: "edition", Type: cty.String, Doc: "such as \"21st\""},
		{Name: "year", Type: cty.Number, Whole: stages.WholeFrom(0, 9999), Doc: "year of the competition"},
		{Name: "scores", Type: cty.List(stages.TableType("scores/1")), Required: true, Doc: "rankings of tracks"},
		{Name: "verdicts", Type: cty.List(stages.TableType("verdicts/1")),
			Doc: "judged runs of tracks, for plots and the explorer of runs"},
		{Name: "runs", Type: cty.List(stages.TableType("runs/2")),
			Doc: "the tracks' runs, for memory limits and the machine"},
		{Name: "benchmarks", Type: cty.List(stages.TableType("benchmarks/1")),
			Doc: "benchmarks; those with runs are exported with their digests, such as " +
				"[stage.index.release.benchmarks]"},
		{Name: "recognitions", Type: cty.List(stages.TableType("recognitions/1")), Doc: "competition-wide rankings"},
		{Name: "confidence", Type: cty.List(stages.TableType("confidence/1")), Doc: "how certain the rankings are"},
		{Name: "sensitivity", Type: cty.List(stages.TableType("sensitivity/1")),
			Doc: "readings and practice switches that change winners"},
		{Name: "noise", Type: cty.List(stages.TableType("noise/1")),
			Doc: "whether time differences exceed measurement noise"},
		{Name: "solvers", Type: cty.DynamicPseudoType, Named: true,
			Doc: "solvers, for their pages: a solver table or solver blocks, such as solver"},
		{Name: "selection", Type: cty.Map(stages.TableType("selection/1")),
			Doc: "how benchmarks were selected, by track"},
		{Name: "exclusions", Type: cty.Map(stages.TableType("exclusions/1")),
			Doc: "which benchmarks were dropped, by track"},
		{Name: "retired", Type: stages.TableType("unfit/1"),
			Doc: "benchmarks that were retired before the draw, with their reasons"},
		{Name: "removed", Type: stages.TableType("unfit/1"),
			Doc: "benchmarks that were removed after the runs, with their reasons"},
		{Name: "previous", Type: cty.List(stages.FileType),
			Doc: "last year's scores for comparison: scores/1 tables as CSV or Parquet"},
		{Name: "renamed", Type: cty.Map(cty.String),
			Doc: "last year's names of renamed solvers, by this year's name"},
		{Name: "notes", Type: cty.List(cty.String), Doc: "notes of the organisers, each beginning with its day, " +
			"such as \"2027-06-28: Solver A was repaired and executed again.\"; the last day comes first on the site"},
		{Name: "rules", Type: cty.String, Doc: "name of the rule set in the texts"},
		{Name: "questions", Type: rules.QuestionsType, Inherit: []string{"rules", "questions"},
			Doc: "requirements on entrants that only people can check"},
		{Name: "rules_url", Type: cty.String, Doc: "address of the rules"},
		{Name: "organisers", Type: cty.List(cty.String), Doc: "the organisers of the competition"},
		{Name: "tracks", Type: rules.TracksType, Inherit: []string{"tracks"},
			Doc: "smt-comp-site: logics by division by track"},
		{Name: "result_date", Type: cty.String, Doc: "smt-comp-site: result date, such as \"2026-07-27\""},
		{Name: "wall_time", Type: cty.Number, Unit: stages.Duration,
			Doc: "smt-comp-site: the wall time limit, if neither runs nor verdicts contain it"},
		{Name: "memory", Type: cty.Number, Unit: stages.Size,
			Doc: "smt-comp-site: the memory limit, if no runs contain it"},
		{Name: "options", Type: cty.List(cty.String),
			Doc: "smt-comp-site: differences between its pages and the scores, such as contested_by_names"},
		{Name: "charts", Type: cty.Bool, Default: cty.False,
			Doc: "smt-comp-site: also a page with a chart for every division and logic, which needs verdicts"},
		stages.KindsAttr,
	},
	Outputs: []stages.Output{
		{Name: "files", Type: stages.TreeType, Doc: "the site"},
	},
	New: newAction,
}

type action struct {
	competition            site.Competition
	scores, verdicts, runs []stages.Artifact
	benchmarks             []stages.Artifact
	recognitions           []stages.Artifact
	confidence             []stages.Artifact
	sensitivity, noise     []stages.Artifact
	tables                 []stages.Artifact // tables of solvers
	blocks                 []cty.Value       // solver blocks
	selection, exclusions  map[string]stages.Artifact
	retired, removed       []stages.Artifact
	previous               []stages.File
	renamed                map[string]string
	rules, rulesURL        string
	kinds                  comp.Kinds
	questions              []submission.Asked
	lineage                *stages.Lineage

	format string
	pages  smtcompsite.Site // date, options and limits
	limits run.Limits
}

// Trace implements stages.Tracer.
func (act *action) Trace(l *stages.Lineage) { act.lineage = l }

// ExtendKey implements stages.KeyExtender.
func (act *action) ExtendKey(k *cache.KeyWriter) {
	if act.lineage != nil {
		act.lineage.WriteKey(k)
	}
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{
		competition: site.Competition{Name: a.String("name"), Edition: a.String("edition"),
			Organisers: a.Strings("organisers")},
		scores:       a.Artifacts("scores"),
		verdicts:     a.Artifacts("verdicts"),
		runs:         a.Artifacts("runs"),
		benchmarks:   a.Artifacts("benchmarks"),
		recognitions: a.Artifacts("recognitions"),
		confidence:   a.Artifacts("confidence"),
		sensitivity:  a.Artifacts("sensitivity"),
		noise:        a.Artifacts("noise"),
		selection:    byTrack(a.Value("selection")),
		exclusions:   byTrack(a.Value("exclusions")),
		retired:      a.Artifacts("retired"),
		removed:      a.Artifacts("removed"),
		previous:     a.Files("previous"),
		rules:        a.String("rules"),
		rulesURL:     a.String("rules_url"),
	}
	act.renamed = a.TextMap("renamed")
	act.competition.Year = int(a.Int("year"))
	var err error
	if act.kinds, err = a.Kinds(); err != nil {
		return nil, err
	}
	if err := rules.Into(a.Value("questions"), &act.questions); err != nil {
		return nil, a.Invalid("questions", "Missing value", err.Error()+".")
	}
	if err := act.readNotes(a); err != nil {
		return nil, err
	}
	if err := act.readPages(a); err != nil {
		return nil, err
	}
	return act, act.readSolvers(a)
}

func (act *action) readNotes(a *stages.Args) error {
	for _, note := range a.Strings("notes") {
		day, text, ok := strings.Cut(note, ": ")
		if _, err := time.Parse(time.DateOnly, day); !ok || err != nil || strings.TrimSpace(text) == "" {
			return a.Invalid("notes", "Note without a day", fmt.Sprintf(
				"Begin %q with its day, as in \"2027-06-28: Solver A was repaired.\".", note))
		}
		act.competition.Notes = append(act.competition.Notes, site.Fact{Name: day, Value: text})
	}
	slices.SortStableFunc(act.competition.Notes, func(a, b site.Fact) int { return strings.Compare(b.Name, a.Name) })
	return nil
}

func byTrack(v cty.Value) map[string]stages.Artifact {
	all := map[string]stages.Artifact{}
	if v.IsNull() {
		return all
	}
	for track, t := range v.AsValueMap() {
		if art, ok := stages.ArtifactOf(t); ok {
			all[track] = art
		}
	}
	return all
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	if act.format == FormatPages {
		pages, err := act.Pages(env.Store)
		if err != nil {
			return err
		}
		art, _, err := WritePages(env.Store, pages)
		if err != nil {
			return err
		}
		return env.Set("files", stages.ArtifactVal(art))
	}
	in, err := act.Input(env.Store)
	if err != nil {
		return err
	}
	kept, err := env.Kept(Kind)
	if err != nil {
		return err
	}
	art, _, err := Write(ctx, env.Store, in, kept)
	if err != nil {
		return err
	}
	return env.Set("files", stages.ArtifactVal(art))
}

// Write writes a site into a store, as a tree. It takes the files that an earlier site already had from kept, which may
// be nil.
func Write(
	ctx context.Context, store *cache.Store, in *site.Input, kept *stages.Kept,
) (stages.Artifact, *cache.Manifest, error) {
	sink := &storeSink{store: store, kept: kept}
	if kept != nil {
		in.Keeper = kept
	}
	if err := site.Write(ctx, sink, in); err != nil {
		return stages.Artifact{}, nil, err
	}
	sink.manifest.Sort()
	art, err := artifact.WriteTree(store, &sink.manifest)
	return art, &sink.manifest, err
}

// WithEvidence returns a tree's files, and the evidence data file if the tree is a site that shows evidence.
func WithEvidence(store *cache.Store, m *cache.Manifest, e any) (*cache.Manifest, error) {
	reads := func(f cache.ManifestFile) bool { return f.Path == site.EvidenceReader }
	if !slices.ContainsFunc(m.Files, reads) {
		return m, nil
	}
	digest, size, err := store.Write(func(w io.Writer) error { return site.WriteEvidence(w, e) })
	if err != nil {
		return nil, err
	}
	more := &cache.Manifest{Files: append(slices.Clone(m.Files),
		cache.ManifestFile{Path: site.EvidenceName, Size: size, Digest: digest})}
	more.Sort()
	return more, nil
}

// Reporter is an action that provides access to its report's inputs. The stage's action implements it.
type Reporter interface {
	// Input reads the report's tables. It does not require that the stage was executed.
	Input(store *cache.Store) (*site.Input, error)
	// Format is one of Formats.
	Format() string
	// Division returns a logic's division in the competition's tracks, or the logic itself.
	Division(track, logic string) string
	// Pages reads the inputs of the official site's pages, regardless of the stage's format.
	Pages(store *cache.Store) (*smtcompsite.Site, error)
}

// Input implements Reporter.
func (act *action) Input(store *cache.Store) (*site.Input, error) {
	in := &site.Input{Competition: act.competition, Kinds: act.kinds, Provenance: act.provenance(),
		Stored: map[string]func() ([]byte, error){}}
	var errs [13]error
	in.Scores, errs[0] = readAll[results.ScoreRow](store, act.scores)
	in.Recognitions, errs[1] = readAll[results.RecognitionRow](store, act.recognitions)
	act.readVerdicts(store, in)
	act.readBenchmarks(store, in)
	in.Solvers, errs[3] = act.solvers(store, in.Scores)
	in.Questions = act.asked(in.Solvers)
	in.Selections, errs[4] = act.selections(store)
	errs[5] = act.readRuns(store, in)
	in.Retired, errs[6] = readAll[results.UnfitRow](store, act.retired)
	in.Confidence, errs[8] = readAll[results.ConfidenceRow](store, act.confidence)
	in.Removed, errs[7] = readAll[results.UnfitRow](store, act.removed)
	in.Previous, errs[9] = act.readPrevious()
	in.Renamed = act.renamed
	in.Sensitivity, errs[10] = readAll[results.SensitivityRow](store, act.sensitivity)
	in.Noise, errs[11] = readAll[results.NoiseRow](store, act.noise)
	in.Provenance.Registered, errs[12] = act.registered(store)
	in.Log = func(digest string) ([]byte, error) { return artifact.ReadBlob(store, digest) }
	const logs = 20 << 20
	in.LogBytes = logs
	return in, errors.Join(errs[:]...)
}

// asked returns the questions about solvers, each with the solvers concerned.
func (act *action) asked(solvers []results.SolverRow) []site.Question {
	types, teams := map[string]string{}, map[string]map[string]bool{}
	for _, s := range solvers {
		types[s.Solver] = s.Type
		if teams[s.Team] == nil {
			teams[s.Team] = map[string]bool{}
		}
		teams[s.Team][s.Solver] = true
	}
	var all []site.Question
	for _, q := range act.questions {
		asked := site.Question{Text: q.Text}
		for _, of := range teams {
			for name := range of {
				if q.Concerns(submission.SolverType(types[name]), len(of) > 1) {
					asked.Solvers = append(asked.Solvers, name)
				}
			}
		}
		if slices.Sort(asked.Solvers); len(asked.Solvers) > 0 {
			all = append(all, asked)
		}
	}
	return all
}

func readAll[Row any](store *cache.Store, tables []stages.Artifact) ([]Row, error) {
	var all []Row
	for _, t := range tables {
		rows, err := artifact.ReadTable[Row](store, t)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

func (act *action) selections(store *cache.Store) ([]site.Selection, error) {
	tracks := map[string]*site.Selection{}
	var order []string
	at := func(track string) *site.Selection {
		if tracks[track] == nil {
			tracks[track] = &site.Selection{Track: track}
			order = append(order, track)
		}
		return tracks[track]
	}
	for track, art := range act.selection {
		rows, err := artifact.ReadTable[results.SelectionRow](store, art)
		if err != nil {
			return nil, err
		}
		at(track).Groups = rows
	}
	for track, art := range act.exclusions {
		rows, err := artifact.ReadTable[results.ExclusionRow](store, art)
		if err != nil {
			return nil, err
		}
		at(track).Exclusions = rows
	}
	slices.Sort(order) // map order is random, but pages need a fixed order
	var all []site.Selection
	for _, track := range order {
		all = append(all, *tracks[track])
	}
	return all, nil
}

// storeSink puts the site's files into the store.
type storeSink struct {
	store *cache.Store
	kept  *stages.Kept // may be nil

	mu       sync.Mutex
	manifest cache.Manifest
}

// Create implements site.Sink.
func (s *storeSink) Create(name string) (io.WriteCloser, error) {
	r, w := io.Pipe()
	f := &storeFile{PipeWriter: w, done: make(chan error, 1)}
	go func() {
		d, size, err := s.store.Write(func(dst io.Writer) error {
			_, err := io.Copy(dst, r)
			return err
		})
		r.CloseWithError(err)
		if err == nil {
			s.add(cache.ManifestFile{Path: name, Size: size, Digest: d})
		}
		f.done <- err
	}()
	return f, nil
}

func (s *storeSink) add(f cache.ManifestFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.manifest.Files = append(s.manifest.Files, f)
}

// Reuse implements site.Reuser.
func (s *storeSink) Reuse(name, reads string, write func() error) error {
	id := "file\x00" + name + "\x00" + reads
	if f, ok := s.kept.File(id); ok && s.store.Has(f.Digest) {
		f.Path = name
		s.add(f)
		return nil
	}
	if err := write(); err != nil {
		return err
	}
	s.mu.Lock()
	i := slices.IndexFunc(s.manifest.Files, func(f cache.ManifestFile) bool { return f.Path == name })
	f := s.manifest.Files[i]
	s.mu.Unlock()
	return s.kept.PutFile(id, f)
}

type storeFile struct {
	*io.PipeWriter
	done chan error
}

// Close closes the file and waits until the file is stored.
func (f *storeFile) Close() error {
	if err := f.PipeWriter.Close(); err != nil {
		return err
	}
	return <-f.done
}
