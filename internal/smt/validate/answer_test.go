package validate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TestAnswerSingleQuery checks the decisions of the official single-query post-processor. Only the first line that is
// neither empty nor success nor a comment decides.
func TestAnswerSingleQuery(t *testing.T) {
	long := strings.Repeat("x", 20<<20)
	tests := []struct {
		name, stdout string
		want         comp.Answer
	}{
		{"sat", "sat\n", comp.AnswerSat},
		{"unsat", "unsat\n", comp.AnswerUnsat},
		{"unknown", "unknown\n", comp.AnswerUnknown},
		{"no line feed", "unsat", comp.AnswerUnsat},
		{"carriage return", "sat\r\n", comp.AnswerSat},
		{"white space around", " \t sat \v\f\n", comp.AnswerSat},
		{"empty output", "", comp.AnswerNone},
		{"white space only", " \n\t\n\r\n", comp.AnswerNone},
		{"success first", "success\nsuccess\n success \nsat\n", comp.AnswerSat},
		{"only success", "success\nsuccess\n", comp.AnswerNone},
		{"comment first", "; starting\n  ;sat\nunsat\n", comp.AnswerUnsat},
		{"empty lines first", "\n\n\nsat\n", comp.AnswerSat},
		{"first answer counts", "sat\nunsat\n", comp.AnswerSat},
		{"first answer is unknown", "unknown\nsat\n", comp.AnswerUnknown},
		{"text before the answer", "c hello\nsat\n", comp.AnswerNone},
		{"error before the answer", "(error \"line 3\")\nsat\n", comp.AnswerNone},
		{"unsupported before the answer", "unsupported\nunsat\n", comp.AnswerNone},
		{"upper case", "SAT\n", comp.AnswerNone},
		{"longer word", "satisfiable\n", comp.AnswerNone},
		{"inside a word", "presat\nsat\n", comp.AnswerNone},
		{"two words", "sat sat\n", comp.AnswerNone},
		{"quoted", "\"sat\"\n", comp.AnswerNone},
		{"in parentheses", "(sat)\n", comp.AnswerNone},
		{"comment after", "sat ; done\n", comp.AnswerNone},
		{"success inside a line", "success sat\nsat\n", comp.AnswerNone},
		{"NUL before", "\x00sat\n", comp.AnswerNone},
		{"NUL after", "sat\x00\n", comp.AnswerNone},
		{"no-break space is not white space", "\u00a0sat\n", comp.AnswerNone},
		{"byte order mark", "\ufeffsat\n", comp.AnswerNone},
		{"not UTF-8 in a comment", "; \xff\xfe\nsat\n", comp.AnswerSat},
		{"not UTF-8", "\xff\nsat\n", comp.AnswerNone},
		{"long line first", long + "\nsat\n", comp.AnswerNone},
		{"long comment first", ";" + long + "\nsat\n", comp.AnswerSat},
		{"long line after", "sat\n" + long, comp.AnswerSat},
		{"cut word", "unsa", comp.AnswerNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, track := range []comp.Track{comp.SingleQuery, comp.Parallel, comp.Cloud, comp.IndustryChallenge} {
				got := Answer(track, []byte(tt.stdout), nil, Run{})
				if got.Answer != tt.want {
					t.Errorf("%v: Answer(%.60q) = %q, want %q", track, tt.stdout, got.Answer, tt.want)
				}
				if len(got.Line) > maxLine {
					t.Errorf("%v: the deciding line has %d bytes", track, len(got.Line))
				}
			}
		})
	}
}

// TestAnswerStamped uses lines as archived by StarExec.
func TestAnswerStamped(t *testing.T) {
	tests := []struct {
		name, stdout string
		want         comp.Answer
	}{
		{"stamped", "0.01/0.02\tsuccess\n18.26/18.29\tsat\n18.30/18.30\tEOF\n", comp.AnswerSat},
		{"only the end", "1200.00/1200.04\tEOF\n", comp.AnswerNone},
		{"unstamped line", "unsat\n", comp.AnswerUnsat},
		{"empty after the stamp", "0.00/0.01\t\n0.00/0.01\tunsat\n", comp.AnswerUnsat},
		{"no tab", "0.00/0.01 sat\n", comp.AnswerNone},
		{"any character in the second number", "1.25/3x50\tsat\n", comp.AnswerSat},
		{"a digit in its place", "1.25/350\tsat\n", comp.AnswerSat},
		{"a tab in its place", "1.25/3\t50\tsat\n", comp.AnswerSat},
		{"a tab rather than a digit", "1.25/123\t50\tsat\n", comp.AnswerSat},
		{"too short for it", "1.25/35\tsat\n", comp.AnswerNone},
		{"no dot in the first number", "125/3.50\tsat\n", comp.AnswerNone},
		{"cut stamp", "1.2/", comp.AnswerNone},
		{"two stamps", "0.1/0.1\t0.1/0.1\tsat\n", comp.AnswerNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Answer(comp.SingleQuery, Unstamp([]byte(tt.stdout)), nil, Run{}).Answer; got != tt.want {
				t.Errorf("Answer(%q) = %q, want %q", tt.stdout, got, tt.want)
			}
		})
	}
	if got := Answer(comp.SingleQuery, []byte("0.1/0.2\tsat\n"), nil, Run{}).Answer; got != comp.AnswerNone {
		t.Errorf("a stamp that the solver printed itself was taken off: %q", got)
	}
}

// TestAnswerCoreAndModel covers the tracks in which a response follows the first line.
func TestAnswerCoreAndModel(t *testing.T) {
	tests := []struct {
		name         string
		track        comp.Track
		stdout, rest string
		want         comp.Answer
	}{
		{"core", comp.UnsatCore, "unsat\n(a b)\n", "(a b)\n", comp.AnswerUnsat},
		{"core after success", comp.UnsatCore, "success\nsuccess\nunsat\n(a)\n", "(a)\n", comp.AnswerUnsat},
		{"success inside a line is dropped too", comp.UnsatCore, "no success yet\nunsat\n()", "()", comp.AnswerUnsat},
		{"empty line decides", comp.UnsatCore, "\nunsat\n(a)\n", "unsat\n(a)\n", comp.AnswerNone},
		{"comment decides", comp.UnsatCore, "; hi\nunsat\n(a)\n", "unsat\n(a)\n", comp.AnswerNone},
		{"core on the same line", comp.UnsatCore, "unsat (a)\n", "", comp.AnswerNone},
		{"error after sat", comp.UnsatCore, "sat\n(error \"no core\")\n", "(error \"no core\")\n", comp.AnswerSat},
		{"model", comp.ModelValidation, "sat\n(\n(define-fun x () Int 1)\n)\n", "(\n(define-fun x () Int 1)\n)\n",
			comp.AnswerSat},
		{"model on the same line", comp.ModelValidation, "sat (model)\n", " (model)\n", comp.AnswerSat},
		{"model touching", comp.ModelValidation, "sat(model)\n", "(model)\n", comp.AnswerSat},
		{"model after success", comp.ModelValidation, "success\n\n success\n sat\n()", "()", comp.AnswerSat},
		{"longer word", comp.ModelValidation, "satisfied\n()", "satisfied\n()", comp.AnswerNone},
		{"unknown", comp.ModelValidation, "unknown\n(error \"\")\n", "(error \"\")\n", comp.AnswerUnknown},
		{"model without answer", comp.ModelValidation, "(model)\n", "(model)\n", comp.AnswerNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Answer(tt.track, []byte(tt.stdout), nil, Run{})
			if got.Answer != tt.want || string(got.Rest) != tt.rest {
				t.Errorf("Answer(%q) = %q, rest %q; want %q, rest %q", tt.stdout, got.Answer, got.Rest, tt.want,
					tt.rest)
			}
		})
	}
}

// TestAnswerChannels checks that standard output and standard error have not been distinguished since 2022 (rules, §5.1
// "Output"), and that standard error was ignored before.
func TestAnswerChannels(t *testing.T) {
	tests := []struct {
		name           string
		year           int
		track          comp.Track
		stdout, stderr string
		want           comp.Answer
		fromStderr     bool
	}{
		{"2019 ignores it", 2019, comp.SingleQuery, "", "sat\n", comp.AnswerNone, false},
		{"2022 reads it", 2022, comp.SingleQuery, "", "sat\n", comp.AnswerSat, true},
		{"2026 reads it", 2026, comp.SingleQuery, "success\n", "unsat\n", comp.AnswerUnsat, true},
		{"noise on standard error", 2026, comp.SingleQuery, "sat\n", "warning: slow\n", comp.AnswerSat, false},
		{"the opposite on standard error", 2026, comp.SingleQuery, "sat\n", "unsat\n", comp.AnswerSat, false},
		{"the same on standard error", 2026, comp.SingleQuery, "sat\n", "sat\n", comp.AnswerSat, false},
		{"2015 does not look", 2015, comp.SingleQuery, "sat\n", "unsat\n", comp.AnswerSat, false},
		{"the opposite on a later line", 2015, comp.SingleQuery, "sat\nunsat\n", "", comp.AnswerSat, false},
		{"text on standard output stays first", 2026, comp.SingleQuery, "hello\n", "sat\n", comp.AnswerNone, false},
		{"proof track ignores it", 2022, comp.ProofExhibition, "", "valid\n", comp.AnswerNone, false},
		{"incremental track ignores it", 2026, comp.Incremental, "", "sat\n", comp.AnswerNone, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Answer(tt.track, []byte(tt.stdout), []byte(tt.stderr), Run{Rules: rulesOf(tt.year)})
			if got.Answer != tt.want || got.FromStderr != tt.fromStderr {
				t.Errorf("Answer(%q, %q) = %q, from stderr %v; want %q, %v", tt.stdout, tt.stderr, got.Answer,
					got.FromStderr, tt.want, tt.fromStderr)
			}
		})
	}
}

// TestClass covers all ways in which a run can end, with and without an answer.
func TestClass(t *testing.T) {
	tests := []struct {
		name   string
		stdout string
		run    Run
		class  Class
		result string
	}{
		{"answered", "sat\n", Run{Ending: comp.Exited}, Answered, "sat"},
		{"answered with an exit code of its own", "unsat\n", Run{ExitCode: 20}, Answered, "unsat"},
		{"unknown", "unknown\n", Run{}, Answered, "unknown"},
		{"answer, then timeout", "sat\n", Run{Ending: comp.WallTimeout}, AnsweredTimeout, "sat"},
		{"answer, then CPU timeout", "sat\n", Run{Ending: comp.CPUTimeout}, AnsweredTimeout, "sat"},
		{"answer of a process over the limit that ended", "sat\n", Run{OverLimit: true}, AnsweredTimeout, "sat"},
		{"answer, then memory", "unsat\n", Run{Ending: comp.OutOfMemory}, AnsweredMemory, "unsat"},
		{"answer, then crash", "unsat\n", Run{Ending: comp.Signalled}, AnsweredCrash, "unsat"},
		{"answer, then flood", "sat\n", Run{Ending: comp.OutputLimit}, AnsweredLimit, "sat"},
		{"timeout", "", Run{Ending: comp.WallTimeout}, TimedOut, "timeout"},
		{"memory", "", Run{Ending: comp.OutOfMemory}, OutOfMemory, "memout"},
		{"crash by signal", "", Run{Ending: comp.Signalled}, Crashed, "abort"},
		{"crash by exit code", "assertion failed\n", Run{ExitCode: 1}, Crashed, "abort"},
		{"flood", "aaaa", Run{Ending: comp.OutputLimit}, Stopped, "abort"},
		{"aborted", "bye\n", Run{}, Aborted, "abort"},
		{"unreadable", "result: sat\n", Run{}, Unreadable, ""},
		{"2015: late answer", "sat\n", Run{Rules: rulesOf(2015), Ending: comp.WallTimeout}, AnsweredTimeout, "timeout"},
		{"2008: late answer", "sat\n", Run{Rules: rulesOf(2008), OverLimit: true}, AnsweredTimeout, "timeout"},
		{"2019: late answer", "sat\n", Run{Rules: rulesOf(2019), Ending: comp.WallTimeout}, AnsweredTimeout, "sat"},
		{"2015: answer before a memory-out", "sat\n", Run{Rules: rulesOf(2015), Ending: comp.OutOfMemory},
			AnsweredMemory, "sat"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Answer(comp.SingleQuery, []byte(tt.stdout), nil, tt.run)
			if got.Class != tt.class || got.Result() != tt.result {
				t.Errorf("class %q, result %q; want %q, %q", got.Class, got.Result(), tt.class, tt.result)
			}
		})
	}
}

// TestVerdict follows the rules of 2019, 2022 and 2026, §7.1.2, and for late answers those of 2015, §7.1.
func TestVerdict(t *testing.T) {
	tests := []struct {
		name   string
		answer string
		status comp.Status
		run    Run
		want   comp.Verdict
	}{
		{"agrees", "sat", comp.StatusSat, Run{}, comp.Correct},
		{"disagrees", "sat", comp.StatusUnsat, Run{}, comp.Wrong},
		{"status unknown", "unsat", comp.StatusUnknown, Run{}, comp.Correct},
		{"unknown", "unknown", comp.StatusSat, Run{}, comp.Unknown},
		{"nothing", "", comp.StatusSat, Run{}, comp.Unknown},
		{"wrong and killed", "sat", comp.StatusUnsat, Run{Ending: comp.WallTimeout}, comp.Wrong},
		{"wrong and killed in 2015", "sat", comp.StatusUnsat, Run{Rules: rulesOf(2015), Ending: comp.WallTimeout},
			comp.Unknown},
		{"wrong and crashed", "unsat", comp.StatusSat, Run{Ending: comp.Signalled}, comp.Wrong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Answer(comp.SingleQuery, []byte(tt.answer), nil, tt.run).Verdict(tt.status); got != tt.want {
				t.Errorf("%q on %s: %s, want %s", tt.answer, tt.status, got, tt.want)
			}
		})
	}
}

// FuzzAnswer checks invariants for any output: Answer does not panic, Rest is a tail of the output, and text after the
// deciding line of the single-query track does not change the decision.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{"sat\n", "success\nunsat\n(a b)", "0.1/0.2\tsat\n", "\x00\xff", "; c\n\nunknown",
		"1.2/345\tsat"} {
		f.Add([]byte(seed), []byte("unsat\n"), true)
	}
	f.Fuzz(func(t *testing.T, stdout, stderr []byte, stamped bool) {
		if stamped {
			stdout = Unstamp(stdout)
		}
		for _, track := range comp.Tracks() {
			d := Answer(track, stdout, stderr, Run{Rules: rulesOf(2026)})
			if !d.FromStderr && !bytes.HasSuffix(stdout, d.Rest) {
				t.Fatalf("%v: the rest %q is not a tail of %q", track, d.Rest, stdout)
			}
		}
		first := Answer(comp.SingleQuery, stdout, nil, Run{})
		more := Answer(comp.SingleQuery, append(append([]byte{}, stdout...), "\nunsat\n"...), nil, Run{})
		if first.Line != nil && more.Answer != first.Answer {
			t.Fatalf("a line after %q changed the answer from %q to %q", stdout, first.Answer, more.Answer)
		}
	})
}
