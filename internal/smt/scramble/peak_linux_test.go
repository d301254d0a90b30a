package scramble

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestPeakMemory uses inputs that consist of a single construct, as dense as possible. A process that scrambles one may
// need at most as much memory as the official program for the same construct; see docs/inside/performance.md. The test
// starts its own binary as that process, with the file in an environment variable.
func TestPeakMemory(t *testing.T) {
	const variable = "SMTPIPE_TEST_PEAK_MEMORY"
	if file := os.Getenv(variable); file != "" {
		fmt.Println("peak", peakOf(t, file), "kB")
		return
	}
	const size = huge + 1<<20
	peak := func(name, text string) int {
		t.Helper()
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPeakMemory$")
		cmd.Env = append(os.Environ(), variable+"="+file)
		out, err := cmd.CombinedOutput()
		var kilobytes int
		if _, scanErr := fmt.Sscanf(string(out), "peak %d kB", &kilobytes); err != nil || scanErr != nil {
			t.Fatalf("%s: %v, %s", name, err, out)
		}
		return kilobytes << 10
	}
	nothing := peak("nothing", "(set-logic QF_UF)(check-sat)(exit)")
	for i, in := range densest(size) {
		t.Run(in.name, func(t *testing.T) {
			if i%3 > 0 {
				testkit.Long(t)
			}
			used := peak("in.smt2", "(set-logic QF_UF)"+in.text+"(check-sat)(exit)") - nothing
			if used > in.official*size {
				t.Errorf("%d MB for an input of %d MB; the official program takes %d times the input", used>>20,
					size>>20, in.official)
			}
		})
	}
	// The official program keeps none of these. The kernel may map two blocks of 2 MB at once.
	const kept, length = size, 4 * size
	for name, unit := range map[string]string{
		"blanks":   "   ",
		"comments": ";a\n",
		"echoes":   `(echo "a")`,
		"commands": "(check-sat)",
		"chunks":   "(assert (or a b))(check-sat)",
	} {
		t.Run(name, func(t *testing.T) {
			used := peak("in.smt2", "(set-logic QF_UF)"+strings.Repeat(unit, length/len(unit))) - nothing
			if used > kept {
				t.Errorf("%d MB for an input of %d MB of which nothing is kept", used>>20, length>>20)
			}
		})
	}
}

// peakOf scrambles a mapped file as smtpipe tool scramble does, and returns the peak resident memory of this process in
// kB.
func peakOf(t *testing.T, file string) int {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	src, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	debug.SetGCPercent(10) // as in smtpipe tool scramble
	s := Scrambler{Release: func(part []byte) {
		if err := syscall.Madvise(part, syscall.MADV_DONTNEED); err != nil {
			t.Errorf("a part of %d bytes cannot be given back: %v", len(part), err)
		}
	}}
	if err := s.WriteTo(io.Discard, src, ForTrack(comp.Incremental, 3)); err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, peak, found := bytes.Cut(status, []byte("VmHWM:"))
	line, _, _ := bytes.Cut(peak, []byte("kB"))
	kilobytes, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	if !found || err != nil {
		t.Fatalf("no peak of memory in /proc/self/status: %v", err)
	}
	return kilobytes
}

type denseInput struct {
	name string
	// official is the official program's peak memory, beyond its memory for an empty input, as a multiple of the input
	// size.
	official int
	text     string
}

// densest returns texts of approximately size bytes.
func densest(size int) []denseInput {
	nested := func(front, open, inner, shut, back string) string {
		n := size / (len(open) + len(shut))
		return front + strings.Repeat(open, n) + inner + strings.Repeat(shut, n) + back
	}
	lists := func(front, before, after, inner, shut, back string) string {
		const first = 36 * 36
		var b strings.Builder
		b.WriteString(front)
		n := first
		for ; b.Len()+(n-first)*len(shut) < size; n++ {
			b.WriteString(before + strings.ToUpper(strconv.FormatInt(int64(n), 36)) + after)
		}
		return b.String() + inner + strings.Repeat(shut, n-first) + back
	}
	names := func(front, before, after, back string) string { return lists(front, before, after, "", "", back) }
	return []denseInput{
		{"a value that is dropped", 51, nested("(set-info :a ", "(", "", ")", ")")},
		{"names in such a value", 18, names("(set-info :a (", "a", " ", "))")},
		{"names", 34, names("(assert (or", " a", "", "))")},
		{"quoted names", 29, names("(assert (or", "|a", "|", "))")},
		{"a sort", 83, nested("(declare-fun a () ", "(A", " A", ")", ")")},
		{"constructors", 30, names("(declare-datatype D(", "(a", ")", "))")},
		{"selectors", 37, names("(declare-datatype D((c", "(a", " D)", ")))")},
		{"bindings", 41, names("(assert (let(", "(a", " b)", ")b))")},
		{"applications", 83, nested("(assert ", "(f", " a", ")", ")")},
		{"arguments", 54, nested("(assert (or", " a", "", "", "))")},
		{"definitions", 25, names("", "(define-fun a", "()B b)", "")},
		{"nested lets", 45, nested("(assert ", "(let((a b))", "a", ")", ")")},
		{"nested lets of as many names", 40, lists("(assert ", "(let((a", " b))", "b", ")", ")")},
		{"applications of as many names", 50, lists("(assert ", "(a", "", " b", ")", ")")},
		{"declarations", 22, names("", "(declare-fun a", "()B)", "")},
		{"assertions", 22, nested("", "(assert a)", "", "", "")},
		{"variables", 41, names("(assert (forall(", "(a", " B)", ")a))")},
		{"cases", 42, names("(assert (match a(", "(a", " b)", ")))")},
		{"annotations", 30, nested("(assert ", "(! ", "a", " :named n)", ")")},
		{"long names", 12, names("(assert (or", " abcdefghijklmno", "", "))")},
		{"long constants", 11, names("(assert (or", " #xABCDEFABCDEFAB", "", "))")},
		{"levels", 28, nested("", "(push 1)", "", "", "")},
		{"ends", 17, nested("", "(exit)", "", "", "")},
	}
}
