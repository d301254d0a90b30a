package nearest

import "testing"

func TestName(t *testing.T) {
	known := []string{"scramble", "score", "submissions", "wall_time", "drop", "QF_AX",
		"QF_LIA", "QF_LRA", "size_bytes"}
	for given, want := range map[string]string{
		"scrambel": "scramble", "scor": "score", "wall-time": "wall_time", "Score": "score", "dorp": "drop", "x": "",
		"zzz": "", "submission": "submissions", "": "", "QF_LAI": "QF_LIA", "QF_LAR": "QF_LRA", "bytes": "size_bytes",
		"my_score": "score",
	} {
		if got := Name(given, known); got != want {
			t.Errorf("Name(%q) = %q, want %q", given, got, want)
		}
	}
}
