package trace

import (
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

// split splits a script into commands and drops an incomplete command at the end.
func split(text string, literal bool) (cmds []string, checks int) {
	s := splitter{text: []byte(text), literal: literal}
	for {
		cmd, ok := s.next()
		if !ok {
			return cmds, checks
		}
		cmds = append(cmds, string(cmd.text))
		if cmd.checkSat {
			checks++
		}
	}
}

func TestSplit(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
		literal    []string // nil if the same as want
		checks     int
	}{
		{"empty", "", nil, nil, 0},
		{"line feeds only", "\n\n", nil, nil, 0},
		{"comment only", "; (check-sat)\n", nil, nil, 0},
		{"on one line", "(a)(b) (c)", []string{"(a)", "(b)", " (c)"}, nil, 0},
		{"carriage returns", "(a)\r\n(check-sat)\r\n", []string{"(a)", "\r\n(check-sat)"}, nil, 1},
		{"bars", "(|)| a)(|;\n\\|)", []string{"(|)| a)", "(|;\n\\|)"}, nil, 0},
		{"strings", `(")")(check-sat)`, []string{`(")")`, "(check-sat)"}, []string{`(")`, `")(check-sat)`}, 1},
		{"doubled quotes", `("a"")")(b)`, []string{`("a"")")`, "(b)"}, []string{`("a"")`, `")(b)`}, 0},
		{"semicolon in a string", "(\";\")(b)", []string{`(";")`, "(b)"}, []string{}, 0},
		{"backslash", `(\))(b)`, []string{`(\)`, `)(b)`}, []string{`(\))`, "(b)"}, 0},
		{"backslash in bars", `(|\|)(b)`, []string{`(|\|)`, "(b)"}, nil, 0},
		{"quote in a comment", "(a ; \"\n)(b)", []string{"(a ; \"\n)", "(b)"}, nil, 0},
		{"bar in a string", `("|")(b)`, []string{`("|")`, "(b)"}, []string{}, 0},
		{"closing parenthesis first", ") (a)", []string{") (a)"}, nil, 0},
		{"not closed", "(a)(b", []string{"(a)"}, nil, 0},
		{"deep", strings.Repeat("(", 1_000_000) + strings.Repeat(")", 1_000_000) + "(b)",
			[]string{strings.Repeat("(", 1_000_000) + strings.Repeat(")", 1_000_000), "(b)"}, nil, 0},
		{"NUL and bytes above 127", "(a \x00\xff)(b)", []string{"(a \x00\xff)", "(b)"}, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			literal := tt.literal
			if literal == nil {
				literal = tt.want
			}
			got, checks := split(tt.text, false)
			if strings.Join(got, "\x01") != strings.Join(tt.want, "\x01") || checks != tt.checks {
				t.Errorf("%.80q: %.200q with %d check-sats; want %.200q with %d", tt.text, got, checks, tt.want,
					tt.checks)
			}
			if got, _ := split(tt.text, true); strings.Join(got, "\x01") != strings.Join(literal, "\x01") {
				t.Errorf("literally: %.80q: %.200q; want %.200q", tt.text, got, literal)
			}
		})
	}
}

// FuzzSplit checks that a script that the SMT-LIB parser accepts is split into the parser's commands, with the same
// ends.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"(set-logic QF_UF)\n(check-sat) ; x\n(exit)", "(echo \"a\"\"(\")(push 1)",
		"(declare-fun |(;| () Bool)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cmds, _ := split(text, false)
		if joined := strings.Join(cmds, ""); !strings.Contains(strings.ReplaceAll(text, "\n", ""),
			strings.ReplaceAll(joined, "\n", "")) {
			t.Fatalf("the commands %q are not a piece of %q", cmds, text)
		}
		script, err := smtlib.Parse([]byte(text))
		if err != nil {
			return
		}
		if len(cmds) != len(script.Commands) {
			t.Fatalf("%d commands %q, the parser has %d", len(cmds), cmds, len(script.Commands))
		}
		for i, c := range script.Commands {
			if !strings.HasSuffix(cmds[i], text[c.Pos:c.Stop]) {
				t.Fatalf("command %d is %q, the parser has %q", i+1, cmds[i], text[c.Pos:c.Stop])
			}
		}
	})
}
