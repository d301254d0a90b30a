package selection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/random/polars"
)

// ScriptNumber is the number that the organisers' tool assigns to a scrambled script, with its origin.
type ScriptNumber struct {
	Script int // N of scrambledN.smt2
	File   int // the benchmark's position in the organisers' list of the library
}

// NumberScripts returns the numbers that the organisers' tool assigns to the scripts of listed benchmarks, by path.
// listed contains all candidates for a track, selected or not. The tool sorts them by file number and shuffles them
// with the competition's seed. library contains all benchmarks. In the organisers' list, the incremental collection
// comes last, and each collection is sorted by path components. Paths are those of a release, such as
// incremental/LIA/family/x.smt2.
func NumberScripts(library, listed []string, flavour polars.Flavour, seed uint64,
	by ScriptNumbering) (map[string]ScriptNumber, error) {
	files, err := places(library)
	if err != nil {
		return nil, err
	}
	sorted := slices.SortedFunc(slices.Values(listed), byFile)
	numbers := make(map[string]ScriptNumber, len(sorted))
	for place, value := range flavour.Shuffle(len(sorted), seed) {
		path, script := sorted[value], place
		if by == ByValue {
			path, script = sorted[place], value
		}
		file, ok := files[path]
		if _, twice := numbers[path]; twice || !ok {
			return nil, fmt.Errorf("benchmark %s cannot be numbered: it occurs twice, or is not in the library", path)
		}
		numbers[path] = ScriptNumber{Script: script, File: file}
	}
	return numbers, nil
}

// IDMap returns the file original_id.csv that the organisers' tool writes for scripts, sorted by number.
func IDMap(scripts []ScriptNumber) []byte {
	slices.SortFunc(scripts, func(a, b ScriptNumber) int { return a.Script - b.Script })
	text := []byte("scramble_id,file\n")
	for _, s := range scripts {
		text = fmt.Appendf(text, "%d,%d\n", s.Script, s.File)
	}
	return text
}

// places returns the benchmarks' positions in the organisers' list.
func places(paths []string) (map[string]int, error) {
	sorted := slices.SortedFunc(slices.Values(paths), byFile)
	numbers := make(map[string]int, len(sorted))
	for i, path := range sorted {
		if _, twice := numbers[path]; twice {
			return nil, fmt.Errorf("benchmark %s occurs twice in the library", path)
		}
		numbers[path] = i
	}
	return numbers, nil
}

// byFile compares two paths in a release by their benchmarks' positions in the organisers' list.
func byFile(a, b string) int {
	x, y := strings.HasPrefix(a, "incremental/"), strings.HasPrefix(b, "incremental/")
	switch {
	case x && !y:
		return 1
	case y && !x:
		return -1
	}
	return byComponents(a, b)
}

// ScriptNumbering selects how the organisers' tool numbers scrambled scripts after shuffling a list's numbers.
type ScriptNumbering uint8

// The possible numberings.
const (
	ByPlace ScriptNumbering = iota // a script's number is the position that its benchmark was shuffled to
	ByValue                        // a script's number is the number that was shuffled to its position in the list
)

// ParseScriptNumbering parses "place", which the tool uses for folders of scripts, or "value", which it uses for the
// cloud.
func ParseScriptNumbering(s string) (ScriptNumbering, error) {
	switch s {
	case "place":
		return ByPlace, nil
	case "value":
		return ByValue, nil
	}
	return 0, fmt.Errorf("unknown numbering %q; it must be place, as for folders of scripts, or value, as for the cloud", s)
}
