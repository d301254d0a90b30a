package stages

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/exec/worker/all"
)

// ExecutorType is the type of an executor block's value, executor.KIND.NAME. It has the attributes common to all
// executors and those of every kind. Attributes that were not given, or that the kind does not have, are null.
var ExecutorType = executorType()

func executorType() cty.Type {
	attrs := map[string]cty.Type{
		"kind":      cty.String, // worker.Kind.Name
		"name":      cty.String,
		"jobs":      cty.Number, // concurrent runs; null: as cores and memory allow
		"isolation": cty.String, // full, cgroup, namespaces, none or best_effort
		"image":     FileType,   // the root file system of runs; null: the competition's
		"hardware":  cty.String, // profile of the machines that measure; null: this machine's
	}
	for _, k := range all.Kinds() {
		for _, a := range k.Attrs {
			attrs[a.Name] = a.Type
		}
	}
	return cty.Object(attrs)
}
