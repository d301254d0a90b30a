package language

import (
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// opb is a language whose answers have values.
var opb = Language{Name: "OPB", Files: []string{"*.opb"}, Value: `^o (-?\d+)$`, Answers: []Answer{
	{Word: "optimum", Line: "^s OPTIMUM FOUND$", Contradicts: []string{"unsat"}, Best: "least"},
	{Word: "sat", Line: "^s SATISFIABLE$", Status: `^\* satisfiable`, Contradicts: []string{"unsat"}},
	{Word: "unsat", Line: "^s UNSATISFIABLE$"},
	{Word: "unknown", Line: "^s UNKNOWN$"},
}}

func TestReader(t *testing.T) {
	r, err := opb.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for output, want := range map[string]struct {
		answer comp.Answer
		value  string
	}{
		"":                                      {"", ""},
		"c s SATISFIABLE\n":                     {"", ""},
		"o 12\no 9\ns OPTIMUM FOUND\nv x1\n":    {"optimum", "9"},
		"o 12\no -3 \ns SATISFIABLE\ns UNKNOWN": {"sat", "12"},
		"s UNKNOWN\ns SATISFIABLE\n":            {"unknown", ""},
		"s SATISFIABLE":                         {"sat", ""},
		"o 1" + strings.Repeat("0", 200) + "\no 7": {"", "7"},
	} {
		answer, _, _ := r.Answer([]byte(output))
		if value := r.ValueOf([]byte(output)); answer != want.answer || value != want.value {
			t.Errorf("%q: got %q, %q; want %q, %q", output, answer, value, want.answer, want.value)
		}
	}
	for answer, decides := range map[comp.Answer]bool{"optimum": true, "unsat": true, "unknown": false, "": false} {
		if r.Decides(answer) != decides {
			t.Errorf("%q decides: %v", answer, !decides)
		}
	}
	if !r.Contradict("unsat", "optimum") || !r.Contradict("sat", "unsat") || r.Contradict("sat", "optimum") {
		t.Error("unsat contradicts sat and optimum, and these do not contradict each other")
	}
	for _, tt := range []struct {
		answer     comp.Answer
		own, other string
		beaten     bool
	}{
		{"optimum", "10", "9", true}, {"optimum", "9", "10", false}, {"optimum", "9", "9.0", false},
		{"optimum", "-1", "-100000000000000000001", true}, {"sat", "10", "9", false}, {"optimum", "", "9", false},
	} {
		if r.Beaten(tt.answer, tt.own, tt.other) != tt.beaten {
			t.Errorf("%+v", tt)
		}
	}
	if got := r.Status([]byte("* satisfiable\n")); got != "sat" {
		t.Errorf("status %q", got)
	}
	if got := r.Status([]byte("min: x1;\n")); got != comp.StatusUnknown {
		t.Errorf("status %q", got)
	}
	loc, ok := r.Locate("a/b/c.opb")
	if want := (comp.Location{Logic: "OPB", Family: "a/b", Name: "c.opb"}); !ok || loc != want {
		t.Errorf("got %+v, %v", loc, ok)
	}
	for _, path := range []string{"a/c.cnf", "../c.opb", "/c.opb", "a//c.opb"} {
		if _, ok := r.Locate(path); ok {
			t.Errorf("%s is a benchmark", path)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	for want, change := range map[string]func(*Language){
		"needs files and an answer":        func(l *Language) { l.Files = nil },
		"is not a pattern of file names":   func(l *Language) { l.Files = []string{"["} },
		"no other answer has":              func(l *Language) { l.Answers[3].Word = "sat" },
		"not timeout, memout, abort":       func(l *Language) { l.Answers[3].Word = "timeout" },
		"which is not another answer":      func(l *Language) { l.Answers[0].Contradicts = []string{"wrong"} },
		"missing closing ]":                func(l *Language) { l.Answers[0].Line = "[" },
		"needs a pattern of its line":      func(l *Language) { l.Answers[0].Line = "" },
		"has no group; write parentheses":  func(l *Language) { l.Value = "^o" },
		"best is least or greatest":        func(l *Language) { l.Answers[0].Best = "lowest" },
		"missing closing )":                func(l *Language) { l.Answers[1].Status = "(" },
		"which is not another answer; the": func(l *Language) { l.Answers[1].Contradicts = []string{"sat"} },
	} {
		l := opb
		l.Answers = append([]Answer{}, opb.Answers...)
		change(&l)
		if _, err := l.Compile(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want %s", err, want)
		}
	}
}
