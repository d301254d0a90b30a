// Package nearest guesses the known name that an unknown name was meant to be.
package nearest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"
)

// Name returns the most likely intended name among the known ones, or "". Ties go to the first.
func Name[T ~string](given string, known []T) string {
	best, distance := "", 4
	most := 0 // a single matching letter does not justify a guess
	if len(given) > 1 {
		most = (len(given) + 2) / 3
	}
	letters := utf8.RuneCountInString(given)
	for _, name := range known {
		k := string(name)
		if n := letters - utf8.RuneCountInString(k); max(n, -n) >= distance {
			continue // the distance is at least n, and is slow to compute for a long text
		}
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
	i := slices.IndexFunc(known, func(k T) bool {
		return len(k) >= 3 && (strings.Contains(string(k), given) || strings.Contains(given, string(k)))
	})
	if i < 0 {
		return ""
	}
	return string(known[i])
}

// Question returns ` Did you mean "x"?`, or "".
func Question[T ~string](given string, known []T) string {
	if best := Name(given, known); best != "" {
		return fmt.Sprintf(" Did you mean %q?", best)
	}
	return ""
}

// transposed reports whether two adjacent letters were swapped, which counts as one mistake.
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
