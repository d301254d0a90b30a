// Package all lists all kinds of executors. To add a kind, add a folder next to this one and a line to Kinds.
package all

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/batch"
	"github.com/smtpipe/smtpipe/internal/exec/worker/benchexec"
	"github.com/smtpipe/smtpipe/internal/exec/worker/local"
	"github.com/smtpipe/smtpipe/internal/exec/worker/process"
	"github.com/smtpipe/smtpipe/internal/exec/worker/slurm"
)

// Kinds returns all kinds, sorted by name.
func Kinds() []*worker.Kind {
	return []*worker.Kind{
		batch.Kind,
		benchexec.Kind,
		local.Kind,
		process.Kind,
		slurm.Kind,
	}
}

// Read returns the kind of an executor block, and the options in the block: settings, isolation level, number of runs
// and hardware.
func Read(v cty.Value) (k *worker.Kind, o worker.Options, err error) {
	text := func(name string) string {
		if a := v.GetAttr(name); !a.IsNull() {
			return a.AsString()
		}
		return ""
	}
	if k = Kind(text("kind")); k == nil {
		return nil, o, fmt.Errorf("unknown kind of executor %q", text("kind"))
	}
	o.Settings = v.AsValueMap()
	if jobs := v.GetAttr("jobs"); !jobs.IsNull() {
		n, _ := jobs.AsBigFloat().Int64()
		o.Jobs = int(n)
	}
	if o.Isolation, err = runner.ParseIsolation(text("isolation")); err != nil {
		return nil, o, err
	}
	if k.Here {
		return k, o, nil
	}
	o.Hardware = text("hardware")
	if o.Isolation == runner.BestEffort {
		return nil, o, fmt.Errorf("an executor %q does not support best_effort: name the isolation that its workers have",
			k.Name)
	}
	return k, o, nil
}

// Kind returns the kind with the given name, or nil.
func Kind(name string) *worker.Kind {
	for _, k := range Kinds() {
		if k.Name == name {
			return k
		}
	}
	return nil
}
