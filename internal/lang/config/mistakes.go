package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// unused warns about stages that choose or change benchmarks in vain because no other stage and no output refers to
// them, as with a forgotten filter.
func (p *Pipeline) unused() (diags hcl.Diagnostics) {
	used := map[*decl]bool{}
	for _, d := range p.decls {
		for _, dep := range d.deps {
			used[dep.to] = true
		}
	}
	byDecl := p.stagesByDecl()
	for _, d := range p.decls {
		s := byDecl[d]
		if s == nil || used[d] || !prepares(s.kind) {
			continue
		}
		diags = append(diags, warningAt(s.rng, "Stage that nothing uses", fmt.Sprintf("Neither a stage nor an output "+
			"refers to %s, so it has no effect. Use one of its outputs, or remove the stage.", s.addr)))
	}
	return diags
}

// prepares reports whether a kind produces benchmarks or scripts, which are useless on their own.
func prepares(kind *stages.Kind) bool {
	return slices.ContainsFunc(kind.Outputs, func(o stages.Output) bool {
		return o.Type.Equals(stages.TableType("benchmarks/1")) || o.Type.Equals(stages.TableType("scripts/1"))
	})
}

// tooSmall warns about limits that are so small that no solver can answer, probably because of a wrong unit.
func tooSmall(inst stages.Instance) (diags hcl.Diagnostics) {
	const leastTime, leastMemory = 50 * time.Millisecond, 10_000_000
	warn := func(limits *stages.Args, name, what string) {
		diags = append(diags, warningAt(limits.RangeOf(name), "Limit too small", what+" Is the unit right?"))
	}
	for _, limits := range inst.Args.Blocks("limits") {
		isKnown := func(name string) bool { return limits.Value(name).IsKnown() && limits.Has(name) }
		if isKnown("wall_time") && limits.Duration("wall_time") < leastTime {
			warn(limits, "wall_time", "Most solvers need longer than this to start.")
		}
		if isKnown("memory") && limits.Bytes("memory") < leastMemory {
			warn(limits, "memory", "Most solvers need more memory than this to start.")
		}
	}
	return diags
}

// twins warns about two entrants that run the same program with the same arguments.
func (p *Pipeline) twins(entrants []entrant, inst stages.Instance) (diags hcl.Diagnostics) {
	first := map[string]string{}
	for _, s := range entrants {
		other, ok := first[s.program]
		switch {
		case s.program == "":
		case !ok:
			first[s.program] = s.name
		default:
			diags = append(diags, warningAt(p.solverRange(s.name, inst), "Solver entered twice", fmt.Sprintf("The "+
				"solvers %q and %q are the same program with the same command. If one should be a different build or "+
				"have different options, correct it.", other, s.name)))
		}
	}
	return diags
}

// spellings warns about team names that differ only in case and blanks, because they count as two teams.
func (p *Pipeline) spellings(entrants []entrant, inst stages.Instance) (diags hcl.Diagnostics) {
	first := map[string]string{}
	for _, s := range entrants {
		key := strings.ToLower(strings.Join(strings.Fields(s.team), ""))
		other, ok := first[key]
		first[key] = s.team
		if ok && other != s.team {
			diags = append(diags, warningAt(p.solverRange(s.name, inst), "Team in two spellings", fmt.Sprintf("%q and "+
				"%q count as two teams, and a division with two teams is competitive. If they are one, write the name "+
				"in one way.", other, s.team)))
		}
	}
	return diags
}

// logicHint suggests logics for a solver if all of its logics are unknown.
func logicHint(given []string, divisions []divisionLogics) string {
	var all []string
	for _, d := range divisions {
		all = append(all, d.logics...)
	}
	for _, g := range given {
		i := slices.IndexFunc(divisions, func(d divisionLogics) bool { return d.name == g })
		switch {
		case i >= 0:
			return fmt.Sprintf(" %q is a division; its logics are %s.", g, strings.Join(divisions[i].logics, ", "))
		case strings.ContainsAny(g, ", "):
			return " Write a list with one string per logic."
		case strings.Contains(g, ".*"):
			return ` In a pattern, * matches any text, as in "QF_*".`
		case nearest.Name(g, all) != "":
			return nearest.Question(g, all)
		}
	}
	return ""
}

// programOf identifies the program that a solver executes. It returns "" if that is unknown.
func programOf(solver cty.Value) string {
	var id strings.Builder
	found := false
	for _, name := range []string{"program", "archive", "image"} {
		if f, ok := stages.FileOf(solver.GetAttr(name)); ok {
			found = true
			fmt.Fprintf(&id, "%s\x00", f.Digest)
		}
	}
	if !found {
		return ""
	}
	for _, name := range []string{"command", "logics", "tracks"} {
		fmt.Fprintf(&id, "%q\x00", stages.Texts(solver.GetAttr(name)))
	}
	return id.String()
}

// givenTwice warns about a table that occurs twice in a list, such as a track's scores in a report.
func (p *Pipeline) givenTwice(attr *stages.Attr, x hclsyntax.Expression) (diags hcl.Diagnostics) {
	list, ok := x.(*hclsyntax.TupleConsExpr)
	if !ok || !attr.Type.IsListType() || !stages.IsArtifact(attr.Type.ElementType()) {
		return nil
	}
	first := map[string]bool{}
	for _, elem := range list.Exprs {
		at := elem.Range()
		file := p.sources[at.Filename]
		if file == nil {
			continue
		}
		text := string(at.SliceBytes(file.Bytes))
		if first[text] {
			diags = append(diags, warningAt(at, "Given twice", fmt.Sprintf("%s is in %q twice. Remove it, or write "+
				"the one that is meant.", text, attr.Name)))
		}
		first[text] = true
	}
	return diags
}

// noteFolder records a folder that the pipeline reads. It needs no lock because evaluations run one at a time.
func (p *Pipeline) noteFolder(f stages.File) {
	if f.IsDir && !slices.Contains(p.inputs, f.Name) {
		p.inputs = append(p.inputs, f.Name)
	}
}

// readAround returns the input folder, within the pipeline's folder, that contains a path, or "".
func (p *Pipeline) readAround(target string) string {
	for _, folder := range p.inputs {
		if filepath.IsLocal(folder) && folder != "." && strings.HasPrefix(target+"/", folder+"/") {
			return folder
		}
	}
	return ""
}
