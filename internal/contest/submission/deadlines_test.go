package submission

import (
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
)

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
			t.Errorf("%+v is not an error", bad)
		}
	}
	if err := r.CheckDates(); err != nil {
		t.Error(err)
	}
}

// TestDates checks that new entrants are accepted until May 27 and updates until June 10, inclusive (SMT-COMP 2026
// rules, §4).
func TestDates(t *testing.T) {
	t.Parallel()
	dates, err := Rules{}.ReadRegister(strings.NewReader("file,entered,updated\na.json,2026-05-27,2026-06-10\n" +
		"b.json,2026-05-28,\nc.json,2026-05-01,2026-06-11\nd.json,2026-05-27,\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := Rules{First: "2026-05-27", Final: "2026-06-10"}
	for file, want := range map[string]string{
		"a.json": "", "b.json": "entered on 2026-05-28; new entrants were due on 2026-05-27",
		"c.json": "updated on 2026-06-11; the last versions were due on 2026-06-10", "d.json": "",
	} {
		if got := r.Refused(dates[file].Dates); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
		if got := (Rules{}).Refused(dates[file].Dates); got != "" {
			t.Errorf("%s is refused without deadlines: %s", file, got)
		}
	}
	_, err = Rules{}.ReadRegister(strings.NewReader("file,entered,updated\na,2026-05-02,2026-05-01\nc,2026-05-01,\nc,2026-05-01,\nb,May,\n"))
	for _, want := range []string{"a was updated on 2026-05-01, before", "line 4: c is in an earlier line",
		"line 5: dates are written"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	for _, bad := range []string{"", "name,date\n", "file,entered,updated\na\n"} {
		if _, err := (Rules{}).ReadRegister(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is not an error", bad)
		}
	}
}

// TestOwnReasons checks that the register accepts a reason kind added by the rules as an event, but not reasons that
// the rules detect themselves.
func TestOwnReasons(t *testing.T) {
	t.Parallel()
	r := Rules{Reasons: map[string]admission.Rule{"sanctioned": {}, "portfolio": {}, "late": {}}}
	const events = "file,date,event,reason,by\na.json,2026-05-01,entered,,\na.json,2026-07-01,"
	reg, err := r.ReadRegister(strings.NewReader(events + "sanctioned,it called home,the organisers\n"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "sanctioned on 2026-07-01 by the organisers: it called home"
	if all := reg["a.json"].Reasons(); len(all) != 1 || all[0].Kind != "sanctioned" || all[0].Text != want {
		t.Errorf("the reasons are %+v", all)
	}
	_, err = r.ReadRegister(strings.NewReader(events + "portfolio,it has two,the organisers\n"))
	if err == nil || !strings.Contains(err.Error(), "late, comparison, sanctioned, team") {
		t.Errorf("portfolio is an event: %v", err)
	}
}
