package score

import "github.com/smtpipe/smtpipe/internal/contest/admission"

// Result holds all results that a rule set computes from runs. Tracks are sorted as in the runs; divisions, logics and
// names in byte order; views as in the rule set.
type Result struct {
	Year     int
	RuleSet  string
	Readings []ReadingValue
	Practice []string // switches that are on
	Tracks   []*TrackResult
}

// ReadingValue is a reading with the value that was used.
type ReadingValue struct{ Name, Value string }

// TrackResult holds the results of one track.
type TrackResult struct {
	Name          string
	NoCPU         bool        // whether CPU times were not recorded, in which case c and ac are meaningless and ignored
	Disagreements []NamedList // benchmarks on which sound solvers disagree, by division
	Unsound       []NamedList // unsound solvers by division
	Disqualified  []string    // solvers disqualified from all divisions (2008)
	Divisions     []*DivisionResult
	Recognitions  []RecognitionResult
}

// NamedList is a division's list.
type NamedList struct {
	Name  string
	Items []string
}

// DivisionResult holds the results of a division, or of a logic in it.
type DivisionResult struct {
	Name          string
	Benchmarks    int // number of benchmarks after removals
	Removed       int // number of benchmarks removed for disagreements
	Competitive   bool
	Teams         []string
	Rankings      []*Ranking
	Logics        []*DivisionResult
	Derived       []DerivedResult
	TopOpenSource []string // top open-source solvers (2008)

	admitted []admission.Admission // by solver; the zero Admission for solvers that did not enter
	contest  bool                  // whether it is competitive even if solvers are disqualified

	group int32 // group of a logic
	div   int32
}

// Ranking is a division's or logic's ranking in one view.
type Ranking struct {
	View          string
	Benchmarks    int // number of benchmarks that the view counts
	Entries       []Entry
	Winners       []string
	NoWinner      string // reason why there are no winners; empty if there are
	TopOpenSource []string

	order []Key
}

// DerivedResult compares a derived solver with its base.
type DerivedResult struct {
	Solver, Base string
	Eligible     bool
	Missing      bool   // whether there is no base solver to compare with
	Problem      string // brief reason why it is not eligible
	// Wall and CPU are the improvements as fractions of the base's score; nil if there is no base or its score is zero.
	Wall, CPU *float64
}

// RecognitionResult is a recognition of a view or of the whole track.
type RecognitionResult struct {
	Name, Kind string
	Views      []RecognitionView
}

// RecognitionView is a recognition in one view. View is empty if the recognition is not by view.
type RecognitionView struct {
	View        string
	Entries     []RecognitionEntry
	Excluded    []string // divisions with too few sound solvers
	Winners     []Winner
	NoWinner    string         // reason why there are no winners; empty if there are, or if this kind has none
	Rankings    []NamedRanking // ranking per division, for best industrial performance
	Best        []string       // best few entries, as the rules define them
	BestNew     []string       // best new entrants
	WinnerScore float64        // winner's overall score, where published

	winnerTime Sum
}

// NamedRanking is a division's ranking.
type NamedRanking struct {
	Division string
	Ranking  *Ranking
}

// Winner is a recognised solver, and its division if it is recognised for one.
type Winner struct{ Division, Solver string }

// RecognitionEntry is a place in a competition-wide ranking. Fields that do not apply to the kind are zero.
type RecognitionEntry struct {
	Division, Solver, Second string
	Item                     string // folder of the new benchmarks

	Score                             float64 // rank by n, or overall score
	TimeScore                         float64 // rank by time, which breaks ties
	CPURank                           *float64
	WallRank                          *float64
	Time                              Sum // tie-break time of an overall score
	VBSS                              Sum // sum of the virtual best solver (2019)
	Weight                            float64
	Divisions                         int
	Competitive, Eligible, NewEntrant bool
	SolvedNothing                     bool // whether it solved nothing and therefore cannot win

	key    rankKey
	pairs  int64
	solver int32 // index of the solver
}

// Ranking returns the named view's ranking, or nil.
func (d *DivisionResult) Ranking(view string) *Ranking {
	for _, r := range d.Rankings {
		if r.View == view {
			return r
		}
	}
	return nil
}

// Deciding returns the first column in the ranking's order in which two entries differ. ok is false if they tie.
func (r *Ranking) Deciding(a, b *Entry) (column string, ok bool) {
	for i, k := range r.order {
		if a.Cell.compare(&b.Cell, r.order[i:i+1]) != 0 {
			return k.Column, true
		}
	}
	return "", false
}

// Entry returns the named solver's entry, or nil.
func (r *Ranking) Entry(solver string) *Entry {
	for i := range r.Entries {
		if r.Entries[i].Solver == solver {
			return &r.Entries[i]
		}
	}
	return nil
}
