package submissions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/stages/submissions"
)

const yearForm = `{"name": "Base-New", "contributors": ["n"], "contacts": ["n <n@x.org>"], "website": "https://x.org/",
"archive": {"url": "https://zenodo.org/records/1/files/n.zip"}, "command": ["n"],
"system_description": "https://x.org/n.pdf", "seed": SEED, "solver_type": "TYPE", "participations": [PARTS]}`

// TestYears uses the examples in docs/rules about entrants: the output of check-submission for a file under a year's
// rules.
func TestYears(t *testing.T) {
	const (
		single = `{"tracks": ["SingleQuery"], "logics": ["QF_BV"]}`
		twice  = single + `, {"tracks": ["SingleQuery"], "logics": ["QF_LIA"], "command": ["other"]}`
		since  = "2015 2019 2022 2026"
	)
	for _, test := range []struct {
		years, name        string
		seed, kind, parts  string
		received           string
		problem, otherwise string // the expected problem and warning; empty if there is none
	}{
		{since, "fine", "5", "Standalone", single, "", "", ""},
		{"2015 2019 2022", "number of 33 bits", "4294967296", "Standalone", single, "",
			"unsigned integer of 32 bits", ""},
		{since, "number below 0", "-1", "Standalone", single, "", "not -1", ""},
		{since, "no number", "null", "Standalone", single, "", "", "there is no seed"},
		{"2022 2026", "portfolio", "5", "Portfolio", single, "", "a portfolio solver may not enter", ""},
		{"2022 2026", "portfolio in parallel", "5", "Portfolio", `{"tracks": ["Parallel"], "logics": ["QF_BV"]}`,
			"", "", ""},
		{"2022", "portfolio in the cloud", "5", "Portfolio", `{"tracks": ["Cloud"], "logics": ["QF_BV"]}`, "", "", ""},
		{"2026", "track of another year", "5", "Standalone", `{"tracks": ["Cloud"], "logics": ["QF_BV"]}`, "", "",
			"the year has no track cloud"},
		{"2015 2019", "two configurations", "5", "Standalone", twice, "", "a solver has one configuration", ""},
		{"2022 2026", "two configurations", "5", "Standalone", twice, "", "", ""},
		{"2026", "derived without its base", "5", "derived", single, "", "base solver", "source code"},
		{"2019 2022", "derived without its base", "5", "derived", single, "", "", ""},
		{"2015", "first deadline", "5", "Standalone", single, "2015-06-02", "", "by 2015-06-01"},
		{"2015", "final deadline", "5", "Standalone", single, "2015-06-15", "due on 2015-06-14", ""},
		{"2019", "first deadline", "5", "Standalone", single, "2019-05-20", "", "by 2019-05-19"},
		{"2019", "final deadline", "5", "Standalone", single, "2019-06-03", "due on 2019-06-02", ""},
		{"2022", "first deadline", "5", "Standalone", single, "2022-06-19", "", "by 2022-06-18"},
		{"2022", "final deadline", "5", "Standalone", single, "2022-07-03", "due on 2022-07-02", ""},
		{"2026", "first deadline", "5", "Standalone", single, "2026-05-28", "", "by 2026-05-27"},
		{"2026", "final deadline", "5", "Standalone", single, "2026-06-11", "due on 2026-06-10", ""},
		{since, "unknown logic", "5", "Standalone", `{"tracks": ["SingleQuery"], "logics": ["QF_XY"]}`, "",
			"unknown logic", ""},
	} {
		for year := range strings.FieldsSeq(test.years) {
			t.Run(year+" "+test.name, func(t *testing.T) {
				file := strings.NewReplacer("SEED", test.seed, "TYPE", test.kind, "PARTS", test.parts).Replace(yearForm)
				r, catalog := yearRules(t, year)
				v := r.Entrants.Review("n.json", []byte(file), catalog, &submission.Known{}, test.received)
				for _, c := range []struct {
					got  submission.Problems
					want string
				}{{v.Problems, test.problem}, {v.Warnings, test.otherwise}} {
					if text := c.got.Error(); (c.want == "") != (text == "") || !strings.Contains(text, c.want) {
						t.Errorf("got %q, want %q", text, c.want)
					}
				}
			})
		}
	}
}

// TestYearSolvers checks that three solvers of a team in a track exceed what the rules of 2022 and 2026 encourage by
// one (§4 "Multiple versions"), that two teams make a logic competitive since 2019, and that solvers entered by
// organisers do not (§6).
func TestYearSolvers(t *testing.T) {
	for _, year := range []string{"2019", "2022", "2026"} {
		t.Run(year, func(t *testing.T) {
			r, catalog := yearRules(t, year)
			var entries []submission.Entry
			for i, contact := range []string{"t", "t", "t", "u", "o"} {
				file := strings.NewReplacer("SEED", "5", "TYPE", "Standalone", "Base-New", fmt.Sprintf("s%d", i),
					"n <", contact+" <", "PARTS", `{"tracks": ["SingleQuery"], "logics": ["QF_BV"]}`).Replace(yearForm)
				s, err := submission.Parse(fmt.Sprintf("s%d.json", i), []byte(file))
				if err != nil {
					t.Fatal(err)
				}
				s.Competitive = contact != "o"
				more, err := s.Expand(catalog)
				if err != nil {
					t.Fatal(err)
				}
				entries = append(entries, more...)
			}
			if crowded := len(r.Entrants.Crowds(entries, nil)) == 1; crowded != (year != "2019") {
				t.Errorf("three solvers of a team are a crowd: %v", crowded)
			}
			for n, want := range map[int]int{3: 0, 4: 1} { // s0 to s2 belong to one team, s3 to another
				if got := len(r.Entrants.Competitive(entries[:n], submission.Teams, nil)); got != want {
					t.Errorf("of %d solvers: %d tracks are competitive, want %d", n, got, want)
				}
			}
			others := append(entries[:1:1], entries[4])
			if len(r.Entrants.Competitive(others, submission.Teams, nil)) != 0 {
				t.Error("a solver of the organisers makes a logic competitive")
			}
		})
	}
}

func yearRules(t *testing.T, year string) (*rules.Rules, *submission.Catalog) {
	t.Helper()
	r, diags := rules.Load(year, "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	catalog, err := submissions.Catalog(r.Divisions, r.Kinds)
	if err != nil {
		t.Fatal(err)
	}
	return r, catalog
}
