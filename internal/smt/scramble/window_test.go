package scramble

import (
	"bytes"
	"slices"
	"testing"
)

// TestWindows places the end of a window at many positions in scripts. The position must not affect the output, and
// only whole windows may be released.
func TestWindows(t *testing.T) {
	scripts := slices.Clone(corners)
	for i := range uint64(5) {
		g := newScriptGenerator(i)
		g.script()
		scripts = append(scripts, string(g.text()))
	}
	blanks := bytes.Repeat([]byte(" "), windowSize)
	released := 0
	for _, script := range scripts {
		opt := Options{Seed: 3}
		want, wantErr := Append(nil, []byte(script), opt)
		step := 1 + len(script)/50
		for n := 0; n <= len(script); n += step {
			src := append(blanks[:windowSize-n:windowSize-n], script...)
			s := Scrambler{Release: func(part []byte) {
				from := cap(src) - cap(part)
				to := from + len(part)
				if from%windowSize != 0 || to%windowSize != 0 && to != len(src) {
					t.Errorf("%q cut at %d: %d to %d is released", script, n, from, to)
				}
				released += len(part)
			}}
			var got bytes.Buffer
			err := s.WriteTo(&got, src, opt)
			if (err == nil) != (wantErr == nil) || !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%q cut at %d: got %q, %v; want %q, %v", script, n, got.Bytes(), err, want, wantErr)
			}
		}
	}
	if released == 0 {
		t.Error("nothing is released")
	}
}
