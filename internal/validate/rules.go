package validate

import "github.com/smtpipe/smtpipe/internal/comp"

// Rules is what the documents of different years say about the output of a run. The zero Rules reads standard output
// only, lets late answers count and accepts a core unless it is refuted; RulesOf returns those of a year. What years
// say about partial models is the model checker's concern.
type Rules struct {
	// StderrIsOutput: there is no distinction between the output and the error channel.
	// Source: SMT-COMP 2022 and 2026 rules, §5.1 "Output". Before, the answer is looked for on standard output.
	StderrIsOutput bool

	// DropLate: the answer of a process that did not end within its limits is no answer. Source: 2008 rules, §3
	// "Timeouts"; 2015 rules, §7.1 (results count "only if the process terminates"). Since 2019 it counts (§7.1.2,
	// note). The incremental track keeps what was answered before the limit in every year.
	DropLate bool

	// CoreNeedsUnsat: a core is validated only when strictly more validation solvers say unsat than sat (2026 rules,
	// §5.4). Otherwise it is accepted unless strictly more say sat than unsat (2019 rules, §5.5; 2022 rules, §5.4).
	CoreNeedsUnsat bool

	// IllFormedCoreIsWrong: a core that is not well formed is an erroneous result (2019 rules, §5.5). Later it is an
	// unknown one (2022 and 2026 rules, §7.1.4).
	IllFormedCoreIsWrong bool
}

// documents are the years that have a rules document, newest first.
var documents = [...]struct {
	year  int
	rules Rules
}{
	{2026, Rules{StderrIsOutput: true, CoreNeedsUnsat: true}},
	{2022, Rules{StderrIsOutput: true}},
	{2019, Rules{IllFormedCoreIsWrong: true}},
	{2015, Rules{DropLate: true}},
	{2008, Rules{DropLate: true}},
}

// RulesOf returns the rules of a year: those of 2008, 2015, 2019, 2022 and 2026, for a year between two of them the
// earlier, before 2008 those of 2008, and for 0 the newest.
func RulesOf(year int) Rules {
	if year == 0 {
		return documents[0].rules
	}
	for _, d := range documents {
		if year >= d.year {
			return d.rules
		}
	}
	return documents[len(documents)-1].rules
}

// lateCounts reports whether an answer of a run that was stopped at a limit counts in a track.
func (r Rules) lateCounts(track comp.Track) bool { return !r.DropLate || track == comp.Incremental }
