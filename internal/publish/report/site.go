package report

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

//go:embed assets templates
var embedded embed.FS

// Style returns the site's style sheet, for standalone pages.
func Style() (string, error) {
	css, err := embedded.ReadFile("assets/site.css")
	return string(css), err
}

// Write writes the site. It writes several files concurrently and stops at the first error.
func Write(ctx context.Context, dst Sink, in *Input) error {
	m, err := build(ctx, in)
	if err != nil {
		return err
	}
	s, err := newSite(m, dst)
	if err != nil {
		return err
	}
	if err := s.writeLogs(ctx); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, runtime.GOMAXPROCS(0)))
	for _, f := range s.files() {
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return s.write(f)
		})
	}
	return g.Wait()
}

// site renders a report's files.
type site struct {
	m         *model
	dst       Sink
	templates map[string]*template.Template
	info      func() *siteInfo
	duels     func() map[string]*duels // duels by solver
	packs     func() (map[*division]*packed, error)
	// reads identifies everything that a file depends on, for each file that may be reused from an earlier report.
	reads map[string]string
}

// file is a file of the report and the function that renders it.
type file struct {
	name  string
	write func(io.Writer) error
}

// after returns a file that calls prepare before it is written.
func (f file) after(prepare func() error) file {
	return file{f.name, func(w io.Writer) error {
		if err := prepare(); err != nil {
			return err
		}
		return f.write(w)
	}}
}

func newSite(m *model, dst Sink) (*site, error) {
	s := &site{m: m, dst: dst, templates: map[string]*template.Template{}, duels: sync.OnceValue(m.against),
		reads: map[string]string{}, info: sync.OnceValue(m.info), packs: sync.OnceValues(m.packAll)}
	base, err := template.New("layout.html").Funcs(functions()).ParseFS(embedded, "templates/layout.html",
		"templates/parts.html")
	if err != nil {
		return nil, err
	}
	entries, err := embedded.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() == "layout.html" || e.Name() == "parts.html" {
			continue
		}
		t, err := base.Clone()
		if err != nil {
			return nil, err
		}
		if _, err := t.ParseFS(embedded, "templates/"+e.Name()); err != nil {
			return nil, err
		}
		s.templates[strings.TrimSuffix(e.Name(), ".html")] = t
	}
	return s, nil
}

// page is the input of each template.
type page struct {
	Site    *siteInfo
	Root    string // relative path to the site's top folder, such as "" or "../"
	Title   string
	Section string // current menu entry
	Crumbs  []crumb
	Scripts []string   // scripts among the assets, in addition to app.js
	Bare    bool       // the template is a complete document
	Body    func() any // returns the data for the template
}

type crumb struct{ Title, Href string }

// siteInfo holds the data that all pages share.
type siteInfo struct {
	Name        string
	Tracks      []link
	Benchmarks  bool
	Recognition bool
	Confidence  bool
	Early       bool
	Slides      string
	Partial     string // set while the competition is running
	Shown       int64  // number of runs counted on the pages, for a banner that is newer than the pages
}

type link struct{ Title, Href string }

func (m *model) info() *siteInfo {
	c := m.in.Competition
	info := &siteInfo{Name: strings.TrimSpace(clean(c.Name)), Confidence: len(m.in.Confidence) > 0,
		Early: m.in.Progress != nil && len(m.in.Progress.Early) > 0}
	if !m.in.Draft && m.total.Divisions > 0 {
		info.Slides = "slides.html"
	}
	if c.Year != 0 {
		info.Name = strings.TrimSpace(fmt.Sprintf("%s %d", info.Name, c.Year))
	}
	if info.Name == "" {
		info.Name = "Competition"
	}
	for _, t := range m.tracks {
		info.Tracks = append(info.Tracks, link{t.title, t.href()})
		info.Recognition = info.Recognition || len(t.recognitions) > 0
	}
	if p := m.in.Progress; p != nil {
		least := ""
		if p.More {
			least = "at least "
		}
		info.Partial = fmt.Sprintf("Partial results: %s of %s%s runs are done.", grouped(p.Done), least,
			grouped(p.Total))
		if info.Shown = m.total.Runs; info.Shown != p.Done && !m.in.Draft {
			info.Partial += fmt.Sprintf(" This page counts the %s that are judged.", grouped(info.Shown))
		}
	}
	return info
}

// page returns a file rendered from a template.
func (s *site) page(name, templateName string, p page) file {
	p.Site = s.info()
	p.Root = strings.Repeat("../", strings.Count(name, "/"))
	return file{name, func(w io.Writer) error {
		var buf bytes.Buffer // buffered, because a failing template must not leave half a page
		filled := struct {
			*page
			Body any
		}{&p, p.Body()}
		layout := "layout.html"
		if p.Bare {
			layout = templateName + ".html"
		}
		if err := s.templates[templateName].ExecuteTemplate(&buf, layout, filled); err != nil {
			return err
		}
		_, err := w.Write(buf.Bytes())
		return err
	}}
}

// Addresses of pages and data, relative to the site's top folder.
func (t *track) href() string    { return path.Join("tracks", t.slug+".html") }
func (d *division) href() string { return path.Join("divisions", d.track.slug, d.slug+".html") }
func (d *division) runsHref() string {
	if d.runs == nil {
		return ""
	}
	return path.Join("runs", d.track.slug, d.slug+".html")
}

// runHref returns the address of a run, or of the page that shows a division's runs.
func (d *division) runHref(benchmark, solver string) string {
	page := path.Join("run", d.track.slug, d.slug+".html")
	if benchmark == "" {
		return page
	}
	return page + "#benchmark=" + urlValue(benchmark) + "&solver=" + urlValue(solver)
}
func (d *division) dataHref() string { return path.Join("data", d.track.slug, d.slug+".js") }
func (d *division) dataID() string   { return d.track.slug + "/" + d.slug }
func (d *division) detailHref(k int) string {
	return path.Join("data", d.track.slug, fmt.Sprintf("%s.detail-%d.js", d.slug, k))
}
func (d *division) plotHref(kind string) string {
	return path.Join("plots", d.track.slug, d.slug+"."+kind+".svg")
}
func (l *logic) href(d *division) string {
	return path.Join("logics", d.track.slug, d.slug, l.slug+".html")
}
func (s *solver) href() string          { return path.Join("solvers", s.slug+".html") }
func (t *track) heatHref() string       { return path.Join("plots", t.slug+".heat.svg") }
func (t *track) benchmarksHref() string { return path.Join("benchmarks", t.slug+".html") }

// files lists the report's files. Large files come first, so that they are not left for the end.
func (s *site) files() []file {
	files := s.exportFiles()
	for _, t := range s.m.tracks {
		files = append(files, s.heatFiles(t)...)
		files = append(files, s.matrixFiles(t)...)
		for _, d := range t.divisions {
			files = append(files, s.divisionData(d)...)
			files = append(files, s.plotFiles(d)...)
		}
	}
	if e := s.m.in.Evidence; e != nil {
		files = append(files, file{EvidenceName, func(w io.Writer) error { return WriteEvidence(w, e) }})
	}
	files = append(files, s.pages()...)
	return append(files, s.assets()...)
}

// divisionData returns a division's data files.
func (s *site) divisionData(d *division) []file {
	if d.runs == nil {
		return nil
	}
	solvers, commands := s.m.solverData(d)
	files := []file{s.ofRuns(d, file{d.dataHref(), func(w io.Writer) error {
		return writeData(w, d.dataID(), s.m.runData(d))
	}}, d.dataID(), d.name, d.limits, solvers, commands)}
	for k := 0; k*detailRows < d.runs.Details; k++ {
		from, to := k*detailRows, min((k+1)*detailRows, d.runs.Details)
		id := fmt.Sprintf("%s/detail-%d", d.dataID(), k)
		f := file{d.detailHref(k), func(w io.Writer) error {
			measured, err := s.m.measured()
			if err != nil {
				return err
			}
			return writeData(w, id, d.runs.detailData(from, to, s.m.logs, measured))
		}}.after(s.m.load)
		if s.m.in.Measured == nil || s.m.in.MeasuredID != "" {
			f = s.ofRuns(d, f, s.m.in.MeasuredID, d.dataID(), d.name, slices.Sorted(maps.Keys(s.m.logs)))
		}
		files = append(files, f)
	}
	return files
}

// assets returns the embedded scripts and styles.
func (s *site) assets() []file {
	var files []file
	entries, _ := embedded.ReadDir("assets") // embedded at build time, so this cannot fail
	for _, e := range entries {
		files = append(files, file{"assets/" + e.Name(), func(w io.Writer) error {
			body, err := embedded.ReadFile("assets/" + e.Name())
			if err != nil {
				return err
			}
			_, err = w.Write(body)
			return err
		}})
	}
	return files
}
