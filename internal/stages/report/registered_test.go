package report

import (
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestRegistered checks that a reason without a kind or a text is an error.
func TestRegistered(t *testing.T) {
	store, err := cache.Open(t.TempDir(), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, test := range []struct {
		reasons, texts []string
		want, fails    string
	}{
		{[]string{"late"}, []string{"too late"}, "Late A: too late", ""},
		{[]string{"late", "barred"}, []string{"too late"}, "", "s.entrants: entrant A of track t has the reasons"},
		{[]string{""}, []string{"too late"}, "", "needs a kind and a text"},
	} {
		art, err := artifact.WriteTable(store, []results.EntrantRow{{Track: "t", Solver: "A", Reasons: test.reasons,
			Texts: test.texts}})
		if err != nil {
			t.Fatal(err)
		}
		act := &action{lineage: &stages.Lineage{Steps: []stages.LineageStep{{Addr: "s",
			Outputs: []stages.LineageOutput{{Name: "entrants", Artifact: art}}}}}}
		facts, err := act.registered(store)
		switch {
		case test.fails != "":
			if err == nil || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%q with %q: %v, want ...%s...", test.reasons, test.texts, err, test.fails)
			}
		case err != nil || len(facts) != 1 || facts[0].Name+" "+facts[0].Value != test.want:
			t.Errorf("%q with %q: %v, %v", test.reasons, test.texts, facts, err)
		}
	}
}
