package report

import (
	"io"
	"slices"
	"strings"
)

// evidenceScripts are the scripts that fill in evidence.
var evidenceScripts = []string{"data.js", "evidence.js"}

// pages lists the site's pages.
func (s *site) pages() []file {
	m := s.m
	var overviewScripts []string
	if m.in.Progress == nil {
		overviewScripts = evidenceScripts
	}
	home := []crumb{{"Overview", "index.html"}}
	files := []file{
		s.page("index.html", "overview", page{Title: "Overview", Section: "overview", Scripts: overviewScripts,
			Body: func() any { return s.overview() }}),
		s.page("solvers/index.html", "solvers", page{Title: "Solvers", Section: "solvers", Crumbs: home,
			Scripts: evidenceScripts,
			Body:    func() any { return &solversBody{s.solverList(), s.questions()} }}),
		s.page("provenance.html", "provenance", page{Title: "Provenance", Section: "provenance", Crumbs: home,
			Scripts: evidenceScripts, Body: func() any { return s.provenance() }}),
		s.page("licences.html", "licences", page{Title: "Licences", Crumbs: home,
			Body: func() any { return licences() }}),
	}
	if name := s.info().Slides; name != "" {
		files = append(files, s.page(name, "slides", page{Title: "Slides", Bare: true,
			Body: func() any { return s.slides() }}))
	}
	if p := &m.in.Provenance; len(p.Nodes) > 0 {
		files = append(files, file{"provenance.svg", func(w io.Writer) error {
			return WriteGraph(w, p.Nodes, p.Edges)
		}})
	}
	for _, t := range m.tracks {
		files = append(files, s.trackPages(t)...)
	}
	for _, v := range m.solvers {
		files = append(files, s.page(v.href(), "solver", page{Title: clean(v.name), Section: "solvers",
			Crumbs: append(slices.Clone(home), crumb{"Solvers", "solvers/index.html"}), Scripts: evidenceScripts,
			Body: func() any { return s.solverPage(v) }}))
	}
	if s.info().Recognition {
		files = append(files, s.page("recognitions.html", "recognitions", page{Title: "Recognitions",
			Section: "recognitions", Crumbs: home, Body: func() any { return s.recognitions() }}))
	}
	if p := m.in.Progress; p != nil && len(p.Early) > 0 {
		files = append(files, s.page("early.html", "early", page{Title: "Early rankings", Section: "early",
			Crumbs: home, Body: func() any { return s.early() }}))
	}
	if len(m.in.Confidence) > 0 {
		files = append(files, s.page("confidence.html", "confidence", page{Title: "How certain", Section: "confidence",
			Crumbs: home, Body: func() any { return s.sure() }}))
	}
	return files
}

func (s *site) trackPages(t *track) []file {
	up := []crumb{{"Overview", "index.html"}}
	files := []file{
		s.page(t.href(), "track", page{Title: t.title, Section: t.name, Crumbs: up,
			Body: func() any { return s.trackPage(t) }}),
		s.page(t.benchmarksHref(), "benchmarks", page{Title: "Benchmarks, " + t.title, Section: "benchmarks",
			Crumbs: up, Body: func() any { return s.benchmarks(t) }}),
	}
	up = append(slices.Clone(up), crumb{t.title, t.href()})
	for _, d := range t.divisions {
		var figures *figures
		p := page{Title: clean(d.name), Section: t.name, Crumbs: up,
			Body: func() any { return s.divisionPage(d, figures) }}
		read := func() (err error) { figures, err = s.figures(d); return err }
		if d.runs != nil {
			p.Scripts = []string{"uPlot.iife.min.js", "data.js", "plots.js"}
			files = append(files, s.runPages(d, up)...)
		}
		files = append(files, s.page(d.href(), "division", p).after(read))
		for _, l := range d.logics {
			if len(d.logics) == 1 && l.name == d.name {
				continue
			}
			files = append(files, s.page(l.href(d), "division", page{Title: clean(l.name), Section: t.name,
				Crumbs: append(slices.Clone(up), crumb{clean(d.name), d.href()}),
				Body:   func() any { return s.logicPage(d, l) }}))
		}
	}
	return files
}

// runPages returns a division's run explorer, the page that shows a single run, and the pages about its families.
func (s *site) runPages(d *division, up []crumb) []file {
	up = append(slices.Clone(up), crumb{clean(d.name), d.href()})
	data := map[string]any{"Data": d.dataHref(), "ID": d.dataID(), "N": grouped(int64(d.runs.Runs)),
		"Detail": detailPrefix(d), "Run": d.runHref("", ""), "Explorer": d.runsHref(),
		"Executes": s.executes(d.track)}
	body := func() any { return data }
	title := "Runs of " + clean(d.name)
	files := []file{
		s.dependsOnly(s.page(d.runsHref(), "runs", page{Title: title, Section: d.track.name, Body: body, Crumbs: up,
			Scripts: []string{"data.js", "run.js", "explorer.js"}}), *s.info(), up, d.track.name, title, data),
		s.dependsOnly(s.page(d.runHref("", ""), "run", page{Title: "Run", Section: d.track.name, Body: body,
			Crumbs: append(slices.Clone(up), crumb{title, d.runsHref()}), Scripts: []string{"data.js", "run.js"}}),
			*s.info(), up, d.track.name, title, data),
		s.ofRuns(d, s.page(d.familiesHref(), "families", page{Title: "Families of " + clean(d.name),
			Section: d.track.name, Crumbs: up, Body: func() any { return s.families(d, d.runs.byFamily()) }}),
			*s.info(), up, d.limits.wall, s.solverLinks(d)),
	}
	return append(files, s.familyPages(d, up)...)
}

// executes returns the address of the stage that executed a track's runs, if known.
func (s *site) executes(t *track) string {
	var all, named []string
	for _, n := range s.m.in.Provenance.Nodes {
		if n.Kind != "execute" {
			continue
		}
		all = append(all, n.Address)
		if strings.Contains(n.Address, t.name) {
			named = append(named, n.Address)
		}
	}
	switch {
	case len(named) == 1:
		return clean(named[0])
	case len(all) == 1:
		return clean(all[0])
	}
	return ""
}

// detailPrefix returns the detail files' address without their number.
func detailPrefix(d *division) string {
	full := d.detailHref(0)
	return full[:len(full)-len("0.js")]
}
