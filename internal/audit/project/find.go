package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/scoring"
	"github.com/smtpipe/smtpipe/internal/stages/submissions"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// Find returns the outputs of an address's instance, and the output's name if the address includes one.
func (p *Project) Find(address string) (map[string]cty.Value, string, error) {
	e, err := p.Engine(engine.Options{})
	if err != nil {
		return nil, "", err
	}
	plan, _ := e.Plan()
	if outputs, ok := plan.Known[address]; ok {
		return outputs, "", nil
	}
	if i := strings.LastIndexByte(address, '.'); i > 0 {
		if outputs, ok := plan.Known[address[:i]]; ok {
			if _, ok := outputs[address[i+1:]]; !ok {
				return nil, "", exit.With(exit.Usage, fmt.Errorf("%s has no output %q; it has %s", address[:i],
					address[i+1:], strings.Join(OutputNames(outputs), ", ")))
			}
			return outputs, address[i+1:], nil
		}
	}
	var instances []string
	for i := range plan.Steps {
		if s := &plan.Steps[i]; s.Addr != address && engine.Covers(address, s.Addr) {
			instances = append(instances, s.Addr)
		}
	}
	if len(instances) > 0 {
		return nil, "", exit.With(exit.Usage, fmt.Errorf("%s uses for_each; name one of its instances: %s", address,
			words.Some(instances, 4)))
	}
	for _, s := range plan.Steps {
		if s.Addr == address || strings.HasPrefix(address, s.Addr+".") {
			return nil, "", fmt.Errorf("%s is not up to date (%s); execute it with \"smtpipe run\"", s.Addr, s.Decision)
		}
	}
	known := StepAddresses(plan)
	i := strings.LastIndexByte(address, '.')
	if strings.Count(address, ".") > 2 && nearest.Name(address, known) == "" {
		address = address[:i] // the last part may name an output
	}
	return nil, "", noStage(address, known)
}

func OutputNames(outputs map[string]cty.Value) []string {
	return slices.Sorted(maps.Keys(outputs))
}

// MainOutput returns the name of the output that represents a stage: the only one, or the first table in the order
// given by the stage's kind.
func (p *Project) MainOutput(addr string, outputs map[string]cty.Value) string {
	for _, n := range p.Pipeline.Nodes() {
		if !engine.Covers(n.Addr, addr) {
			continue
		}
		for _, out := range n.Kind.Outputs {
			if art, ok := stages.ArtifactOf(outputs[out.Name]); ok && art.IsTable() {
				return out.Name
			}
		}
	}
	return OutputNames(outputs)[0]
}

// Show prints an output.
func (p *Project) Show(w io.Writer, v cty.Value, format string, opt ui.TableOptions) error {
	art, ok := stages.ArtifactOf(v)
	isTable := ok && art.Schema != "tree" && art.Schema != "blob"
	switch {
	case !isTable && (format != "" || opt.Choose()):
		return exit.With(exit.Usage, errors.New("this output is not a table; leave out --format and the flags that choose "+
			"rows and columns"))
	case !ok:
		_, err := fmt.Fprintln(w, ValueText(v))
		return err
	case art.Schema == "tree":
		m, err := artifact.ReadTree(p.Store, art)
		if err != nil {
			return err
		}
		for _, f := range m.Files {
			if _, err := fmt.Fprintf(w, "%s  %10d  %s\n", f.Digest, f.Size, f.Path); err != nil {
				return err
			}
		}
		return nil
	case art.Schema == "blob":
		return p.Store.CopyBlob(w, art.Digest)
	case format != "" && format != string(results.CSV):
		if opt.Choose() {
			return exit.With(exit.Usage, fmt.Errorf("a table in the format %s is always whole; --columns, --sort, "+
				"--top, --division and --view are for csv and for people", format))
		}
		return artifact.ExportTable(w, p.Store, art, results.Format(format))
	}
	data, err := p.Store.ReadBytes(art.Digest)
	if err != nil {
		return err
	}
	if format != "" {
		return ui.WriteCSV(w, bytes.NewReader(data), int64(len(data)), opt)
	}
	return ui.WriteTable(w, bytes.NewReader(data), int64(len(data)), opt)
}

// Below returns a function that describes the evidence to show below a table: the solvers' versions and, for runs, the
// machines' states.
func (p *Project) Below(ctx context.Context, schema string) (func(solvers []string) string, error) {
	doc, versions, err := p.evidenceNow(ctx, "")
	return func(solvers []string) string {
		text := versions.lines(solvers)
		if schema == results.SchemaOf[results.RunRow]().Name {
			text += machineLines(doc)
		}
		return text
	}, err
}

// FindRun returns the last attempt at a run. The benchmark may be named without its collection.
func (p *Project) FindRun(addr, benchmark, solver string) (*results.RunRow, error) {
	outputs, _, err := p.Find(addr)
	if err != nil {
		return nil, err
	}
	art, ok := stages.ArtifactOf(outputs["runs"])
	if !ok || !results.SchemaOf[results.RunRow]().Reads(art.Schema) {
		return nil, exit.With(exit.Usage, fmt.Errorf("%s has no runs; name an \"execute\" stage", addr))
	}
	names := []string{benchmark, "non-incremental/" + benchmark, "incremental/" + benchmark}
	rows, err := artifact.Select[results.RunRow](p.Store, art, func(_, ofBenchmark, ofSolver string) bool {
		return ofSolver == solver && slices.Contains(names, ofBenchmark)
	})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no run of %s on %s", addr, solver, benchmark)
	}
	return &rows[len(rows)-1], nil
}

// CopyOutput writes a run's output, which is either a short text in the table or a blob.
func (p *Project) CopyOutput(w io.Writer, short, digest string) error {
	if digest == "" {
		_, err := io.WriteString(w, short)
		return err
	}
	d, err := cache.ParseDigest(digest)
	if err != nil {
		return err
	}
	return p.Store.CopyBlob(w, d)
}

// Drawing returns the stage that knows the entrants' numbers.
func (p *Project) Drawing(addr string) (submissions.Drawing, error) {
	e, err := p.Engine(engine.Options{})
	if err != nil {
		return nil, err
	}
	plan, diags := e.Plan()
	if diags.HasErrors() {
		return nil, diags
	}
	found := map[string]*stages.Instance{}
	var names []string
	for _, instances := range plan.Blocks {
		for i := range instances {
			in := &instances[i]
			if in.Kind.Name == submissions.Kind.Name && (addr == "" || engine.Covers(addr, in.Addr)) {
				found[in.Addr], names = in, append(names, in.Addr)
			}
		}
	}
	slices.Sort(names)
	if len(names) == 0 && addr == "" {
		return nil, exit.With(exit.Usage, errors.New("the pipeline has no stage \"submissions\", which reads the numbers of the "+
			"entrants from their files. A seed of solver blocks is an expression with competition_seed(); \"smtpipe "+
			"console\" shows its value"))
	}
	if len(names) != 1 {
		return nil, exit.With(exit.Usage, fmt.Errorf("name one stage \"submissions\"; there are %d: %s", len(names),
			strings.Join(names, ", ")))
	}
	drawing, ok := found[names[0]].Action.(submissions.Drawing)
	if !ok {
		return nil, fmt.Errorf("%s is waiting for %s", names[0], strings.Join(found[names[0]].Waits, ", "))
	}
	return drawing, nil
}

// Scorer is implemented by the action of a scoring stage.
type Scorer interface {
	RuleSet() *score.RuleSet
	Load(store *cache.Store, kept *stages.Kept) (*score.Runs, score.Readings, error)
}

var _ Scorer = (*scoring.Input)(nil)
