package comp

import "testing"

func TestParseTrack(t *testing.T) {
	tests := map[string]Track{
		"single_query": SingleQuery, "main": SingleQuery, "SingleQuery": SingleQuery,
		"incremental": Incremental, "application": Incremental, "Incremental": Incremental,
		"unsat_core": UnsatCore, "UnsatCore": UnsatCore,
		"model_validation": ModelValidation, "ModelValidation": ModelValidation,
		"proof": ProofExhibition, "proof_exhibition": ProofExhibition, "ProofExhibition": ProofExhibition,
		"parallel": Parallel, "Parallel": Parallel, "cloud": Cloud, "Cloud": Cloud,
		"industry_challenge": IndustryChallenge, "IndustryChallenge": IndustryChallenge,
	}
	for name, want := range tests {
		if got, err := ParseTrack(name); err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", name, got, err, want)
		}
	}
	for _, name := range []string{"", "singlequery", "MAIN", "track(0)"} {
		if got, err := ParseTrack(name); err == nil {
			t.Errorf("%q: got %v, want an error", name, got)
		}
	}
	const want = `unknown track "maim". The tracks are single_query, incremental, unsat_core, model_validation, proof, ` +
		`parallel, cloud, industry_challenge`
	if _, err := ParseTrack("maim"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestTrackString(t *testing.T) {
	for _, tr := range Tracks() {
		if back, err := ParseTrack(tr.String()); err != nil || back != tr {
			t.Errorf("%v: got %v, %v", tr, back, err)
		}
	}
	if got := Track(0).String() + " " + Track(99).String(); got != "track(0) track(99)" {
		t.Errorf("got %s", got)
	}
}
