package config

import (
	"fmt"
	"slices"
	"strings"
)

// diffContext is the number of unchanged lines shown around changed ones.
const diffContext = 3

// LayoutDiff returns the difference between two layouts of a file as a unified diff. It compares lines pairwise,
// because formatting never adds or joins lines. Formatting can only add a line feed at the end of the last line.
func LayoutDiff(name string, before, after []byte) string {
	old, new := textLines(before), textLines(after)
	if len(old) != len(new) {
		return diffHeader(name) + hunk(old, new, 0, max(len(old), len(new)))
	}
	var b strings.Builder
	b.WriteString(diffHeader(name))
	for i := 0; i < len(old); i++ {
		if old[i] == new[i] {
			continue
		}
		last := i // last changed line of the hunk
		for k := i; k < len(old) && k <= last+2*diffContext; k++ {
			if old[k] != new[k] {
				last = k
			}
		}
		from, to := max(i-diffContext, 0), min(last+diffContext+1, len(old))
		b.WriteString(hunk(old, new, from, to))
		i = to - 1
	}
	return b.String()
}

func diffHeader(name string) string { return fmt.Sprintf("--- %s\n+++ %s\n", name, name) }

// hunk returns the lines with numbers in [from, to).
func hunk(old, new []string, from, to int) string {
	a, b := old[min(from, len(old)):min(to, len(old))], new[min(from, len(new)):min(to, len(new))]
	var out strings.Builder
	fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n", from+1, len(a), from+1, len(b))
	for i := 0; i < max(len(a), len(b)); {
		if i < len(a) && i < len(b) && a[i] == b[i] {
			out.WriteString(" " + a[i])
			i++
			continue
		}
		end := i
		for end < max(len(a), len(b)) && (end >= len(a) || end >= len(b) || a[end] != b[end]) {
			end++
		}
		for _, l := range a[min(i, len(a)):min(end, len(a))] {
			out.WriteString("-" + l)
			if !strings.HasSuffix(l, "\n") {
				out.WriteString("\n\\ No newline at end of file\n")
			}
		}
		for _, l := range b[min(i, len(b)):min(end, len(b))] {
			out.WriteString("+" + l)
		}
		i = end
	}
	return out.String()
}

// textLines splits a text after each line end.
func textLines(text []byte) []string { return slices.Collect(strings.Lines(string(text))) }
