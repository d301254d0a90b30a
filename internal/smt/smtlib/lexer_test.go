package smtlib

import (
	"fmt"
	"strings"
	"testing"
)

func TestLexer(t *testing.T) {
	names := map[TokenKind]string{
		LParen: "(", RParen: ")", Numeral: "num", Decimal: "dec", Hex: "hex", Binary: "bin", String: "str",
		Symbol:       "sym",
		QuotedSymbol: "quoted", Keyword: "key", Illegal: "illegal", UnclosedString: "unclosed-string",
		UnclosedSymbol: "unclosed-symbol",
	}
	tests := []struct{ name, src, want string }{
		{"white space", " \t\r\n(\n)", "(:( ):)"},
		{"comments", "a;b\nc ;d", "sym:a sym:c"},
		{"numbers", "0 007 1.5 0.0", "num:0 num:007 dec:1.5 dec:0.0"},
		{"numbers that are none", "1a 1. 1.5.2", "illegal:1a illegal:1. illegal:1.5.2"},
		{"bits", "#x0Fa #b01", "hex:#x0Fa bin:#b01"},
		{"bits that are none", "#x #b2 #o7 #xg #", "illegal:#x illegal:#b2 illegal:#o7 illegal:#xg illegal:#"},
		{"strings", `"" "a""b" "\" "\""`, `str:"" str:"a""b" str:"\" unclosed-string:"\""`},
		{"symbols", "+ ~!@$%^&*_-=<>.?/ x1", "sym:+ sym:~!@$%^&*_-=<>.?/ sym:x1"},
		{"quoted symbols", "|a (\"|||", "quoted:|a (\"| quoted:||"},
		{"open bar", "|a", "unclosed-symbol:|a"},
		{"keywords", ":a :b-1 : :", "key::a key::b-1 illegal:: illegal::"},
		{"adjacent", "a(b)|c|\"d\"", "sym:a (:( sym:b ):) quoted:|c| str:\"d\""},
		{"others", "é [,]", "illegal:é illegal:[ illegal:, illegal:]"},
		{"invalid UTF-8", "\xff\x80", "illegal:\xff\x80"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			l := NewLexer(tt.src)
			for tok := l.Next(); tok.Kind != EOF; tok = l.Next() {
				got = append(got, fmt.Sprintf("%s:%s", names[tok.Kind], l.Text(tok)))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("tokens of %q:\n got %s\nwant %s", tt.src, strings.Join(got, " "), tt.want)
			}
			if tok := l.Next(); tok.Kind != EOF || int(tok.Start) != len(tt.src) {
				t.Errorf("after the end: got %+v", tok)
			}
		})
	}
}
