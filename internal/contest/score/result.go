package score

import "github.com/smtpipe/smtpipe/internal/contest/admission"

// Result is everything that a rule set computes from runs. All lists are sorted: tracks as in the runs; divisions,
// logics and names in byte order; views as in the rule set.
type Result struct {
	Year     int
	RuleSet  string
	Readings []ReadingValue
	Practice []string // switches that are on
	Tracks   []*TrackResult
}

// ReadingValue is a reading with the value used.
type ReadingValue struct{ Name, Value string }

// TrackResult holds the results of one track.
type TrackResult struct {
	Name          string
	NoCPU         bool        // CPU times were not recorded: c and ac are meaningless and decide nothing
	Disagreements []NamedList // benchmarks on which sound solvers disagree, by division
	Unsound       []NamedList // unsound solvers by division
	Disqualified  []string    // from all divisions (2008)
	Divisions     []*DivisionResult
	Recognitions  []RecognitionResult
}

// NamedList is a list with the name of a division.
type NamedList struct {
	Name  string
	Items []string
}

// DivisionResult holds the results of a division, or of a logic in it.
type DivisionResult struct {
	Name          string
	Benchmarks    int // after removals
	Removed       int // benchmarks removed for disagreements
	Competitive   bool
	Teams         []string
	Rankings      []*Ranking
	Logics        []*DivisionResult
	Derived       []DerivedResult
	TopOpenSource []string // 2008

	admitted []admission.Admission // by solver; the zero Admission if it did not enter
	contest  bool                  // competitive even if solvers are disqualified

	group int32 // for a logic
	div   int32
}

// Ranking is one view of a division or logic.
type Ranking struct {
	View          string
	Benchmarks    int // counted by the view
	Entries       []Entry
	Winners       []string
	NoWinner      string // why there are none; empty if there are winners
	TopOpenSource []string

	order []Key
}

// DerivedResult compares a derived solver with its base.
type DerivedResult struct {
	Solver, Base string
	Eligible     bool
	Missing      bool   // no base solver to compare with
	Problem      string // why it is not eligible, in a few words
	// Improvements as fractions of the base's score; nil if there is no base or its score is zero.
	Wall, CPU *float64
}

// RecognitionResult is one recognition, by view or for the whole track.
type RecognitionResult struct {
	Name, Kind string
	Views      []RecognitionView
}

// RecognitionView is a recognition in one view. View is empty if the recognition has no views.
type RecognitionView struct {
	View        string
	Entries     []RecognitionEntry
	Excluded    []string // divisions with too few sound solvers
	Winners     []Winner
	NoWinner    string         // why there are none; empty if there are winners, or if this kind has none
	Rankings    []NamedRanking // best industrial: a ranking per division
	Best        []string       // the best few, as the rules define them
	BestNew     []string       // the best new entrants
	WinnerScore float64        // of an overall score, where published

	winnerTime Sum
}

// NamedRanking is a division's ranking.
type NamedRanking struct {
	Division string
	Ranking  *Ranking
}

// Winner is a solver that is recognised, and the division if it is recognised for one.
type Winner struct{ Division, Solver string }

// RecognitionEntry is a place in a competition-wide ranking. Fields that do not apply to a kind are zero.
type RecognitionEntry struct {
	Division, Solver, Second string
	Item                     string // folder of new benchmarks

	Score                             float64 // rank by n, or overall score
	TimeScore                         float64 // the rank by time, which breaks ties
	CPURank                           *float64
	WallRank                          *float64
	Time                              Sum // tie-break time of an overall score
	VBSS                              Sum // 2019
	Weight                            float64
	Divisions                         int
	Competitive, Eligible, NewEntrant bool
	SolvedNothing                     bool // and therefore cannot win

	key    rankKey
	pairs  int64
	solver int32 // of an overall score, where published
}

// Ranking returns the ranking of the named view, or nil.
func (d *DivisionResult) Ranking(view string) *Ranking {
	for _, r := range d.Rankings {
		if r.View == view {
			return r
		}
	}
	return nil
}

// Deciding returns the first column of the ranking's order in which two entries differ. ok is false if they tie.
func (r *Ranking) Deciding(a, b *Entry) (column string, ok bool) {
	for i, k := range r.order {
		if a.Cell.compare(&b.Cell, r.order[i:i+1]) != 0 {
			return k.Column, true
		}
	}
	return "", false
}

// Entry returns the entry of the named solver, or nil.
func (r *Ranking) Entry(solver string) *Entry {
	for i := range r.Entries {
		if r.Entries[i].Solver == solver {
			return &r.Entries[i]
		}
	}
	return nil
}
