package model

import (
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/eval"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
)

// readModel reads all headers before the bodies, because definitions may be in any order. It then checks for missing
// and circular definitions.
func (v *validation) readModel(m *smtlib.Script) *Result {
	v.definitions = m
	v.check.Use(m)
	byCommand := make([][]*term.Func, len(m.Commands))
	for i := range m.Commands {
		var r *Result
		if byCommand[i], r = v.headers(&m.Commands[i]); r != nil {
			return r
		}
	}
	for i := range m.Commands {
		if r := v.definitionBodies(&m.Commands[i], byCommand[i]); r != nil {
			return r
		}
	}
	if r := v.missing(); r != nil {
		return r
	}
	v.readBounds()
	return v.sortDefinitions()
}

func (v *validation) badModel(kind Kind, pos uint32, format string, args ...any) *Result {
	r := v.malformed(kind, v.place(true, pos)+": "+fmt.Sprintf(format, args...))
	return &r
}

// headers reads the definitions in a command of the model without their bodies.
func (v *validation) headers(cmd *smtlib.Command) ([]*term.Func, *Result) {
	switch cmd.Kind {
	case smtlib.CmdDefineFun, smtlib.CmdDefineConst, smtlib.CmdDefineFunRec, smtlib.CmdDefineFunsRec,
		smtlib.CmdRefineFun:
	case smtlib.CmdDeclareFun, smtlib.CmdDeclareConst:
		return nil, v.declaredValue(cmd)
	case smtlib.CmdDeclareSort, smtlib.CmdDeclareDatatype, smtlib.CmdDeclareDatatypes:
		v.warn(cmd.Pos, "a declaration of sorts in a model is ignored")
		return nil, nil
	default:
		return nil, v.badModel(Malformed, cmd.Pos, "%v does not belong in a model", cmd.Kind)
	}
	functions := v.definitions.Functions(cmd)
	defined := make([]*term.Func, 0, len(functions))
	for i := range functions {
		f := &functions[i]
		fn, err := v.check.Header(f)
		if err != nil {
			return nil, v.badModel(Malformed, f.Pos, "%v", err)
		}
		fn.Rec = cmd.Kind == smtlib.CmdDefineFunRec || cmd.Kind == smtlib.CmdDefineFunsRec
		number, r := v.number(cmd.Kind, f, fn)
		if r != nil {
			return nil, r
		}
		v.check.BindParams(f, v.check.Funcs[number])
		defined = append(defined, v.check.Funcs[number])
	}
	return defined, nil
}

// declaredValue reads a declaration such as (declare-fun U!val!0 () U) in a model. z3 prints such declarations for
// values of uninterpreted sorts.
func (v *validation) declaredValue(cmd *smtlib.Command) *Result {
	sort, err := v.check.Sort(cmd.Sort, cmd.Pos)
	if err != nil {
		return v.badModel(Malformed, position(err), "%v", err)
	}
	_, known := v.check.Func(cmd.Sym)
	if known || v.check.Sorts.Kind(sort) != sorts.Uninterpreted || len(v.definitions.ArgSorts(cmd)) > 0 {
		return v.badModel(Malformed, cmd.Pos, "only values of uninterpreted sorts can be declared in a model")
	}
	v.check.NewAbstract(cmd.Sym, sort)
	v.abstract(v.definitions.Name(cmd.Sym), sort)
	return nil
}

func (v *validation) warn(pos uint32, text string) {
	const most = 20
	if len(v.warnings) < most {
		v.warnings = append(v.warnings, v.place(true, pos)+": "+text)
	}
}

// number returns the number of the function that a definition defines.
func (v *validation) number(kind smtlib.CommandKind, f *smtlib.Function, fn *term.Func) (int, *Result) {
	n, known := v.check.Func(f.Sym)
	theory := v.check.TheoryName(f.Sym)
	switch {
	case kind == smtlib.CmdRefineFun && !theory:
		return 0, v.badModel(Malformed, f.Pos, "%s cannot be refined: refine-fun is for functions of a theory", fn.Name)
	case theory && fn.Rec:
		return 0, v.badModel(Malformed, f.Pos, "%s is a function of a theory, whose definition is not recursive",
			fn.Name)
	case theory:
		return v.ofTheory(f, fn)
	case known && n >= v.declared:
		return 0, v.badModel(Duplicate, f.Pos, "%s is defined twice", fn.Name)
	case known && v.check.Funcs[n].Body != nil && !v.check.Funcs[n].Model:
		return v.redefinition(f, fn, n)
	case known:
		return n, v.fill(f, fn, v.check.Funcs[n])
	}
	if op, ok := helperNames[fn.Name]; ok && dividesNumbers(op, fn, 1) {
		return v.extend(f, fn, eval.PartialKey{Op: op})
	}
	if v.opt.DeclaredOnly {
		return 0, v.badModel(Extra, f.Pos, "%s is defined, but the benchmark does not declare it", fn.Name)
	}
	v.warn(f.Pos, fn.Name+" is defined, but the benchmark does not declare it")
	n = v.check.Extra(fn)
	if err := v.check.Name(f.Sym, n); err != nil {
		return 0, v.badModel(Malformed, f.Pos, "%v", err)
	}
	return n, nil
}

// repeated is a model's definition of a function that the benchmark also defines. z3 prints such definitions.
type repeated struct {
	number, original int
}

// redefinition reads a model's definition of a function that the benchmark defines. The benchmark's definition is used;
// for constants, decide compares both.
func (v *validation) redefinition(f *smtlib.Function, fn *term.Func, original int) (int, *Result) {
	declared := v.check.Funcs[original]
	if v.opt.DeclaredOnly {
		return 0, v.badModel(Extra, f.Pos, "%s is defined by the benchmark already (%s)", fn.Name,
			v.place(false, declared.Pos))
	}
	if !slices.Equal(fn.Params, declared.Params) || fn.Result != declared.Result {
		return 0, v.badModel(Malformed, f.Pos, "%s is defined with the sorts %s, but by the benchmark with %s (%s)",
			fn.Name,
			v.signature(fn), v.signature(declared), v.place(false, declared.Pos))
	}
	v.warn(f.Pos, fn.Name+" is defined by the benchmark; that definition is used")
	n := v.check.Extra(fn)
	v.repeated = append(v.repeated, repeated{n, original})
	return n, nil
}

// fill checks that a definition has the sorts of the declaration, and marks the function as defined.
func (v *validation) fill(f *smtlib.Function, fn, declared *term.Func) *Result {
	if declared.Model {
		return v.badModel(Duplicate, f.Pos, "%s is defined twice", fn.Name)
	}
	if !slices.Equal(fn.Params, declared.Params) || fn.Result != declared.Result {
		hint := ""
		if len(fn.Params) > 0 && len(declared.Params) == 0 && v.check.Sorts.Kind(declared.Result) == sorts.Array {
			hint = "; print an array as (store ((as const SORT) element) index element), not as a function"
		}
		return v.badModel(Malformed, f.Pos, "%s is defined with the sorts %s, but declared with %s (%s)%s", fn.Name,
			v.signature(fn), v.signature(declared), v.place(false, declared.Pos), hint)
	}
	declared.Model, declared.Pos, declared.Rec = true, f.Pos, fn.Rec
	return nil
}

func (v *validation) signature(fn *term.Func) string {
	text := "("
	for i, p := range fn.Params {
		if i > 0 {
			text += " "
		}
		text += v.check.Sorts.String(p)
	}
	return text + ") " + v.check.Sorts.String(fn.Result)
}

func (v *validation) definitionBodies(cmd *smtlib.Command, defined []*term.Func) *Result {
	if len(defined) == 0 {
		return nil
	}
	err := v.bodies(cmd, v.definitions.Functions(cmd), defined)
	switch {
	case v.ctx.Err() != nil:
		return v.limit()
	case err != nil:
		return v.badModel(Malformed, position(err), "%v", err)
	}
	return nil
}

// missing returns an error for the first declared function without a definition, or nil.
func (v *validation) missing() *Result {
	for _, fn := range v.check.Funcs[1:v.declared] {
		if fn.Body == nil && !fn.Gone {
			r := v.malformed(Missing, fmt.Sprintf("the model does not define %s, which is declared at %s", fn.Name,
				v.place(false, fn.Pos)))
			return &r
		}
	}
	return nil
}
