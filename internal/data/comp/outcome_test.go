package comp

import "testing"

// TestAnswers checks that only whole words are answers, and that only sat and unsat contradict a status.
func TestAnswers(t *testing.T) {
	for word, want := range map[string]Answer{"sat": AnswerSat, "unsat": AnswerUnsat, "unknown": AnswerUnknown,
		"": AnswerNone, "sat ": AnswerNone, "Sat": AnswerNone, "unsatisfiable": AnswerNone, "timeout": AnswerNone} {
		if a := ReadAnswer([]byte(word)); a != want {
			t.Errorf("ReadAnswer(%q) = %q", word, a)
		}
		if s, err := ParseStatus(word); string(s) != string(want) || (err == nil) != (want != AnswerNone) {
			t.Errorf("ParseStatus(%q) = %q, %v", word, s, err)
		}
	}
	for _, a := range append(Answers, AnswerNone) {
		for _, s := range []Status{StatusSat, StatusUnsat, StatusUnknown, ""} {
			want := a == AnswerSat && s == StatusUnsat || a == AnswerUnsat && s == StatusSat
			if a.Contradicts(s) != want {
				t.Errorf("%q contradicts %q: %v", a, s, !want)
			}
		}
	}
}
