package scramble

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TestTracks checks what each track adds to a script, and that set-info is removed (SMT-COMP 2019, 2022 and 2026 rules,
// §5.1; for the names of assertions, §5.4 or §5.5).
func TestTracks(t *testing.T) {
	const quiet, logic, rest = "(set-option :print-success false)\n", "(set-logic QF_UF)\n", "(check-sat)\n"
	for track, want := range map[comp.Track]string{
		comp.SingleQuery: quiet + logic + "(assert true)\n" + rest + "(exit)\n",
		comp.Incremental: "unsat\n--- BENCHMARK BEGINS HERE ---\n" + logic + "(assert true)\n" + rest + "(exit)\n",
		comp.UnsatCore: quiet + "(set-option :produce-unsat-cores true)\n" + logic +
			"(assert (! true :named smtcomp1))\n" + rest + "(get-unsat-core)\n(exit)\n",
		comp.ModelValidation: quiet + "(set-option :produce-models true)\n" + logic + "(assert true)\n" + rest +
			"(get-model)\n(exit)\n",
		comp.ProofExhibition: quiet + "(set-option :produce-proofs true)\n" + logic + "(assert true)\n" + rest +
			"(get-proof)\n(exit)\n",
	} {
		t.Run(track.String(), func(t *testing.T) {
			got, err := Append(nil, []byte(logic+"(set-info :status unsat)\n(assert true)\n(check-sat)\n(exit)\n"),
				ForTrack(track, 0))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
