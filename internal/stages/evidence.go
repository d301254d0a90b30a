package stages

import "github.com/zclconf/go-cty/cty"

// Evidence is what was measured elsewhere: on machines that this one need not be like, by solvers that it need not
// have.
type Evidence interface {
	// Recorded returns a component of the key of an instance that follows from where it was executed and not from the
	// pipeline, such as "hardware"; ok is false if it is to be found out here.
	Recorded(addr, component string) (value string, ok bool)
}

// SetEvidence says that an instance was executed where the evidence is from.
func (a *Args) SetEvidence(e Evidence, addr string) { a.evidence, a.addr = e, addr }

// Recorded returns a component of the key as the evidence has it; ok is false if it is to be found out here.
func (a *Args) Recorded(component string) (value string, ok bool) {
	if a.evidence == nil {
		return "", false
	}
	return a.evidence.Recorded(a.addr, component)
}

// AbsentSolvers returns the names of the solvers among the arguments whose programs are not on this machine.
func (a *Args) AbsentSolvers() []string {
	var names []string
	a.walk(func(v cty.Value) {
		if !v.Type().Equals(SolverType) || !v.IsKnown() || v.IsNull() {
			return
		}
		archive, _ := FileOf(v.GetAttr("archive"))
		program, _ := FileOf(v.GetAttr("program"))
		if archive.Absent || program.Absent {
			names = append(names, v.GetAttr("name").AsString())
		}
	})
	return names
}

// FilesToRead returns the files among the arguments that an execution reads.
func (a *Args) FilesToRead() []File {
	var all []File
	a.walkAttrs(func(attr Attr, v cty.Value) {
		if f, ok := FileOf(v); ok && !attr.Named {
			all = append(all, f)
		}
	})
	return all
}

// BulkFiles returns the files among the arguments that are many or large: archives and programs of solvers, and what
// attributes say that they take.
func (a *Args) BulkFiles() []File {
	var all []File
	add := func(v cty.Value) {
		if f, ok := FileOf(v); ok {
			all = append(all, f)
		}
	}
	a.walk(func(v cty.Value) {
		if v.Type().Equals(SolverType) && v.IsKnown() && !v.IsNull() {
			add(v.GetAttr("archive"))
			add(v.GetAttr("program"))
		}
	})
	for _, attr := range a.attrs {
		if v, ok := a.values[attr.Name]; ok && attr.Bulk {
			add(v)
		}
	}
	return all
}
