package comp

import "testing"

func TestKinds(t *testing.T) {
	own := Kinds{"LIA-Lin": SingleQuery, "Dialogues": Incremental}
	tests := []struct {
		kinds      Kinds
		name, want string
		kind       Track
	}{
		{own, "LIA-Lin", "LIA-Lin", SingleQuery},
		{own, "Dialogues", "Dialogues", Incremental},
		{own, "main", "single_query", SingleQuery},
		{nil, "application", "incremental", Incremental},
	}
	for _, tt := range tests {
		name, kind, err := tt.kinds.Parse(tt.name)
		if err != nil || name != tt.want || kind != tt.kind || tt.kinds.Of(tt.name) != tt.kind {
			t.Errorf("%s: got %q, %v, %v; want %q, %v", tt.name, name, kind, err, tt.want, tt.kind)
		}
	}
	const want = `unknown track "LIA". Did you mean "LIA-Lin"? The tracks are single_query, incremental, unsat_core, ` +
		`model_validation, proof, parallel, cloud, industry_challenge, Dialogues, LIA-Lin`
	if _, _, err := own.Parse("LIA"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, known := ParseTrack("maim")
	if _, _, err := Kinds(nil).Parse("maim"); err == nil || err.Error() != known.Error() {
		t.Errorf("without own tracks: got %v, want %v", err, known)
	}
}
