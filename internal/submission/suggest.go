package submission

import (
	"fmt"

	"github.com/agext/levenshtein"
)

// suggest returns "; did you mean X?" for the known name that is nearest to the wrong one, or nothing if none is near.
func suggest[T ~string](wrong string, known []T) string {
	best, distance := "", 3 // further away is no slip of the pen
	for _, k := range known {
		if d := levenshtein.Distance(wrong, string(k), nil); d < distance {
			best, distance = string(k), d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}
