package shadow

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/record"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/score/pages"
)

// Page is the outcome for a published page.
type Page struct {
	File  string `json:"file"`
	Track string `json:"track"`
	Name  string `json:"name"` // name of the division or logic, or kind of any other page
	State State  `json:"state"`
	Why   string `json:"why,omitempty"` // why the figures were not compared with computed ones
}

// Check checks a track's pages against each other and against lists, which requires no results.
func Check(m *record.Material, track string, year pages.Year, old bool) (*Part, error) {
	facts, _ := year.Of(track)
	why := ""
	if _, all := record.Whole(m.Pages[track]); facts.Wide == "" {
		why = "competition-wide scores cannot be computed from the division pages"
	} else if !all {
		why, facts.Wide = "not all pages of divisions are here", ""
	}
	found, n, err := m.Check(track, old, facts.Wide)
	if err != nil {
		return nil, err
	}
	p := &Part{Kind: "checks", Track: tableTrack(track), Made: words.Count(len(m.Pages[track]), "page"),
		With: "each other, and lists", Compared: n, Lacking: map[string]string{record.Wide: why}}
	for _, f := range found {
		d := Difference{f.Table + " / " + f.Place, f.Made, f.Published}
		i := slices.IndexFunc(year.Known, func(k pages.Known) bool {
			return k.Of(track) && k.Kind == "check" && (k.Table == "" || k.Table == f.Table) &&
				strings.Contains(f.Place, k.Row)
		})
		if i < 0 {
			p.Open = append(p.Open, d)
		} else {
			p.cause(ByYear, year.Known[i].Why, "", d)
		}
	}
	return p, nil
}

// Weighted compares a track's pages with results in which benchmarks are weighted by family.
func Weighted(m *record.Material, r *record.Runs) (*Part, []string, error) {
	found, n, lacking, notes, err := m.Weighted(r)
	if err != nil {
		return nil, nil, err
	}
	p := &Part{Kind: "tables", Track: tableTrack(r.Track), Made: "weighted tables from the tables of results",
		With: "the pages", Compared: n, Lacking: lacking}
	for _, f := range found {
		p.Open = append(p.Open, Difference{f.Table + " / " + f.Place, f.Made, f.Published})
	}
	if n == 0 {
		p.Made, p.With, p.Why = "", "", "not all results of the track are here"
	}
	return p, notes, nil
}

// tableTrack returns the name that tables use for a track.
func tableTrack(track string) string { return strings.ReplaceAll(track, "-", "_") }

// AddPages adds the outcome of each page: that of the tables, recognitions and checks that cover it, or why there is
// none. All parts must have been added before.
func (r *Report) AddPages(m *record.Material) {
	for _, track := range slices.Sorted(maps.Keys(m.Pages)) {
		var all []Page
		for _, p := range m.Pages[track] {
			all = append(all, r.page(p, tableTrack(track)))
		}
		slices.SortFunc(all, func(a, b Page) int { return strings.Compare(a.File, b.File) })
		r.Pages = append(r.Pages, all...)
	}
}

func (r *Report) page(p *record.Page, track string) Page {
	name := cmp.Or(p.Name, p.Kind)
	out := Page{File: filepath.ToSlash(p.File), Track: track, Name: name, State: NotCompared}
	kind := "tables"
	switch p.Kind {
	case record.Division, record.Logic:
	case record.Overview, record.Wide:
		kind = "checks"
	default:
		kind = "recognitions"
	}
	has := func(kind string) bool {
		return slices.ContainsFunc(r.Parts, func(part *Part) bool { return part.Track == track && part.Kind == kind })
	}
	if base, markdown := strings.CutSuffix(filepath.Base(p.File), ".md"); markdown && has("pages") {
		kind, name = "pages", base // covered by the comparison of complete pages
	} else if !has(kind) {
		kind = "tables" // the tables' part says why there are no recognitions
	}
	of := func(list []Difference) bool {
		return slices.ContainsFunc(list, func(d Difference) bool {
			return d.Place == name || strings.HasPrefix(d.Place, name+" / ")
		})
	}
	out.Why = "it is not scored"
	for _, part := range r.Parts {
		if part.Track != track || part.Kind != kind && part.Kind != "checks" {
			continue
		}
		if part.Kind == kind {
			if out.Why = cmp.Or(part.Lacking[name], part.Why); out.Why == "" && out.State == NotCompared {
				out.State = Equal
			}
		}
		explained := slices.ContainsFunc(part.Causes, func(c *Cause) bool { return of(c.Differences) })
		switch {
		case of(part.Open):
			out.State = Differs
		case explained && out.State != Differs:
			out.State = Explained
		}
	}
	return out
}

// PageCounts counts a track's pages by state.
type PageCounts struct {
	Track                                  string
	All, Equal, Explained, Differing, None int
	Why                                    string // why the first page that was not compared was not
}

// Counts returns the page counts of all tracks.
func (r *Report) Counts() (out []PageCounts) {
	for _, p := range r.Pages {
		if len(out) == 0 || out[len(out)-1].Track != p.Track {
			out = append(out, PageCounts{Track: p.Track})
		}
		c := &out[len(out)-1]
		c.All++
		switch p.State {
		case Equal:
			c.Equal++
		case Explained:
			c.Explained++
		case Differs:
			c.Differing++
		default:
			c.None++
			c.Why = cmp.Or(c.Why, p.Why)
		}
	}
	return out
}
