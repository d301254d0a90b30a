package shadow

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/score/pages"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Draw is a drawn list of benchmarks, with what is known about the published list.
type Draw struct {
	Track   string
	Drawn   []string
	Source  string           // source of Listed; empty if there is no list
	Listed  []string         // benchmarks in the published list
	Digest  *pages.DrawnList // digest of the published list; nil if unknown
	Lacking string           // the draw's missing inputs, as text; empty if there are none
}

// Part compares the draw with the published list, or with the list's digest if there is no list. If the draw lacks
// inputs of the official draw, a difference would be meaningless, and the draw counts as compared only if it equals the
// list.
func (d *Draw) Part() *Part {
	ours := libraryPaths(d.Drawn)
	p := &Part{Kind: "draw", Track: d.Track, Made: words.Count(len(ours), "benchmark")}
	common := ""
	switch {
	case d.Source != "":
		p.With, p.Compared = d.Source, len(ours)
		listed := libraryPaths(d.Listed)
		p.Open = drawDifferences(ours, listed)
		common = fmt.Sprintf("; %d of its benchmarks are among the %d in %s", len(ours)-len(without(ours, listed)),
			len(listed), d.Source)
	case d.Digest != nil:
		p.With, p.Compared = "the digest of the published list", len(ours)
		digest := sha256.Sum256([]byte(strings.Join(ours, "\n") + "\n"))
		made := hex.EncodeToString(digest[:])
		if len(ours) != d.Digest.Count {
			p.Open = append(p.Open, Difference{"number of benchmarks", strconv.Itoa(len(ours)),
				strconv.Itoa(d.Digest.Count)})
		}
		if made != d.Digest.SHA256 {
			p.Open = append(p.Open, Difference{"sha256 of the list", made, d.Digest.SHA256})
		}
	default:
		p.Why = "neither a list, nor results, nor a digest of the track is published here"
	}
	if equal := p.With != "" && len(p.Open) == 0; !equal && d.Lacking != "" {
		p.With, p.Compared, p.Open = "", 0, nil
		p.Why = strings.TrimPrefix(p.Why+"; it was drawn without "+d.Lacking+common, "; ")
	}
	return p
}

// ExplainBy attributes the differences to another input if the draw from that input equals the published list.
func (p *Part) ExplainBy(name, text string, drawn *Part) {
	if drawn.Why != "" || len(drawn.Open) > 0 {
		p.Hints = append(p.Hints, fmt.Sprintf("with %s, the list would differ in %d", name, len(drawn.Open)))
		return
	}
	for _, d := range p.Open {
		p.cause(ByInput, name, text, d)
	}
	p.Open = nil
}

// libraryPaths returns the distinct paths, starting at the logic, in sorted order.
func libraryPaths(names []string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = comp.FromLogic(name)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// without returns the elements of a that are not in b, which must be sorted.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool {
		_, found := slices.BinarySearch(b, x)
		return found
	})
}

// drawDifferences returns the benchmarks that are in only one of two sorted lists.
func drawDifferences(made, published []string) []Difference {
	var out []Difference
	for _, path := range without(made, published) {
		out = append(out, Difference{path, "selected", "not selected"})
	}
	for _, path := range without(published, made) {
		out = append(out, Difference{path, "not selected", "selected"})
	}
	slices.SortFunc(out, func(a, b Difference) int { return strings.Compare(a.Place, b.Place) })
	return out
}
