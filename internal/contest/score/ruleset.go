package score

import (
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/smtpipe/smtpipe/internal/base/budget"
	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/divisions"
)

// RuleSet is the checked content of a rule set file. It is immutable after loading.
type RuleSet struct {
	Name  string // year or rules folder that contains it, or the path that it was read from
	Year  int
	Title string

	Readings    []Reading
	Practices   []Practice
	Drops       []Drop
	Scores      []*ScoreRule
	Views       []*View
	Contest     Contest
	Removal     Removal
	Derived     *Derived // nil: derived solvers are not compared with their bases
	Disqualify  *Disqualify
	Regroup     bool // whether divisions come from Divisions instead of the runs
	OpenSource  bool // whether to name each division's best open-source solver
	Recognition []*Recognition
	Examples    []*Example

	// Divisions holds the year's divisions. They are not in the rule set's file; its loader sets them.
	Divisions divisions.Table

	// Kinds are the kinds of the competition's own tracks, also set by the loader.
	Kinds comp.Kinds

	filename  string
	source    []byte
	canonical func() string
	file      *hcl.File
	rehearsed *sync.Map // what rehearse returned, by the text of what it depends on
}

// Reading is a named choice of meaning where a rules document is unclear. The first value is the default.
type Reading struct {
	Name   string
	Values []string
	Cite   string
	Doc    string
}

// Practice is a named switch for one of the organisers' practices that is not in their rules. Cite is its D-number in
// the list of differences; several switches can share one.
type Practice struct {
	ID, Cite, Doc string

	at hcl.Range // source range of the block
}

// Drop removes all runs for which its row expression is true.
type Drop struct {
	Name, Cite string
	Tracks     []string // tracks that it applies to; nil: all
	When       hcl.Expression
}

// ScoreRule is a benchmark score: row expressions over a run. A nil expression means zero or false.
type ScoreRule struct {
	Name   string
	Cite   string
	Tracks []string
	Let    []Definition

	Error   hcl.Expression // boolean: e
	Count   hcl.Expression // number: n
	Solved  hcl.Expression // boolean, for PAR-2
	Claim   hcl.Expression // string: the answer that counts
	Points  hcl.Expression // number (2008)
	Timeout hcl.Expression // boolean, for tables
	Memout  hcl.Expression // boolean, for tables

	Wall, CPU, ActualWall, ActualCPU hcl.Expression // time expressions
}

// Definition names a row expression for use in later ones.
type Definition struct {
	Name string
	Expr hcl.Expression
}

// View is a way to add up benchmark scores and rank the sums.
type View struct {
	Name      string
	Cite      string
	Tracks    []string
	Published []string // further tracks whose published pages show the view (with published_views)
	Limit     *Time    // wall time limit that replaces the run's
	// Cut is the clock of a virtual run's limit (with contribution_of_solved_runs): wall, cpu or none.
	Cut        string
	Sequential bool           // whether to recompute benchmark scores with "sequential" set
	Where      hcl.Expression // row expression that selects the runs that count; nil: all
	Of         hcl.Expression // row expression that selects the benchmarks that n_benchmarks counts; nil: Where
	Let        []Definition
	Error      hcl.Expression
	Count      hcl.Expression
	Wall       hcl.Expression
	CPU        hcl.Expression
	Absent     *Absent
	Order      []Key
	Show       []string
	Time       string // "w" or "c": the time that breaks ties in recognitions
	Recognise  bool   // whether competition-wide recognitions use it
	UpsideDown string // reason why a solver can rank worse for doing better; if empty, Rehearse warns about it

	at hcl.Range // source range of the block
}

// Absent is the charge added to a solver's sums for a benchmark without a run.
type Absent struct{ Wall, CPU hcl.Expression }

// Key is one component of a lexicographic order.
type Key struct {
	Column string // e, n, w, c, points, avg_cpu
	Desc   bool
}

// Contest defines when a division or logic is competitive.
type Contest struct {
	Teams int
	When  hcl.Expression // expression over division (a name); nil: always
	Cite  string
}

// Removal defines in which tracks benchmarks are removed if sound solvers disagree on them, and in which tracks they
// are only reported.
type Removal struct {
	Remove, Report []string // names of tracks
	Cite           string
}

// Derived is the condition for derived solvers: in View, they must beat their base by Improve percent.
type Derived struct {
	View    string
	Percent int64
	Cite    string
}

// Disqualify holds the exclusion rules of 2008.
type Disqualify struct {
	Errors   int64 // number of wrong answers in one division that disqualify a solver from all; 0: disabled
	Wrappers bool  // whether a wrapper tool that does not beat the tool it wraps is excluded from the division
	Cite     string

	QualifiedOnly hcl.Expression // whether disqualified tools do not make a division competitive; nil: they do
}

// Recognition is a competition-wide ranking.
type Recognition struct {
	Name, Kind, Cite string
	Tracks           []string
	// Published lists further tracks in which a page shows it (with competition_wide_for_application).
	Published      []string
	Views          []string // views in which it is computed; empty: every view with recognise set
	Term           hcl.Expression
	Best           int64
	BestNew        bool // whether to name the best new entrant as well
	TimeBreaksTies bool
	EmptyTime      Time
	Small          int64
	Where          hcl.Expression
	// Wins is an expression over division and track (names) that states whether a solver can win with its results
	// there; nil: always.
	Wins hcl.Expression
}

// Only returns the rule set reduced to one view and the views that its rankings depend on. It returns the whole rule
// set if one of the runs' tracks lacks the view. If recognitions is false, nothing is recognised.
func (rs *RuleSet) Only(view string, runs *Runs, recognitions bool) *RuleSet {
	at := slices.IndexFunc(rs.Views, func(v *View) bool { return v.Name == view })
	if at < 0 || slices.ContainsFunc(runs.Tracks, func(t *Track) bool {
		return !slices.Contains(rs.Views[at].Tracks, t.Name)
	}) {
		return rs
	}
	part := *rs
	part.Views = slices.DeleteFunc(slices.Clone(rs.Views), func(v *View) bool {
		return v.Name != view && rs.Disqualify == nil && (rs.Derived == nil || rs.Derived.View != v.Name)
	})
	if !recognitions {
		part.Recognition = nil
	}
	return &part
}

// Within returns the rule set with every run limited to the given wall time.
func (rs *RuleSet) Within(limit Time) *RuleSet {
	short := *rs
	short.Views = make([]*View, len(rs.Views))
	for i, v := range rs.Views {
		w := *v
		if w.Limit == nil || *w.Limit > limit {
			w.Limit = &limit
		}
		short.Views[i] = &w
	}
	return &short
}

func diagnose(summary, detail string) hcl.Diagnostics {
	return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: summary, Detail: detail}}
}

// Parse parses a rule set's text and checks every row expression. name is used in diagnostics and as the rule set's
// Name.
func Parse(src []byte, name string, kinds comp.Kinds) (*RuleSet, hcl.Diagnostics) {
	rs, diags := Decode(src, name, kinds)
	if rs.file.Body != nil {
		diags = append(diags, rs.check(diags.HasErrors())...)
	}
	return rs, diags
}

// Decode is like Parse but does not check row expressions. Use it only for rule sets that tests have checked.
func Decode(src []byte, name string, kinds comp.Kinds) (*RuleSet, hcl.Diagnostics) {
	file, diags := hclsource.Parse(src, name)
	if diags.HasErrors() {
		return &RuleSet{Name: name, filename: name, file: &hcl.File{Bytes: src}}, diags
	}
	if body, ok := file.Body.(*hclsyntax.Body); ok {
		budget.CountLoops(body)
	}
	rs := &RuleSet{Name: name, Kinds: kinds, filename: name, source: src, file: file, rehearsed: &sync.Map{},
		canonical: sync.OnceValue(func() string { return hclsource.Canonical(withoutExamples(src, file.Body)) })}
	d := &decoder{rs: rs}
	d.ruleSet(file.Body)
	return rs, d.diags
}

// Files returns the source files for printing diagnostics.
func (rs *RuleSet) Files() map[string]*hcl.File {
	if rs.file == nil {
		return nil
	}
	return map[string]*hcl.File{rs.filename: rs.file}
}

// Source returns the rule set's text.
func (rs *RuleSet) Source() []byte { return slices.Clone(rs.source) }

// Canonical returns the rule set's text without comments, layout and examples. Rule sets with the same canonical form
// produce the same scores.
func (rs *RuleSet) Canonical() string { return rs.canonical() }

// Digest returns the SHA-256 of the canonical form.
func (rs *RuleSet) Digest() [sha256.Size]byte { return sha256.Sum256([]byte(rs.Canonical())) }

// Covers reports whether the rule set has a score and a view for a track.
func (rs *RuleSet) Covers(track string) bool {
	return rs.scoreOf(track) != nil &&
		slices.ContainsFunc(rs.Views, func(v *View) bool { return slices.Contains(v.Tracks, track) })
}

// scoreOf returns a track's benchmark score.
func (rs *RuleSet) scoreOf(track string) *ScoreRule {
	for _, s := range rs.Scores {
		if slices.Contains(s.Tracks, track) {
			return s
		}
	}
	return nil
}
