// Package pages describes the published results of a competition and how they were computed: the file
// published.rules.hcl of a year's folder. It holds the practice of the organisers, by track. The rules themselves are
// in rule sets.
package pages

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Year holds the known facts about the published results of one year. The zero value is empty.
type Year struct {
	Known    []Known           // differences between the published tables and those that follow from the archived files
	NoSwitch map[string]string // differences from the rules without a switch, with the reason, by D-number
	Draw     Draw              // of this year, not of the one that it is based on

	blocks []block
}

// Track holds the content of a "published" block about the tables of a track. A later block changes the attributes that
// it names.
type Track struct {
	// Practice are the switches of the rule set that are on, Readings its readings that are not the default.
	Practice []string          `hcl:"practice,optional"`
	Readings map[string]string `hcl:"readings,optional"`
	// UnlikeRules is the reason why no rule set produces the tables; empty: one does.
	UnlikeRules string `hcl:"unlike_rules,optional"`

	// WallTime is the limit of a run if the pages do not print it, such as "20m".
	WallTime string `hcl:"wall_time,optional"`
	// Memory is the limit of a run that the pages print, such as "30GiB", and ResultDate their date.
	Memory     string `hcl:"memory,optional"`
	ResultDate string `hcl:"result_date,optional"`
	// AllCompete: every solver is listed as one that competes.
	AllCompete bool `hcl:"all_compete,optional"`
	// FirstOfDuplicates: of several runs of a solver on a benchmark, the first counts.
	FirstOfDuplicates bool `hcl:"first_of_duplicates,optional"`
	// NegativeReductions: a core that is larger than the recorded assertions is less than nothing.
	NegativeReductions bool `hcl:"negative_reductions,optional"`
	// EntrantsFromPages: solvers that the pages list without any run entered as well.
	EntrantsFromPages bool `hcl:"entrants_from_pages,optional"`
	// Teams selects how the name of a solver determines its team: solver, first_word or before_hyphen.
	Teams string `hcl:"teams,optional"`
	// SolverNames are the names of solvers on pages, by those in tables of results.
	SolverNames map[string]string `hcl:"solver_names,optional"`

	Views        []string `hcl:"views,optional"`        // in the names of the rule set
	LeadViews    []string `hcl:"lead_views,optional"`   // of the biggest lead, if others than Views
	WinnerViews  []string `hcl:"winner_views,optional"` // whose winners are named even if the view is missing
	Recognitions []string `hcl:"recognitions,optional"`
	Logics       string   `hcl:"logics,optional"`      // none, empty, or tables
	Columns      []string `hcl:"columns,optional"`     // in addition to error, correct and wall
	Unsolved     string   `hcl:"unsolved,optional"`    // meaning of unsolved: see Unsolved
	EmptyViews   bool     `hcl:"empty_views,optional"` // a view without a row is there
	TimeLimit    bool     `hcl:"time_limit,optional"`
	Summary      bool     `hcl:"summary,optional"`       // a summary page has the order of the solvers
	Competitive  bool     `hcl:"competitive,optional"`   // a division has a competitive flag
	Industrial   bool     `hcl:"industrial,optional"`    // the tables are given for industrial benchmarks as well
	CountRemoved bool     `hcl:"count_removed,optional"` // sizes are those of the selection
	BaseDeltas   bool     `hcl:"base_deltas,optional"`   // derived solvers are compared with their base
	Winners      string   `hcl:"winners,optional"`       // covered divisions: all, competitive, or two_families

	// OrderDigits is the number of digits after the point of the times that order solvers; 0 means the measured times.
	OrderDigits int `hcl:"order_digits,optional"`
	// TiesInAnyOrder means that rows that tie in everything that the pages order by are in no particular order.
	TiesInAnyOrder bool `hcl:"ties_in_any_order,optional"`
	// TimeDigits is the number of digits after the point of times on the pages; 0 means as many as a time has.
	TimeDigits int `hcl:"time_digits,optional"`
	RankDigits int `hcl:"rank_digits,optional"`
	// RunRoundingS is the largest difference in seconds between a run's times in the files and those behind the tables.
	RunRoundingS float64 `hcl:"run_rounding_s,optional"`
}

// The possible meanings of the column unsolved: the runs that were kept, or those of the view, that did not solve their
// benchmark; the check-sats without a correct answer; or the benchmarks that have no answer sat or unsat. In the last
// case, solved counts those that have one, right or wrong.
const (
	OfKept    = "kept"
	OfView    = "view"
	OfChecks  = "checks"
	OfAnswers = "answers"
)

// words are the values that an attribute can have.
var words = map[string][]string{
	"teams":    {"solver", "first_word", "before_hyphen"},
	"logics":   {"none", "empty", "tables"},
	"unsolved": {OfKept, OfView, OfChecks, OfAnswers},
	"winners":  {"all", "competitive", "two_families"},
}

// block is a "published" block.
type block struct {
	tracks []string // nil: all
	body   hcl.Body
}

// Draw holds the known facts about the draw of a year's benchmarks, and about the published lists.
type Draw struct {
	History []int       `hcl:"history,optional"` // years of the results of the single-query track that were read
	Answers []int       `hcl:"answers,optional"` // others that determined statuses
	Lists   []DrawnList `hcl:"list,block"`
}

// DrawnList is a published list of drawn benchmarks.
type DrawnList struct {
	Track string `hcl:"track,label"`
	Count int    `hcl:"count"`
	// SHA256 is the digest of its lines LOGIC/FAMILY/NAME, each once, sorted bytewise.
	SHA256 string `hcl:"sha256"`
}

// List returns the published list of a track, or nil.
func (d *Draw) List(track string) *DrawnList {
	for i := range d.Lists {
		if sameTrack(d.Lists[i].Track, track) {
			return &d.Lists[i]
		}
	}
	return nil
}

// file is the schema of published.rules.hcl.
type file struct {
	Draw *Draw `hcl:"draw,block"`

	Published []struct {
		Tracks []string  `hcl:"tracks,optional"`
		At     hcl.Range `hcl:",def_range"`
		Body   hcl.Body  `hcl:",remain"`
	} `hcl:"published,block"`
	Known    []knownBlock `hcl:"known_differences,block"`
	NoSwitch []struct {
		Name string `hcl:"name,label"`
		Why  string `hcl:"why"`
	} `hcl:"no_switch,block"`
}

// Extend returns the year extended by a file. Known differences belong to one year and are dropped.
func (y Year) Extend(body hcl.Body) (Year, hcl.Diagnostics) {
	var f file
	diags := gohcl.DecodeBody(body, nil, &f)
	out := Year{NoSwitch: maps.Clone(y.NoSwitch), blocks: slices.Clone(y.blocks)}
	for _, b := range f.Published {
		var t Track
		more := gohcl.DecodeBody(b.Body, nil, &t)
		diags = append(diags, more...)
		if !more.HasErrors() {
			diags = append(diags, t.check(b.At)...)
		}
		out.blocks = append(out.blocks, block{b.Tracks, b.Body})
	}
	if f.Draw != nil {
		out.Draw = *f.Draw
	}
	for _, b := range f.Known {
		out.Known = append(out.Known, b.list()...)
	}
	for _, b := range f.NoSwitch {
		if out.NoSwitch == nil {
			out.NoSwitch = map[string]string{}
		}
		out.NoSwitch[b.Name] = b.Why
	}
	return out, diags
}

func (t *Track) check(at hcl.Range) hcl.Diagnostics {
	var diags hcl.Diagnostics
	bad := func(detail string, args ...any) {
		diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Unsuitable value",
			Detail: fmt.Sprintf(detail, args...), Subject: &at})
	}
	given := map[string]string{"teams": t.Teams, "logics": t.Logics, "unsolved": t.Unsolved, "winners": t.Winners}
	for _, name := range slices.Sorted(maps.Keys(words)) {
		if w := given[name]; w != "" && !slices.Contains(words[name], w) {
			bad("%s is one of %s, not %q.", name, strings.Join(words[name], ", "), w)
		}
	}
	if _, err := comp.ParseDuration(t.WallTime); t.WallTime != "" && err != nil {
		bad("wall_time: %v.", err)
	}
	if _, err := comp.ParseSize(t.Memory); t.Memory != "" && err != nil {
		bad("memory: %v.", err)
	}
	return diags
}

// Of returns the known facts about a track. ok is false if there are none.
func (y Year) Of(track string) (t Track, ok bool) {
	for _, b := range y.blocks {
		if b.tracks == nil || slices.ContainsFunc(b.tracks, func(name string) bool { return sameTrack(name, track) }) {
			_ = gohcl.DecodeBody(b.body, nil, &t) // checked by Extend
			ok = true
		}
	}
	return t, ok
}

// sameTrack reports whether two names mean the same track: main and single-query, application and incremental.
func sameTrack(a, b string) bool { return trackName(a) == trackName(b) }

func trackName(name string) string {
	name = strings.ReplaceAll(name, "-", "_")
	if t, err := comp.ParseTrack(name); err == nil {
		return t.String()
	}
	return name
}

// Scoring returns the readings and switches behind the tables of a track. ok is false if nothing is known about the
// track.
func (y Year) Scoring(track string) (rd score.Readings, ok bool) {
	t, ok := y.Of(track)
	rd = score.Readings{Values: maps.Clone(t.Readings), Practice: map[string]bool{}}
	for _, s := range t.Practice {
		rd.Practice[s] = true
	}
	return rd, ok
}

// Limit returns the wall time limit of a run if the pages do not print it.
func (t *Track) Limit() score.Time {
	d, err := comp.ParseDuration(t.WallTime)
	if err != nil {
		return 0
	}
	return score.Time(d/time.Second) * score.Second
}
