package main

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/builds"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestJSONPage compares docs/tools/json.md with the fields that the program writes, in both directions. A field missing
// from the page breaks the contract with the Python package. A field that the program does not write is a broken
// promise.
func TestJSONPage(t *testing.T) {
	for format, document := range map[string]any{
		project.Format:      project.Plan{},
		"smtpipe/explain/1": engine.Explanation{},
		whatIfFormat:        whatIfDocument{},
		designFormat:        designDocument{},
		decidedFormat:       decidedDocument{},
		"smtpipe/compare/1": compare.Report{},
		rehearsalFormat:     rehearsalDocument{},
		"smtpipe/bisect/1":  builds.Bisected{},
		"smtpipe/history/1": compare.History{},
	} {
		fields := map[string]bool{}
		fieldsOf(reflect.TypeOf(document), fields)
		comparePage(t, format, fields)
	}
	fields := map[string]bool{}
	for _, year := range []string{"2008", "2015", "2022", "2026"} {
		runs := testkit.Shared(t, "reference/score-examples/runs-"+year+".csv")
		out, _ := smtpipe(t, "tool", "score", "--format", "json", "--rules", year, runs)
		var doc map[string]any
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatal(err)
		}
		scoreFields(doc, fields)
	}
	fields["practice"], fields["no_winner"] = true, true // these examples do not contain them
	comparePage(t, "smtpipe/score/1", fields)
}

// fieldsOf collects the names of all JSON fields in a type.
func fieldsOf(t reflect.Type, fields map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		fieldsOf(t.Elem(), fields)
		return
	case reflect.Struct:
	default:
		return
	}
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			fieldsOf(field.Type, fields)
		case name != "" && name != "-":
			fields[name] = true
			fieldsOf(field.Type, fields)
		}
	}
}

// scoreFields collects a scoring's fields. Names of tracks, views and the like are not fields.
func scoreFields(doc map[string]any, fields map[string]bool) {
	for name, v := range doc {
		fields[name] = true
		inner := []any{v}
		switch m, _ := v.(map[string]any); name {
		case "readings", "practice", "recognitions", "disagreements", "unsound":
			continue
		case "tracks", "divisions", "logics", "views", "derived":
			inner = nil
			for _, x := range m {
				inner = append(inner, x)
			}
		}
		for _, x := range inner {
			switch x := x.(type) {
			case map[string]any:
				scoreFields(x, fields)
			case []any:
				for _, e := range x {
					if e, ok := e.(map[string]any); ok {
						scoreFields(e, fields)
					}
				}
			}
		}
	}
}

var (
	inTicks = regexp.MustCompile("`([a-z][a-z0-9_]*)`")
	noField = []string{"create", "cached", "deferred", "cap", "for_each"} // values and words that are not fields
)

// comparePage compares the section about a format with the format's fields.
func comparePage(t *testing.T, format string, fields map[string]bool) {
	t.Helper()
	page, err := os.ReadFile("../../docs/tools/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## "+format+"\n")
	if !found {
		t.Fatalf("docs/tools/json.md has no section %s", format)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var want, got []string
	for name := range fields {
		want = append(want, name)
	}
	for _, m := range inTicks.FindAllStringSubmatch(section, -1) {
		if !slices.Contains(noField, m[1]) && !slices.Contains(got, m[1]) {
			got = append(got, m[1])
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (- the program, + the page):\n%s", format, diff)
	}
}
