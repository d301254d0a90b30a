package model

import (
	"context"
	"errors"
	"fmt"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/eval"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/typing"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// validation holds the state of validating a response to a benchmark.
type validation struct {
	ctx         context.Context
	opt         Options
	script      *smtlib.Script
	definitions *smtlib.Script
	memory      int    // maximum memory for values
	source      []byte // text of the benchmark, for explaining false assertions
	check       *typing.Checker
	goals       []goal
	declared    int // number of functions that the benchmark declares or defines, including the unused 0
	partial     map[eval.PartialKey]int
	extends     map[int]bool // functions in partial that have the name of the theory function
	theory      bool         // the model defines a function with a theory function's name
	repeated    []repeated   // definitions of functions that the benchmark also defines
	sequence    []int32      // all functions, each after its dependencies
	order       []int32      // constants, each after its dependencies
	abstracts   map[string]uint64
	isNamed     map[named]bool
	universe    map[sorts.ID][]value.Value // values that the model names, for each uninterpreted sort
	bounds      map[sorts.ID]bool          // sorts without other values, according to the model
	warnings    []string
	levels      []level
	open        int                       // number of open levels
	global      bool                      // declarations survive pop
	termNames   map[smtlib.Sym]bool       // names of terms that other terms use
	visit       func(g goal, isBool bool) // see readBenchmark
}

// goal is a term that must be true.
type goal struct {
	terms smtlib.Span
	root  smtlib.TermID
	pos   uint32
}

func newValidation(ctx context.Context, s *smtlib.Script, opt Options) *validation {
	v := &validation{
		ctx: ctx, opt: opt, script: s, check: typing.New(s),
		partial: map[eval.PartialKey]int{}, extends: map[int]bool{}, abstracts: map[string]uint64{},
		isNamed: map[named]bool{}, universe: map[sorts.ID][]value.Value{}, bounds: map[sorts.ID]bool{},
	}
	v.check.Abstract, v.check.AbstractArrays = v.abstract, opt.AbstractArrays
	v.check.Stop = func() bool { return ctx.Err() != nil }
	return v
}

// abstract returns the abstract value with the given name. Different names of one sort are different values.
func (v *validation) abstract(name string, sort sorts.ID) value.Value {
	n, ok := v.abstracts[name]
	if !ok {
		n = uint64(len(v.abstracts) + 1)
		v.abstracts[name] = n
	}
	val := value.Value{N: n}
	if key := (named{sort, n}); !v.isNamed[key] {
		v.isNamed[key] = true
		v.universe[sort] = append(v.universe[sort], val)
	}
	return val
}

func (v *validation) finish(r Result) Result {
	r.Warnings = v.warnings
	return r
}

func (v *validation) badBenchmark(pos uint32, text string) *Result {
	return &Result{
		Verdict: Unknown, Kind: BadBenchmark, Reason: fmt.Sprintf("%s: %s", v.place(false, pos), text),
		Position: v.script.Position(pos), text: text,
	}
}

// benchmarkError judges a benchmark that the sort checker rejects.
func (v *validation) benchmarkError(err error) *Result {
	r := v.badBenchmark(position(err), err.Error())
	if e, ok := errors.AsType[*typing.Error](err); ok && e.Unsupported {
		r.Kind = Unsupported
	}
	return r
}

// level is the state before a push, which opened n levels of the assertion stack.
type level struct{ n, goals, functions, mark int }

// state returns the current state as n levels.
func (v *validation) state(n int) level {
	return level{n, len(v.goals), len(v.check.Funcs), v.check.Mark()}
}

// push opens n levels of the assertion stack.
func (v *validation) push(n int) {
	v.levels = append(v.levels, v.state(n))
	v.open += n
}

// pop removes n levels with their assertions and, unless they are global, their declarations. Functions keep their
// numbers.
func (v *validation) pop(cmd *smtlib.Command) *Result {
	n := int(cmd.N)
	if n > v.open {
		return v.badBenchmark(cmd.Pos, fmt.Sprintf("pop takes away %d levels, but there are %d", n, v.open))
	}
	v.open -= n
	for n > 0 {
		top := &v.levels[len(v.levels)-1]
		take := min(n, top.n)
		n, top.n = n-take, top.n-take
		v.forget(*top)
		if top.n == 0 {
			v.levels = v.levels[:len(v.levels)-1]
		}
	}
	return nil
}

func (v *validation) forget(l level) {
	v.goals = v.goals[:l.goals]
	if v.global {
		return
	}
	for _, fn := range v.check.Funcs[l.functions:] {
		fn.Gone = true
	}
	v.check.Undo(l.mark)
}

// readBenchmark processes the benchmark's declarations and collects its assertions up to the check-sat. If there is a
// visitor, it instead passes the terms of every command to it, up to the end of the script.
func (v *validation) readBenchmark() *Result {
	base := v.state(0)
	v.termNames = usedTermNames(v.script)
	for i := range v.script.Commands {
		cmd := &v.script.Commands[i]
		var r *Result
		switch cmd.Kind {
		case smtlib.CmdPush:
			v.push(int(cmd.N))
		case smtlib.CmdPop:
			r = v.pop(cmd)
		case smtlib.CmdReset, smtlib.CmdResetAssertions:
			v.levels, v.open = v.levels[:0], 0
			v.forget(base)
		case smtlib.CmdSetOption:
			v.setOption(cmd)
		case smtlib.CmdDefineFun, smtlib.CmdDefineConst, smtlib.CmdDefineFunRec, smtlib.CmdDefineFunsRec:
			if err := v.defineInBenchmark(cmd); err != nil {
				r = v.benchmarkError(err)
			}
		default:
			if err := v.check.Declare(cmd); err != nil {
				r = v.benchmarkError(err)
			} else if err := v.nameTerms(cmd); err != nil {
				r = v.benchmarkError(err)
			}
			v.collect(cmd)
		}
		switch {
		case r != nil:
			return r
		case v.visit == nil && (cmd.Kind == smtlib.CmdCheckSat || cmd.Kind == smtlib.CmdCheckSatAssuming):
			v.declared = len(v.check.Funcs)
			return v.askedAgain(v.script.Commands[i+1:])
		case v.ctx.Err() != nil:
			return v.limit()
		}
	}
	v.declared = len(v.check.Funcs)
	return nil
}

// askedAgain rejects benchmarks with another check-sat, because the response would contain several answers and models.
func (v *validation) askedAgain(rest []smtlib.Command) *Result {
	for i := range rest {
		switch rest[i].Kind {
		case smtlib.CmdExit:
			return nil
		case smtlib.CmdCheckSat, smtlib.CmdCheckSatAssuming:
			r := v.badBenchmark(rest[i].Pos, "a second check-sat, but models are checked for single queries only")
			r.Kind = Unsupported
			return r
		}
	}
	return nil
}

// collect collects the terms of a command that must be true, or passes all of its terms to the visitor.
func (v *validation) collect(cmd *smtlib.Command) {
	var roots []smtlib.TermID
	switch {
	case cmd.Kind == smtlib.CmdAssert:
		roots = []smtlib.TermID{cmd.Term}
	case cmd.Kind == smtlib.CmdCheckSatAssuming, cmd.Kind == smtlib.CmdGetValue && v.visit != nil:
		roots = v.script.TermList(cmd)
	}
	for _, t := range roots {
		if v.visit != nil {
			v.visit(goal{cmd.Terms, t, cmd.Pos}, cmd.Kind != smtlib.CmdGetValue)
			continue
		}
		v.goals = append(v.goals, goal{cmd.Terms, t, cmd.Pos})
	}
}

// setOption records whether declarations survive pop.
func (v *validation) setOption(cmd *smtlib.Command) {
	if v.script.Name(cmd.Sym) == ":global-declarations" && cmd.Value != 0 {
		v.global = v.script.Name(v.script.SExpr(cmd.Value).Sym) == "true"
	}
}

func (v *validation) limit() *Result {
	return &Result{Verdict: Unknown, Kind: LimitReached, Reason: "the time limit was reached"}
}

// position returns the offset of an error of the sort checker.
func position(err error) uint32 {
	if e, ok := errors.AsType[*typing.Error](err); ok {
		return e.Pos
	}
	return 0
}

// defineInBenchmark reads a definition in the benchmark. Only recursive functions are in scope in their own bodies.
func (v *validation) defineInBenchmark(cmd *smtlib.Command) error {
	recursive := cmd.Kind == smtlib.CmdDefineFunRec || cmd.Kind == smtlib.CmdDefineFunsRec
	functions := v.script.Functions(cmd)
	defined := make([]*term.Func, len(functions))
	for i := range functions {
		fn, err := v.check.Header(&functions[i])
		if err != nil {
			return err
		}
		fn.Rec = recursive
		defined[i] = fn
		number := v.check.Extra(fn)
		if recursive {
			if err := v.check.Name(functions[i].Sym, number); err != nil {
				return err
			}
		}
		v.check.BindParams(&functions[i], fn)
	}
	if err := v.bodies(cmd, functions, defined); err != nil || recursive {
		return err
	}
	return v.check.Name(functions[0].Sym, int(defined[0].Owner))
}

// bodies checks the bodies of a command's functions in one graph.
func (v *validation) bodies(cmd *smtlib.Command, functions []smtlib.Function, defined []*term.Func) error {
	g := &term.Graph{}
	v.check.Terms(g, cmd.Terms)
	v.check.Positions(g)
	for i, fn := range defined {
		fn.Body, fn.Root = g, int32(functions[i].Body)-g.First
		if fn.Refines {
			g.Refines = fn.Owner
		}
		if err := v.check.RootError(g, fn.Root); err != nil {
			return err
		}
		if got := g.Nodes[fn.Root].Sort; !v.check.Fits(fn.Result, got) {
			return &typing.Error{Pos: g.Pos[fn.Root], Text: fmt.Sprintf("%s is defined with sort %s, but its body "+
				"has sort %s",
				fn.Name, v.check.Sorts.String(fn.Result), v.check.Sorts.String(got))}
		}
		if err := v.check.Close(g, fn.Root, fn.Result); err != nil {
			return err
		}
	}
	return nil
}
