package config

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// stage returns a stage block's outputs.
func (e *evaluator) stage(s *stage, at *instance) result {
	return e.once(&s.decl, at, func() result {
		if s.kind.Outputs == nil {
			return unknown
		}
		x := e.expand(&s.decl, s.forEach, at)
		return e.each(x, at.address(&s.decl), cty.NilVal, outputsType(s.kind), func(addr string, _ blockScope) result {
			return e.outputs(s.kind, addr, at)
		})
	})
}

func outputsType(k *stages.Kind) cty.Type {
	attrs := map[string]cty.Type{}
	for _, o := range k.Outputs {
		attrs[o.Name] = o.Type
	}
	return cty.Object(attrs)
}

// outputs returns an instance's outputs: known values, and unknown values for the rest.
func (e *evaluator) outputs(k *stages.Kind, addr string, at *instance) result {
	values, have := map[string]cty.Value{}, e.known[addr]
	complete := true
	for _, o := range k.Outputs {
		v, ok := have[o.Name]
		if !ok || len(at.waits) > 0 {
			v, complete = cty.UnknownVal(o.Type), false // it can become null, like a command's optional table
		}
		values[o.Name] = v
	}
	if complete {
		return result{val: cty.ObjectVal(values)}
	}
	waits := at.waits
	if len(waits) == 0 {
		waits = []string{addr}
	}
	for name, v := range values {
		values[name] = waiting(v, waits)
		if !v.IsKnown() {
			values[name] = values[name].Mark(outputMark(addr + "." + name))
		}
	}
	return result{cty.ObjectVal(values), waits}
}
