package engine

import (
	"fmt"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// explainFormat identifies the format of explanations, which docs/tools/json.md describes.
const explainFormat = "smtpipe/explain/1"

// Explanation lists the dependencies of an instance, or explains one of its items.
type Explanation struct {
	Format     string            `json:"format"`
	Addr       string            `json:"address"`
	Item       string            `json:"item,omitempty"`
	Decision   Decision          `json:"decision"`
	Key        string            `json:"key,omitempty"`
	Components []cache.Component `json:"components"` // preimage of the key, or the explanation of an item
	Changes    []Change          `json:"changes,omitempty"`
	Waits      []string          `json:"known_after,omitempty"`
	cache.Made
}

// Explain returns the dependencies of an instance and the differences from its latest record.
func (e *Engine) Explain(addr string) (*Explanation, error) {
	in, step, err := e.findInstance(addr)
	if err != nil {
		return nil, err
	}
	x := &Explanation{Format: explainFormat, Addr: addr, Decision: step.Decision, Key: step.Key,
		Changes: step.Changes, Waits: step.Waits}
	if step.Decision == Deferred {
		return x, nil
	}
	key, components := e.instanceKey(in)
	x.Components = components
	if action, _ := e.lookup(in, key); action != nil {
		x.Components, x.Made = action.Components, action.Made
	}
	return x, nil
}

// ExplainItem explains one item of an instance that has been executed.
func (e *Engine) ExplainItem(addr, item string) (*Explanation, error) {
	in, step, err := e.findInstance(addr)
	if err != nil {
		return nil, err
	}
	if step.Decision != Cached {
		return nil, fmt.Errorf("%s is not up to date (%s); execute it with \"smtpipe run\"", addr, step.Decision)
	}
	x, ok := in.Action.(stages.ItemExplainer)
	if !ok {
		return nil, fmt.Errorf("%s stage has no items to explain", in.Kind.Article())
	}
	components, err := x.ExplainItem(e.opt.Store, step.Outputs, item)
	return &Explanation{Format: explainFormat, Addr: addr, Item: item, Decision: step.Decision,
		Components: components}, err
}

// findInstance plans the pipeline up to an instance.
func (e *Engine) findInstance(addr string) (*stages.Instance, *Step, error) {
	known, trail := stages.Known{}, newTrail()
	for _, node := range e.nodes {
		instances, diags := e.expand(&node, known, trail)
		if diags.HasErrors() {
			return nil, nil, diags
		}
		for i := range instances {
			step := e.planInstance(&instances[i], e.newExtents())
			if step.Addr == addr {
				return &instances[i], &step, nil
			}
			if step.Outputs != nil {
				known[step.Addr] = step.Outputs
			}
		}
	}
	return nil, nil, &UnknownStageError{addr}
}

// UnknownStageError reports that no instance has the given address.
type UnknownStageError struct{ Addr string }

func (e *UnknownStageError) Error() string {
	return fmt.Sprintf("there is no stage %s; \"smtpipe plan\" lists the stages", e.Addr)
}
