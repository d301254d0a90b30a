package engine

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Rechecked is the result of a second execution of the deterministic stages.
type Rechecked struct {
	Same      int      `json:"same"`      // number of instances that produced identical bytes
	Different []string `json:"different"` // differences, as sentences
	Measured  int      `json:"measured"`  // number of measured stages, whose runs are not executed again
	Unknown   int      `json:"unknown"`   // number of stages that are not in the store and cannot be compared

	Steps []RecheckedStep `json:"-"` // steps in plan order
}

// RecheckedStep is the recheck result of one instance.
type RecheckedStep struct {
	Step
	Args      *stages.Args
	Action    stages.Action        // nil if arguments are missing
	Again     map[string]cty.Value // outputs of the second execution, or nil if there was none
	Different []string             // names of the outputs that differ
	Err       error                // reason why it could not be executed
}

// Recheck executes every deterministic stage in the store again, without reusing results, and compares the outputs with
// the records. It writes to the store only content that was missing. If there is evidence, measured stages are
// assembled again from its measurements. A stage that cannot be executed is not compared, and does not stop other
// stages.
func (e *Engine) Recheck(ctx context.Context) (*Rechecked, hcl.Diagnostics) {
	plan, trail := &Plan{Known: stages.Known{}}, newTrail()
	out := &Rechecked{}
	for _, node := range e.nodes {
		instances, diags := e.expand(&node, plan.Known, trail)
		if diags.HasErrors() {
			return out, diags
		}
		for i := range instances {
			in := &instances[i]
			step := RecheckedStep{Step: e.planInstance(in, e.newExtents()), Args: in.Args, Action: in.Action}
			switch {
			case step.Decision != Cached:
				out.Unknown++
			case in.Kind.Measured && (e.opt.Evidence == nil || !in.Kind.ByItems):
				out.Measured++
			default:
				if step.Err = e.recheck(ctx, in, &step); step.Err == nil {
					out.count(in, &step)
				}
			}
			if step.Outputs != nil {
				plan.Known[step.Addr] = step.Outputs
			}
			out.Steps = append(out.Steps, step)
			if ctx.Err() != nil {
				return out, nil
			}
		}
	}
	return out, nil
}

// count adds the result of a step that was executed again to the totals.
func (out *Rechecked) count(in *stages.Instance, step *RecheckedStep) {
	for _, name := range step.Different {
		was, _ := encodeOutput(step.Outputs[name]) // the comparison already encoded it
		is, _ := encodeOutput(step.Again[name])
		out.Different = append(out.Different, fmt.Sprintf("%s: re-execution changed output %s: it is now %s, but "+
			"was %s", in.Addr,
			name, outputText(is), outputText(was)))
	}
	switch {
	case len(step.Different) > 0:
	case in.Kind.Measured:
		out.Measured++
	default:
		out.Same++
	}
}

func (e *Engine) recheck(ctx context.Context, in *stages.Instance, step *RecheckedStep) error {
	if err := e.checkEvidence(in); err != nil {
		return err
	}
	temp, err := e.opt.Store.TempDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	e.opt.Observer.Observe(StageStarted{Addr: in.Addr, Kind: in.Kind.Name, Reason: "to compare"})
	env := e.env(in, temp)
	if in.Kind.Measured {
		env.Items.(*itemSource).refuses = lacksRuns
	} else {
		env.Items, env.Recheck = freshItems{}, true
	}
	if err := e.redacted(in.Action.Execute(ctx, env)); err != nil {
		return err
	}
	outputs, err := env.Finish()
	if err != nil {
		return err
	}
	for _, o := range in.Kind.Outputs {
		was, err := encodeOutput(step.Outputs[o.Name])
		if err != nil {
			return err
		}
		is, err := encodeOutput(outputs[o.Name])
		if err != nil {
			return err
		}
		if is.Digest != was.Digest || string(is.Value) != string(was.Value) {
			step.Different = append(step.Different, o.Name)
		}
	}
	step.Again = outputs
	return nil
}

// LacksRunsError reports that records of a measured stage's items are missing.
type LacksRunsError struct{ Missing, Of int }

func (e *LacksRunsError) Error() string {
	return fmt.Sprintf("%d of the %d runs that the pipeline requires were not measured",
		e.Missing, e.Of)
}

func lacksRuns(missing, n int) error {
	if missing > 0 {
		return &LacksRunsError{missing, n}
	}
	return nil
}

func outputText(o cache.Output) string {
	if o.Digest != "" {
		return "sha256:" + o.Digest
	}
	return shorten(string(o.Value))
}

// freshItems opens items without records, and does not keep new records.
type freshItems struct{}

// Open implements stages.ItemSource.
func (freshItems) Open(_ context.Context, namespace, _ string, n int, key func(i int) cache.Key) (stages.Items, error) {
	keys, all := make(unrecorded, n), make([]int, n)
	for i := range n {
		keys[i], all[i] = key(i), i
	}
	return (&Memo{}).open(keys, namespace, n, all), nil
}
