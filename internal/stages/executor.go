package stages

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/exec/worker/all"
)

// ExecutorType is the type of an executor block's value, executor.KIND.NAME. It has the attributes that all executors
// share and the attributes of every kind. Attributes that were not given, or that the kind lacks, are null.
var ExecutorType = executorType()

func executorType() cty.Type {
	attrs := map[string]cty.Type{
		"kind":      cty.String, // a worker.Kind's Name
		"name":      cty.String,
		"jobs":      cty.Number, // concurrent runs; null for as many as cores and memory allow
		"isolation": cty.String, // full, cgroup, namespaces, none or best_effort
		"image":     FileType,   // the runs' root file system; null for the competition's
		"hardware":  cty.String, // profile of the machines that measure; null for this machine's
	}
	for _, k := range all.Kinds() {
		for _, a := range k.Attrs {
			attrs[a.Name] = a.Type
		}
	}
	return cty.Object(attrs)
}
