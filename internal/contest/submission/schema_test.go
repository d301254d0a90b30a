package submission_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// compiled returns the schema compiled by an independent validator. The schema itself must conform to draft 7.
func compiled(t *testing.T, own comp.Kinds) *jsonschema.Schema {
	t.Helper()
	data, err := submission.Schema(own)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("submission.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("submission.json")
	if err != nil {
		t.Fatal(err)
	}
	if schema.DraftVersion != 7 {
		t.Errorf("the schema is of draft %d", schema.DraftVersion)
	}
	return schema
}

// keeps returns the reason why a file does not match the schema, or nil.
func keeps(t *testing.T, schema *jsonschema.Schema, data []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(doc)
}

// TestSchemaOnSubmissions checks that the schema and the reader accept the same real files. Some files from 2024 and
// 2025 have older forms.
func TestSchemaOnSubmissions(t *testing.T) {
	schema := compiled(t, nil)
	count := map[bool]int{}
	for _, folder := range []string{"submissions-2024", "submissions-2025", "submissions-2026"} {
		files, err := filepath.Glob(filepath.Join(testkit.Shared(t, folder), "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files: %v", folder, len(files), err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, read := submission.Parse(filepath.Base(file), data)
			if kept := keeps(t, schema, data); (read == nil) != (kept == nil) {
				t.Errorf("%s: the reader says %v, the schema %v", file, read, kept)
			}
			count[read == nil]++
		}
	}
	if count[true] < 50 || count[false] == 0 {
		t.Errorf("%d files are accepted and %d are not", count[true], count[false])
	}
}

// model is a submission that follows all rules. Each case changes one part of it.
const model = `{
  "name": "Alpha-Omega",
  "contributors": ["A. Author", {"name": "B. Author", "website": "https://b.example/"}],
  "contacts": ["A. Author <a@example.org>"],
  "archive": {"url": "https://zenodo.org/records/1/files/a.tar.gz", "h": {"sha256": "00", "sha512": null}},
  "command": ["bin/run", ""],
  "website": "http://alpha.example",
  "system_description": "https://user@alpha.example:80/d.pdf",
  "solver_type": "derived",
  "participations": [
    {"tracks": ["SingleQuery"], "logics": "QF_.*", "divisions": ["UF"], "experimental": true},
    {"tracks": [], "logics": ["QF_BV"], "archive": null, "command": {"binary": "b", "arguments": []}}
  ],
  "seed": "42",
  "competitive": true,
  "final": false
}`

// The changes to the model: a text in it and its replacement.
var (
	// same: the reader and the schema agree; an exclamation mark means that both reject the file.
	same = map[string][2]string{
		"the model":               {``, ``},
		"no seed":                 {`"seed": "42",`, ``},
		"null for the seed":       {`"42"`, `null`},
		"whole number with point": {`"42"`, `42.0`},
		"sign and spaces":         {`"42"`, `" +42 "`},
		"no participation": {`[
    {"tracks": ["SingleQuery"], "logics": "QF_.*", "divisions": ["UF"], "experimental": true},
    {"tracks": [], "logics": ["QF_BV"], "archive": null, "command": {"binary": "b", "arguments": []}}
  ]`, `[]`},
		"another field of archive":       {`"h": {`, `"size": 1, "h": {`},
		"final":                          {``, ``},
		"final, capital letters of host": {`https://zenodo.org`, `HTTPS://ZENODO.org:443`},
		"! final, not on Zenodo":         {`https://zenodo.org`, `https://zenodo.org.example`},
		"! final, own archive":           {`"archive": null`, `"archive": {"url": "https://a.example/zenodo.org/"}`},
		"! no name":                      {`"name": "Alpha-Omega",`, ``},
		"! blank name":                   {`"Alpha-Omega"`, `"  "`},
		"! number for name":              {`"Alpha-Omega"`, `1`},
		"! derived without base":         {`"Alpha-Omega"`, `"Alpha"`},
		"! derived, blank base":          {`"Alpha-Omega"`, `" -Omega"`},
		"! derived, blank name":          {`"Alpha-Omega"`, `"Alpha- "`},
		"! other type":                   {`"derived"`, `"Derived"`},
		"! no contributor":               {`["A. Author", {"name": "B. Author", "website": "https://b.example/"}]`, `[]`},
		"! contributor, field":           {`{"name": "B. Author",`, `{"name": "B. Author", "mail": "",`},
		"! contributor, address":         {`https://b.example/`, `b.example`},
		"! contact, no address":          {`A. Author <a@example.org>`, `A. Author`},
		"! contact, no domain":           {`A. Author <a@example.org>`, `a@example`},
		"! archive, no address":          {`"url": "https://zenodo.org/records/1/files/a.tar.gz", `, ``},
		"! archive, other scheme":        {`https://zenodo.org`, `ftp://zenodo.org`},
		"! archive, no host":             {`https://zenodo.org`, `https://`},
		"! archive, port only":           {`https://zenodo.org`, `https://:80`},
		"! archive, space":               {`files/a.tar.gz`, `files/a b.tar.gz`},
		"! archive, no digest":           {`{"sha256": "00", "sha512": null}`, `{}`},
		"! archive, null digests":        {`"sha256": "00"`, `"sha256": null`},
		"! archive, blank digest":        {`"sha256": "00"`, `"sha256": " "`},
		"! archive, md5":                 {`"sha256": "00"`, `"sha256": "00", "md5": "00"`},
		"! archive nowhere": {`"archive": {"url": "https://zenodo.org/records/1/files/a.tar.gz", ` +
			`"h": {"sha256": "00", "sha512": null}},`, ``},
		"! command, half of them":   {`"command": ["bin/run", ""],`, `"command": null,`},
		"! command, empty":          {`["bin/run", ""]`, `[]`},
		"! command, blank program":  {`["bin/run", ""]`, `[" "]`},
		"! command, number":         {`["bin/run", ""]`, `["bin/run", 1]`},
		"! command, one string":     {`["bin/run", ""]`, `"bin/run"`},
		"! command, no binary":      {`{"binary": "b", "arguments": []}`, `{"arguments": []}`},
		"! command, null arguments": {`"arguments": []`, `"arguments": null`},
		"! no tracks":               {`"tracks": ["SingleQuery"], `, ``},
		"! logics, number":          {`"QF_.*"`, `1`},
		"! logics, blank":           {`["QF_BV"]`, `[""]`},
		"! divisions, string":       {`["UF"]`, `"UF"`},
		"! experimental, word":      {`"experimental": true`, `"experimental": "yes"`},
		"! repository of an image":  {`"tracks": [],`, `"tracks": [], "aws_repository": "https://a.example",`},
		"! seed, fraction":          {`"42"`, `4.5`},
		"! seed, word":              {`"42"`, `"4x"`},
		"! competitive, null":       {`"competitive": true`, `"competitive": null`},
		"! unknown field":           {`"competitive": true`, `"competitive": true, "comment": ""`},
		"! an array":                {model, `[]`},
	}
	// readerOnly: the reader rejects the file for a reason that the schema cannot express.
	readerOnly = map[string][2]string{
		"a field twice":         {`"competitive": true`, `"competitive": true, "competitive": true`},
		"no expression":         {`"QF_.*"`, `"QF_("`},
		"seed of 65 bits":       {`"42"`, `36893488147419103232`},
		"host that cannot be":   {`A. Author <a@example.org>`, `a@-.org`},
		"port that cannot be":   {`https://zenodo.org`, `https://zenodo.org:99999`},
		"escape of half a byte": {`files/a.tar.gz`, `files/%z`},
	}
)

func TestSchemaOnInvented(t *testing.T) {
	schema := compiled(t, nil)
	change := func(name string, c [2]string) []byte {
		if strings.Count(model, c[0]) != 1 && c[0] != "" {
			t.Fatalf("%s: the model has %d times %s", name, strings.Count(model, c[0]), c[0])
		}
		text := strings.Replace(model, c[0], c[1], 1)
		if strings.Contains(name, "final") {
			text = strings.Replace(text, `"final": false`, `"final": true`, 1)
		}
		return []byte(text)
	}
	for _, name := range slices.Sorted(maps.Keys(same)) {
		data := change(name, same[name])
		_, read := submission.Parse("s.json", data)
		kept := keeps(t, schema, data)
		if want := !strings.HasPrefix(name, "!"); (read == nil) != want || (kept == nil) != want {
			t.Errorf("%s: the reader says %v, the schema %v", name, read, kept)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(readerOnly)) {
		data := change(name, readerOnly[name])
		_, read := submission.Parse("s.json", data)
		if kept := keeps(t, schema, data); read == nil || kept != nil {
			t.Errorf("%s: the reader says %v, the schema %v", name, read, kept)
		}
	}
}

// TestSchemaDocs checks that docs/write/submissions.md describes the fields in the schema's words.
func TestSchemaDocs(t *testing.T) {
	page, err := os.ReadFile("../../../docs/write/submissions.md")
	if err != nil {
		t.Fatal(err)
	}
	data, err := submission.Schema(nil)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	for name, field := range schema.Properties {
		if row := fmt.Sprintf("| `%s` | %s |\n", name, field.Description); !strings.Contains(string(page), row) {
			t.Errorf("the page has no row %s", row)
		}
	}
	if len(schema.Properties) != 12 {
		t.Errorf("the schema has %d fields", len(schema.Properties))
	}
}

// TestSchemaTracks checks that a competition's schema contains its tracks, and that Expand also rejects whatever the
// schema rejects.
func TestSchemaTracks(t *testing.T) {
	own := comp.Kinds{"LIA-Lin": comp.SingleQuery}
	for _, c := range []struct {
		track string
		own   comp.Kinds
		ok    bool
	}{{"LIA-Lin", own, true}, {"SingleQuery", own, true}, {"LIA-Lin", nil, false}, {"Singlequery", own, false}} {
		catalog, err := submission.NewCatalog([]submission.Part{
			{Track: "single_query", Division: "UF", Logics: []comp.Logic{"UF", "QF_BV"}},
			{Track: "LIA-Lin", Division: "UF", Logics: []comp.Logic{"UF"}},
		}, c.own)
		if err != nil {
			t.Fatal(err)
		}
		data := []byte(strings.Replace(model, "SingleQuery", c.track, 1))
		s, err := submission.Parse("s.json", data)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Expand(catalog)
		if kept := keeps(t, compiled(t, c.own), data); (kept == nil) != c.ok || (err == nil) != c.ok {
			t.Errorf("%s with %v: the reader says %v, the schema %v", c.track, c.own, err, kept)
		}
	}
}

// TestSchemaOnEveryChange replaces each value of the model with values of every type, and removes each field. The
// reader must refuse what an independent validator refuses, and nothing else.
func TestSchemaOnEveryChange(t *testing.T) {
	schema := compiled(t, nil)
	tried, refused := 0, 0
	try := func(root any) {
		data, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		_, read := submission.Parse("s.json", data)
		kept := keeps(t, schema, data)
		if (read == nil) != (kept == nil) {
			t.Errorf("%s\nthe reader says %v, the schema %v", data, read, kept)
		}
		tried++
		if kept != nil {
			refused++
		}
	}
	var root any
	if err := json.Unmarshal([]byte(model), &root); err != nil {
		t.Fatal(err)
	}
	var change func(v any, set func(any))
	change = func(v any, set func(any)) {
		for _, other := range []any{nil, true, 7, 7.5, "", "SingleQuery", []any{}, []any{"SingleQuery"},
			map[string]any{}, map[string]any{"x": 1}} {
			set(other)
			try(root)
		}
		set(v)
		switch v := v.(type) {
		case []any:
			for i := range v {
				change(v[i], func(to any) { v[i] = to })
			}
		case map[string]any:
			for name, field := range v {
				delete(v, name)
				try(root)
				v[name] = field
				change(field, func(to any) { v[name] = to })
			}
		}
	}
	change(root, func(to any) { root = to })
	if tried < 200 || refused == tried {
		t.Errorf("%d files were tried, %d refused", tried, refused)
	}
}

// TestKeywords checks that the schemas use only keywords that the reader checks or ignores on purpose, since it has no
// library that would refuse an unknown one.
func TestKeywords(t *testing.T) {
	known := []string{"$ref", "type", "const", "enum", "pattern", "minItems", "items", "additionalItems", "required",
		"properties", "additionalProperties", "not", "allOf", "anyOf", "if", "then",
		"$schema", "$defs", "title", "description", "errorMessage"}
	var look func(at string, v any)
	look = func(at string, v any) {
		schema, ok := v.(map[string]any)
		if !ok {
			return
		}
		for name, v := range schema {
			if !slices.Contains(known, name) {
				t.Errorf("%s uses %s, which the reader does not know", at, name)
			}
			switch v := v.(type) {
			case []any:
				for i := range v {
					look(fmt.Sprintf("%s/%s/%d", at, name, i), v[i])
				}
			case map[string]any:
				if name != "properties" && name != "$defs" {
					look(at+"/"+name, v)
					continue
				}
				for field := range v {
					look(at+"/"+name+"/"+field, v[field])
				}
			}
		}
	}
	data, err := submission.Schema(nil)
	var schema any
	if err = errors.Join(err, json.Unmarshal(data, &schema)); err != nil {
		t.Fatal(err)
	}
	look("", schema)
}
