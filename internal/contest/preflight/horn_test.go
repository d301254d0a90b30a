package preflight

import (
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TestHorn checks that benchmarks in the logic HORN are Horn clauses. Their only positive literals are p, in two
// clauses, and q.
func TestHorn(t *testing.T) {
	want := `(declare-fun p () Bool)
(declare-fun q () Bool)
(assert p)
(assert (forall ((x Bool)) (or (not x) p)))
(assert (or (not p) q))
(assert (not q))
(check-sat)
`
	if all := Benchmarks(comp.SingleQuery, "HORN"); !strings.Contains(all[1].Text, want) {
		t.Errorf("got\n%s", all[1].Text)
	}
}
