package engine

import (
	"fmt"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Measurement says where the outputs of a measured stage come from.
type Measurement struct {
	Hardware string    `json:"hardware,omitempty"`
	Finished time.Time `json:"finished"`
	Version  string    `json:"smtpipe_version"`
}

// measurementOf returns where the outputs of a record come from; nil if its stage is not measured.
func measurementOf(kind *stages.Kind, a *cache.Action) *Measurement {
	if !kind.Measured {
		return nil
	}
	m := &Measurement{Finished: a.Finished, Version: a.Version}
	for _, c := range a.Components {
		if c.Name == "hardware" {
			m.Hardware = c.Value
		}
	}
	return m
}

// NoEvidenceError says that something would have to be measured, or read, that the evidence does not have.
type NoEvidenceError struct{ Why string }

func (e *NoEvidenceError) Error() string { return e.Why }

// checkEvidence says, with evidence, why an instance cannot be executed here: an input is not here, or the whole stage
// would be measured.
func (e *Engine) checkEvidence(in *stages.Instance) error {
	if e.opt.Evidence == nil {
		return nil
	}
	if in.Kind.ByItems {
		return nil // it is put together from its items, if the evidence has them all
	}
	for _, f := range in.Args.FilesToRead() {
		if f.Absent {
			return &NoEvidenceError{fmt.Sprintf("its input %s (sha256:%s) is neither part of the evidence nor here, so "+
				"that it cannot be executed", f.Name, f.Digest)}
		}
	}
	if in.Kind.Measured {
		return &NoEvidenceError{"the evidence has no record of it, and nothing is measured with --evidence"}
	}
	return nil
}

// measureNothing makes a measured stage, with evidence, fail where the evidence does not have all of its items.
func (x *execution) measureNothing(in *stages.Instance, env *stages.Env) {
	if x.opt.Evidence == nil || !in.Kind.Measured {
		return
	}
	env.Items.(*itemSource).refuses = func(missing, n int) error {
		if missing == 0 {
			return nil
		}
		_, components := x.instanceKey(in)
		return &NoEvidenceError{fmt.Sprintf("the evidence has no record of %d of its %d runs (%s), and nothing is "+
			"measured with --evidence", missing, n, x.reason(in.Addr, components))}
	}
}
