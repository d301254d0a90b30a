package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Differences returns a sentence for each difference from an earlier plan, in step order. A stage that has been
// executed since then is not a difference.
//
// A stage that was deferred in the earlier plan is compared by the arguments that were known then. If it no longer
// waits, its other arguments may have any value. Document must have been called on the earlier plan.
func (p *Plan) Differences(earlier *Plan) []string {
	p.Document()
	before := map[string]*Step{}
	for i := range earlier.Steps {
		before[earlier.Steps[i].Addr] = &earlier.Steps[i]
	}
	replaced := map[string]bool{} // steps that represented unknown instances
	var all []string
	for i := range p.Steps {
		now := &p.Steps[i]
		then := before[now.Addr]
		if then == nil {
			if then = deferredFor(earlier.Steps, now.Addr); then == nil {
				all = append(all, now.Addr+" is new")
				continue
			}
			// Its for_each is known now, so any step that uses its instances may be known too.
			replaced[then.Addr] = true
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

// deferredFor returns the deferred step that represented an instance before the instance was known.
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

// isArgument reports whether a component comes from an argument. Other components only occur in keys.
func (s *Step) isArgument(component string) bool {
	if s.kind == nil {
		return true
	}
	root := rootOf(component)
	return stages.FindAttr(s.kind.Attrs, root) != nil || stages.FindBlock(s.kind.Blocks, root) != nil
}

// wasUnknown reports whether a component belongs to an argument whose value was unknown.
func wasUnknown(arguments []cache.Component, component string) bool {
	return slices.ContainsFunc(arguments, func(c cache.Component) bool {
		rest, ok := strings.CutPrefix(component, c.Name)
		return c.Value == stages.Unknown && ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// rootOf returns the attribute or block that contains a component: limits for limits[0].wall_time.
func rootOf(component string) string {
	if i := strings.IndexAny(component, ".["); i >= 0 {
		return component[:i]
	}
	return component
}

// Document sets the components of deferred steps to the known arguments. Only plans that are written or compared need
// it.
func (p *Plan) Document() {
	for i := range p.Steps {
		if in := p.Steps[i].instance; in != nil {
			k := cache.NewKeyWriter("deferred/1")
			in.Args.WriteKnown(k)
			p.Steps[i].Components = k.Components()[1:]
		}
	}
}
