package selection_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/base/random/polars"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
)

// TestNumberScripts numbers five incremental benchmarks, which come last in the organisers' list. In polars 0.20.30,
// pl.Series(range(5)).shuffle(seed=42) is [0, 3, 2, 4, 1].
func TestNumberScripts(t *testing.T) {
	const inc = "incremental/UF/a/1 incremental/UF/a-b/1 incremental/UF/b/1 incremental/UF/b/2 incremental/UF/c/1"
	listed := strings.Fields(inc)
	library := append(strings.Fields("non-incremental/UF/z/1 incremental/ABV/a/1 non-incremental/LIA/z/1"), listed...)
	for by, scripts := range map[selection.ScriptNumbering][]int{
		selection.ByPlace: {0, 4, 2, 1, 3},
		selection.ByValue: {0, 3, 2, 4, 1},
	} {
		got, err := selection.NumberScripts(library, listed, polars.Rand08, 42, by)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]selection.ScriptNumber{}
		for i, path := range listed {
			want[path] = selection.ScriptNumber{Script: scripts[i], File: 3 + i}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("numbering %d (-want +got):\n%s", by, diff)
		}
	}
	for _, c := range []struct {
		name            string
		library, listed []string
	}{
		{"twice in the library", append(library, library[0]), listed},
		{"twice in the list", library, append(listed, listed[0])},
		{"not in the library", library, append(listed, "incremental/UF/d/1")},
	} {
		if _, err := selection.NumberScripts(c.library, c.listed, polars.Rand09, 1, selection.ByPlace); err == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
	got := string(selection.IDMap([]selection.ScriptNumber{{Script: 1, File: 37}, {Script: 0, File: 1041}}))
	if got != "scramble_id,file\n0,1041\n1,37\n" {
		t.Errorf("the map is %q", got)
	}
}
