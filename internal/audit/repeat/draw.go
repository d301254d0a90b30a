package repeat

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/shadow"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/lang/preselect"
	"github.com/smtpipe/smtpipe/pipelines"
)

// compareDraw draws the year's benchmarks and compares the lists.
func (w *repeated) compareDraw() error {
	skip := func(why string) error {
		w.add(&shadow.Part{Kind: "draw", Why: "it is not made: " + why})
		return nil
	}
	scripts := w.material.Scripts[w.number]
	switch {
	case w.Draw == NoDraw:
		return skip("--draw " + NoDraw)
	case len(scripts) > 0 && w.Draw == "":
		return w.compareScripts(scripts)
	case w.Benchmarks == "":
		return skip(fmt.Sprintf("there is no list benchmarks-%d.json.gz (--benchmarks)", w.number))
	case w.Submissions == "":
		return skip("its seed and logics are in the submissions (--submissions)")
	}
	pipeline := w.Draw
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
	submissions := cmp.Or(w.Drawn, w.Submissions)
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
		w.add(p)
	}
	return w.drawAgain(pipeline, draws)
}

// drawAgain draws with the tables' submissions if lists differ, because the published lists may have been drawn from
// these submissions.
func (w *repeated) drawAgain(pipeline string, draws map[*shadow.Part]*shadow.Draw) error {
	maps.DeleteFunc(draws, func(p *shadow.Part, _ *shadow.Draw) bool { return len(p.Open) == 0 })
	if w.other == nil || len(draws) == 0 {
		return nil
	}
	files := len(w.tree.Files)
	lists, _, err := w.drawLists(pipeline, w.Submissions)
	w.tree.Files = w.tree.Files[:files] // write only the lists of the first draw
	for p, d := range draws {
		if err != nil {
			p.Hints = append(p.Hints, "the draw from the submissions of the tables could not be tried: "+err.Error())
			continue
		}
		d.Drawn = lists[p.Track]
		p.ExplainBy("the submissions of the tables", w.other.Text, d.Part())
	}
	return w.ctx.Err()
}

// compareScripts draws as the organisers' script does, and compares the lists.
func (w *repeated) compareScripts(folders []string) error {
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
		w.add(d.Part())
		if err := w.writeBytes("draw/"+base+".txt", []byte(strings.Join(append(made, ""), "\n"))); err != nil {
			return err
		}
	}
	return nil
}

// replay draws like the organisers' script, using the files in a folder.
func (w *repeated) replay(dir string) ([]string, error) {
	files := preselect.Files{Params: filepath.Join(dir, "params.json"), Benchmarks: shadow.First(dir, "all.txt"),
		NewList: shadow.First(dir, "new.txt"), Status: shadow.First(dir, "status.csv")}
	params, err := preselect.ReadFile(files.Params, selection.ReadReplayParams)
	if err != nil {
		return nil, err
	}
	made, err := files.Replay(w.Stderr, params.Options)
	return made.Paths, err
}

// drawTracks returns the tracks that have a drawn list, a published list, or runs.
func (w *repeated) drawTracks(lists map[string][]string) []string {
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
	return slices.Sorted(maps.Keys(tracks))
}
