package rowexpr

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Field is a record's column. Type is String, Number, Bool or List(String). Every field may be null.
type Field struct {
	Name string
	Type cty.Type
	Doc  string

	Words []string // possible texts; empty means any
}

// Record is the type of a row variable. Name is the table schema's name, such as "benchmarks/1".
type Record struct {
	Name   string
	Fields []Field
}

// Field returns a field by name.
func (r *Record) Field(name string) (Field, bool) {
	for _, f := range r.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Type returns a row's object type.
func (r *Record) Type() cty.Type {
	attrs := make(map[string]cty.Type, len(r.Fields))
	for _, f := range r.Fields {
		attrs[f.Name] = f.Type
	}
	return cty.Object(attrs)
}

// Var is a name with one value per row: a table row if Record is set, otherwise a scalar of type Type.
type Var struct {
	Name   string
	Record *Record
	Type   cty.Type // a scalar's type
	Doc    string
}

func (v *Var) ctyType() cty.Type {
	if v.Record != nil {
		return v.Record.Type()
	}
	return v.Type
}

// Function is the definition of one of the pipeline's functions (a "function" block). Compile inlines calls to it; the
// canonical form therefore contains the function's body instead of its name. A function with the same name must also be
// callable in the outer context. Variadic functions are not inlined.
type Function struct {
	Params []string
	Result hcl.Expression
	Outer  *hcl.EvalContext // values that Result may use besides Params; may be nil
	// In returns the function with its result evaluated in another context, which descends from Outer and carries the
	// budget. If In is nil, the outer context's function is used unchanged.
	In func(outer *hcl.EvalContext) function.Function
	// Canonical returns the text that stands for the function in canonical forms. It is called only if the function is
	// not inlined. If Canonical is nil, the text is the function's name.
	Canonical func() string
}

// Scope holds the names that a row expression may use in addition to its outer context. A row variable hides an outer
// value with the same name.
type Scope struct {
	Vars []Var
	// Functions are definitions of the outer context's functions, by name; optional.
	Functions map[string]*Function
	// Natives are faster forms of the outer context's functions; optional. A native applies only if the outer context
	// contains its Func, under any name.
	Natives []Native
}

// Native implements a function on strings in Go, for speed. Exactly one form must be set, and it must agree with Func
// whenever it returns ok. Other rows are left to Func.
type Native struct {
	Func function.Function
	// StringString maps the only argument.
	StringString func(s string) (result string, ok bool)
	// StringInt maps the only argument to an integer.
	StringInt func(s string) (result int64, ok bool)
	// StringBool is called once per expression with the constant arguments that follow the only varying one, or precede
	// it if ConstFirst is set. It returns the function of the varying argument, or nil if it has none for these
	// constants.
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

// validate returns an error for an invalid scope, which is the caller's mistake.
func (s *Scope) validate() error {
	seen := map[string]bool{}
	for _, v := range s.Vars {
		if seen[v.Name] {
			return fmt.Errorf("row variable %q is declared twice", v.Name)
		}
		seen[v.Name] = true
		if v.Record == nil {
			if !columnType(v.Type) {
				return fmt.Errorf("scalar %q has an unsupported column type", v.Name)
			}
			continue
		}
		for _, f := range v.Record.Fields {
			if !columnType(f.Type) {
				return fmt.Errorf("field %s.%s has an unsupported column type", v.Name, f.Name)
			}
		}
	}
	return nil
}

// columnType reports whether columns may have the type t.
func columnType(t cty.Type) bool {
	return t == cty.String || t == cty.Number || t == cty.Bool || (t.IsListType() && t.ElementType() == cty.String)
}
