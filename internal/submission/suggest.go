package submission

import (
	"fmt"

	"github.com/agext/levenshtein"
)

// suggest returns "; did you mean X?" for the known name that is nearest to the wrong one, or nothing if none is close.
func suggest[T ~string](wrong string, known []T) string {
	best, distance := "", 3 // more distant is not a typing mistake
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
