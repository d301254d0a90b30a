package str

import (
	"math/big"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDecode(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       []rune
	}{
		{"plain", `ab`, []rune{'a', 'b'}},
		{"four digits", `\u0041B`, []rune{'A', 'B'}},
		{"braces", `\u{41}\u{2FFFF}`, []rune{'A', 0x2FFFF}},
		{"too large", `\u{30000}`, []rune(`\u{30000}`)},
		{"six digits", `\u{000041}`, []rune(`\u{000041}`)},
		{"empty braces", `\u{}`, []rune(`\u{}`)},
		{"three digits", `\u041`, []rune(`\u041`)},
		{"no escape", `\n\x41`, []rune(`\n\x41`)},
		{"surrogate", `\ud800`, []rune{0xD800}},
		{"cut", `\u{4`, []rune(`\u{4`)},
		{"UTF-8", "ä", []rune{'ä'}},
		{"not UTF-8", "\xff", []rune{0xff}},
	} {
		if got := Decode(row.text); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %x, want %x", row.name, got, row.want)
		}
	}
}

// TestFunctions covers the corner cases that the theory's text defines.
func TestFunctions(t *testing.T) {
	r := func(s string) []rune { return []rune(s) }
	for _, row := range []struct{ name, got, want string }{
		{"at end", string(At(r("ab"), 2)), ""},
		{"at", string(At(r("ab"), 1)), "b"},
		{"at negative", string(At(r("ab"), -1)), ""},
		{"substr over the end", string(Substr(r("abc"), 1, 9)), "bc"},
		{"substr no length", string(Substr(r("abc"), 1, 0)), ""},
		{"replace empty", string(Replace(r("ab"), nil, r("x"))), "xab"},
		{"replace first", string(Replace(r("aab"), r("a"), r("x"))), "xab"},
		{"replace none", string(Replace(r("ab"), r("c"), r("x"))), "ab"},
		{"replace_all empty", string(ReplaceAll(r("ab"), nil, r("x"))), "ab"},
		{"replace_all", string(ReplaceAll(r("aaa"), r("aa"), r("b"))), "ba"},
		{"from_int", string(FromInt(big.NewInt(120))), "120"},
		{"from_int negative", string(FromInt(big.NewInt(-1))), ""},
		{"from_code", string(FromCode(65)), "A"},
		{"from_code too large", string(FromCode(0x30000)), ""},
		{"update over the end", string(Update(r("abc"), 2, r("xy"))), "abx"},
		{"upper", string(MapASCII(r("aZé"), 'a', -32)), "AZé"},
	} {
		if row.got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, row.got, row.want)
		}
	}
	for _, row := range []struct {
		name      string
		got, want int
	}{
		{"empty in the middle", Index(r("abc"), nil, 2), 2},
		{"empty at the end", Index(r("abc"), nil, 3), 3},
		{"beyond the end", Index(r("abc"), nil, 4), -1},
		{"negative", Index(r("abc"), r("a"), -1), -1},
		{"second", Index(r("aba"), r("a"), 1), 2},
		{"to_code", ToCode(r("ab")), -1},
		{"to_int", int(ToInt(r("0012")).Int64()), 12},
		{"to_int empty", int(ToInt(nil).Int64()), -1},
		{"to_int sign", int(ToInt(r("-1")).Int64()), -1},
	} {
		if row.got != row.want {
			t.Errorf("%s: got %d, want %d", row.name, row.got, row.want)
		}
	}
}

func FuzzIndexAgainstStdlib(f *testing.F) {
	f.Add("aabaabaaab", "aabaaa")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, s, sub string) {
		if !utf8.ValidString(s) || !utf8.ValidString(sub) {
			return
		}
		want := strings.Index(s, sub)
		if want > 0 {
			want = utf8.RuneCountInString(s[:want])
		}
		if got := Index([]rune(s), []rune(sub), 0); got != want {
			t.Errorf("Index(%q, %q) = %d, want %d", s, sub, got, want)
		}
		if sub != "" {
			want := strings.ReplaceAll(s, sub, "x")
			if got := string(ReplaceAll([]rune(s), []rune(sub), []rune("x"))); got != want {
				t.Errorf("ReplaceAll(%q, %q) = %q, want %q", s, sub, got, want)
			}
		}
	})
}
