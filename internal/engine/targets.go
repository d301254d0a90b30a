package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// selection holds the targets and their dependencies, by block address.
type selection struct {
	pipeline Pipeline
	nodes    map[string]*stages.Node
	expanded map[string][]stages.Instance
	whole    map[string]bool            // blocks whose instances are all wanted
	some     map[string]map[string]bool // for all other blocks, addresses of the wanted instances
}

// selectTargets selects the instances that targets name, and their dependencies. To find dependencies, it expands the
// pipeline without any known outputs, so every instance waits for all its dependencies. Where they are not known
// exactly, such as for an unknown for_each, whole blocks are selected.
func selectTargets(pipeline Pipeline, nodes []stages.Node, targets []string) (*selection, error) {
	s := &selection{
		pipeline: pipeline,
		nodes:    map[string]*stages.Node{},
		expanded: map[string][]stages.Instance{},
		whole:    map[string]bool{},
		some:     map[string]map[string]bool{},
	}
	for i := range nodes {
		s.nodes[nodes[i].Addr] = &nodes[i]
	}
	var errs []error
	for _, t := range targets {
		found, err := s.find(t)
		errs = append(errs, err)
		for _, in := range found {
			s.want(in)
		}
	}
	return s, errors.Join(errs...)
}

// instances returns a block's instances when no outputs are known.
func (s *selection) instances(block string) []stages.Instance {
	all, ok := s.expanded[block]
	if !ok {
		all, _ = s.pipeline.Expand(block, nil) // errors were reported when the pipeline was checked
		s.expanded[block] = all
	}
	return all
}

// find returns the instances that an address names, or the steps that represent them.
func (s *selection) find(addr string) ([]*stages.Instance, error) {
	block := blockOf(addr)
	if s.nodes[block] == nil {
		return nil, &UnknownStageError{addr}
	}
	all := s.instances(block)
	found := filtered(all, func(in *stages.Instance) bool {
		return Covers(addr, in.Addr) || in.Open && Covers(in.Addr,
			addr)
	})
	if len(found) > 0 || addr == block { // the for_each may be empty
		return found, nil
	}
	var names []string
	for i := range all {
		names = append(names, all[i].Addr)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no stage %s: the for_each of %s is empty", addr, block)
	}
	return nil, fmt.Errorf("there is no stage %s; there is %s", addr, words.Some(names, 8))
}

// want selects an instance and its dependencies.
func (s *selection) want(in *stages.Instance) {
	block := blockOf(in.Addr)
	if s.whole[block] || s.some[block][in.Addr] {
		return
	}
	if in.Open {
		s.wantAll(block)
		return
	}
	if s.some[block] == nil {
		s.some[block] = map[string]bool{}
	}
	s.some[block][in.Addr] = true
	told := map[string]bool{}
	for _, w := range in.Waits {
		found, err := s.find(w)
		if err != nil {
			continue // its whole block is selected below
		}
		told[blockOf(w)] = true
		for _, needed := range found {
			s.want(needed)
		}
	}
	for _, dep := range s.nodes[block].Deps {
		if !told[dep] {
			s.wantAll(dep)
		}
	}
}

// wantAll selects all instances of a block, even if they are not known yet, and its dependencies.
func (s *selection) wantAll(block string) {
	if s.whole[block] || s.nodes[block] == nil {
		return
	}
	s.whole[block] = true
	for _, dep := range s.nodes[block].Deps {
		s.wantAll(dep)
	}
}

// keep returns the blocks with a wanted instance.
func (s *selection) keep(nodes []stages.Node) []stages.Node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n stages.Node) bool {
		return !s.whole[n.Addr] &&
			len(s.some[n.Addr]) == 0
	})
}

// widen selects a block's dependencies as whole blocks. It reports whether the selection grew.
func (s *selection) widen(block string) bool {
	before := len(s.whole)
	for _, dep := range s.nodes[block].Deps {
		s.wantAll(dep)
	}
	return len(s.whole) > before
}

// filter returns the wanted instances of a block.
func (s *selection) filter(block string, all []stages.Instance) []stages.Instance {
	if s == nil || s.whole[block] {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(in stages.Instance) bool { return !s.some[block][in.Addr] })
}
