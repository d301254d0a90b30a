package submission

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// form is a schema that files are checked against. It knows the keywords of this package's schemas only: a library that
// knows all of them compiles the standard's own schemas whenever the program starts. Tests compare both.
type form struct {
	doc      any      // the schema as JSON
	patterns sync.Map // compiled, by text
}

// refusal is a part of a value that violates a keyword of its schema.
type refusal struct {
	keyword string
	node    object      // the schema that has the keyword
	at      []string    // its path in the form
	where   []string    // the path of the part
	names   []string    // fields: those that are missing, or those that must not be there
	anyOf   [][]refusal // what each alternative refuses
}

// refusals returns the violations of the schema at a path by a value, in the order of the schema.
func (f *form) refusals(at []string, v any, where []string) []refusal {
	s := lookup(f.doc, at).(object)
	if to, ok := s["$ref"].(string); ok {
		return f.refusals(slices.Collect(jsontext.Pointer(strings.TrimPrefix(to, "#")).Tokens()), v, where)
	}
	r := &refusing{form: f, node: s, at: at, where: where}
	values, isEnum := s["enum"].([]any)
	switch {
	case !isOfType(s["type"], v):
		r.refuse("type")
	case s["const"] != nil && s["const"] != v:
		r.refuse("const")
	case isEnum && !slices.Contains(values, v):
		r.refuse("enum")
	default:
		r.contents(v)
		r.conditions(v)
	}
	return r.found
}

// isOfType reports whether a value has a type: none, a name, or an array of names.
func isOfType(want, v any) bool {
	if names, ok := want.([]any); ok {
		return slices.ContainsFunc(names, func(name any) bool { return isOfType(name, v) })
	}
	is := ""
	switch v.(type) {
	case nil:
		is = "null"
	case bool:
		is = "boolean"
	case string:
		is = "string"
	case json.Number: // a file's other numbers are not integers
		is = "integer"
	case []any:
		is = "array"
	case object:
		is = "object"
	}
	return want == nil || want == is
}

// refusing collects the refusals of one schema.
type refusing struct {
	*form
	node      object
	at, where []string
	found     []refusal
}

func (r *refusing) refuse(keyword string, names ...string) {
	r.found = append(r.found, refusal{keyword: keyword, node: r.node, at: r.at, where: r.where, names: names})
}

// under returns the refusals of the schema at a path below this one, for the same value.
func (r *refusing) under(v any, path ...string) []refusal {
	return r.refusals(slices.Concat(r.at, path), v, r.where)
}

// part checks a part of the value.
func (r *refusing) part(v any, name string, path ...string) {
	r.found = append(r.found, r.refusals(slices.Concat(r.at, path), v, slices.Concat(r.where, []string{name}))...)
}

// contents checks a value's text, elements or fields.
func (r *refusing) contents(v any) {
	switch v := v.(type) {
	case string:
		if pattern, ok := r.node["pattern"].(string); ok && !r.compiled(pattern).MatchString(v) {
			r.refuse("pattern")
		}
	case []any:
		r.elements(v)
	case object:
		r.fields(v)
	}
}

func (f *form) compiled(pattern string) *regexp.Regexp {
	made, ok := f.patterns.Load(pattern)
	if !ok {
		made, _ = f.patterns.LoadOrStore(pattern, regexp.MustCompile(pattern))
	}
	return made.(*regexp.Regexp)
}

func (r *refusing) elements(values []any) {
	if least, ok := r.node["minItems"].(float64); ok && len(values) < int(least) {
		r.refuse("minItems")
	}
	first, _ := r.node["items"].([]any)
	for i, v := range values {
		name := strconv.Itoa(i)
		switch {
		case i < len(first):
			r.part(v, name, "items", name)
		case first != nil && r.node["additionalItems"] != nil:
			r.part(v, name, "additionalItems")
		case first == nil && r.node["items"] != nil:
			r.part(v, name, "items")
		}
	}
}

func (r *refusing) fields(values object) {
	var missing, additional []string
	required, _ := r.node["required"].([]any)
	for _, name := range required {
		if _, ok := values[name.(string)]; !ok {
			missing = append(missing, name.(string))
		}
	}
	if missing != nil {
		r.refuse("required", missing...)
	}
	known, _ := r.node["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if known[name] != nil {
			r.part(values[name], name, "properties", name)
		} else if r.node["additionalProperties"] == false {
			additional = append(additional, name)
		}
	}
	if additional != nil {
		r.refuse("additionalProperties", additional...)
	}
}

// conditions checks what a value must match in addition.
func (r *refusing) conditions(v any) {
	if r.node["not"] != nil && r.under(v, "not") == nil {
		r.refuse("not")
	}
	all, _ := r.node["allOf"].([]any)
	for i := range all {
		r.found = append(r.found, r.under(v, "allOf", strconv.Itoa(i))...)
	}
	r.alternatives(v)
	if r.node["if"] != nil && r.under(v, "if") == nil {
		r.found = append(r.found, r.under(v, "then")...)
	}
}

func (r *refusing) alternatives(v any) {
	options, _ := r.node["anyOf"].([]any)
	var refused [][]refusal
	for i := range options {
		found := r.under(v, "anyOf", strconv.Itoa(i))
		if found == nil {
			return
		}
		refused = append(refused, found)
	}
	if refused != nil {
		r.refuse("anyOf")
		r.found[len(r.found)-1].anyOf = refused
	}
}
