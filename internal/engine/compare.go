package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Differences returns the steps in which a plan differs from an earlier plan, each as a sentence, in the order of the
// steps. Stages that have been executed in the meantime are not differences.
//
// A stage that was deferred in the earlier plan is compared by the arguments that were known. If it no longer waits,
// its other arguments may have any value. The earlier plan must have its components, see Document.
func (p *Plan) Differences(earlier *Plan) []string {
	p.Document()
	before := map[string]*Step{}
	for i := range earlier.Steps {
		before[earlier.Steps[i].Addr] = &earlier.Steps[i]
	}
	replaced := map[string]bool{} // steps that stood for unknown instances
	var all []string
	for i := range p.Steps {
		now := &p.Steps[i]
		then := before[now.Addr]
		if then == nil {
			if then = deferredFor(earlier.Steps, now.Addr); then == nil {
				all = append(all, now.Addr+" is new")
				continue
			}
			replaced[then.Addr] = true // its for_each is known now, and so may be everything that uses its instances
			continue
		}
		delete(before, now.Addr)
		all = append(all, now.differences(then)...)
	}
	for i := range earlier.Steps {
		if addr := earlier.Steps[i].Addr; before[addr] != nil && !replaced[addr] {
			all = append(all, addr+" is gone")
		}
	}
	return all
}

// deferredFor returns the deferred step that stood for an instance that was not known at the time.
func deferredFor(steps []Step, addr string) *Step {
	for i := range steps {
		if s := &steps[i]; s.Decision == Deferred && s.Addr != addr && Covers(s.Addr, addr) {
			return s
		}
	}
	return nil
}

func (s *Step) differences(then *Step) []string {
	switch {
	case s.Key != "" && then.Key == s.Key:
		return nil
	case then.Key != "" && s.Key == "":
		return []string{fmt.Sprintf("%s now waits for %s", s.Addr, strings.Join(s.Waits, ", "))}
	}
	var all []string
	for _, c := range diffComponents(then.Components, s.Components) {
		if then.Key != "" || s.isArgument(c.Name) && !wasUnknown(then.Components, c.Name) {
			all = append(all, s.Addr+": "+c.String())
		}
	}
	return all
}

// isArgument reports whether a component was written by an argument, rather than only being part of keys.
func (s *Step) isArgument(component string) bool {
	if s.kind == nil {
		return true
	}
	root := rootOf(component)
	return stages.FindAttr(s.kind.Attrs, root) != nil || slices.ContainsFunc(s.kind.Blocks,
		func(b stages.Block) bool { return b.Name == root })
}

// wasUnknown reports whether a component belongs to an argument that was not known.
func wasUnknown(arguments []cache.Component, component string) bool {
	return slices.ContainsFunc(arguments, func(c cache.Component) bool {
		rest, ok := strings.CutPrefix(component, c.Name)
		return c.Value == stages.Unknown && ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// rootOf returns the attribute or block of a component: limits of limits[0].wall_time.
func rootOf(component string) string {
	if i := strings.IndexAny(component, ".["); i >= 0 {
		return component[:i]
	}
	return component
}

// Document sets the components of deferred steps: the arguments that are known. Only plans that are written or compared
// need them.
func (p *Plan) Document() {
	for i := range p.Steps {
		if in := p.Steps[i].instance; in != nil {
			k := cache.NewKeyWriter("deferred/1")
			in.Args.WriteKnown(k)
			p.Steps[i].Components = k.Components()[1:]
		}
	}
}
