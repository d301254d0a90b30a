package submission

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// today and earlier are the schemas of Parse and ParseEarlier.
var (
	today   = sync.OnceValues(func() (*form, error) { return newForm(false) })
	earlier = sync.OnceValues(func() (*form, error) { return newForm(true) })
)

func newForm(earlier bool) (*form, error) {
	text, err := encode(schema(filled(), earlier))
	if err != nil {
		return nil, err
	}
	f := &form{}
	return f, json.Unmarshal(text, &f.doc)
}

// check returns the violations of the schema.
func (f *file) check(root any, ofEarlier bool) error {
	made, err := today()
	if ofEarlier {
		made, err = earlier()
	}
	if err != nil {
		return err
	}
	c := &checked{file: f, root: root}
	for _, r := range made.refusals(nil, root, nil) {
		c.explain(r)
	}
	slices.SortFunc(c.found, func(a, b violation) int {
		return cmp.Or(strings.Compare(a.condition, b.condition), strings.Compare(a.pointer, b.pointer),
			strings.Compare(a.text, b.text))
	})
	for _, v := range slices.Compact(c.found) {
		if v.condition == "" || !f.failed[v.pointer] { // a text that violates its own pattern also violates others
			f.problems, f.failed[v.pointer] = append(f.problems, f.at(v.pointer, v.text)), true
		}
	}
	return nil
}

// violation is a way in which a value does not match the schema.
type violation struct {
	condition string // condition under which a text must match a pattern; empty: unconditional
	pointer   string
	text      string
}

// checked collects a file's violations.
type checked struct {
	*file
	root  any
	found []violation
}

// explain records the innermost causes of a refusal, in words.
func (c *checked) explain(r refusal) {
	pointer := ""
	for _, name := range r.where {
		pointer = child(pointer, name)
	}
	got := lookup(c.root, r.where)
	add := func(pointer, text string) {
		v := violation{pointer: pointer, text: text}
		if r.keyword == "pattern" && r.at[0] == "allOf" {
			v.condition = r.at[1]
		}
		c.found = append(c.found, v)
	}
	said := c.said(r, pointer, got)
	switch r.keyword {
	case "anyOf":
		byStrangeness := func(a, b []refusal) int {
			return cmp.Compare(strangeness(a, len(r.where)), strangeness(b, len(r.where)))
		}
		best := slices.MinFunc(r.anyOf, byStrangeness)
		if said != "" && strangeness(best, len(r.where)) == ofOtherType {
			add(pointer, said)
			return
		}
		for _, cause := range best {
			c.explain(cause)
		}
	case "additionalProperties":
		fields, _ := r.node["properties"].(object)
		names := slices.Sorted(maps.Keys(fields))
		for _, name := range r.names {
			add(child(pointer, name), unknown("field", name, names, "the fields here are "+
				strings.Join(names, ", ")))
		}
	case "required":
		for _, name := range r.names {
			add(pointer, cmp.Or(said, fmt.Sprintf("the field %q is missing", name)))
		}
	case "type":
		add(pointer, fmt.Sprintf("must be %s, not %s", article(r.node["type"]), c.describe(pointer, got)))
	case "enum":
		known := strings.ReplaceAll(strings.Trim(fmt.Sprint(r.node["enum"]), "[]"), " ", ", ")
		add(pointer, fmt.Sprintf("unknown %s %q; it must be one of %s, in this capitalization",
			strings.ReplaceAll(r.at[len(r.at)-1], "_", " "), got, known))
	case "minItems":
		add(pointer, fmt.Sprintf("must have at least %v element", r.node["minItems"]))
	default:
		add(pointer, cmp.Or(said, "does not match the schema: "+r.keyword))
	}
}

// said returns the schema's message, completed with the value.
func (c *checked) said(r refusal, pointer string, got any) string {
	said, _ := r.node["errorMessage"].(string)
	if !strings.Contains(said, "must be") || strings.HasPrefix(pointer, "/contacts/") { // contacts are not public
		return said
	}
	what := c.describe(pointer, got)
	if r.keyword == "pattern" {
		what = fmt.Sprintf("%q", got)
	}
	before, after, _ := strings.Cut(said, ";")
	return before + ", not " + what + strings.TrimSuffix(";"+after, ";")
}

// articles names JSON types in words.
var articles = map[string]string{"string": "a string", "boolean": "true or false", "array": "an array",
	"object": "an object", "integer": "an integer", "null": "null"}

// article names a schema's type: for a type or null, the type.
func article(is any) string {
	if names, ok := is.([]any); ok {
		is = names[0]
	}
	name, _ := is.(string)
	return articles[name]
}

// How much a value differs from one of its possible forms.
const (
	inside      = iota // the form matches, but its contents do not
	ofThisType         // only its type matches
	ofOtherType        // not even the type matches
)

func strangeness(refused []refusal, depth int) int {
	worst := inside
	for _, r := range refused {
		for _, alternative := range r.anyOf {
			worst = max(worst, strangeness(alternative, depth))
		}
		switch {
		case len(r.where) != depth:
		case r.keyword == "type":
			worst = ofOtherType
		case r.anyOf == nil:
			worst = max(worst, ofThisType)
		}
	}
	return worst
}

// child returns the JSON pointer of an object's field.
func child(pointer, name string) string { return string(jsontext.Pointer(pointer).AppendToken(name)) }

// lookup returns the value at a path of names and indices.
func lookup(v any, path []string) any {
	for _, name := range path {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		}
	}
	return v
}
