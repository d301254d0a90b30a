package selection_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/selection"
)

func TestExclusions(t *testing.T) {
	var e selection.Exclusions
	e.Add("NIA", selection.TooEasy)
	e.Add("LIA", selection.TooEasy)
	e.Add("LIA", selection.Eligible)
	e.Add("LIA", selection.TooEasy)
	want := []selection.ExclusionCount{{"LIA", "", 1}, {"LIA", "easy", 2}, {"NIA", "easy", 1}}
	if diff := cmp.Diff(want, e.Table()); diff != "" || e.Of("LIA", selection.TooEasy) != 2 {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}
