// Package comp holds the vocabulary of a solver competition: tracks, logics, divisions, families, benchmarks, solvers,
// statuses, answers, endings, verdicts and limits.
//
// It performs no input or output and knows nothing about pipelines, files or any year's rules. All other packages use
// these types for the concepts of the field.
package comp

import (
	"path"
	"strings"
)

// Logic is the name of an SMT-LIB logic, as in (set-logic QF_BV).
type Logic string

// QuantifierFree reports whether the logic forbids quantifiers. SMT-LIB gives such logics the prefix QF_.
func (l Logic) QuantifierFree() bool { return strings.HasPrefix(string(l), "QF_") }

// Division is the name of a group of logics that a track ranks together. Until 2019, a division was a single logic.
type Division string

// Family is a benchmark's folder below its logic, such as "20210219-Dartagnan/ReachSafety-Loops" (SMT-COMP 2026 rules,
// §6 "Benchmark demographics").
type Family string

// Location is a benchmark's location in an SMT-LIB release.
type Location struct {
	Incremental bool
	Logic       Logic
	Family      Family
	Name        string // file name, including the extension
}

// ParseLocation parses "non-incremental/LOGIC/FAMILY.../NAME" or "incremental/LOGIC/FAMILY.../NAME". A benchmark
// directly in its logic's folder has the empty family. ok is false for any other form.
func ParseLocation(p string) (loc Location, ok bool) {
	clean := path.Clean(p)
	if clean != p || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "../") {
		return Location{}, false
	}
	collection, rest, found := strings.Cut(p, "/")
	if !found || (collection != "non-incremental" && collection != "incremental") {
		return Location{}, false
	}
	logic, rest, found := strings.Cut(rest, "/")
	if !found || logic == "" || rest == "" {
		return Location{}, false
	}
	family, name := path.Split(rest)
	return Location{
		Incremental: collection == "incremental",
		Logic:       Logic(logic),
		Family:      Family(strings.TrimSuffix(family, "/")),
		Name:        name,
	}, true
}

// Path is the inverse of ParseLocation.
func (l Location) Path() string {
	return path.Join(Collection(l.Incremental), string(l.Logic), string(l.Family), l.Name)
}

// Collection returns the folder of a release that contains the incremental or the non-incremental benchmarks.
func Collection(incremental bool) string {
	if incremental {
		return "incremental"
	}
	return "non-incremental"
}
