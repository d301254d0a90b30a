// Package engine plans and executes a pipeline's stages: it computes keys, finds what the store already has, executes
// the rest, and explains why. It sees stages only through their interface and does not know about file formats, solvers
// or tracks.
package engine

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Pipeline holds the methods of a pipeline that the engine needs. It is called by one goroutine at a time.
type Pipeline interface {
	// Nodes returns the stage blocks, each after those that it refers to.
	Nodes() []stages.Node
	// Expand evaluates one block with the outputs known so far.
	Expand(addr string, known stages.Known) ([]stages.Instance, hcl.Diagnostics)
}

// Options configures the execution of a pipeline.
type Options struct {
	Store     *cache.Store
	Name      string // path of the pipeline, which names its state in the store
	Folder    string // the pipeline's folder
	Jobs      int    // cores to use; 0: all
	Observer  Observer
	Version   string // of smtpipe, for records
	Targets   []string
	Fresh     []string // addresses of measured stages that get a new attempt
	Repeat    string   // a node whose runs are executed again; empty: none
	KeepGoing bool     // continue with stages that do not depend on a failed one
	// Missing returns the required artifacts that are not intact in the store, once everything has its outputs. They
	// are recreated. If it is nil, none are required.
	Missing func(known stages.Known) []cache.Digest
	// ChecksFail reports whether a check of the pipeline fails with the known outputs. It is called before anything
	// executes. If it is nil, there are no checks.
	ChecksFail func(known stages.Known) bool
	// Redact removes secrets from the message of an error. If it is nil, nothing is removed.
	Redact func(text string) string
	// Machine is shared with other engines of this process. If it is nil, it is not shared.
	Machine *stages.Machine
	NoWait  bool // fail instead of waiting if another process executes the same stage
	// Evidence holds measurements from elsewhere, or nil. If it is set, nothing is measured here. Latest holds the keys
	// of its instances, by address, for comparison.
	Evidence stages.Evidence
	Latest   map[string]string
	// Guard keeps runs from being lost: the items of measured stages are remembered as those of the pipeline's last
	// evaluation, and nothing is measured if finished items worth more than MayLose core-seconds would no longer be
	// used, unless Discard has the key of the loss.
	Guard   bool
	MayLose float64
	Discard []string
	Kinds   []*stages.Kind // kinds that measured items may be of
	// Distrusted means that the pipeline comes from strangers (stages.Env).
	Distrusted bool
}

// Engine executes one pipeline over one store.
type Engine struct {
	pipeline Pipeline
	opt      Options
	nodes    []stages.Node // the selected ones
	selected *selection    // nil: all instances
	cores    *stages.Cores
	decoded  *table.Cache
	machine  *stages.Machine
	state    *cache.State
	remade   map[string]bool // measured stages whose outputs were replaced in this run; guarded by execution.healing
	repeated map[string]bool // instances whose runs of a node were executed again in this run; guarded by execution.mu

	absentMu sync.Mutex
	absent   map[string][]cache.Absent // by address
}

// Absent returns the entrants that could not take part, by the address of the instance that excluded them, as far as
// the records of the instances are known.
func (e *Engine) Absent() map[string][]cache.Absent {
	e.absentMu.Lock()
	defer e.absentMu.Unlock()
	return maps.Clone(e.absent)
}

func (e *Engine) noteAbsent(addr string, absent []cache.Absent) {
	absent = slices.Clone(absent)
	for i := range absent {
		if e.opt.Redact != nil {
			absent[i].Reason = e.opt.Redact(absent[i].Reason)
		}
	}
	e.absentMu.Lock()
	defer e.absentMu.Unlock()
	delete(e.absent, addr)
	if len(absent) > 0 {
		e.absent[addr] = absent
	}
}

// New prepares the execution of a pipeline. Targets are addresses of blocks or instances. Only these and their
// dependencies are planned and executed. Without targets, all are.
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
		absent:   map[string][]cache.Absent{},
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

// raiseAttempts starts a new attempt of the stages or instances that Fresh names. From then on, the attempt is part of
// their key.
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
			return fmt.Errorf("%s cannot have a new attempt: %s stage produces the same bytes every time", addr,
				kind.Article())
		}
		e.state.Attempts[addr]++
	}
	return nil
}

// attemptComponent is the component of a measured stage's key that distinguishes attempts.
const attemptComponent = "attempt"

// attempt returns the number of new attempts of an instance, by its own address or by one that covers it.
func (e *Engine) attempt(addr string) int64 {
	if e.opt.Evidence != nil {
		text, _ := e.opt.Evidence.Recorded(addr, attemptComponent)
		n, _ := strconv.ParseInt(text, 10, 64) // an instance without a record is a first attempt
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

// outputsOf returns the outputs of a record as values. It fails if the record lacks an output that the kind declares.
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
