package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// TestKinds checks that the list of kinds is sorted by name and has no duplicates, and that each example is a block of
// its kind.
func TestKinds(t *testing.T) {
	kinds := all.Kinds()
	if !slices.IsSortedFunc(kinds, func(a, b *stages.Kind) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the kinds are not sorted by name")
	}
	seen := map[string]bool{}
	for _, k := range kinds {
		if seen[k.Name] {
			t.Errorf("two kinds are named %s", k.Name)
		}
		seen[k.Name] = true
		if !strings.Contains(k.Example, `stage "`+k.Name+`" "`) {
			t.Errorf("the example of %s has no such block:\n%s", k.Name, k.Example)
		}
	}
}
