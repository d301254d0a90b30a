// Package pages describes a competition's published results and how they were computed. It reads published.rules.hcl in
// a year's folder, which records the organisers' practice by track. The rules themselves are in rule sets.
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

// Year holds the facts known about a year's published results. The zero value is empty.
type Year struct {
	Known    []Known           // differences between the published tables and those computed from the archived files
	NoSwitch map[string]string // deviations from the rules without a switch, with the reason, by D-number
	Draw     Draw              // facts about this year's draw, not inherited from its base

	blocks []block
}

// Track holds the contents of "published" blocks about a track's tables. Later blocks override the attributes that they
// set.
type Track struct {
	// Practice lists the rule set's switches that are on, and Readings its readings with a non-default value.
	Practice []string          `hcl:"practice,optional"`
	Readings map[string]string `hcl:"readings,optional"`
	// Weighted means that benchmarks are weighted by family. No rule set reproduces this, because rule sets add whole
	// numbers.
	Weighted bool `hcl:"weighted,optional"`

	// WallTime is a run's limit, such as "20m", if the pages do not print it.
	WallTime string `hcl:"wall_time,optional"`
	// Memory and ResultDate are a run's memory limit, such as "30GiB", and the date, as printed on the pages.
	Memory     string `hcl:"memory,optional"`
	ResultDate string `hcl:"result_date,optional"`
	// AllCompete means that every solver is listed as competing.
	AllCompete bool `hcl:"all_compete,optional"`
	// FirstOfDuplicates means that the first of several runs of a solver on a benchmark counts.
	FirstOfDuplicates bool `hcl:"first_of_duplicates,optional"`
	// NegativeReductions means that a core larger than the recorded assertions counts as a negative reduction.
	NegativeReductions bool `hcl:"negative_reductions,optional"`
	// EntrantsFromPages means that solvers listed on the pages without any runs also entered.
	EntrantsFromPages bool `hcl:"entrants_from_pages,optional"`
	// Teams selects how a solver's name determines its team: solver, first_word or before_hyphen.
	Teams string `hcl:"teams,optional"`
	// SolverNames maps solver names in tables of results to names on the pages.
	SolverNames map[string]string `hcl:"solver_names,optional"`

	Views        []string `hcl:"views,optional"`        // names of views in the rule set
	LeadViews    []string `hcl:"lead_views,optional"`   // views for the biggest lead, if different from Views
	WinnerViews  []string `hcl:"winner_views,optional"` // views whose winners are named even if the view is missing
	Recognitions []string `hcl:"recognitions,optional"`
	Logics       string   `hcl:"logics,optional"`      // none, empty or tables
	Columns      []string `hcl:"columns,optional"`     // columns in addition to error, correct and wall
	Unsolved     string   `hcl:"unsolved,optional"`    // meaning of the column unsolved; see Unsolved
	EmptyViews   bool     `hcl:"empty_views,optional"` // whether a view without rows exists
	TimeLimit    bool     `hcl:"time_limit,optional"`
	Summary      bool     `hcl:"summary,optional"`     // whether a summary page keeps the order of the solvers
	Competitive  bool     `hcl:"competitive,optional"` // whether a division has a "competitive" flag
	// Industrial means that the pages also have tables for the industrial benchmarks.
	Industrial   bool `hcl:"industrial,optional"`
	CountRemoved bool `hcl:"count_removed,optional"` // whether sizes include removed benchmarks
	// Wide is a division's competition-wide score for a solver with errors there: "-e" or a number. If empty, the page
	// of these scores does not follow from the divisions' scores.
	Wide       string `hcl:"wide,optional"`
	BaseDeltas bool   `hcl:"base_deltas,optional"` // whether derived solvers are compared with their bases
	Winners    string `hcl:"winners,optional"`     // divisions covered: all, competitive or two_families

	// OrderDigits is the number of decimal places of the times that order solvers; 0: use the measured times.
	OrderDigits int `hcl:"order_digits,optional"`
	// TiesInAnyOrder means that rows that tie on every sort key can appear in any order.
	TiesInAnyOrder bool `hcl:"ties_in_any_order,optional"`
	// TimeDigits is the number of decimal places of times on the pages; 0: as many as each time has.
	TimeDigits int `hcl:"time_digits,optional"`
	RankDigits int `hcl:"rank_digits,optional"`
	// RunRoundingS is the largest difference, in seconds, between a run's times in the files and those behind the
	// tables.
	RunRoundingS float64 `hcl:"run_rounding_s,optional"`
}

// The possible meanings of the column unsolved: the runs kept, or the runs in the view, that did not solve their
// benchmark; the check-sats without a correct answer; or the benchmarks without a sat or unsat answer. With the last
// meaning, solved counts the benchmarks with such an answer, right or wrong.
const (
	OfKept    = "kept"
	OfView    = "view"
	OfChecks  = "checks"
	OfAnswers = "answers"
)

// words lists the possible values of attributes.
var words = map[string][]string{
	"teams":    {"solver", "first_word", "before_hyphen"},
	"logics":   {"none", "empty", "tables"},
	"unsolved": {OfKept, OfView, OfChecks, OfAnswers},
	"winners":  {"all", "competitive", "two_families"},
	"wide":     {"-e", "-4"},
}

// block is a "published" block.
type block struct {
	tracks []string // tracks that it applies to; nil: all
	body   hcl.Body
}

// Draw holds the facts known about a year's benchmark draw and its published lists.
type Draw struct {
	History []int       `hcl:"history,optional"` // years whose single-query results were read
	Answers []int       `hcl:"answers,optional"` // years of other results that determined statuses
	Lists   []DrawnList `hcl:"list,block"`
}

// DrawnList is a published list of drawn benchmarks.
type DrawnList struct {
	Track string `hcl:"track,label"`
	Count int    `hcl:"count"`
	// SHA256 is the digest of the list's distinct lines LOGIC/FAMILY/NAME, sorted bytewise.
	SHA256 string `hcl:"sha256"`
}

// List returns a track's published list, or nil.
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

// Extend returns the year extended by a file. Known differences belong to a single year and are dropped.
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
	given := map[string]string{"teams": t.Teams, "logics": t.Logics, "unsolved": t.Unsolved, "winners": t.Winners,
		"wide": t.Wide}
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

// Of returns the facts known about a track. ok is false if there are none.
func (y Year) Of(track string) (t Track, ok bool) {
	for _, b := range y.blocks {
		if b.tracks == nil || slices.ContainsFunc(b.tracks, func(name string) bool { return sameTrack(name, track) }) {
			_ = gohcl.DecodeBody(b.body, nil, &t) // Extend has checked it
			ok = true
		}
	}
	return t, ok
}

// sameTrack reports whether two names denote the same track: main and single-query, application and incremental.
func sameTrack(a, b string) bool { return trackName(a) == trackName(b) }

func trackName(name string) string {
	name = strings.ReplaceAll(name, "-", "_")
	if t, err := comp.ParseTrack(name); err == nil {
		return t.String()
	}
	return name
}

// Scoring returns the readings and switches behind a track's tables. ok is false if nothing is known about the track.
func (y Year) Scoring(track string) (rd score.Readings, ok bool) {
	t, ok := y.Of(track)
	rd = score.Readings{Values: maps.Clone(t.Readings), Practice: map[string]bool{}}
	for _, s := range t.Practice {
		rd.Practice[s] = true
	}
	return rd, ok
}

// Limit returns a run's wall time limit if the pages do not print it.
func (t *Track) Limit() score.Time {
	d, err := comp.ParseDuration(t.WallTime)
	if err != nil {
		return 0
	}
	return score.Time(d/time.Second) * score.Second
}
