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

// RuleSet is the checked content of a rule set file. It does not change after loading.
type RuleSet struct {
	Name  string // the year or folder of rules that it is part of, or the path it was read from
	Year  int
	Title string

	Readings    []Reading
	Practices   []Practice
	Drops       []Drop
	Scores      []*ScoreRule
	Views       []*View
	Contest     Contest
	Removal     Removal
	Derived     *Derived // nil: a derived solver is as good as any
	Disqualify  *Disqualify
	Regroup     bool // divisions come from Divisions instead of the runs
	OpenSource  bool // the best open-source solver of each division is named
	Recognition []*Recognition
	Examples    []*Example

	// Divisions holds those of the year. The loader of the rule set provides them, since its file does not have them.
	Divisions divisions.Table

	// Kinds are the tracks of the competition's own, given like the divisions.
	Kinds comp.Kinds

	filename  string
	source    []byte
	canonical func() string
	file      *hcl.File
}

// Reading is a named choice for an unclear part of a rules document. The first value is the default.
type Reading struct {
	Name   string
	Values []string
	Cite   string
	Doc    string
}

// Practice is a named switch: a practice of the organisers that is not in their rules. Cite is the D-number of the list
// of differences. Several switches may share one.
type Practice struct {
	ID, Cite, Doc string

	at hcl.Range // of the block
}

// Drop leaves runs out of everything when its row expression holds.
type Drop struct {
	Name, Cite string
	Tracks     []string // nil: all
	When       hcl.Expression
}

// ScoreRule is a benchmark score: row expressions over one run. Nil expressions are zero or false.
type ScoreRule struct {
	Name   string
	Cite   string
	Tracks []string
	Let    []Definition

	Error   hcl.Expression // bool: e
	Count   hcl.Expression // number: n
	Solved  hcl.Expression // bool, for PAR-2
	Claim   hcl.Expression // string: the answer that counts
	Points  hcl.Expression // number (2008)
	Timeout hcl.Expression // bool, for tables
	Memout  hcl.Expression // bool, for tables

	Wall, CPU, ActualWall, ActualCPU hcl.Expression // time expressions
}

// Definition names a row expression for those after it.
type Definition struct {
	Name string
	Expr hcl.Expression
}

// View is one way to add up benchmark scores and to rank their sums.
type View struct {
	Name      string
	Cite      string
	Tracks    []string
	Published []string // further tracks for which the published pages show the view (with published_views)
	Limit     *Time    // wall time limit instead of that of the run
	// clock of the limit of a virtual run (with contribution_of_solved_runs): wall, cpu or none
	Cut        string
	Sequential bool           // benchmark scores are computed again with "sequential" set
	Where      hcl.Expression // row expression: the runs that count; nil: all
	Of         hcl.Expression // row expression over benchmarks: those counted as n_benchmarks; nil: Where
	Let        []Definition
	Error      hcl.Expression
	Count      hcl.Expression
	Wall       hcl.Expression
	CPU        hcl.Expression
	Absent     *Absent
	Order      []Key
	Show       []string
	Time       string // "w" or "c": the time in which recognitions break ties
	Recognise  bool   // whether competition-wide recognitions are computed for it
	UpsideDown string // why a solver may rank worse for doing better; empty: Rehearse warns of it

	at hcl.Range // of the block
}

// Absent is the charge for a benchmark on which a solver was not run, in the solver's sums.
type Absent struct{ Wall, CPU hcl.Expression }

// Key is one component of a lexicographic order.
type Key struct {
	Column string // e, n, w, c, points, avg_cpu
	Desc   bool
}

// Contest defines when a division or logic is competitive.
type Contest struct {
	Teams int
	When  hcl.Expression // over division (a name); nil: always
	Cite  string
}

// Removal defines where benchmarks on which sound solvers disagree are removed, and where they are only reported.
type Removal struct {
	Remove, Report []string // tracks
	Cite           string
}

// Derived is the condition on derived solvers: they must improve Improve percent on their base in View.
type Derived struct {
	View    string
	Percent int64
	Cite    string
}

// Disqualify holds the exclusions of 2008.
type Disqualify struct {
	Errors   int64 // wrong answers in one division that disqualify from all; 0: none do
	Wrappers bool  // a wrapper tool that is not ahead of the tool it wraps is out of the division
	Cite     string

	QualifiedOnly hcl.Expression // whether disqualified tools do not make a division competitive; nil: they do
}

// Recognition is a competition-wide ranking of some kind.
type Recognition struct {
	Name, Kind, Cite string
	Tracks           []string
	Published        []string // further tracks for which a page has it (with competition_wide_for_application)
	Views            []string // empty: every view with recognise
	Term             hcl.Expression
	Best             int64
	BestNew          bool // whether the best new entrant is named as well
	TimeBreaksTies   bool
	EmptyTime        Time
	Small            int64
	Where            hcl.Expression
	// over division and track (names): whether a solver may win with its results there; nil: always
	Wins hcl.Expression
}

// Only returns the rule set with the one view and those that its rankings depend on. It returns the whole rule set if a
// track of the runs has no such view. If recognitions is false, nothing is recognised.
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

// Within returns the rule set as if no run had been given more wall time than the limit.
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

// Parse reads a rule set from its text and checks every row expression. name is used in diagnostics and as the Name of
// the rule set.
func Parse(src []byte, name string, kinds comp.Kinds) (*RuleSet, hcl.Diagnostics) {
	rs, diags := Decode(src, name, kinds)
	if rs.file.Body != nil {
		diags = append(diags, rs.check(diags.HasErrors())...)
	}
	return rs, diags
}

// Decode is like Parse but does not check row expressions. It is for rule sets that tests have checked.
func Decode(src []byte, name string, kinds comp.Kinds) (*RuleSet, hcl.Diagnostics) {
	file, diags := hclsource.Parse(src, name)
	if diags.HasErrors() {
		return &RuleSet{Name: name, filename: name, file: &hcl.File{Bytes: src}}, diags
	}
	if body, ok := file.Body.(*hclsyntax.Body); ok {
		budget.CountLoops(body)
	}
	rs := &RuleSet{Name: name, Kinds: kinds, filename: name, source: src, file: file,
		canonical: sync.OnceValue(func() string { return hclsource.Canonical(withoutExamples(src, file.Body)) })}
	d := &decoder{rs: rs}
	d.ruleSet(file.Body)
	return rs, d.diags
}

// Files returns the source for the printing of diagnostics.
func (rs *RuleSet) Files() map[string]*hcl.File {
	if rs.file == nil {
		return nil
	}
	return map[string]*hcl.File{rs.filename: rs.file}
}

// Source returns the text of the rule set.
func (rs *RuleSet) Source() []byte { return slices.Clone(rs.source) }

// Canonical returns the text of the rule set without comments, layout and examples: rule sets of equal canonical form
// score alike.
func (rs *RuleSet) Canonical() string { return rs.canonical() }

// Digest returns the SHA-256 of the canonical form.
func (rs *RuleSet) Digest() [sha256.Size]byte { return sha256.Sum256([]byte(rs.Canonical())) }

// Covers reports whether the rule set has a score and a view for a track.
func (rs *RuleSet) Covers(track string) bool {
	return rs.scoreOf(track) != nil &&
		slices.ContainsFunc(rs.Views, func(v *View) bool { return slices.Contains(v.Tracks, track) })
}

// scoreOf returns the benchmark score of a track.
func (rs *RuleSet) scoreOf(track string) *ScoreRule {
	for _, s := range rs.Scores {
		if slices.Contains(s.Tracks, track) {
			return s
		}
	}
	return nil
}
