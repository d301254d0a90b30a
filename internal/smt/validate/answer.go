package validate

import (
	"bytes"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/language"
)

// Run holds the facts about a run that Answer needs in addition to the output. The zero Run exited with code 0 within
// its limits.
type Run struct {
	Rules    Rules
	Ending   comp.Ending // empty means Exited
	ExitCode int64       // exit code, if the run exited

	// OverLimit means that the measured wall or CPU time exceeds the track's limit although the process was not
	// stopped.
	OverLimit bool

	// Truncated means that the middle of the output was cut out. An unreadable core then counts as cut off instead of
	// ill-formed.
	Truncated bool

	// Language is the declared language of the answers; nil means SMT-LIB. Answers in a declared language are read from
	// standard output in all tracks.
	Language *language.Reader
}

// late reports whether the run exceeded its limits.
func (r Run) late() bool { return r.OverLimit || r.Ending.TimedOut() }

// failed reports whether the process was stopped, or exited with a code other than 0.
func (r Run) failed() bool { return (r.Ending != "" && r.Ending != comp.Exited) || r.ExitCode != 0 }

// Class distinguishes runs with the same score, for example an answer from an answer before a crash, or a crash from
// running out of memory.
type Class string

// Possible classes. An exit code other than 0 is a crash only if there is no answer, because solvers use exit codes for
// their answers.
const (
	Answered        Class = "answered"              // sat, unsat or unknown, then a normal exit
	AnsweredTimeout Class = "answered_then_timeout" // answered, but then exceeded a time limit
	AnsweredMemory  Class = "answered_then_memout"
	AnsweredCrash   Class = "answered_then_crashed"
	AnsweredLimit   Class = "answered_then_stopped" // answered, then hit the limit of output, processes or files
	TimedOut        Class = "timeout"
	OutOfMemory     Class = "memout"
	Crashed         Class = "crashed"    // ended by a signal or with an exit code other than 0
	Stopped         Class = "stopped"    // stopped at the limit of output, processes or files
	Unreadable      Class = "unreadable" // exited; the output mentions sat, unsat or unknown but is not an answer
	Aborted         Class = "aborted"    // exited without any such mention (2019 rules, §5.1 "Aborts")
)

// Decision is the interpretation of a run's output.
type Decision struct {
	// Answer is the first answer in the output, even if it does not count, or AnswerNone.
	Answer comp.Answer

	// Counts is false if the year's rules drop the answer because the run exceeded its limits.
	Counts bool

	// Class combines the answer and the ending.
	Class Class

	// Line is the deciding line, trimmed and truncated to 200 bytes, or nil if there is none.
	Line []byte

	// Truncated is copied from the Run.
	Truncated bool

	// Rest is the output after the answer: the core, model or proof. It is a slice of the caller's stdout or stderr.
	Rest []byte

	// FromStderr means that the deciding line was on standard error.
	FromStderr bool

	language *language.Reader
}

// Answer determines a run's answer in a track from its standard output and standard error.
//
// In the single-query, parallel, cloud and industry-challenge tracks, the first line that is neither empty nor success
// nor a comment decides. Unless it is exactly sat, unsat or unknown, there is no answer. In the unsat-core track, the
// first line that does not contain success decides, and in the model-validation track, the first word other than
// success. In the proof track, the output comes from the solver and the checker (ParseProof). In the incremental track,
// it comes from the trace executor, whose last answer is returned.
//
// If the rules do not distinguish the channels but they were captured separately, their order is lost. Standard error
// then decides only if standard output contains no deciding line. To follow the rules literally, capture both in one
// stream and pass it as stdout. Archived outputs with StarExec's time stamps must be passed through Unstamp first.
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
	return d
}

// declared determines the answer in a declared language, which is the first one on standard output.
func declared(stdout []byte, run Run) Decision {
	answer, from, to := run.Language.Answer(stdout)
	return Decision{Answer: answer, Line: stdout[from:min(to, from+maxLine)], Rest: stdout[to:],
		Counts: !run.late() || !run.Rules.DropLate, Truncated: run.Truncated, language: run.Language,
		Class: classify(answer, nil, nil, run)}
}

// Decides reports whether the answer is one that can be wrong.
func (d Decision) Decides() bool {
	if d.language != nil {
		return d.language.Decides(d.Answer)
	}
	return d.Answer.Decides()
}

// contradicts reports whether the answer is wrong for a benchmark with the given status.
func (d Decision) contradicts(status comp.Status) bool {
	if d.language != nil {
		return d.language.Contradict(d.Answer, comp.Answer(status))
	}
	return d.Answer.Contradicts(status)
}

// maxLine limits Decision.Line, because a line can be as long as the whole output.
const maxLine = 200

// decide applies a track's rule to one stream.
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

// isNoise reports whether a line cannot decide: it is empty, success, or a comment.
func isNoise(line []byte) bool {
	line = trim(line)
	return len(line) == 0 || line[0] == ';' || string(line) == "success"
}

// firstLine decides by the first line for which skip returns false.
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

// firstWord decides by the first word of a response, separated as in an S-expression, so that the model may follow on
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

// wordEnd returns the end of the first word, which ends before white space, a parenthesis, a comment or a quote.
func wordEnd(line []byte) int {
	if i := bytes.IndexAny(line, " \t\v\f\r();\"|"); i >= 0 {
		return i
	}
	return len(line)
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
// run has no answer but does not count as aborted (2019, 2022 and 2026 rules, §5.1).
func mentionsAnswer(out []byte) bool {
	return slices.ContainsFunc(comp.Answers, func(a comp.Answer) bool { return bytes.Contains(out, []byte(a)) })
}

// Result returns the word shown in tables: the answer if it counts, otherwise timeout, memout or abort, or "" for
// unreadable output.
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

// Verdict returns the verdict on the answer in tracks that judge only the answer. An answer to a benchmark of unknown
// status is correct (rules 2019, 2022, 2026, §7.1.2).
func (d Decision) Verdict(status comp.Status) comp.Verdict {
	switch {
	case !d.Decides() || !d.Counts:
		return comp.Unknown
	case d.contradicts(status):
		return comp.Wrong
	}
	return comp.Correct
}
