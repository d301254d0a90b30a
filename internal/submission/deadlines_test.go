package submission

import "testing"

// TestLate: the deadlines of 2026 are May 27 for new entrants and June 10 for updates (SMT-COMP 2026 rules, §4).
func TestLate(t *testing.T) {
	t.Parallel()
	r := Rules{First: "2026-05-27", Final: "2026-06-10"}
	for _, tt := range []struct {
		rules         Rules
		received      string
		problem, note bool
	}{
		{r, "2026-05-27", false, false}, {r, "2026-05-28", false, true}, {r, "2026-06-10", false, true},
		{r, "2026-06-11", true, false}, {Rules{}, "2026-06-11", false, false},
	} {
		problem, note := tt.rules.Late(tt.received)
		if (problem != "") != tt.problem || (note != "") != tt.note {
			t.Errorf("%s: problem %q, note %q", tt.received, problem, note)
		}
	}
	for _, bad := range []Rules{{First: "27 May"}, {Final: "2026-06-31"}, {First: "2026-06-11", Final: "2026-06-10"}} {
		if bad.CheckDates() == nil {
			t.Errorf("%+v is no error", bad)
		}
	}
	if err := r.CheckDates(); err != nil {
		t.Error(err)
	}
}
