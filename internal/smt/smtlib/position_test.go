package smtlib

import "testing"

// TestPositionsOfDeclarations checks that a declared name's position is at the name, not after it.
func TestPositionsOfDeclarations(t *testing.T) {
	const text = "(define-fun ffff ((v Bool)) Bool v)"
	s, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	functions := s.Functions(&s.Commands[0])
	if len(functions) != 1 {
		t.Fatalf("%d functions were read, want one", len(functions))
	}
	f := functions[0]
	if got := text[f.Pos : f.Pos+4]; got != "ffff" {
		t.Errorf("the position is at %q, want the name", got)
	}
}

// TestForward compares positions computed from one another with positions computed from the beginning.
func TestForward(t *testing.T) {
	const text = "ab\n\ncd\r\n(e\n"
	for from := range len(text) + 1 {
		for to := from; to <= len(text); to++ {
			if got, want := forward(PositionAt(text, from), text, to), PositionAt(text, to); got != want {
				t.Errorf("from %d to %d: got %+v, want %+v", from, to, got, want)
			}
		}
	}
}
