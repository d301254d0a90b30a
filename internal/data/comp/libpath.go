package comp

import (
	"slices"
	"strings"
)

// SMT-LIB composes a logic's name from theories in any order (arrays, uninterpreted functions, bit-vectors, floating
// point, datatypes, strings) and at most one arithmetic, which comes last.
var (
	theories    = []string{"A", "UF", "BV", "FP", "DT", "S"}
	arithmetics = []string{"LIA", "LRA", "LIRA", "NIA", "NRA", "NIRA", "EIA", "IDL", "RDL"}
)

// IsLogicName reports whether a name has the form of a logic name. A single one-letter theory does not count.
func IsLogicName(name string) bool {
	parts := strings.TrimPrefix(name, "QF_")
	if len(name) < 2 || parts == "" {
		return false
	}
	if parts == "AX" {
		return true
	}
	for {
		rest := cutTheory(parts)
		if rest == parts {
			return parts == "" || slices.Contains(arithmetics, parts)
		}
		parts = rest
	}
}

// cutTheory removes a theory from the start of a name, if there is one.
func cutTheory(name string) string {
	for _, t := range theories {
		if rest, ok := strings.CutPrefix(name, t); ok {
			return rest
		}
	}
	return name
}

// LibraryPath removes everything before the first folder in p that has a logic name, ignoring case. It returns the
// logic in upper case and the path from the logic on. ok is false if no folder has a logic name.
//
// For example, "./QF_BV/a/x.smt2", "non-incremental/QF_BV/a/x.smt2" and "/data/qf_bv/a/x.smt2" are the same library
// benchmark, whatever list or result file they appear in.
func LibraryPath(p string) (logic Logic, path string, ok bool) {
	for at := 0; ; {
		n := strings.IndexByte(p[at:], '/')
		if n < 0 {
			return "", "", false
		}
		folder := p[at : at+n]
		if upper := strings.ToUpper(folder); IsLogicName(upper) {
			if upper == folder {
				return Logic(folder), p[at:], true
			}
			return Logic(upper), upper + p[at+n:], true
		}
		at += n + 1
	}
}

// FromLogic returns the part of a path that LibraryPath returns, or the path unchanged if no folder has a logic name.
func FromLogic(p string) string {
	if _, path, ok := LibraryPath(p); ok {
		return path
	}
	return p
}
