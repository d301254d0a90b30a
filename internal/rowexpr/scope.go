package rowexpr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Field is a column of a record. Type is String, Number, Bool or List(String). Every field may be null.
type Field struct {
	Name string
	Type cty.Type
	Doc  string

	Words []string // all that a text can be; empty: anything
}

// Record is the type of a row variable. Name is that of the table's schema, such as "benchmarks/1".
type Record struct {
	Name   string
	Fields []Field
}

// Field finds a field by name.
func (r *Record) Field(name string) (Field, bool) {
	for _, f := range r.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Type is the object type of a row.
func (r *Record) Type() cty.Type {
	attrs := make(map[string]cty.Type, len(r.Fields))
	for _, f := range r.Fields {
		attrs[f.Name] = f.Type
	}
	return cty.Object(attrs)
}

// Var is a name that has one value per row: a row of a table when Record is set, else a scalar of the given Type.
type Var struct {
	Name   string
	Record *Record
	Type   cty.Type // of a scalar
	Doc    string
}

func (v *Var) ctyType() cty.Type {
	if v.Record != nil {
		return v.Record.Type()
	}
	return v.Type
}

// Function is the definition of a function of the pipeline (a "function" block). Compile inlines calls of it, so that
// the canonical form holds what the function does and not its name. A function of the same name must be callable in the
// outer context as well. A variadic function is not inlined.
type Function struct {
	Params []string
	Result hcl.Expression
	Outer  *hcl.EvalContext // what Result may refer to besides Params; nil: nothing
	// In returns the function such that its result is evaluated in another context than Outer, which is within Outer
	// and has the budget to count with; nil: the function of the outer context, as it is.
	In func(outer *hcl.EvalContext) function.Function
	// Canonical gives what stands for the function in canonical forms where it is not inlined; nil: its name. It is
	// asked only then.
	Canonical func() string
}

// Scope is what a row expression may refer to besides its outer context. A row variable hides an outer value of the
// same name.
type Scope struct {
	Vars []Var
	// Functions are definitions of functions of the outer context, by name; optional.
	Functions map[string]*Function
	// Natives are faster forms of functions of the outer context; optional. They apply only where the outer context has
	// exactly this function under whatever name.
	Natives []Native
}

// Native gives a function of strings in Go, for speed. Exactly one form is set, and it must agree with Func wherever it
// says ok; a row for which it does not is left to Func.
type Native struct {
	Func function.Function
	// StringString maps the only argument.
	StringString func(s string) (result string, ok bool)
	// StringInt maps the only argument to a whole number.
	StringInt func(s string) (result int64, ok bool)
	// StringBool is called once per expression with the constant arguments after (with ConstFirst: before) the only
	// varying one, and gives the function of the varying argument, or nil when it has none for these constants.
	StringBool func(constants []string) func(s string) (result, ok bool)
	ConstFirst bool
}

func (s *Scope) lookup(name string) *Var {
	for i := range s.Vars {
		if s.Vars[i].Name == name {
			return &s.Vars[i]
		}
	}
	return nil
}

// validate reports a scope that no expression can be checked against, which is a mistake of the caller.
func (s *Scope) validate() error {
	seen := map[string]bool{}
	for _, v := range s.Vars {
		if seen[v.Name] {
			return fmt.Errorf("row variable %q is declared twice", v.Name)
		}
		seen[v.Name] = true
		if v.Record == nil {
			if !columnType(v.Type) {
				return fmt.Errorf("scalar %q has a type that no column can have", v.Name)
			}
			continue
		}
		for _, f := range v.Record.Fields {
			if !columnType(f.Type) {
				return fmt.Errorf("field %s.%s has a type that no column can have", v.Name, f.Name)
			}
		}
	}
	return nil
}

// columnType reports whether a column can have the type.
func columnType(t cty.Type) bool {
	return t == cty.String || t == cty.Number || t == cty.Bool || (t.IsListType() && t.ElementType() == cty.String)
}

// suggest gives ` Did you mean "x"?` for the nearest of the known names, or nothing when none is near.
func suggest(given string, known []string) string {
	best, distance := "", 4
	for _, k := range slices.Sorted(slices.Values(known)) {
		d := levenshtein.Distance(given, k, nil)
		if d < distance && d <= (len(given)+1)/2 {
			best, distance = k, d
		}
	}
	if best == "" {
		for _, k := range known {
			if len(given) >= 3 && (strings.Contains(k, given) || strings.Contains(given, k)) {
				best = k
				break
			}
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
}
