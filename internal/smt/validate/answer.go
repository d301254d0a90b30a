package validate

import (
	"bytes"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/language"
)

// Run holds what Answer must know about a run in addition to its output. The zero Run exited with code 0 within its
// limits.
type Run struct {
	Rules    Rules
	Ending   comp.Ending // empty: Exited
	ExitCode int64       // of a run that exited

	// OverLimit means that the measured wall or CPU time is over the limit of the track although the process was not
	// stopped for it.
	OverLimit bool

	// Truncated means that the middle of the output was cut out. This matters for cores: an unreadable core then counts
	// as cut off, not as ill-formed.
	Truncated bool

	// Language is the language of the output's answers, if it is a declared one; nil means SMT-LIB. Such answers are
	// read from standard output in all tracks.
	Language *language.Reader
}

// late reports whether the process did not end within its limits.
func (r Run) late() bool { return r.OverLimit || r.Ending.TimedOut() }

// failed reports whether the process did not end by itself, or ended with an exit code that means failure.
func (r Run) failed() bool { return (r.Ending != "" && r.Ending != comp.Exited) || r.ExitCode != 0 }

// Class distinguishes runs that score alike: an answer from an answer before a crash, a crash from a memory-out.
type Class string

// The classes of a run. An exit code other than 0 is a crash only if there is no answer, since solvers use exit codes
// for their answers.
const (
	Answered        Class = "answered"              // sat, unsat or unknown, and a normal exit
	AnsweredTimeout Class = "answered_then_timeout" // the first lines hold the answer, but the process was stopped
	AnsweredMemory  Class = "answered_then_memout"
	AnsweredCrash   Class = "answered_then_crashed"
	AnsweredLimit   Class = "answered_then_stopped" // at the limit of output, processes or files
	TimedOut        Class = "timeout"
	OutOfMemory     Class = "memout"
	Crashed         Class = "crashed"    // by a signal or with an exit code other than 0
	Stopped         Class = "stopped"    // at the limit of output, processes or files
	Unreadable      Class = "unreadable" // exited; the output mentions sat, unsat or unknown but does not answer
	Aborted         Class = "aborted"    // exited without any such output (2019 rules, §5.1 "Aborts")
)

// Decision is the meaning of a run's output.
type Decision struct {
	// Answer is the first answer on the output, whether or not it counts; AnswerNone if there is none.
	Answer comp.Answer

	// Counts is false when the rules of the year drop the answer because the process did not end within its limits.
	Counts bool

	// Class combines answer and ending.
	Class Class

	// Line is the line that decided, without white space around it and cut to 200 bytes; nil if no line is left.
	Line []byte

	// Truncated is copied from the Run.
	Truncated bool

	// Rest is the output after the answer: the core, the model, the proof. It is a part of the caller's stdout or
	// stderr.
	Rest []byte

	// FromStderr means that the deciding line is on standard error.
	FromStderr bool

	// Contradicted means that a later line of either channel is the opposite answer. It does not affect the decision.
	Contradicted bool

	language *language.Reader
}

// Answer decides the answer of a run in a track, from its standard output and standard error.
//
// In the single-query, parallel, cloud and industry-challenge tracks the first line that is neither empty nor success
// nor a comment decides: it must be exactly sat, unsat or unknown, or there is no answer. In the unsat-core track the
// first line that does not contain success decides. In the model-validation track the first word other than success
// decides. In the proof track the output is that of solver and checker (ParseProof), in the incremental track that of
// the trace executor, whose last answer is returned.
//
// If the rules do not distinguish the channels but they were captured separately, their order is lost: standard output
// is read first, and standard error decides only if standard output has nothing decisive. Capturing both in one stream
// and passing it as stdout is the literal reading. Archived outputs with StarExec's time stamps go through Unstamp
// first.
//
// Sources: SMT-COMP rules 2008, §3; 2015, §5.2; 2019, §5.1 to 5.6; 2022 and 2026, §5.1 "Output"; the official
// post-processors. Deviation: none.
func Answer(track comp.Track, stdout, stderr []byte, run Run) Decision {
	if run.Language != nil {
		return declared(stdout, run)
	}
	d := decide(track, stdout)
	if d.Line == nil && run.Rules.StderrIsOutput && track != comp.ProofExhibition && track != comp.Incremental {
		if e := decide(track, stderr); e.Line != nil {
			d = e
			d.FromStderr = true
		}
	}
	d.Line = d.Line[:min(len(d.Line), maxLine)]
	d.Truncated = run.Truncated
	d.Class = classify(d.Answer, stdout, stderr, run)
	d.Counts = !run.late() || run.Rules.lateCounts(track)
	if d.Answer.Decides() {
		d.Contradicted = opposes(d.Answer, d.Rest) || (run.Rules.StderrIsOutput && opposes(d.Answer, stderr))
	}
	return d
}

// declared decides the answer of a declared language: the first one on standard output.
func declared(stdout []byte, run Run) Decision {
	answer, from, to := run.Language.Answer(stdout)
	d := Decision{Answer: answer, Line: stdout[from:min(to, from+maxLine)], Rest: stdout[to:],
		Counts: !run.late() || !run.Rules.DropLate, Truncated: run.Truncated, language: run.Language,
		Class: classify(answer, nil, nil, run)}
	d.Contradicted = run.Language.ContradictedIn(answer, d.Rest)
	return d
}

// Decides reports whether the answer is one that can be wrong.
func (d Decision) Decides() bool {
	if d.language != nil {
		return d.language.Decides(d.Answer)
	}
	return d.Answer.Decides()
}

// contradicts reports whether the answer cannot be right for a benchmark with a status.
func (d Decision) contradicts(status comp.Status) bool {
	if d.language != nil {
		return d.language.Contradict(d.Answer, comp.Answer(status))
	}
	return d.Answer.Contradicts(status)
}

// maxLine bounds Decision.Line, since a line can be as long as the whole output.
const maxLine = 200

// decide applies the rule of a track to one stream.
func decide(track comp.Track, out []byte) Decision {
	switch track {
	case comp.Incremental:
		return lastTraceAnswer(out)
	case comp.UnsatCore:
		return firstLine(out, func(line []byte) bool { return bytes.Contains(line, []byte("success")) })
	case comp.ModelValidation:
		return firstWord(out)
	case comp.ProofExhibition:
		return proofAnswer(out)
	}
	return firstLine(out, isNoise)
}

// isNoise reports whether a line decides nothing: empty, success, or a comment.
func isNoise(line []byte) bool {
	line = trim(line)
	return len(line) == 0 || line[0] == ';' || string(line) == "success"
}

// firstLine decides by the first line that skip does not pass over.
func firstLine(out []byte, skip func([]byte) bool) Decision {
	rest := out
	for line := range lines(out) {
		rest = rest[min(len(rest), len(line)+1):]
		if skip(line) {
			continue
		}
		line = trim(line)
		return Decision{Answer: comp.ReadAnswer(line), Line: line, Rest: rest}
	}
	return Decision{}
}

// firstWord decides by the first word of a response, as an S-expression reader sees it, so that the model may follow on
// the same line.
func firstWord(out []byte) Decision {
	rest := out
	for line := range lines(out) {
		after := rest[min(len(rest), len(line)+1):]
		if isNoise(line) {
			rest = after
			continue
		}
		line = trim(line)
		word := line[:wordEnd(line)]
		answer := comp.ReadAnswer(word)
		if answer == comp.AnswerNone {
			return Decision{Line: line, Rest: rest}
		}
		if len(word) < len(line) { // the response continues after the word
			after = rest[bytes.Index(rest, word)+len(word):]
		}
		return Decision{Answer: answer, Line: word, Rest: after}
	}
	return Decision{}
}

// wordEnd returns the end of the first word: white space, a parenthesis, a comment or a quote ends it.
func wordEnd(line []byte) int {
	if i := bytes.IndexAny(line, " \t\v\f\r();\"|"); i >= 0 {
		return i
	}
	return len(line)
}

// opposes reports whether a line of text is the opposite of a sat or unsat answer.
func opposes(answer comp.Answer, text []byte) bool {
	for line := range lines(text) {
		if string(trim(line)) == string(answer.Opposite()) {
			return true
		}
	}
	return false
}

// classify combines an answer and an ending into a class.
func classify(answer comp.Answer, stdout, stderr []byte, run Run) Class {
	answered := answer != comp.AnswerNone
	pick := func(with, without Class) Class {
		if answered {
			return with
		}
		return without
	}
	switch run.Ending {
	case comp.WallTimeout, comp.CPUTimeout:
		return pick(AnsweredTimeout, TimedOut)
	case comp.OutOfMemory:
		return pick(AnsweredMemory, OutOfMemory)
	case comp.Signalled, comp.Killed:
		return pick(AnsweredCrash, Crashed)
	case comp.OutputLimit, comp.PidsLimit, comp.FilesLimit:
		return pick(AnsweredLimit, Stopped)
	}
	switch {
	case run.OverLimit:
		return pick(AnsweredTimeout, TimedOut)
	case answered:
		return Answered
	case run.failed():
		return Crashed
	case mentionsAnswer(stdout) || (run.Rules.StderrIsOutput && mentionsAnswer(stderr)):
		return Unreadable
	}
	return Aborted
}

// mentionsAnswer reports whether sat, unsat or unknown occurs anywhere in the output, even inside a longer word. Such a
// run does not count as aborted (2019, 2022 and 2026 rules, §5.1), but that is not an answer.
func mentionsAnswer(out []byte) bool {
	return slices.ContainsFunc(comp.Answers, func(a comp.Answer) bool { return bytes.Contains(out, []byte(a)) })
}

// Result returns the word for tables: the answer that counts, otherwise timeout, memout or abort, or "" for output that
// cannot be read.
func (d Decision) Result() string {
	if d.Answer != comp.AnswerNone && d.Counts {
		return string(d.Answer)
	}
	switch d.Class {
	case TimedOut, AnsweredTimeout:
		return "timeout"
	case OutOfMemory, AnsweredMemory:
		return "memout"
	case Unreadable:
		return ""
	}
	return "abort"
}

// Verdict judges the answer against the known status of the benchmark, in the tracks that judge only the answer: an
// answer on a benchmark of unknown status is correct (rules 2019, 2022, 2026, §7.1.2).
func (d Decision) Verdict(status comp.Status) comp.Verdict {
	switch {
	case !d.Decides() || !d.Counts:
		return comp.Unknown
	case d.contradicts(status):
		return comp.Wrong
	}
	return comp.Correct
}
