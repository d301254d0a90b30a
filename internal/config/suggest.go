package config

import (
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
)

// Nearest returns the known name that was probably intended, or an empty string. Ties go to the first.
func Nearest(given string, known []string) string { return nearest(given, known) }

// nearest returns the known name that was probably intended, or an empty string. Ties go to the first.
func nearest(given string, known []string) string {
	best, distance := "", 4
	most := 0 // one letter is not enough for a guess
	if len(given) > 1 {
		most = (len(given) + 2) / 3
	}
	for _, k := range known {
		d := levenshtein.Distance(given, k, nil)
		if strings.EqualFold(given, k) || strings.ReplaceAll(given, "-", "_") == k {
			d = 0
		}
		if d == 2 && transposed(given, k) {
			d = 1
		}
		if d < distance && d <= most {
			best, distance = k, d
		}
	}
	if best != "" || len(given) < 3 {
		return best
	}
	for _, k := range known {
		if len(k) >= 3 && (strings.HasPrefix(k, given) || strings.HasPrefix(given, k)) {
			return k
		}
	}
	return ""
}

// didYouMean returns ` Did you mean "x"?`, or nothing.
func didYouMean(given string, known []string) string {
	if best := nearest(given, known); best != "" {
		return fmt.Sprintf(" Did you mean %q?", best)
	}
	return ""
}

// oneOf lists names for people: "a", "b" or "c". A long list is cut.
func oneOf(names []string) string {
	const most = 12
	rest := ""
	if len(names) > most {
		rest = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	var w strings.Builder
	for i, n := range names {
		switch {
		case i == 0:
		case i == len(names)-1 && rest == "":
			w.WriteString(" or ")
		default:
			w.WriteString(", ")
		}
		fmt.Fprintf(&w, "%q", n)
	}
	return w.String() + rest
}

// transposed reports whether two neighbouring letters were swapped, which counts as one mistake.
func transposed(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
