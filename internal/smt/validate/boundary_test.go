package validate

import (
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// A run without an answer crashed if its exit code is not 0, and otherwise aborted (2019 rules, §5.1).
func TestExitCode(t *testing.T) {
	for _, test := range []struct {
		run  Run
		out  string
		want Class
	}{
		{Run{Ending: comp.Exited}, "", Aborted},
		{Run{Ending: comp.Exited, ExitCode: 1}, "", Crashed},
		{Run{ExitCode: 1}, "", Crashed},
		{Run{}, "", Aborted},
		{Run{Ending: comp.Exited, ExitCode: 10}, "sat\n", Answered},
	} {
		if got := Answer(comp.SingleQuery, []byte(test.out), nil, test.run).Class; got != test.want {
			t.Errorf("%+v with %q is %s, want %s", test.run, test.out, got, test.want)
		}
	}
}

func TestQuoteAndBare(t *testing.T) {
	forty := strings.Repeat("x", 40)
	for in, want := range map[string]string{forty: `"` + forty + `"`, forty + "y": `"` + forty + `"...`, "": `""`} {
		if got := quote(in); got != want {
			t.Errorf("quote(%q) = %s, want %s", in, got, want)
		}
	}
	// || is the empty symbol (SMT-LIB 2.7, §3.1).
	for in, want := range map[string]string{"||": "", "|a|": "a", "a": "a", "|": "|", "": "", "a|": "a|"} {
		if got := bare(in); got != want {
			t.Errorf("bare(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestParseTraceWords checks that the message and the answers must be whole words. A letter, digit or underscore
// extends a word.
func TestParseTraceWords(t *testing.T) {
	const wrong = "WRONG solver response: got"
	for out, want := range map[string]bool{
		wrong: true, wrong + " sat": true, "1.0/1.0\t" + wrong + ", expected": true, "x" + wrong: false,
		wrong + "ten": false, "x" + wrong + " " + wrong: true, wrong + "_": false, "sat": false, "(" + wrong +
			")": true,
	} {
		if got := ParseTrace([]byte("sat\n" + out + "\n")).Wrong; got != want {
			t.Errorf("%q is wrong: %v, want %v", out, got, want)
		}
	}
	for line, want := range map[string]int{
		"sat": 1, "unsat": 1, "\tsat": 1, "asat": 0, "zsat": 0, "Asat": 0, "Zsat": 0, "0sat": 0, "9sat": 0, "_sat": 0,
		"@sat": 1, "[sat": 1, "`sat": 1, "{sat": 1, "/sat": 1, ":sat": 1, "sat ": 0, "unknown": 0,
	} {
		if got := ParseTrace([]byte(line + "\n")).Correct; got != want {
			t.Errorf("%q counts %d, want %d", line, got, want)
		}
	}
}

// TestLastTraceAnswer checks that in the incremental track, the last answer counts or, without an answer, the first
// nonblank line is the deciding line.
func TestLastTraceAnswer(t *testing.T) {
	for _, test := range []struct {
		out, line string
		want      comp.Answer
	}{
		{"sat\nunsat\n", "unsat", comp.AnswerUnsat},
		{"0.1/0.2\tsat\n0.3/0.4\tunknown\n", "unknown", comp.AnswerUnknown},
		{"sat\nbye\n", "sat", comp.AnswerSat},
		{"hello\nsat\nbye\n", "sat", comp.AnswerSat},
		{"\n \nhello\nbye\n", "hello", comp.AnswerNone},
		{"\n", "", comp.AnswerNone},
		{"", "", comp.AnswerNone},
	} {
		d := Answer(comp.Incremental, []byte(test.out), nil, Run{})
		if d.Answer != test.want || string(d.Line) != test.line {
			t.Errorf("%q: %q by the line %q", test.out, d.Answer, d.Line)
		}
	}
}

// TestLastAnswer checks that the times come from the stamp of the last answer, or else from the last line "time
// SECONDS".
func TestLastAnswer(t *testing.T) {
	for _, test := range []struct {
		out       string
		wall, cpu float64
		ok        bool
	}{
		{"18.26/18.29\tsat\n", 18.29, 18.26, true},
		{"0/0\tsat\n", 0, 0, true},
		{"18.26/18.29\tsat\ntime 5\n", 18.29, 18.26, true},
		{"sat\ntime 1.5\ntime 2.5\n", 2.5, 2.5, true},
		{"sat\ntime 0\n", 0, 0, true},
		{"sat\ntime -1\n", 0, 0, false},
		{"sat\ntime soon\n", 0, 0, false},
		{"-1/2\tsat\ntime 3\n", 3, 3, true},
		{"2/-1\tsat\ntime 3\n", 3, 3, true},
		{"x/2\tsat\ntime 3\n", 3, 3, true},
		{"2/x\tsat\ntime 3\n", 3, 3, true},
		{"sat\n", 0, 0, false},
		{"18.26/18.29\tunknown\n", 0, 0, false},
		{"18.26/18.29\tunknown\ntime 4\n", 4, 4, true},
	} {
		wall, cpu, ok := ParseTrace([]byte(test.out)).LastAnswer([]byte(test.out))
		if ok != test.ok || ok && (wall != test.wall || cpu != test.cpu) {
			t.Errorf("%q: wall %v, CPU %v, %v", test.out, wall, cpu, ok)
		}
	}
}

// TestUnstampForms checks the form of a stamp: digits, a dot, digits, a slash, digits, any character, digits and a tab.
func TestUnstampForms(t *testing.T) {
	for in, want := range map[string]string{
		"18.26/18.29\tsat": "sat", "1.2/3.4\tsat": "sat", "1.2/3x4\tsat": "sat", "1.2/345\tsat": "sat",
		"1.2/3\t4\tsat": "sat", "1.2/34\tsat": "1.2/34\tsat", "18./18.29\tsat": "18./18.29\tsat",
		".2/18.29\tsat": ".2/18.29\tsat", "18.26/.29\tsat": "18.26/.29\tsat", "18.26/18.\tsat": "18.26/18.\tsat",
		"18.26/18.29 sat": "18.26/18.29 sat", "18.26/18.29": "18.26/18.29", "18.26-18.29\tsat": "18.26-18.29\tsat",
		"18": "18", "18.26": "18.26", "18.26/": "18.26/", "": "",
	} {
		if got := strings.TrimSuffix(string(Unstamp([]byte(in+"\n"))), "\n"); got != want {
			t.Errorf("Unstamp(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestOpinionText(t *testing.T) {
	if got := (Opinion{Said: "wall-timeout"}).String(); got != "none (wall-timeout)" {
		t.Errorf("without a verdict: %s", got)
	}
	if got := (Opinion{ModelValid, "sat"}).String(); got != string(ModelValid)+" (sat)" {
		t.Errorf("with a verdict: %s", got)
	}
}

// A string must have both quotation marks.
func TestRefusedQuotes(t *testing.T) {
	for in, want := range map[string]bool{
		`(error "no core")`: true, `(error "")`: true, `(error ")`: false, `(error "a""b")`: true, `(error "a"b")`: false,
		`(error x)`: false, `(error)`: false, `unsupported`: true,
	} {
		if got := refused([]byte(in)); got != want {
			t.Errorf("refused(%q) = %v, want %v", in, got, want)
		}
	}
}
