package stages

import (
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"
)

// SolverType is the type of a solver block's value, solver.NAME. Attributes that were not given are null.
//
// command is the program and its arguments; Exactly one of two is set: program, the installed program that command
// names, or archive, the archive that contains it.
var SolverType = cty.Object(map[string]cty.Type{
	"name":               cty.String,
	"team":               cty.String, // default: the name
	"competitive":        cty.Bool,   // default: true
	"type":               cty.String, // standalone, portfolio, wrapped or derived
	"base_solver":        cty.String, // of a derived solver
	"tracks":             cty.List(cty.String),
	"logics":             cty.List(cty.String), // names or globs; null: all
	"command":            cty.List(cty.String),
	"program":            FileType,
	"archive":            FileType,
	"open_source":        cty.Bool, // default: false
	"new_entrant":        cty.Bool, // default: false
	"starexec":           cty.Bool,
	"seed":               cty.Number,
	"website":            cty.String,
	"system_description": cty.String,
	"version_command":    cty.List(cty.String), // never part of a key
})

// EachSolver calls visit for the solver objects and tables of solvers in a value: one of them, or a list, tuple, set,
// map or object of them, nested to any depth. The value must be known.
func EachSolver(v cty.Value, visit func(cty.Value)) error {
	t := v.Type()
	switch {
	case v.IsNull():
		return errors.New("a solver is null")
	case t.Equals(SolverType), t.Equals(TableType("solvers/1")), t.Equals(TableType("programs/1")):
		visit(v)
		return nil
	case t.IsObjectType() || t.IsMapType() || t.IsTupleType() || t.IsListType() || t.IsSetType():
		var errs []error
		for it := v.ElementIterator(); it.Next(); {
			_, elem := it.Element()
			errs = append(errs, EachSolver(elem, visit))
		}
		return errors.Join(errs...)
	}
	return fmt.Errorf("a %s is not a solver; give solver blocks, such as [solver.z3, solver.cvc5], or a table of solvers",
		t.FriendlyName())
}
