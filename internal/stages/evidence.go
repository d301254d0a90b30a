package stages

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Evidence is what was measured elsewhere, possibly on machines unlike this one and with solvers that this machine does
// not have.
type Evidence interface {
	// Recorded returns a component of an instance's key that follows from where the instance was executed rather than
	// from the pipeline, such as "hardware"; ok is false if this machine must determine it.
	Recorded(addr, component string) (value string, ok bool)
}

// SetEvidence marks an instance as executed where the evidence comes from.
func (a *Args) SetEvidence(e Evidence, addr string) { a.evidence, a.addr = e, addr }

// Recorded returns a component of the key from the evidence. ok is false if this machine must determine it.
func (a *Args) Recorded(component string) (value string, ok bool) {
	if a.evidence == nil {
		return "", false
	}
	return a.evidence.Recorded(a.addr, component)
}

// AbsentSolvers returns the names of those solvers among the arguments that have no program or image on this machine.
func (a *Args) AbsentSolvers() []string {
	var names []string
	a.walk(func(v cty.Value) {
		if !v.Type().Equals(SolverType) || !v.IsKnown() || v.IsNull() {
			return
		}
		archive, _ := FileOf(v.GetAttr("archive"))
		program, _ := FileOf(v.GetAttr("program"))
		image, _ := FileOf(v.GetAttr("image"))
		if archive.Absent || program.Absent || image.Absent {
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

// PrivateFiles returns the files of attributes that are declared as Private.
func (a *Args) PrivateFiles() []File {
	var all []File
	a.walkAttrs(func(attr Attr, v cty.Value) {
		if f, ok := FileOf(v); ok && attr.Private {
			all = append(all, f)
		}
	})
	return all
}

// Images returns the digests of the files among the arguments that are root file systems of runs.
func (a *Args) Images() []cache.Digest {
	var all []cache.Digest
	add := func(v cty.Value) {
		if f, ok := FileOf(v); ok {
			all = append(all, f.Digest)
		}
	}
	a.walk(func(v cty.Value) {
		if t := v.Type(); (t.Equals(SolverType) || t.Equals(ExecutorType)) && v.IsKnown() && !v.IsNull() {
			add(v.GetAttr("image"))
		}
	})
	for _, attr := range a.attrs {
		if attr.Name == ImageAttr.Name && attr.Type.Equals(FileType) {
			add(a.values[attr.Name])
		}
	}
	return all
}

// BulkFiles returns the files among the arguments that are many or large: archives and programs of solvers, and the
// files of attributes that are declared as Bulk.
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
			add(v.GetAttr("image"))
		}
		if v.Type().Equals(ExecutorType) && v.IsKnown() && !v.IsNull() {
			add(v.GetAttr("image"))
		}
	})
	for _, attr := range a.attrs {
		if v, ok := a.values[attr.Name]; ok && attr.Bulk {
			add(v)
		}
	}
	return all
}
