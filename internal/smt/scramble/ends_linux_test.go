package scramble

import (
	"bytes"
	"runtime/debug"
	"syscall"
	"testing"
)

// TestEnds cuts scripts at every byte and places the remaining text just before inaccessible memory. However the text
// ends, Append must not read beyond it, and must produce the same result as elsewhere in memory.
func TestEnds(t *testing.T) {
	const lets = "(set-logic QF_UF)(declare-fun a.name.of.a.function () Bool)(assert (let ((first.of.the.bindings a)" +
		"(second.of.the.bindings (= a b)))(and (let ((c d)) (c a))(not first.of.the.bindings second.of.the.bindings) " +
		"\"s\" |q| #b10 1.5)))"
	scripts := append([]string{lets}, corners...)
	for i := range uint64(20) {
		g := newScriptGenerator(i)
		g.script()
		scripts = append(scripts, string(g.text()))
	}
	const size = 1 << 20
	memory, err := syscall.Mmap(-1, 0, 2*size, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	if err := syscall.Mprotect(memory[size:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, script := range scripts {
		for n := range min(len(script), 1000) + 1 {
			at := memory[size-n : size]
			copy(at, script)
			var s Scrambler
			opt := Options{Seed: int64(n), Annotations: Annotations(n % 3)}
			got, err := s.Append(nil, at, opt)
			want, wantErr := Append(nil, []byte(script[:n]), opt)
			if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
				t.Errorf("%q: got %q, %v; elsewhere %q, %v", at, got, err, want, wantErr)
			}
		}
	}
}
