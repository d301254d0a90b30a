package stages

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// SolverType is the type of a solver block's value, solver.NAME. Attributes that were not given are null.
//
// command is the program and its arguments. Exactly one of program and archive is set: program is the installed program
// that command names, and archive is the archive that contains it. With an image, both may be null, because the program
// is in the image.
var SolverType = cty.Object(map[string]cty.Type{
	"name":               cty.String,
	"team":               cty.String, // defaults to the solver's name
	"competitive":        cty.Bool,   // defaults to true
	"type":               cty.String, // standalone, portfolio, wrapped or derived
	"base_solver":        cty.String, // the solver that a derived solver is based on
	"tracks":             cty.List(cty.String),
	"logics":             cty.List(cty.String), // names or globs; null means all
	"command":            cty.List(cty.String),
	"program":            FileType,
	"archive":            FileType,
	"image":              FileType, // the root file system of its runs; null means the executor's or the competition's
	"open_source":        cty.Bool, // defaults to false
	"new_entrant":        cty.Bool, // defaults to false
	"starexec":           cty.Bool,
	"seed":               cty.Number,
	"website":            cty.String,
	"system_description": cty.String,
	"version_command":    cty.List(cty.String), // never part of a key
})

// BenchmarkWord is the argument that is replaced with the script. Without it, the script becomes the last argument.
const BenchmarkWord = "{benchmark}"

// ProofWord is the argument that is replaced with the name of a file for a proof or model. The file is kept with the
// run's output.
const ProofWord = "{proof}"

// The attributes of a solver block that only describe who takes part, and the attributes that only describe how its
// program is started.
var (
	entering = []string{"team", "competitive", "type", "base_solver", "open_source", "new_entrant", "seed", "website",
		"system_description", "version_command"}
	starting = []string{"command", "program", "archive", "image", "starexec", "logics", "website", "system_description",
		"version_command"}
)

// Programs returns a value with solvers, without the attributes that only describe who takes part.
func Programs(v cty.Value) cty.Value { return without(v, entering) }

// Entrants returns a value with solvers, without the attributes that only describe how programs are started.
func Entrants(v cty.Value) cty.Value { return without(v, starting) }

func without(v cty.Value, dropped []string) cty.Value {
	v, err := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		v, marks := v.Unmark()
		if v.Type().Equals(SolverType) && v.IsKnown() && !v.IsNull() {
			attrs := v.AsValueMap()
			for _, name := range dropped {
				delete(attrs, name)
			}
			v = cty.ObjectVal(attrs)
		}
		return v.WithMarks(marks), nil
	})
	if err != nil {
		panic(err) // the callback never fails
	}
	return v
}

// programType is the type of a solver that Programs returns.
var programType = func() cty.Type {
	attrs := maps.Clone(SolverType.AttributeTypes())
	for _, name := range entering {
		delete(attrs, name)
	}
	return cty.Object(attrs)
}()

// inKey removes the attributes of a value that do not belong to its key: an image that is not set, because keys from
// before images existed must remain valid, and the version command, which does not change a run.
func inKey(attrs map[string]cty.Value, t cty.Type) {
	if (t.Equals(SolverType) || t.Equals(programType)) && attrs["image"].IsNull() {
		delete(attrs, "image")
	}
	if t.Equals(SolverType) {
		delete(attrs, "version_command")
	}
}

// Tells reports whether a solver block describes who takes part in any way that differs from the defaults.
func Tells(v cty.Value) bool {
	return Text(v, "team") != Text(v, "name") || !Holds(v, "competitive") || Text(v, "type") != "" ||
		Text(v, "base_solver") != "" || Holds(v, "open_source") || Holds(v, "new_entrant")
}

// EachSolver calls visit for each solver object and table of solvers in a value: one of them, or a list, tuple, set,
// map or object of them, nested to any depth. The value must be known.
func EachSolver(v cty.Value, visit func(cty.Value)) error {
	return each(v, visit, "a solver", "a table of solvers", TableType("solvers/1"), TableType("programs/1"))
}

// EachEntrant is like EachSolver for values that may also contain tables of entrants.
func EachEntrant(v cty.Value, visit func(cty.Value)) error {
	return each(v, visit, "an entrant", "a table of entrants", TableType("entrants/1"))
}

func each(v cty.Value, visit func(cty.Value), what, table string, tables ...cty.Type) error {
	t := v.Type()
	switch {
	case v.IsNull():
		return fmt.Errorf("%s is null", what)
	case t.Equals(SolverType), slices.ContainsFunc(tables, t.Equals):
		visit(v)
		return nil
	case t.IsObjectType() || t.IsMapType() || t.IsTupleType() || t.IsListType() || t.IsSetType():
		var errs []error
		for it := v.ElementIterator(); it.Next(); {
			_, elem := it.Element()
			errs = append(errs, each(elem, visit, what, table, tables...))
		}
		return errors.Join(errs...)
	}
	return fmt.Errorf("a %s is not %s; use solver blocks, such as [solver.z3, solver.cvc5], or %s", t.FriendlyName(),
		what, table)
}
