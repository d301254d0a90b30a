// Package engine plans and executes a pipeline's stages. It computes keys, finds results in the store, executes the
// remaining stages, and explains why. It sees stages only through their interface and knows nothing about file formats,
// solvers or tracks.
package engine

import (
	"fmt"
	"log/slog"
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

// Pipeline is the part of a pipeline that the engine uses. Its methods are never called concurrently.
type Pipeline interface {
	// Nodes returns the stage blocks, each after the blocks that it refers to.
	Nodes() []stages.Node
	// Expand evaluates one block with the outputs known so far.
	Expand(addr string, known stages.Known) ([]stages.Instance, hcl.Diagnostics)
}

// Options configures the execution of a pipeline.
type Options struct {
	Store     *cache.Store
	Name      string // path of the pipeline, which identifies its state in the store
	Folder    string // the pipeline's folder
	Jobs      int    // number of cores to use; 0 means all
	Observer  Observer
	Version   string // version of smtpipe, for records
	Targets   []string
	Fresh     []string // addresses of measured stages that start a new attempt
	Repeat    string   // node whose runs are executed again, or empty
	KeepGoing bool     // continue with stages that do not depend on the failed one
	// Missing returns the required artifacts that are missing or damaged in the store, which are then recreated. It is
	// called once all stages have their outputs. If it is nil, none are required.
	Missing func(known stages.Known) []cache.Digest
	// ChecksFail reports whether a pipeline check fails with the known outputs. It is called before each execution. If
	// it is nil, there are no checks.
	ChecksFail func(known stages.Known) bool
	// Redact removes secrets from an error message. If it is nil, nothing is removed.
	Redact func(text string) string
	// Machine is shared with other engines of this process, unless it is nil.
	Machine *stages.Machine
	NoWait  bool // fail instead of waiting if another process executes the same stage
	// Evidence holds measurements from elsewhere, or nil. If it is set, nothing is measured here. Latest holds the keys
	// of the evidence's instances, by address, for comparison.
	Evidence stages.Evidence
	Latest   map[string]string
	// Guard protects runs from accidental loss. The items of measured stages are remembered as the pipeline's last
	// evaluation. If the loss of finished items exceeds MayLose core-seconds, nothing is measured unless Discard
	// contains the key of the loss.
	Guard   bool
	MayLose float64
	Discard []string
	Kinds   []*stages.Kind // kinds of stages that can have measured items
	// Distrusted means that the pipeline comes from an untrusted source (stages.Env).
	Distrusted bool
}

// Engine executes one pipeline over one store.
type Engine struct {
	pipeline Pipeline
	opt      Options
	nodes    []stages.Node // selected nodes
	selected *selection    // nil if all instances are selected
	cores    *stages.Cores
	decoded  *table.Cache
	machine  *stages.Machine
	state    *cache.State
	remade   map[string]bool // measured stages whose outputs were replaced in this run; guarded by execution.healing
	// Instances whose runs of Options.Repeat were executed again in this run; guarded by execution.mu.
	repeated map[string]bool

	absentMu sync.Mutex
	absent   map[string][]cache.Absent // by the address of the instance that excluded them
}

// Absent returns the entrants that could not take part, by the address of the instance that excluded them. It covers
// all instances whose records are known.
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

// New prepares the execution of a pipeline. Targets are addresses of blocks or instances. Only they and their
// dependencies are planned and executed, or all blocks if there are no targets.
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
	state, err := opt.Store.LoadState(opt.Name)
	if cache.IsLost(err) {
		slog.New(warnings{addr: opt.Name, observer: opt.Observer}).Warn(err.Error())
	} else if err != nil {
		return nil, err
	}
	e := &Engine{
		pipeline: pipeline,
		opt:      opt,
		nodes:    pipeline.Nodes(),
		cores:    stages.NewCores(opt.Jobs),
		decoded:  &table.Cache{},
		machine:  opt.Machine,
		state:    state,
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

// raiseAttempts starts a new attempt of the stages or instances that Fresh lists. The attempt becomes part of their
// keys.
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
			return fmt.Errorf("cannot make a new attempt for %s: %s stage produces the same bytes every time", addr,
				kind.Article())
		}
		e.state.Attempts[addr]++
	}
	return nil
}

// attemptComponent is the key component that distinguishes a measured stage's attempts.
const attemptComponent = "attempt"

// attempt returns the number of new attempts that were started for an instance, by its own address or by one that
// covers it.
func (e *Engine) attempt(addr string) int64 {
	if e.opt.Evidence != nil {
		text, _ := e.opt.Evidence.Recorded(addr, attemptComponent)
		n, _ := strconv.ParseInt(text, 10, 64) // an instance without a record is on its first attempt
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

// instanceKey returns an instance's key and components. The instance's arguments must be known.
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

// outputsOf returns a record's outputs as values. It fails if the record lacks an output that the kind declares.
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
