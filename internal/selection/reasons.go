package selection

import (
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// Facts holds the facts that the eligibility of Organisers depends on.
type Facts struct {
	Path        string
	Logic       comp.Logic
	Incremental bool
	Status      comp.Status
	Asserts     int
	Retired     string // why the organisers removed it; empty: not removed
}

// Reason is the reason why a benchmark is not eligible; empty: it is eligible.
type Reason string

// The reasons. The one for a retired benchmark is followed by the organisers' words.
const (
	Eligible      Reason = ""
	Retired       Reason = "retired"
	OtherKind     Reason = "other collection"           // incremental for a single query, or vice versa
	LogicNotRun   Reason = "logic not run"              // not competitive, or not in the track
	TooEasy       Reason = "easy"                       // solved by all in less than a second in earlier years
	SingleAssert  Reason = "single assert"              // nothing to leave out of a core
	StatusSat     Reason = "status sat"                 // where unsat is wanted
	StatusUnsat   Reason = "status unsat"               // where sat is wanted
	NobodySaysSat Reason = "no sound solver says sat"   // of unknown status
	NobodySaysNo  Reason = "no sound solver says unsat" // of unknown status
)

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
