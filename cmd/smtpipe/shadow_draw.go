package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/audit/shadow"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/lang/preselect"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/ui"
	"github.com/smtpipe/smtpipe/pipelines"
)

// compareDraw draws the year's benchmarks and compares the lists.
func (w *shadowed) compareDraw() error {
	skip := func(why string) error {
		w.report.Parts = append(w.report.Parts, &shadow.Part{Kind: "draw", Why: "it is not made: " + why})
		return nil
	}
	scripts := w.material.Scripts[w.number]
	switch {
	case w.draw == noDraw:
		return skip("--draw " + noDraw)
	case len(scripts) > 0 && w.draw == "":
		return w.compareScripts(scripts)
	case w.benchmarks == "":
		return skip(fmt.Sprintf("there is no list benchmarks-%d.json.gz (--benchmarks)", w.number))
	case w.submissions == "":
		return skip("its seed and logics are in the submissions (--submissions)")
	}
	pipeline := w.draw
	if pipeline == "" {
		name := "draw-" + w.name + ".hcl"
		if _, err := fs.Stat(pipelines.Files, name); err != nil {
			return skip(fmt.Sprintf("smtpipe has no %s (--draw)", name))
		}
		if err := os.CopyFS(filepath.Join(w.folder, "pipelines"), pipelines.Files); err != nil {
			return err
		}
		pipeline = filepath.Join(w.folder, "pipelines", name)
	}
	submissions := cmp.Or(w.drawn, w.submissions)
	lists, lacking, err := w.drawLists(pipeline, submissions)
	if err != nil {
		return err
	}
	draws := map[*shadow.Part]*shadow.Draw{}
	for _, track := range w.drawTracks(lists) {
		p := &shadow.Part{Kind: "draw", Track: track, Why: "the pipeline draws nothing for it"}
		if lacking != "" {
			p.Why += ", without " + lacking
		}
		if lists[track] != nil {
			d, err := w.published(track)
			if err != nil {
				return err
			}
			d.Drawn, d.Lacking = lists[track], lacking
			p = d.Part()
			draws[p] = d
		}
		w.report.Parts = append(w.report.Parts, p)
	}
	return w.drawAgain(pipeline, draws)
}

// drawAgain draws with the tables' submissions if lists differ, because the published lists may have been drawn from
// these submissions.
func (w *shadowed) drawAgain(pipeline string, draws map[*shadow.Part]*shadow.Draw) error {
	maps.DeleteFunc(draws, func(p *shadow.Part, _ *shadow.Draw) bool { return len(p.Open) == 0 })
	if w.other == nil || len(draws) == 0 {
		return nil
	}
	files := len(w.tree.Files)
	lists, _, err := w.drawLists(pipeline, w.submissions)
	w.tree.Files = w.tree.Files[:files] // write only the lists of the first draw
	for p, d := range draws {
		if err != nil {
			p.Hints = append(p.Hints, "the draw from the submissions of the tables could not be tried: "+err.Error())
			continue
		}
		d.Drawn = lists[p.Track]
		p.ExplainBy("the submissions of the tables", w.other.Text, d.Part())
	}
	return w.cmd.Context().Err()
}

// compareScripts draws as the organisers' script does, and compares the lists.
func (w *shadowed) compareScripts(folders []string) error {
	for _, dir := range folders {
		base := filepath.Base(dir)
		w.steps.show("drawing the benchmarks of "+base, 0, 0)
		_, track, _ := strings.Cut(base, "-")
		made, err := w.replay(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		d := &shadow.Draw{Track: strings.ReplaceAll(track, "-", "_"), Drawn: made}
		if file := shadow.First(dir, "selected.txt"); file != "" {
			d.Source = filepath.Base(file) + " of " + base
			if d.Listed, err = preselect.ReadFile(file, selection.ReadList); err != nil {
				return err
			}
		}
		w.report.Parts = append(w.report.Parts, d.Part())
		if err := w.writeBytes("draw/"+base+".txt", []byte(lines(made))); err != nil {
			return err
		}
	}
	return nil
}

// replay draws like the organisers' script, using the files in a folder.
func (w *shadowed) replay(dir string) ([]string, error) {
	files := preselect.Files{Params: filepath.Join(dir, "params.json"), Benchmarks: shadow.First(dir, "all.txt"),
		NewList: shadow.First(dir, "new.txt"), Status: shadow.First(dir, "status.csv")}
	params, err := preselect.ReadFile(files.Params, selection.ReadReplayParams)
	if err != nil {
		return nil, err
	}
	made, err := files.Replay(w.cmd.ErrOrStderr(), params.Options)
	return made.Paths, err
}

// drawTracks returns the tracks that have a drawn list, a published list, or runs.
func (w *shadowed) drawTracks(lists map[string][]string) []string {
	tracks := map[string]bool{}
	for track := range lists {
		tracks[track] = true
	}
	for track := range w.listed {
		tracks[track] = true
	}
	for track := range w.runs {
		tracks[track] = true
	}
	return sortedKeys(tracks)
}

// drawLists executes the draw's pipeline in a separate store and returns each track's list. lacking lists missing
// results that the year's draw used.
func (w *shadowed) drawLists(pipeline, submissions string) (lists map[string][]string, lacking string, err error) {
	flags := project.Options{Pipeline: pipeline, Store: filepath.Join(w.folder, "draw"), Version: version}
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
	}{{"list", w.benchmarks}, {"submissions", submissions}, {"history", history}, {"answers", answers}} {
		setting, err := drawVariable(v.name, v.value)
		if err != nil {
			return nil, "", err
		}
		flags.Vars = append(flags.Vars, setting...)
	}
	p, err := flags.Open(w.cmd.Context(), w.cmd.ErrOrStderr())
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	known, err := w.runDraw(p)
	if err != nil {
		return nil, "", err
	}
	outputs, diags := p.Pipeline.Outputs(known)
	if err := p.Report(w.cmd.ErrOrStderr(), diags); err != nil {
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
func (w *shadowed) runDraw(p *project.Project) (stages.Known, error) {
	w.steps.show("drawing benchmarks", 0, 0)
	mode := ui.Mode(w.progress)
	if mode == ui.Auto && !ui.IsTerminal(w.cmd.ErrOrStderr()) {
		mode = ui.None // the step has already been printed
	}
	observer, err := ui.New(mode, w.cmd.ErrOrStderr())
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	defer observer.Close()
	e, err := p.Engine(engine.Options{Observer: ui.QuietHits{Observer: observer}})
	if err != nil {
		return nil, err
	}
	result, diags, err := e.Run(w.cmd.Context())
	if exit.WasInterrupted(w.cmd.Context(), err) {
		return nil, exit.ErrInterrupted
	}
	if reported := p.Report(w.cmd.ErrOrStderr(), diags); reported != nil && err == nil {
		err = reported
	}
	if err != nil {
		return nil, err
	}
	return result.Known, nil
}

// readDraw writes the draw's tables and returns the lists from the output "selected", by track.
func (w *shadowed) readDraw(p *project.Project, outputs []config.Output) (map[string][]string, error) {
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
func (w *shadowed) published(track string) (*shadow.Draw, error) {
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
