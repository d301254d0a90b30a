package all

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestEveryFolder checks that every folder next to this one is a listed kind of executor, code that kinds share, or the
// test suite.
func TestEveryFolder(t *testing.T) {
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	others := []string{"all", "exchange", "jobs", "workertest"}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(others, e.Name()) && !strings.HasPrefix(e.Name(), "testdata") {
			want = append(want, e.Name())
		}
	}
	var got []string
	for _, k := range Kinds() {
		got = append(got, k.Name)
		if k.Doc == "" || k.Open == nil {
			t.Errorf("executor %q is not documented or cannot be opened", k.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("kinds %q, folders %q", got, want)
	}
	if k := Kind("process"); k == nil || k.Name != "process" || Kind("abacus") != nil {
		t.Errorf("Kind does not find by name")
	}
}
