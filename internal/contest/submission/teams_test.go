package submission

import (
	"slices"
	"strings"
	"testing"
)

// TestTeamQuestions: three people with the same name are three teams, as are two people who share an address. Both
// cases are questions that name no contact. A stated team raises no question. Example addresses are ignored.
func TestTeamQuestions(t *testing.T) {
	t.Parallel()
	by := func(solver, name, address string) *Submission {
		return &Submission{Name: solver, Contacts: []Contact{{name, address}}}
	}
	all := []*Submission{by("A", "Li Wei", "wei@a.edu"), by("B", "Li Wei", "wei@b.edu"), by("C", "Li Wei", "Wei@A.edu"),
		by("D", "Ann", "lab@c.edu"), by("E", "Bob", "lab@c.edu"), by("F", "Cas", "contact1@example.org"),
		by("G", "Dan", "contact1@example.org")}
	teams := TeamNames(all, nil)
	var got []string
	for _, s := range all {
		got = append(got, teams[s])
	}
	if want := strings.Fields("A B A D E F G"); !slices.Equal(got, want) {
		t.Errorf("teams %v, want %v", got, want)
	}
	questions := TeamQuestions(all, nil)
	if len(questions) != 2 || !strings.HasPrefix(questions[0], "the first contacts of A, B, C have the same name and "+
		"different addresses; they count as 2 teams") || !strings.HasPrefix(questions[1], "the first contacts of D, E "+
		"have the same address and different names; they count as 2 teams") {
		t.Errorf("questions %q", questions)
	}
	for _, private := range []string{"Wei", "edu", "Ann"} {
		if strings.Contains(strings.Join(questions, " "), private) {
			t.Errorf("%q is private: %q", private, questions)
		}
	}
	if got := TeamQuestions(all, map[string]string{"B": "B", "E": "E"}); len(got) != 0 {
		t.Errorf("what is said is asked: %q", got)
	}
}
