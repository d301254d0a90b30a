package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// connections finds wrong connections between stages although the table types match: scripts of one track executed as
// another, or runs judged against another selection's benchmarks. It follows the outputs that attributes are computed
// from, so it works before any output is known.
type connections struct {
	byOutput map[string]*stages.Instance // instances by the name of an output, such as stage.cap.x.benchmarks
	diags    hcl.Diagnostics
}

func checkConnections(all []stages.Instance) hcl.Diagnostics {
	c := connections{byOutput: map[string]*stages.Instance{}}
	for i := range all {
		for _, o := range all[i].Kind.Outputs {
			c.byOutput[all[i].Addr+"."+o.Name] = &all[i]
		}
	}
	for i := range all {
		for _, a := range all[i].Kind.Attrs {
			c.agree(&all[i], a)
			c.upstream(&all[i], a)
			if a.Joined {
				c.joined(&all[i], a.Name)
			}
		}
		if stages.FindAttr(all[i].Kind.Attrs, "scores") != nil {
			c.published(&all[i])
		}
	}
	return c.diags
}

// origins returns the stages whose outputs an attribute is computed from.
func (c *connections) origins(in *stages.Instance, attr string) []*stages.Instance {
	var found []*stages.Instance
	for _, output := range in.Args.SourcesOf(attr) {
		if from := c.byOutput[output]; from != nil {
			found = append(found, from)
		}
	}
	return found
}

// agree compares the attributes that a stage shares with the stage that produces its input table.
func (c *connections) agree(in *stages.Instance, a stages.Attr) {
	for _, name := range slices.Sorted(maps.Keys(a.Agree)) {
		ours, ok := textOf(in, name)
		if !ok {
			continue
		}
		for _, from := range c.origins(in, a.Name) {
			theirs, ok := textOf(from, name)
			if !ok || a.Agree[name](theirs, ours) {
				continue
			}
			c.report(in.Args.RangeOf(a.Name), "Made for another "+name, fmt.Sprintf(
				"%s has %s = %q (%s), and this stage has %s = %q. Take the %s of a stage for %q, or change the %s of "+
					"one of the two.", from.Addr, name, theirs, place(from.Args.RangeOf(name)), name, ours, a.Name,
				ours, name))
		}
	}
}

// upstream checks that a table is among those that another attribute's table was computed from.
func (c *connections) upstream(in *stages.Instance, a stages.Attr) {
	if a.Upstream == "" {
		return
	}
	line := map[*stages.Instance]bool{}
	for _, from := range c.origins(in, a.Upstream) {
		c.walk(from, line)
	}
	var source *stages.Instance // last upstream stage with a table of that type; imported runs have none
	after := func(x, y *stages.Instance) bool {
		return cmp.Or(x.Range.Start.Byte-y.Range.Start.Byte, strings.Compare(x.Addr, y.Addr)) > 0
	}
	for step := range line {
		for _, attr := range step.Kind.Attrs {
			for _, from := range c.origins(step, attr.Name) {
				if attr.Type.Equals(a.Type) && (source == nil || after(from, source)) {
					source = from
				}
			}
		}
	}
	if source == nil {
		return
	}
	for _, from := range c.origins(in, a.Name) {
		if below := map[*stages.Instance]bool{}; !line[from] {
			c.walk(from, below)
			if slices.ContainsFunc(c.origins(in, a.Upstream), func(o *stages.Instance) bool { return below[o] }) {
				continue
			}
			c.report(in.Args.RangeOf(a.Name), "Benchmarks of something else", fmt.Sprintf(
				"The %s come from %s, and not from %s. Take the %s of that stage, or of one before it.", a.Upstream,
				source.Addr, from.Addr, a.Name))
		}
	}
}

// joined reports verdicts that do not state who takes part, although the solvers of their runs do.
func (c *connections) joined(in *stages.Instance, attr string) {
	for _, judged := range c.origins(in, attr) {
		for _, runs := range c.origins(judged, "runs") {
			if who := c.told(runs); who != "" {
				const text = "The verdicts of %s do not tell who takes part, as %s of %s. Take those of a stage " +
					"\"verdicts\", which joins them with entrants: solver blocks, or the tables entrants of the stages " +
					"that have them."
				c.report(in.Args.RangeOf(attr), "Entrants not joined", fmt.Sprintf(text, judged.Addr, who, runs.Addr))
				break
			}
		}
	}
}

// published checks that tables shown beside scores belong to the same tracks, and that no verdicts are scored twice.
func (c *connections) published(in *stages.Instance) {
	at := in.Args.RangeOf
	scored := c.tracksOf(in, "scores")
	for i, a := range c.origins(in, "scores") {
		for _, b := range c.origins(in, "scores")[:i] {
			if v := c.origins(a, "verdicts"); a != b && len(v) > 0 && slices.Equal(v, c.origins(b, "verdicts")) {
				c.report(at("scores"), "Scored twice", fmt.Sprintf("%s and %s score the same verdicts, and a track "+
					"has one ranking. Remove one of them, or write the stage of another track.", b.Addr, a.Addr))
			}
		}
	}
	if len(scored) == 0 {
		return
	}
	for _, a := range in.Kind.Attrs {
		switch v := in.Args.Value(a.Name); {
		case a.Name == "verdicts" || a.Name == "runs":
			c.shown(in, a.Name, scored)
		case a.Type.IsMapType() && stages.IsArtifact(a.Type.ElementType()) && known(v):
			given := slices.Sorted(maps.Keys(v.AsValueMap()))
			for _, track := range given {
				meant := nearest.Name(track, scored)
				if meant == "" || slices.Contains(scored, track) || slices.Contains(given, meant) {
					continue
				}
				c.report(at(a.Name), "Unknown track", fmt.Sprintf(
					"There are no scores for track %q. Did you mean %q?", track, meant))
			}
		}
	}
}

// shown checks that at least some of the runs or verdicts are in scored tracks.
func (c *connections) shown(in *stages.Instance, attr string, scored []string) {
	tracks := c.tracksOf(in, attr)
	isScored := func(track string) bool { return slices.Contains(scored, track) }
	if len(tracks) > 0 && !slices.ContainsFunc(tracks, isScored) {
		c.report(in.Args.RangeOf(attr), "Of another track", fmt.Sprintf("The %s are for the track %s, but the scores "+
			"are for %s. Take the %s of the tracks that are scored.", attr, words.OneOf(tracks),
			words.OneOf(scored), attr))
	}
}

// tracksOf returns the sorted tracks of the runs that a table is computed from, or none if a track is unknown.
func (c *connections) tracksOf(in *stages.Instance, attr string) (all []string) {
	from := c.origins(in, attr)
	for _, f := range from {
		tracks := []string{}
		if track, ok := textOf(f, "track"); ok {
			tracks = append(tracks, track)
		} else {
			for _, name := range []string{"verdicts", "runs"} {
				tracks = append(tracks, c.tracksOf(f, name)...)
			}
		}
		if len(tracks) == 0 {
			return nil
		}
		all = append(all, tracks...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// told names the attribute or solver block that states who takes part in the runs, as in "the teams do", or returns "".
func (c *connections) told(runs *stages.Instance) string {
	for _, name := range []string{"solvers", "teams", "bases", "open_source", "new_entrants"} {
		a := stages.FindAttr(runs.Kind.Attrs, name)
		if a == nil {
			continue
		}
		if len(c.origins(runs, name)) > 0 || a.Type != cty.DynamicPseudoType && runs.Args.Has(name) {
			return "the " + name + " do"
		}
		for _, s := range entrantsIn(runs.Args.Value(name)) {
			if s.tells {
				return fmt.Sprintf("the block of the solver %q does", s.name)
			}
		}
	}
	return ""
}

// walk collects a stage and everything upstream of it.
func (c *connections) walk(in *stages.Instance, seen map[*stages.Instance]bool) {
	if seen[in] {
		return
	}
	seen[in] = true
	for _, a := range in.Kind.Attrs {
		for _, from := range c.origins(in, a.Name) {
			c.walk(from, seen)
		}
	}
}

func (c *connections) report(at hcl.Range, summary, detail string) {
	c.diags = append(c.diags, errorAt(at, summary, detail))
}

// textOf returns an attribute's value if it is a known string.
func textOf(in *stages.Instance, name string) (string, bool) {
	if a := stages.FindAttr(in.Kind.Attrs, name); a == nil || !a.Type.Equals(cty.String) {
		return "", false
	}
	v := in.Args.Value(name)
	if !known(v) {
		return "", false
	}
	return v.AsString(), true
}
