package score

import (
	"context"
	"math"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/smtpipe/smtpipe/internal/base/budget"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

var settled = []string{"sat", "unsat", "unknown", "incremental"} // possible values of status and settled

// The row variables of rule sets. Time columns are in seconds; timeCompiler explains where they are exact.
var (
	runRecord = &rowexpr.Record{Name: "run", Fields: append([]rowexpr.Field{
		{Name: "answer", Type: cty.String, Doc: "the solver's answer, or how the run ended"},
		{Name: "wall_s", Type: cty.Number, Doc: "wall time, seconds"},
		{Name: "cpu_s", Type: cty.Number, Doc: "CPU time, seconds"},
		{Name: "T", Type: cty.Number, Doc: "wall time limit of the run, seconds"},
		{Name: "n_checks", Type: cty.Number, Doc: "incremental: check-sats of the benchmark"},
		{Name: "n_checks_correct", Type: cty.Number, Doc: "incremental: correct answers"},
		{Name: "n_checks_wrong", Type: cty.Number, Doc: "incremental: wrong answers"},
		{Name: "has_last_wall", Type: cty.Bool, Doc: "incremental: last_wall_s is known"},
		{Name: "has_last_cpu", Type: cty.Bool, Doc: "incremental: last_cpu_s is known"},
		{Name: "last_wall_s", Type: cty.Number, Doc: "incremental: wall time of the last sat or unsat"},
		{Name: "last_cpu_s", Type: cty.Number, Doc: "incremental: CPU time of the last sat or unsat"},
		{Name: "n_assertions", Type: cty.Number, Doc: "unsat core: named assertions"},
		{Name: "core_size", Type: cty.Number, Doc: "unsat core: names in the core; -1: none printed"},
		{Name: "has_core", Type: cty.Bool, Doc: "unsat core: the solver printed a core"},
		{Name: "validation", Type: cty.String, Doc: "verdict of the validation, or empty"},
		{Name: "has_votes", Type: cty.Bool, Doc: "unsat core: validation solvers were asked"},
		{Name: "val_unsat", Type: cty.Number, Doc: "unsat core: validation solvers that said unsat"},
		{Name: "val_sat", Type: cty.Number, Doc: "unsat core: validation solvers that said sat"},
		{Name: "recorded", Type: cty.Bool, Doc: "the organisers' file says n and e"},
		{Name: "recorded_n", Type: cty.Number, Doc: "n by the organisers' file"},
		{Name: "recorded_e", Type: cty.Number, Doc: "e by the organisers' file"},
		{Name: "recorded_wrong", Type: cty.Number, Doc: "wrong answers by the organisers' file, or -1"},
		{Name: "recorded_total", Type: cty.Number, Doc: "check-sats or assertions by the organisers' file, or -1"},
		{Name: "run_status", Type: cty.String, Doc: "status by the execution service"},
		{Name: "validator_status", Type: cty.String, Doc: "status by the model validator"},
		{Name: "validator_error", Type: cty.String, Doc: "error by the model validator"},
		{Name: "validator_exception", Type: cty.String, Doc: "exception by the model validator"},
		{Name: "job_set", Type: cty.String, Doc: "set of jobs that the run was part of"},
		{Name: "excluded", Type: cty.Bool, Doc: "the organisers removed the benchmark"},
	}, valueFields...)}
	benchmarkRecord = &rowexpr.Record{Name: "benchmark", Fields: append([]rowexpr.Field{
		{Name: "name", Type: cty.String, Doc: "name"},
		{Name: "status", Type: cty.String, Words: settled, Doc: "known status: sat, unsat or unknown"},
		{Name: "logic", Type: cty.String, Doc: "logic"},
		{Name: "division", Type: cty.String, Doc: "division"},
		{Name: "category", Type: cty.String, Doc: "check, industrial, crafted or random"},
		{Name: "settled", Type: cty.String, Words: settled, Doc: "sat or unsat if a sound solver says so (sat before unsat), else " +
			"the status"},
		{Name: "any_sat", Type: cty.Bool, Doc: "some solver says sat"},
		{Name: "any_unsat", Type: cty.Bool, Doc: "some solver says unsat"},
		{Name: "sound_sat", Type: cty.Bool, Doc: "some sound solver says sat"},
		{Name: "sound_unsat", Type: cty.Bool, Doc: "some sound solver says unsat"},
	}, bestFields...)}
	solverRecord = &rowexpr.Record{Name: "solver", Fields: []rowexpr.Field{
		{Name: "name", Type: cty.String, Doc: "name"},
		{Name: "team", Type: cty.String, Doc: "team"},
		{Name: "competitive", Type: cty.Bool, Doc: "competes"},
		{Name: "open_source", Type: cty.Bool, Doc: "the source code is open"},
		{Name: "new_entrant", Type: cty.Bool, Doc: "the solver competes for the first time"},
	}}
	parallelRecord = &rowexpr.Record{Name: "parallel score", Fields: []rowexpr.Field{
		{Name: "e", Type: cty.Bool, Doc: "erroneous"},
		{Name: "n", Type: cty.Number, Doc: "correctly solved score"},
		{Name: "solved", Type: cty.Bool, Doc: "solved, for PAR-2"},
		{Name: "claim", Type: cty.String, Doc: "the answer that counts"},
		{Name: "w_s", Type: cty.Number, Doc: "wall time score, seconds"},
		{Name: "c_s", Type: cty.Number, Doc: "CPU time score, seconds"},
		{Name: "aw_s", Type: cty.Number, Doc: "actual wall time, seconds"},
		{Name: "ac_s", Type: cty.Number, Doc: "actual CPU time, seconds"},
	}}
)

// rowVars returns the row variables of benchmark scores or, with parallel, of views.
func rowVars(parallel bool) []rowexpr.Var {
	vars := []rowexpr.Var{
		{Name: "r", Record: runRecord, Doc: "the run"},
		{Name: "b", Record: benchmarkRecord, Doc: "its benchmark"},
		{Name: "s", Record: solverRecord, Doc: "its solver"},
		{Name: "T", Type: cty.Number, Doc: "the view's wall time limit, seconds"},
		{Name: "m", Type: cty.Number, Doc: "cores"},
		{Name: "track", Type: cty.String, Doc: "the track of the run"},
		{Name: "short", Type: cty.Bool, Doc: "the view has a shorter limit than the run had"},
		{Name: "sequential", Type: cty.Bool, Doc: "the view measures CPU time"},
	}
	if parallel {
		vars = append(vars, rowexpr.Var{Name: "p", Record: parallelRecord, Doc: "the parallel benchmark score"})
	}
	return vars
}

// Readings holds a computation's readings and practice switches. The zero value selects the default of every reading
// and turns all switches off.
type Readings struct {
	Values   map[string]string // value of each reading; missing readings use their default
	Practice map[string]bool   // whether each switch is on
}

// outer returns the names, other than row variables, that every expression in a rule set can use.
func (rs *RuleSet) outer(rd Readings) *hcl.EvalContext {
	readings, practice := map[string]cty.Value{}, map[string]cty.Value{}
	for _, r := range rs.Readings {
		readings[r.Name] = cty.StringVal(rd.value(r))
	}
	for _, p := range rs.Practices {
		practice[p.ID] = cty.BoolVal(rd.Practice[p.ID])
	}
	purse := &budget.Purse{Budget: budget.New(context.Background(), rowexpr.Bounds)}
	bounded := &hcl.EvalContext{Variables: purse.Variables()}
	outer := bounded.NewChild()
	outer.Variables = map[string]cty.Value{"reading": object(readings), "practice": object(practice)}
	outer.Functions = ruleFunctions
	return outer
}

func (rd Readings) value(r Reading) string {
	if v := rd.Values[r.Name]; v != "" {
		return v
	}
	if len(r.Values) == 0 {
		return "" // the decoder reports it
	}
	return r.Values[0]
}

func object(m map[string]cty.Value) cty.Value {
	if len(m) == 0 {
		return cty.EmptyObjectVal
	}
	return cty.ObjectVal(m)
}

// textTests are tests on strings, with their fast implementations.
var textTests = []rowexpr.Native{textTest(strings.Contains), textTest(strings.HasPrefix), textTest(strings.HasSuffix)}

func textTest(f func(s, part string) bool) rowexpr.Native {
	return rowexpr.Native{Func: stringTest(f), StringBool: func(constants []string) func(string) (bool, bool) {
		return func(s string) (bool, bool) { return f(s, constants[0]), true }
	}}
}

// ruleFunctions are the functions available in rule sets.
var ruleFunctions = map[string]function.Function{
	"min":           stdlib.MinFunc,
	"max":           stdlib.MaxFunc,
	"abs":           stdlib.AbsoluteFunc,
	"floor":         rowexpr.FloorFunc, // as in pipelines, floor(100 * 0.63) is 63
	"ceil":          rowexpr.CeilFunc,
	"contains":      stdlib.ContainsFunc,
	"startswith":    textTests[1].Func,
	"contains_text": textTests[0].Func,
	"endswith":      textTests[2].Func,
	"ln":            mathFunction(math.Log),
	"log10":         mathFunction(math.Log10),
	"square":        mathFunction(func(x float64) float64 { return x * x }),
}

func mathFunction(f func(float64) float64) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "x", Type: cty.Number}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			x, _ := args[0].AsBigFloat().Float64()
			y := f(x)
			if math.IsNaN(y) || math.IsInf(y, 0) {
				return cty.NilVal, function.NewArgErrorf(0, "the function has no value at %v", x)
			}
			return cty.NumberFloatVal(y), nil
		},
	})
}

func stringTest(f func(s, part string) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}, {Name: "part", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(f(args[0].AsString(), args[1].AsString())), nil
		},
	})
}
