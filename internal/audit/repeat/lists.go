package repeat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/audit/shadow"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// drawLists executes the draw's pipeline in a separate store and returns each track's list. lacking lists missing
// results that the year's draw used.
func (w *repeated) drawLists(pipeline, submissions string) (lists map[string][]string, lacking string, err error) {
	flags := project.Options{Pipeline: pipeline, Store: filepath.Join(w.folder, "draw"), Version: w.Version}
	said := w.year.Rules.Published.Draw
	history, lacksHistory := w.material.SingleQuery(said.History)
	answers, lacksAnswers := w.material.SingleQuery(said.Answers)
	missing := slices.Concat(lacksHistory, lacksAnswers)
	slices.Sort(missing)
	var names []string
	for _, year := range slices.Compact(missing) {
		names = append(names, fmt.Sprintf("results-sq-%d", year))
	}
	for _, v := range []struct {
		name  string
		value any
	}{{"list", w.Benchmarks}, {"submissions", submissions}, {"history", history}, {"answers", answers}} {
		setting, err := drawVariable(v.name, v.value)
		if err != nil {
			return nil, "", err
		}
		flags.Vars = append(flags.Vars, setting...)
	}
	p, err := flags.Open(w.ctx, w.Stderr)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	known, err := w.runDraw(p)
	if err != nil {
		return nil, "", err
	}
	outputs, diags := p.Pipeline.Outputs(known)
	if err := p.Report(w.Stderr, diags); err != nil {
		return nil, "", err
	}
	lists, err = w.readDraw(p, outputs)
	return lists, strings.Join(names, ", "), err
}

// drawVariable returns an assignment that sets a variable to the absolute path of a file or folder, or to a list of
// such paths; nil for an empty list.
func drawVariable(name string, value any) ([]string, error) {
	if one, ok := value.(string); ok {
		abs, err := filepath.Abs(one)
		return []string{name + "=" + abs}, err
	}
	var all []string
	for _, file := range value.([]string) {
		abs, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		all = append(all, abs)
	}
	if len(all) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(all)
	return []string{name + "=" + string(text)}, err
}

// runDraw executes the pipeline.
func (w *repeated) runDraw(p *project.Project) (stages.Known, error) {
	w.steps.show("drawing benchmarks", 0, 0)
	mode := w.Progress
	if mode == ui.Auto && !ui.IsTerminal(w.Stderr) {
		mode = ui.None // the step has already been printed
	}
	observer, err := ui.New(mode, w.Stderr)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	defer observer.Close()
	e, err := p.Engine(engine.Options{Observer: ui.QuietHits{Observer: observer}})
	if err != nil {
		return nil, err
	}
	result, diags, err := e.Run(w.ctx)
	if exit.WasInterrupted(w.ctx, err) {
		return nil, exit.ErrInterrupted
	}
	if reported := p.Report(w.Stderr, diags); reported != nil && err == nil {
		err = reported
	}
	if err != nil {
		return nil, err
	}
	return result.Known, nil
}

// readDraw writes the draw's tables and returns the lists from the output "selected", by track.
func (w *repeated) readDraw(p *project.Project, outputs []config.Output) (map[string][]string, error) {
	lists := map[string][]string{}
	for _, o := range outputs {
		art, ok := stages.ArtifactOf(o.Value)
		if !ok || o.Path == "" {
			continue
		}
		format, err := results.FormatOf(o.Path)
		if err != nil {
			return nil, err
		}
		err = w.write("draw/"+path.Base(o.Path), func(out io.Writer) error {
			return artifact.ExportTable(out, p.Store, art, format)
		})
		if err != nil {
			return nil, err
		}
		track, is := strings.CutPrefix(o.Name, `selected["`)
		if !is {
			continue
		}
		rows, err := artifact.ReadTable[results.BenchmarkRow](p.Store, art)
		if err != nil {
			return nil, err
		}
		list := make([]string, len(rows))
		for i := range rows {
			list[i] = rows[i].Path
		}
		lists[strings.TrimSuffix(track, `"]`)] = list
	}
	return lists, nil
}

// published returns a track's published list, or what is known about the list.
func (w *repeated) published(track string) (*shadow.Draw, error) {
	d := &shadow.Draw{Track: track, Digest: w.year.Rules.Published.Draw.List(track)}
	switch file, runs := w.listed[track], w.runs[track]; {
	case file != "":
		d.Source = filepath.Base(file)
		_, err := intake.Benchmarks(file, func(b *intake.Benchmark) error {
			d.Listed = append(d.Listed, b.Path)
			return nil
		})
		return d, err
	case runs != nil:
		d.Source = w.sources[track]
		for _, b := range runs.Tracks[0].Benchmarks {
			d.Listed = append(d.Listed, b.Name)
		}
	}
	return d, nil
}
