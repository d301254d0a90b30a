package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// TestKinds holds the list of kinds in the order of their names, which is that of every listing, without a name twice;
// and the example of each is a block of the kind.
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
