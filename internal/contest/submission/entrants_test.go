package submission_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/submission"
)

// TestTeamNames checks that the contacts' names and addresses determine the team but appear in no team name.
func TestTeamNames(t *testing.T) {
	contacts := map[string]string{
		"Long-Mine":  "Ann Secret <a@private.org>",
		"Mine-B":     "Ann Secret <ann@private.org>",
		"Mine-A":     "Ann Secret <a@private.org>",
		"Yours":      "ann@private.org",
		"Theirs":     "Bob Secret <b@private.org>",
		"Their-Next": "Bob Secret <b@private.org>",
		"Own":        "Ann Secret <a@private.org>",
	}
	var all []*submission.Submission
	for name, contact := range contacts {
		text := strings.Replace(model, `"Alpha-Omega"`, `"`+name+`"`, 1)
		text = strings.Replace(text, `A. Author <a@example.org>`, contact, 1)
		text = strings.Replace(text, `"derived"`, `"Standalone"`, 1)
		s, err := submission.Parse(name+".json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	got := map[string]string{}
	for s, team := range submission.TeamNames(all, map[string]string{"Own": "Elsewhere", "Their-Next": "Yours"}) {
		got[s.Name] = team
	}
	want := map[string]string{
		"Long-Mine": "Mine-A", "Mine-A": "Mine-A", "Mine-B": "Mine-B",
		"Own": "Elsewhere", "Yours": "Yours", "Their-Next": "Yours", "Theirs": "Theirs",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("teams (-want +got):\n%s", diff)
	}
}
