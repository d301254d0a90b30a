package shadow

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/published"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/publish/report/smtcompsite"
)

// Site is a year's official site, to compute and compare.
type Site struct {
	Year   *published.Year
	Source string            // where the runs come from
	Date   string            // date of the results; if empty, that of the year's rules or of the published pages
	Pages  map[string]string // paths of the published pages, by name
	Data   map[string]string // paths of the published data files and of the input of certificates, by name
	// Entered reports whether a solver entered a division or logic.
	Entered func(track, group, solver string) bool
	Other   *Other // nil if the submissions have only one state

	pages map[string]map[string]any // decoded pages, by name
	data  map[string]any            // decoded data files, or lines of text, by name
	parts map[string]*Part          // parts for pages by track, and for data files by name
}

// Compare writes the pages as the year's practice requires, compares them, and explains the differences.
func (s *Site) Compare(ctx context.Context, progress Progress) ([]*Part, []smtcompsite.File, error) {
	base, err := s.Year.Practice()
	if err != nil {
		return nil, nil, err
	}
	if err := s.read(); err != nil {
		return nil, nil, err
	}
	files, err := s.files(ctx, &trial{readings: base})
	if err != nil {
		return nil, nil, err
	}
	parts := s.divide(files)
	t := target{name: "pages", parts: parts, base: base, rules: s.Year.Scoring, options: true, compare: s.compare,
		other: s.Other, entered: func(e entrant) bool { return s.Entered(e.track, e.group, e.solver) }}
	return parts, files, t.run(ctx, progress)
}

// NoDate reports whether the date of the pages is unknown.
func (s *Site) NoDate() (bool, error) {
	if err := s.read(); err != nil {
		return false, err
	}
	for _, t := range s.Year.Runs.Tracks {
		if said, _ := s.Year.Rules.Published.Of(t.Name); said.ResultDate != "" {
			return false, nil
		}
	}
	return s.Date == "", nil
}

// read decodes the published pages. If there is no date, it uses that of the pages.
func (s *Site) read() error {
	if s.pages != nil {
		return nil
	}
	decoded, data, date := map[string]map[string]any{}, map[string]any{}, ""
	for _, name := range slices.Sorted(maps.Keys(s.Pages)) {
		raw, err := limits.Document.ReadFile(s.Pages[name])
		if err != nil {
			return err
		}
		var page map[string]any
		if err := json.Unmarshal(raw, &page); err != nil {
			return fmt.Errorf("%s: %w", s.Pages[name], err)
		}
		decoded[name] = page
		date = cmp.Or(date, word(page, "resultdate"))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Data)) {
		raw, err := limits.Document.ReadFile(s.Data[name])
		if err != nil {
			return err
		}
		if data[name], err = decode(name, raw); err != nil {
			return fmt.Errorf("%s: %w", s.Data[name], err)
		}
	}
	s.pages, s.data = decoded, data
	s.Date = cmp.Or(s.Date, date)
	return nil
}

// decode decodes a data file. It returns the lines of a file that is not JSON.
func decode(name string, raw []byte) (v any, err error) {
	if filepath.Ext(name) == ".json" {
		err = json.Unmarshal(raw, &v)
		return v, err
	}
	lines := map[string]any{}
	for i, line := range strings.Split(string(raw), "\n") {
		lines["line "+strconv.Itoa(i+1)] = line
	}
	return lines, nil
}

// files returns the files of the site under a trial's readings, with its page options toggled.
func (s *Site) files(ctx context.Context, t *trial) ([]smtcompsite.File, error) {
	year := s.Year
	if t.other {
		var err error
		if year, err = s.Other.Year(); err != nil {
			return nil, err
		}
	}
	site, err := year.Site(ctx, t.readings)
	if err != nil {
		return nil, err
	}
	site.ResultDate = cmp.Or(s.Date, site.ResultDate)
	for _, name := range t.options {
		site.Options.Turn(name)
	}
	return site.Files()
}

// divide returns the parts to compare: each track's pages, the data files, and the certificates.
func (s *Site) divide(files []smtcompsite.File) []*Part {
	s.parts = map[string]*Part{}
	made, published := map[string]int{}, map[string]int{}
	for _, f := range files {
		if name := path.Base(f.Path); path.Ext(name) == ".md" {
			made[trackOf(decodePage(f.Data))]++
		} else {
			s.addData(name)
		}
	}
	for _, page := range s.pages {
		published[trackOf(page)]++
	}
	for track := range made {
		p := &Part{Kind: "pages", Track: track, Made: words.Count(made[track], "page") + " from " + s.Source,
			With: words.Count(published[track], "page")}
		if published[track] == 0 {
			p.With, p.Why = "", "no pages of the track are published here"
		}
		s.parts[track] = p
	}
	lacks := false
	for track, n := range published {
		if made[track] == 0 {
			lacks = true
			s.parts[track] = &Part{Kind: "pages", Track: track,
				Why: fmt.Sprintf("no results of the track are published here; %s are", words.Count(n, "page"))}
		}
	}
	if p := s.parts["input_for_certificates.tex"]; lacks && p.Why == "" {
		p.With, p.Why = "", "it has tracks of which no results are published here"
	}
	var parts []*Part
	for _, name := range slices.Sorted(maps.Keys(s.parts)) {
		parts = append(parts, s.parts[name])
	}
	return parts
}

// addData adds the part of a data file.
func (s *Site) addData(name string) {
	kind := "data"
	if path.Ext(name) != ".json" {
		kind = "certificates"
	}
	p := &Part{Kind: kind, File: name, Made: "1 file from " + s.Source, With: "the published file"}
	if s.data[name] == nil {
		p.With, p.Why = "", "the published file is missing"
	}
	s.parts[name] = p
}

func decodePage(raw []byte) (page map[string]any) {
	_ = json.Unmarshal(raw, &page) // cannot fail: the page has just been encoded
	return page
}

// trackOf returns a page's track.
func trackOf(page map[string]any) string { return strings.TrimPrefix(word(page, "track"), "track_") }

// compare computes the site under a trial and compares it with everything that was published.
func (s *Site) compare(ctx context.Context, t *trial) ([]found, error) {
	files, err := s.files(ctx, t)
	if err != nil {
		return nil, err
	}
	for _, p := range s.parts {
		p.Compared = 0
	}
	made := map[string]bool{}
	var out []found
	for _, f := range files {
		name := path.Base(f.Path)
		made[name] = true
		if path.Ext(name) == ".md" {
			out = append(out, s.page(name, decodePage(f.Data))...)
			continue
		}
		if p := s.parts[name]; p.Why == "" {
			v, err := decode(name, f.Data)
			if err != nil {
				return nil, err
			}
			c := cells{part: p}
			c.value([]string{name}, v, s.data[name])
			p.Compared += c.n
			out = append(out, c.out...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.pages)) {
		if p := s.parts[trackOf(s.pages[name])]; !made[name] && p.Why == "" {
			p.Compared++
			page := s.pages[name]
			out = append(out, found{part: p, entrant: entrant{trackOf(page), word(page, "division"), ""},
				Difference: Difference{name, text(nil), "a page"}})
		}
	}
	for i := range out {
		out[i].known = s.absent(&out[i])
	}
	return out, nil
}

// absent returns why, according to the year's rules, the page of a division or logic, or its line in an overview,
// cannot be generated. It returns "" if the rules give no reason.
func (s *Site) absent(f *found) string {
	e := f.entrant
	if f.Made != text(nil) || e.group == "" || e.solver != "" {
		return ""
	}
	for _, k := range s.Year.Rules.Published.Known {
		if k.Of(e.track) && k.Absent && (k.Kind == "division" || k.Kind == "logic") && k.Table == e.group {
			return k.Why
		}
	}
	return ""
}

// page compares a page.
func (s *Site) page(name string, made map[string]any) []found {
	p := s.parts[trackOf(made)]
	if p == nil || p.Why != "" {
		return nil
	}
	want, ok := s.pages[name]
	if !ok {
		p.Compared++
		return []found{{part: p, Difference: Difference{name, "a page", "nothing"}}}
	}
	c := cells{part: p, track: p.Track, group: word(want, "division")}
	c.value([]string{strings.TrimSuffix(name, ".md")}, made, want)
	p.Compared += c.n
	return c.out
}
