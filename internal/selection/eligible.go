package selection

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// Facts are what eligibility looks at.
type Facts struct {
	Path        string
	Logic       comp.Logic
	Incremental bool
	Status      comp.Status
	Asserts     int
	KnownPrefix int     // incremental: check-sats of known status before the first of unknown status
	Retired     string  // why the organisers removed it; empty: they did not
	History     History // of the corresponding track
	SaysSat     bool    // a sound solver answered sat in this year's single-query track
	SaysUnsat   bool    // a sound solver answered unsat there
}

// Policy is the eligibility of one track by one year's rules. Make one with NewPolicy.
type Policy struct {
	Year   int
	Track  comp.Track
	Easy   EasyRule            // for the single-query track
	Logics map[comp.Logic]bool // logics that are run; nil: all
}

// NewPolicy returns the rules' policy for a track, for all logics.
func NewPolicy(year int, track comp.Track) (Policy, error) {
	easy, err := EasyRuleOf(year)
	if err != nil {
		return Policy{}, err
	}
	p := Policy{Year: year, Track: track}
	if track == comp.SingleQuery {
		p.Easy = easy
	}
	if !slices.Contains(tracksOf(year), track) {
		return p, fmt.Errorf("the rules of %d have no track %v; they have %v", year, track, tracksOf(year))
	}
	return p, nil
}

func tracksOf(year int) []comp.Track {
	switch year {
	case 2008:
		return []comp.Track{comp.SingleQuery}
	case 2015:
		return []comp.Track{comp.SingleQuery, comp.Incremental}
	case 2019:
		return []comp.Track{comp.SingleQuery, comp.Incremental, comp.UnsatCore, comp.ModelValidation,
			comp.IndustryChallenge}
	case 2022:
		return []comp.Track{comp.SingleQuery, comp.Incremental, comp.UnsatCore, comp.ModelValidation,
			comp.ProofExhibition,
			comp.Parallel, comp.Cloud}
	case 2026:
		return []comp.Track{comp.SingleQuery, comp.Incremental, comp.UnsatCore, comp.ModelValidation, comp.Parallel}
	}
	return nil
}

// Reason says why a benchmark is not eligible; empty: it is.
type Reason string

// The reasons. One for a retired benchmark goes on with the organisers' words.
const (
	Eligible       Reason = ""
	Retired        Reason = "retired"
	OtherKind      Reason = "other collection"              // incremental for a single query, or the other way round
	LogicNotRun    Reason = "logic not run"                 // not competitive, or not in the track
	TooEasy        Reason = "easy"                          // solved by all in less than a second in earlier years
	SingleAssert   Reason = "single assert"                 // nothing to leave out of a core
	StatusUnknown  Reason = "status unknown"                // 2008, 2015, 2019
	StatusSat      Reason = "status sat"                    // where unsat is wanted
	StatusUnsat    Reason = "status unsat"                  // where sat is wanted
	NobodySaysSat  Reason = "no sound solver says sat"      // of unknown status
	NobodySaysNo   Reason = "no sound solver says unsat"    // of unknown status
	NothingIsKnown Reason = "first check-sat has no status" // 2015, application track
)

// Exclude returns the first reason of the rules' order for which a benchmark is not eligible: retired, of the other
// collection, of a logic that is not run, easy or with a single assert, and last its status.
//
// Source: SMT-COMP 2008 rules §4; 2015, 2019, 2022 and 2026 rules §6 "Benchmark sources" and "Benchmark selection". An
// unknown benchmark that sound solvers dispute is kept, as the rules allow.
func (p Policy) Exclude(f Facts) Reason {
	switch {
	case f.Retired != "":
		return Retired + Reason(": "+f.Retired)
	case p.Track != comp.IndustryChallenge && f.Incremental != (p.Track == comp.Incremental):
		return OtherKind
	case p.Logics != nil && !p.Logics[f.Logic]:
		return LogicNotRun
	case p.Track == comp.SingleQuery && p.Easy.Easy(f.History):
		return TooEasy
	case p.Track == comp.UnsatCore && f.Asserts < 2:
		return SingleAssert
	}
	switch p.Track {
	case comp.SingleQuery:
		if p.Year <= 2015 && !f.Status.Known() {
			return StatusUnknown
		}
	case comp.Incremental:
		if p.Year == 2015 && f.KnownPrefix < 1 {
			return NothingIsKnown
		}
	case comp.UnsatCore, comp.ProofExhibition:
		return p.wants(f, comp.StatusUnsat)
	case comp.ModelValidation:
		return p.wants(f, comp.StatusSat)
	}
	return Eligible
}

// wants decides by status for a track that is about one answer.
func (p Policy) wants(f Facts, status comp.Status) Reason {
	switch {
	case f.Status == status:
		return Eligible
	case f.Status == comp.StatusSat:
		return StatusSat
	case f.Status == comp.StatusUnsat:
		return StatusUnsat
	case p.Year < 2022:
		return StatusUnknown
	case status == comp.StatusSat && !f.SaysSat:
		return NobodySaysSat
	case status == comp.StatusUnsat && !f.SaysUnsat:
		return NobodySaysNo
	}
	return Eligible
}

// Answered is one answer of this year's single-query track.
type Answered struct {
	Benchmark string
	Solver    string
	Division  comp.Division
	Status    comp.Status // what the benchmark declares
	Answer    comp.Answer
}

// SoundSet is which answers sound solvers gave for a benchmark.
type SoundSet struct{ Sat, Unsat bool }

// SoundAnswers returns what sound solvers say of each benchmark of unknown status. A solver is sound in a division
// unless one of its answers there contradicts a known status (SMT-COMP 2022 and 2026 rules, §7.2 "Sound Solver").
func SoundAnswers(runs []Answered) map[string]SoundSet {
	type entrant struct {
		solver   string
		division comp.Division
	}
	unsound := map[entrant]bool{}
	for _, r := range runs {
		if r.Answer.Contradicts(r.Status) {
			unsound[entrant{r.Solver, r.Division}] = true
		}
	}
	says := map[string]SoundSet{}
	for _, r := range runs {
		if r.Status.Known() || !r.Answer.Decides() || unsound[entrant{r.Solver, r.Division}] {
			continue
		}
		s := says[r.Benchmark]
		s.Sat = s.Sat || r.Answer == comp.AnswerSat
		s.Unsat = s.Unsat || r.Answer == comp.AnswerUnsat
		says[r.Benchmark] = s
	}
	return says
}

// Exclusions counts benchmarks by logic and reason: the table that organisers print. The zero value is ready.
type Exclusions struct {
	counts map[exclusion]int
}

type exclusion struct {
	logic  comp.Logic
	reason Reason
}

// ExclusionCount is one line of the table. The empty reason counts the eligible benchmarks.
type ExclusionCount struct {
	Logic  comp.Logic
	Reason Reason
	Count  int
}

// Add counts one benchmark.
func (e *Exclusions) Add(logic comp.Logic, reason Reason) {
	if e.counts == nil {
		e.counts = map[exclusion]int{}
	}
	e.counts[exclusion{logic, reason}]++
}

// Of returns the count of one logic and reason.
func (e *Exclusions) Of(logic comp.Logic, reason Reason) int {
	return e.counts[exclusion{logic, reason}]
}

// Table lists the counts by logic, then reason.
func (e *Exclusions) Table() []ExclusionCount {
	keys := slices.SortedFunc(maps.Keys(e.counts), func(a, b exclusion) int {
		if c := strings.Compare(string(a.logic), string(b.logic)); c != 0 {
			return c
		}
		return strings.Compare(string(a.reason), string(b.reason))
	})
	table := make([]ExclusionCount, len(keys))
	for i, k := range keys {
		table[i] = ExclusionCount{Logic: k.logic, Reason: k.reason, Count: e.counts[k]}
	}
	return table
}
