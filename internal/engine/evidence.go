package engine

import (
	"fmt"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Measurement describes the origin of a measured stage's outputs.
type Measurement struct {
	Hardware string    `json:"hardware,omitempty"`
	Finished time.Time `json:"finished"`
	Version  string    `json:"smtpipe_version"`
}

// measurementOf returns the origin of a record's outputs, or nil if the stage is not measured.
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

// NoEvidenceError reports that the evidence lacks data that would otherwise have to be measured or read here.
type NoEvidenceError struct{ Why string }

func (e *NoEvidenceError) Error() string { return e.Why }

// checkEvidence returns the reason why the evidence does not suffice for an instance: an input is missing, or the whole
// stage would have to be measured. It returns nil if there is no evidence.
func (e *Engine) checkEvidence(in *stages.Instance) error {
	if e.opt.Evidence == nil {
		return nil
	}
	if in.Kind.ByItems {
		return nil // assembled from its items if the evidence contains all of them
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

// measureNothing makes a measured stage fail if the evidence lacks any of its items.
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
