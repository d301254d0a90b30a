// Package engine plans and executes a pipeline's stages: it computes keys, finds what the store already has, executes
// what it has not, and says why. It sees stages through their interface and knows no file format, solver or track.
package engine

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Pipeline is what the engine needs of a pipeline. It is called by one goroutine at a time.
type Pipeline interface {
	// Nodes gives the stage blocks in an order in which each comes behind those that it refers to.
	Nodes() []stages.Node
	// Expand evaluates one block with the outputs known so far.
	Expand(addr string, known stages.Known) ([]stages.Instance, hcl.Diagnostics)
}

// Options say how a pipeline is executed.
type Options struct {
	Store     *cache.Store
	Name      string // path of the pipeline: under which name the store remembers its state
	Folder    string // the pipeline's folder
	Jobs      int    // cores to use; 0: all
	Observer  Observer
	Version   string // of smtpipe, for records
	Targets   []string
	Fresh     []string // addresses of measured stages to attempt anew
	KeepGoing bool     // go on with what does not depend on a failed stage
	// Lost tells, when everything has its outputs, which artifacts are asked for and not whole in the store; they are made
	// again. Nil: none is asked for.
	Lost func(known stages.Known) []cache.Digest
	// Redact takes what nobody is to read out of the message of an error. Nil: nothing.
	Redact func(text string) string
	// Machine is shared with other engines of this process. Nil: with none.
	Machine *stages.Machine
	NoWait  bool // fail where another process executes the same stage, instead of waiting for it
}

// Engine executes one pipeline over one store.
type Engine struct {
	pipeline Pipeline
	opt      Options
	nodes    []stages.Node
	cores    *stages.Cores
	machine  *stages.Machine
	state    *cache.State
}

// New prepares the execution of a pipeline. Targets are addresses of blocks or instances; only they and what they
// depend on is planned and executed. Without targets it is everything.
func New(pipeline Pipeline, opt Options) (*Engine, error) {
	if opt.Jobs <= 0 {
		opt.Jobs = runtime.NumCPU()
	}
	if opt.Observer == nil {
		opt.Observer = Discard{}
	}
	if opt.Machine == nil {
		opt.Machine = &stages.Machine{}
	}
	nodes, err := selectNodes(pipeline.Nodes(), opt.Targets)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		pipeline: pipeline,
		opt:      opt,
		nodes:    nodes,
		cores:    stages.NewCores(opt.Jobs),
		machine:  opt.Machine,
		state:    opt.Store.LoadState(opt.Name),
	}
	return e, e.raiseAttempts()
}

// raiseAttempts makes a new attempt of the stages named by Fresh. The attempt is part of their key from now on.
func (e *Engine) raiseAttempts() error {
	for _, addr := range e.opt.Fresh {
		node := e.node(blockOf(addr))
		switch {
		case node == nil:
			return fmt.Errorf("there is no stage %s to attempt anew; \"smtpipe graph\" lists the stages", addr)
		case !node.Kind.Measured:
			return fmt.Errorf("%s cannot be attempted anew: %s stage gives the same bytes every time", addr, node.Kind.Article())
		}
		e.state.Attempts[addr]++
	}
	return nil
}

func (e *Engine) node(addr string) *stages.Node {
	for i := range e.nodes {
		if e.nodes[i].Addr == addr {
			return &e.nodes[i]
		}
	}
	return nil
}

// blockOf gives the address of the block of an instance: stage.cap.x["a"] is one of stage.cap.x.
func blockOf(addr string) string {
	addr, _, _ = strings.Cut(addr, "::")
	block, _, _ := strings.Cut(addr, "[")
	return block
}

// selectNodes keeps the targets and what they depend on, in order.
func selectNodes(nodes []stages.Node, targets []string) ([]stages.Node, error) {
	if len(targets) == 0 {
		return nodes, nil
	}
	byAddr := map[string]stages.Node{}
	for _, n := range nodes {
		byAddr[n.Addr] = n
	}
	wanted := map[string]bool{}
	var want func(addr string)
	want = func(addr string) {
		if !wanted[addr] {
			wanted[addr] = true
			for _, d := range byAddr[addr].Deps {
				want(d)
			}
		}
	}
	var errs []error
	for _, t := range targets {
		addr := blockOf(t)
		if _, ok := byAddr[addr]; !ok {
			errs = append(errs, fmt.Errorf("there is no stage %s; \"smtpipe graph\" lists the stages", t))
			continue
		}
		want(addr)
	}
	kept := slices.DeleteFunc(slices.Clone(nodes), func(n stages.Node) bool { return !wanted[n.Addr] })
	return kept, errors.Join(errs...)
}

// instanceKey computes the key of an instance whose arguments are known, with its components.
func (e *Engine) instanceKey(in *stages.Instance) (cache.Key, []cache.Component) {
	k := cache.NewKeyWriter("stage/1")
	k.String("kind", in.Kind.Name)
	k.Int("kind_version", int64(in.Kind.Version))
	if in.Kind.Measured {
		k.Int("attempt", e.state.Attempts[in.Addr])
	}
	if h, ok := in.Action.(stages.KeyExtender); ok {
		h.ExtendKey(k)
	}
	in.Args.WriteKey(k)
	return k.Key(), k.Components()
}

// outputsOf gives the outputs of a record as values. It fails if the record does not have what the kind declares.
func outputsOf(kind *stages.Kind, a *cache.Action) (map[string]cty.Value, error) {
	values := map[string]cty.Value{}
	for _, out := range kind.Outputs {
		stored, ok := a.Outputs[out.Name]
		if !ok {
			return nil, fmt.Errorf("the record of %s has no output %q", a.Address, out.Name)
		}
		v, err := decodeOutput(stored, out.Type)
		if err != nil {
			return nil, fmt.Errorf("output %q of %s: %w", out.Name, a.Address, err)
		}
		values[out.Name] = v
	}
	return values, nil
}
