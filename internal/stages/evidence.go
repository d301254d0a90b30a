package stages

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Evidence describes what was measured on other, possibly different machines, and with solvers that this machine may
// not have.
type Evidence interface {
	// Recorded returns a component of an instance's key that depends on where the instance was executed, not on the
	// pipeline, such as "hardware". ok is false if this machine must determine the component.
	Recorded(addr, component string) (value string, ok bool)
}

// SetEvidence marks an instance as executed on the machine that recorded the evidence.
func (a *Args) SetEvidence(e Evidence, addr string) { a.evidence, a.addr = e, addr }

// Recorded returns a key component from the evidence. ok is false if this machine must determine the component.
func (a *Args) Recorded(component string) (value string, ok bool) {
	if a.evidence == nil {
		return "", false
	}
	return a.evidence.Recorded(a.addr, component)
}

// AbsentSolvers returns the names of the solvers among the arguments whose archive, program, or image is absent from
// this machine.
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

// FilesToRead returns the files among the arguments that an execution would read.
func (a *Args) FilesToRead() []File {
	var all []File
	a.walkAttrs(func(attr Attr, v cty.Value) {
		if f, ok := FileOf(v); ok && !attr.Named {
			all = append(all, f)
		}
	})
	return all
}

// PrivateFiles returns the files of attributes declared as Private.
func (a *Args) PrivateFiles() []File {
	var all []File
	a.walkAttrs(func(attr Attr, v cty.Value) {
		if f, ok := FileOf(v); ok && attr.Private {
			all = append(all, f)
		}
	})
	return all
}

// Images returns the digests of the images among the arguments. An image is a root file system for runs.
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

// BulkFiles returns the numerous or large files among the arguments: solver archives, programs and images, and the
// files of attributes declared as Bulk.
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
