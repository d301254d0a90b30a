package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/results"
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

// TestTableTypes checks that each type of tables that a kind declares is of a known schema.
func TestTableTypes(t *testing.T) {
	tables := 0
	for _, k := range all.Kinds() {
		var types []cty.Type
		for _, a := range k.Attrs {
			types = append(types, a.Type)
		}
		for _, o := range k.Outputs {
			types = append(types, o.Type)
		}
		for _, is := range types {
			if is.IsCollectionType() {
				is = is.ElementType()
			}
			name, ok := stages.TableSchema(is)
			if !ok {
				continue
			}
			tables++
			if _, err := results.SchemaByName(name); err != nil {
				t.Errorf("%s: %v", k.Name, err)
			}
		}
	}
	if tables < 50 {
		t.Errorf("only %d tables are declared", tables)
	}
}
