// Package all lists the kinds of executors that smtpipe has. A new kind is one folder next to this one and one line
// here.
package all

import (
	"github.com/smtpipe/smtpipe/internal/worker"
	"github.com/smtpipe/smtpipe/internal/worker/benchexec"
	"github.com/smtpipe/smtpipe/internal/worker/local"
	"github.com/smtpipe/smtpipe/internal/worker/process"
	"github.com/smtpipe/smtpipe/internal/worker/slurm"
)

// Kinds returns the kinds by name.
func Kinds() []*worker.Kind {
	return []*worker.Kind{
		benchexec.Kind,
		local.Kind,
		process.Kind,
		slurm.Kind,
	}
}

// Kind returns the kind of a name, or nil if there is none.
func Kind(name string) *worker.Kind {
	for _, k := range Kinds() {
		if k.Name == name {
			return k
		}
	}
	return nil
}
