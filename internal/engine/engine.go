// Package engine plans and executes a pipeline's stages: it computes keys, finds what the store already has, executes
// what it has not, and says why. It sees stages through their interface and knows no file format, solver or track.
package engine

import (
	"fmt"
	"runtime"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/table"
)

// Pipeline is what the engine needs of a pipeline. It is called by one goroutine at a time.
type Pipeline interface {
	// Nodes returns the stage blocks in an order in which each comes after those that it refers to.
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
	// Missing returns which artifacts are asked for and not whole in the store, when everything has its outputs. They
	// are made again. Nil: none is asked for.
	Missing func(known stages.Known) []cache.Digest
	// ChecksFail reports whether a check of the pipeline fails by what is known; it is asked before anything executes.
	// Nil: there are no checks.
	ChecksFail func(known stages.Known) bool
	// Redact takes what nobody is to read out of the message of an error. Nil: nothing.
	Redact func(text string) string
	// Machine is shared with other engines of this process. Nil: with none.
	Machine *stages.Machine
	NoWait  bool // fail where another process executes the same stage, instead of waiting for it
	// Evidence is what was measured elsewhere: then nothing is measured here. Latest are the keys of its instances, by
	// address, to compare with. Nil: there is none.
	Evidence stages.Evidence
	Latest   map[string]string
}

// Engine executes one pipeline over one store.
type Engine struct {
	pipeline Pipeline
	opt      Options
	nodes    []stages.Node // those that are selected
	selected *selection    // nil: all instances
	cores    *stages.Cores
	decoded  *table.Cache
	machine  *stages.Machine
	state    *cache.State
	remade   map[string]bool // measured stages whose outputs were replaced in this run; guarded by execution.healing
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
	e := &Engine{
		pipeline: pipeline,
		opt:      opt,
		nodes:    pipeline.Nodes(),
		cores:    stages.NewCores(opt.Jobs),
		decoded:  &table.Cache{},
		machine:  opt.Machine,
		state:    opt.Store.LoadState(opt.Name),
	}
	for addr, key := range opt.Latest {
		if e.state.Latest[addr] == "" {
			e.state.Latest[addr] = key
		}
	}
	if err := e.raiseAttempts(); err != nil || len(opt.Targets) == 0 {
		return e, err
	}
	selected, err := selectTargets(pipeline, e.nodes, opt.Targets)
	if err != nil {
		return nil, err
	}
	e.selected = selected
	e.nodes = selected.keep(e.nodes)
	return e, nil
}

// raiseAttempts makes a new attempt of the stages named by Fresh, or of their instances. The attempt is part of their
// key from now on.
func (e *Engine) raiseAttempts() error {
	if len(e.opt.Fresh) == 0 {
		return nil
	}
	all, err := selectTargets(e.pipeline, e.nodes, nil)
	if err != nil {
		return err
	}
	for _, addr := range e.opt.Fresh {
		if _, err := all.find(addr); err != nil {
			return fmt.Errorf("no new attempt is possible: %w", err)
		}
		if kind := all.nodes[blockOf(addr)].Kind; !kind.Measured {
			return fmt.Errorf("%s cannot have a new attempt: %s stage gives the same bytes every time", addr,
				kind.Article())
		}
		e.state.Attempts[addr]++
	}
	return nil
}

// attemptComponent is the component of the key of a measured stage that tells attempts apart.
const attemptComponent = "attempt"

// attempt is how often an instance was attempted anew, by its own address or by one that covers it.
func (e *Engine) attempt(addr string) int64 {
	if e.opt.Evidence != nil {
		text, _ := e.opt.Evidence.Recorded(addr, attemptComponent)
		n, _ := strconv.ParseInt(text, 10, 64) // what has no record is a first attempt
		return n
	}
	n := int64(0)
	for a, times := range e.state.Attempts {
		if Covers(a, addr) {
			n += times
		}
	}
	return n
}

// instanceKey computes the key of an instance whose arguments are known, with its components.
func (e *Engine) instanceKey(in *stages.Instance) (cache.Key, []cache.Component) {
	k := cache.NewKeyWriter("stage/1")
	k.String("kind", in.Kind.Name)
	k.Int("kind_version", int64(in.Kind.Version))
	if in.Kind.Measured {
		k.Int(attemptComponent, e.attempt(in.Addr))
	}
	if h, ok := in.Action.(stages.KeyExtender); ok {
		h.ExtendKey(k)
	}
	in.Args.WriteKey(k)
	return k.Key(), k.Components()
}

// outputsOf returns the outputs of a record as values. It fails if the record does not have what the kind declares.
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
