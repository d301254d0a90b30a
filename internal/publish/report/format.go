package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// thinSpace separates groups of three digits. It is a narrow no-break space.
const thinSpace = "\u202f"

// grouped formats an integer with its digits in groups of three.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + thinSpace + s[i:]
	}
	return sign + s
}

// seconds formats a time in seconds with two decimals.
func seconds(s float64) string {
	if math.IsNaN(s) || math.IsInf(s, 0) {
		return "–"
	}
	whole, frac, _ := strings.Cut(strconv.FormatFloat(math.Abs(s), 'f', 2, 64), ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return strconv.FormatFloat(s, 'g', 6, 64)
	}
	text := grouped(n) + "." + frac
	if s < 0 {
		text = "−" + text
	}
	return text
}

// number formats a score: a whole number as an integer, any other number with at most four decimals.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return grouped(int64(x))
	}
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(x, 'f', 4, 64), "0"), ".")
}

// count64 formats a number so that parsing it returns the same number.
func count64(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// longTime formats a sum of CPU times in a unit suitable for planning.
func longTime(s float64) string {
	switch {
	case s < 120:
		return fmt.Sprintf("%.1f s", s)
	case s < 2*3600:
		return fmt.Sprintf("%.1f min", s/60)
	case s < 2*86400:
		return fmt.Sprintf("%.1f hours", s/3600)
	case s < 2*365*86400:
		return fmt.Sprintf("%.1f days", s/86400)
	}
	return fmt.Sprintf("%.2f years", s/(365*86400))
}

// capital returns a text that is not empty with a capital letter at its beginning.
func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// clean makes a text suitable for a page: it replaces control characters and invalid UTF-8 with the replacement
// character, and removes marks that change the text direction.
func clean(s string) string {
	ok := utf8.ValidString(s)
	for _, r := range s {
		ok = ok && !unicode.Is(unicode.Cc, r) && !bidi(r)
	}
	if ok {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case bidi(r):
			return -1
		case unicode.Is(unicode.Cc, r):
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func bidi(r rune) bool { return (r >= 0x202A && r <= 0x202E) || (r >= 0x2066 && r <= 0x2069) }

// slugs assigns file names to texts. A text that consists of letters, digits, _ . + - keeps its name unless another
// text differs from it only in case. Part of the digest is appended to any other text, so names do not collide on any
// file system.
type slugs struct {
	taken map[string]string // text by lower-case name
	given map[string]string
}

func newSlugs() *slugs { return &slugs{taken: map[string]string{}, given: map[string]string{}} }

func (s *slugs) of(text string) string {
	if g, ok := s.given[text]; ok {
		return g
	}
	g := plain(text)
	if owner, dup := s.taken[strings.ToLower(g)]; g != text || g == "" || (dup && owner != text) || reserved(g) {
		sum := sha256.Sum256([]byte(text))
		begin := strings.TrimLeft(g, "._-")
		for n := 4; n == 4 || dup && n <= len(sum); n++ { // more of the digest if a text has the name of another
			g = strings.TrimLeft(begin+"-"+hex.EncodeToString(sum[:n]), "-")
			_, dup = s.taken[strings.ToLower(g)]
		}
	}
	s.taken[strings.ToLower(g)] = text
	s.given[text] = g
	return g
}

// reserved reports whether a name has a special meaning for a site or a file system.
func reserved(s string) bool {
	if strings.HasPrefix(s, ".") || strings.HasSuffix(s, ".") {
		return true
	}
	switch strings.ToLower(s) {
	case "index", "matrix", "con", "prn", "aux", "nul", "com1", "lpt1":
		return true
	}
	return false
}

func plain(text string) string {
	var w strings.Builder
	for _, r := range text {
		switch {
		case r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.+-", r)):
			w.WriteRune(r)
		default:
			w.WriteByte('_')
		}
		if w.Len() >= 60 {
			break
		}
	}
	return w.String()
}
