package submission

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// form is a compiled schema.
type form struct {
	doc      any // the schema as JSON
	compiled *jsonschema.Schema
}

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
	if f.doc, err = jsonschema.UnmarshalJSON(bytes.NewReader(text)); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("submission", f.doc); err != nil {
		return nil, err
	}
	f.compiled, err = c.Compile("submission")
	return f, err
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
	refused, ok := made.compiled.Validate(root).(*jsonschema.ValidationError)
	if !ok {
		return nil
	}
	c := &checked{file: f, form: made, root: root}
	c.explain(refused)
	slices.SortFunc(c.found, func(a, b violation) int { // fields were checked in map order
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
	*form
	root  any
	found []violation
}

// explain records the innermost causes of an error, in words.
func (c *checked) explain(e *jsonschema.ValidationError) {
	at := fragments(e.SchemaURL)
	node, _ := lookup(c.doc, at).(map[string]any)
	pointer := ""
	for _, name := range e.InstanceLocation {
		pointer += "/" + escapePointer(name)
	}
	got := lookup(c.root, e.InstanceLocation)
	add := func(pointer, text string) {
		v := violation{pointer: pointer, text: text}
		if _, ok := e.ErrorKind.(*kind.Pattern); ok && at[0] == "allOf" {
			v.condition = at[1]
		}
		c.found = append(c.found, v)
	}
	said, _ := node["errorMessage"].(string)
	if strings.Contains(said, "must be") && !strings.HasPrefix(pointer, "/contacts/") { // contacts are not public
		what := c.describe(pointer, got)
		if _, ok := e.ErrorKind.(*kind.Pattern); ok {
			what = fmt.Sprintf("%q", got)
		}
		before, after, _ := strings.Cut(said, ";")
		said = before + ", not " + what + strings.TrimSuffix(";"+after, ";")
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		best := slices.MinFunc(e.Causes, func(a, b *jsonschema.ValidationError) int {
			return cmp.Compare(strangeness(a, len(e.InstanceLocation)), strangeness(b, len(e.InstanceLocation)))
		})
		if said != "" && strangeness(best, len(e.InstanceLocation)) == ofOtherType {
			add(pointer, said)
			return
		}
		c.explain(best)
	case *kind.AdditionalProperties:
		fields, _ := node["properties"].(map[string]any)
		names := slices.Sorted(maps.Keys(fields))
		for _, name := range k.Properties {
			add(pointer+"/"+escapePointer(name), unknown("field", name, names, "the fields here are "+
				strings.Join(names, ", ")))
		}
	case *kind.Required:
		for _, name := range k.Missing {
			add(pointer, cmp.Or(said, fmt.Sprintf("the field %q is missing", name)))
		}
	case *kind.Type:
		add(pointer, fmt.Sprintf("must be %s, not %s", articles[slices.Max(k.Want)], c.describe(pointer, got)))
	case *kind.Enum:
		known := strings.ReplaceAll(strings.Trim(fmt.Sprint(k.Want), "[]"), " ", ", ")
		add(pointer, fmt.Sprintf("unknown %s %q; it must be one of %s, in this capitalization",
			strings.ReplaceAll(at[len(at)-1], "_", " "), got, known))
	case *kind.MinItems:
		add(pointer, fmt.Sprintf("must have at least %d element", k.Want))
	default:
		if len(e.Causes) == 0 {
			add(pointer, cmp.Or(said, fmt.Sprintf("does not match the schema: %v", e.ErrorKind.KeywordPath())))
		}
		for _, cause := range e.Causes {
			c.explain(cause)
		}
	}
}

// articles names JSON types in words.
var articles = map[string]string{"string": "a string", "boolean": "true or false", "array": "an array",
	"object": "an object", "integer": "an integer", "null": "null"}

// How much a value differs from one of its possible forms.
const (
	inside      = iota // the form matches, but its contents do not
	ofThisType         // only its type matches
	ofOtherType        // not even the type matches
)

func strangeness(e *jsonschema.ValidationError, depth int) int {
	worst := inside
	for _, cause := range e.Causes {
		worst = max(worst, strangeness(cause, depth))
	}
	if _, ok := e.ErrorKind.(*kind.Type); ok && len(e.InstanceLocation) == depth {
		return ofOtherType
	}
	if len(e.Causes) == 0 && len(e.InstanceLocation) == depth {
		return ofThisType
	}
	return worst
}

// fragments splits the JSON pointer of a URL.
func fragments(address string) []string {
	_, pointer, _ := strings.Cut(address, "#")
	parts := strings.Split(pointer, "/")[1:]
	for i, part := range parts {
		if plain, err := url.PathUnescape(part); err == nil {
			part = plain
		}
		parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
	}
	return parts
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func escapePointer(name string) string { return pointerEscapes.Replace(name) }

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
