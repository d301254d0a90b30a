package selection

import (
	"fmt"
	"math"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// Past summarises the runs of single-query tracks like the organisers' tool since 2024. The zero value is ready.
type Past struct {
	byPath map[string]*pastRuns
}

// ThisYear is the year of the runs of this year's single-query track in Past.
const ThisYear = 0

// pastRuns summarises the runs of one benchmark.
type pastRuns struct {
	sat, unsat bool    // some run answered so, in any year
	minCPU     float64 // seconds, of the runs that solved it
	years      []pastYear
}

type pastYear struct {
	year       int
	runs       int
	sat, unsat int
	slow       bool // a run that answered unknown, or took more than a second
}

// trivialCPUTimeS is the CPU time in seconds up to which a run counts as quick.
const trivialCPUTimeS = 1

// Add counts one run. A CPU time below 0 was not measured. The runs may come in any order.
func (p *Past) Add(path string, year int, answer comp.Answer, cpuTimeS float64) {
	if p.byPath == nil {
		p.byPath = map[string]*pastRuns{}
	}
	runs := p.byPath[path]
	if runs == nil {
		runs = &pastRuns{minCPU: math.Inf(1)}
		p.byPath[path] = runs
	}
	y := runs.of(year)
	y.runs++
	measured := cpuTimeS >= 0
	if answer == comp.AnswerUnknown || !measured || cpuTimeS > trivialCPUTimeS {
		y.slow = true
	}
	if !answer.Decides() {
		return
	}
	if answer == comp.AnswerSat {
		y.sat++
	} else {
		y.unsat++
	}
	if measured {
		runs.minCPU = min(runs.minCPU, cpuTimeS)
	}
	runs.sat, runs.unsat = runs.sat || y.sat > 0, runs.unsat || y.unsat > 0
}

func (r *pastRuns) of(year int) *pastYear {
	for i := range r.years {
		if r.years[i].year == year {
			return &r.years[i]
		}
	}
	r.years = append(r.years, pastYear{year: year})
	return &r.years[len(r.years)-1]
}

// counted returns the years that the tool uses: those with more than one run, and none for a benchmark that was
// answered both sat and unsat.
func (p *Past) counted(path string) []pastYear {
	runs := p.byPath[path]
	if runs == nil || runs.sat && runs.unsat {
		return nil
	}
	var years []pastYear
	for _, y := range runs.years {
		if y.runs > 1 {
			years = append(years, y)
		}
	}
	return years
}

// Trivial reports whether the tool calls a benchmark trivial: there are years to consider, and in all of them no run
// answered unknown or took more than one second of CPU time. A run that was stopped did not answer unknown.
func (p *Past) Trivial(path string) bool {
	years := p.counted(path)
	for _, y := range years {
		if y.slow {
			return false
		}
	}
	return len(years) > 0
}

// Says returns the status of a benchmark according to this year's runs: the answer of at least two of them.
func (p *Past) Says(path string) comp.Status {
	for _, y := range p.counted(path) {
		switch {
		case y.year != ThisYear:
		case y.sat >= 2:
			return comp.StatusSat
		case y.unsat >= 2:
			return comp.StatusUnsat
		}
	}
	return comp.StatusUnknown
}

// Hardness judges a benchmark by all runs: it is not hard when one of them solved it in up to limitS of CPU time.
func (p *Past) Hardness(path string, limitS float64) Hardness {
	runs := p.byPath[path]
	switch {
	case runs == nil:
		return Untried
	case !runs.sat && !runs.unsat:
		return Unsolved
	case runs.minCPU <= limitS:
		return NotHard
	}
	return Hard
}

// Organisers is the eligibility of a track as in the organisers' tool since 2024.
type Organisers struct {
	Track  comp.Track
	Logics map[comp.Logic]bool // logics that are drawn from; nil: all
	Past   *Past
}

// NewOrganisers returns the eligibility of a track, for all logics. It fails for tracks that the tool does not draw
// for.
func NewOrganisers(track comp.Track, past *Past) (Organisers, error) {
	switch track {
	case comp.SingleQuery, comp.Incremental, comp.UnsatCore, comp.ModelValidation, comp.Parallel, comp.Cloud:
		return Organisers{Track: track, Past: past}, nil
	}
	return Organisers{}, fmt.Errorf("the organisers' tool selects nothing for track %v", track)
}

// Exclude returns the first reason for which the tool does not draw a benchmark. For the parallel and cloud tracks see
// Past.Hardness.
func (o Organisers) Exclude(f Facts) Reason {
	switch {
	case f.Retired != "":
		return Retired + Reason(": "+f.Retired)
	case f.Incremental != (o.Track == comp.Incremental):
		return OtherKind
	case o.Logics != nil && !o.Logics[f.Logic]:
		return LogicNotRun
	}
	switch o.Track {
	case comp.SingleQuery: // the runs of the past are of this track only
		if o.Past.Trivial(f.Path) {
			return TooEasy
		}
	case comp.UnsatCore:
		if f.Asserts < 2 {
			return SingleAssert
		}
		return o.wants(f, comp.StatusUnsat)
	case comp.ModelValidation:
		return o.wants(f, comp.StatusSat)
	}
	return Eligible
}

// wants decides by status for a track about one answer. The answers of this year's runs count in addition to the
// declared status, even against it.
func (o Organisers) wants(f Facts, status comp.Status) Reason {
	switch {
	case f.Status == status || o.Past.Says(f.Path) == status:
		return Eligible
	case f.Status == comp.StatusSat:
		return StatusSat
	case f.Status == comp.StatusUnsat:
		return StatusUnsat
	case status == comp.StatusSat:
		return NobodySaysSat
	}
	return NobodySaysNo
}
