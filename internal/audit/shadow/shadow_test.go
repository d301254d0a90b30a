package shadow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/pages"
)

// TestExplain uses a comparison whose differences depend on four switches and a reading. In the year, a is on; b, c and
// d are off. With a off, alone disappears. With c on, spoilt disappears but new differs. With only b on, or with r=two,
// either disappears. Only b and d together remove both. Nothing removes stubborn.
func TestExplain(t *testing.T) {
	part := &Part{Kind: "tables", Track: "x"}
	rules := &score.RuleSet{Readings: []score.Reading{{Name: "r", Values: []string{"one", "two"}, Doc: "reads"}}}
	for _, id := range []string{"a", "b", "c", "d"} {
		rules.Practices = append(rules.Practices, score.Practice{ID: id, Cite: "D-" + id, Doc: "does " + id})
	}
	compare := func(_ context.Context, tr *trial) ([]found, error) {
		on := tr.readings.Practice
		part.Compared++
		var out []found
		differ := func(place, made string) {
			out = append(out, found{part: part, Difference: Difference{place, made, "0"}})
		}
		if on["a"] {
			differ("alone", "1")
		}
		if !on["b"] && tr.readings.Values["r"] != "two" {
			differ("either", "1")
		}
		switch {
		case on["b"] && on["d"]:
		case on["b"] || on["d"]:
			differ("both", "2")
		default:
			differ("both", "1")
		}
		if on["c"] {
			differ("new", "1")
		} else {
			differ("spoilt", "1")
		}
		differ("stubborn", "1")
		return out, nil
	}
	c := target{name: "tables", parts: []*Part{part}, rules: rules, compare: compare,
		base: score.Readings{Practice: map[string]bool{"a": true}}}
	if err := c.run(t.Context(), func(string, int, int) {}); err != nil {
		t.Fatal(err)
	}
	d := func(place string) []Difference { return []Difference{{place, "1", "0"}} }
	want := &Part{Kind: "tables", Track: "x", Compared: 1,
		Causes: []*Cause{
			{ByPractice, "D-a a=off", "does a", d("alone")},
			{ByPractice, "D-b b=on, or r=two", "each of them alone", d("either")},
			{ByPractice, "D-b b=on with D-d d=on", "does b does d", d("both")},
		},
		Open:  []Difference{{"spoilt", "1", "0"}, {"stubborn", "1", "0"}},
		Hints: []string{"with D-c c=on, 1 would agree, and 1 figure of all parts would differ anew"},
	}
	if diff := cmp.Diff(want, part); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestRefused checks that a trial that cannot be computed becomes a note, that the remaining trials continue, and that
// the differences are reported. When the command ends, the search ends too.
func TestRefused(t *testing.T) {
	part := &Part{Kind: "pages"}
	rules := &score.RuleSet{Practices: []score.Practice{{ID: "a"}, {ID: "b"}}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := target{parts: []*Part{part}, rules: rules, compare: func(_ context.Context, tr *trial) ([]found, error) {
		on := tr.readings.Practice
		if on["a"] {
			return nil, errors.New("no divisions\nof track x")
		}
		out := []found{{part: part, Difference: Difference{"stubborn", "1", "0"}}}
		if !on["b"] {
			out = append(out, found{part: part, Difference: Difference{"mended", "1", "0"}})
		}
		return out, nil
	}}
	if err := c.run(ctx, func(string, int, int) {}); err != nil {
		t.Fatal(err)
	}
	want := &Part{Kind: "pages", Causes: []*Cause{{ByPractice, "b=on", "", []Difference{{"mended", "1", "0"}}}},
		Open: []Difference{{"stubborn", "1", "0"}}, Hints: []string{"a=on could not be tried: no divisions"}}
	if diff := cmp.Diff(want, part); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	c.compare = func(_ context.Context, tr *trial) ([]found, error) {
		if tr.readings.Practice["a"] {
			cancel()
			return nil, ctx.Err()
		}
		return []found{{part: part, Difference: Difference{"stubborn", "1", "0"}}}, nil
	}
	if err := c.run(ctx, func(string, int, int) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after the end of the command", err)
	}
}

// TestManyFigures uses five switches that all change the same difference. If there are many figures, four pairs of
// switches are tried; if there are few, all ten. A sixth switch changes a different figure, and only alone, so it is in
// no pair. Each search also computes the year's readings, each switch, and the literal rules.
func TestManyFigures(t *testing.T) {
	rules := &score.RuleSet{}
	for _, id := range []string{"a", "b", "c", "d", "e", "other"} {
		rules.Practices = append(rules.Practices, score.Practice{ID: id})
	}
	for figures, want := range map[int]int{60_000: 4, 1_000: 10} {
		part, computed := &Part{Kind: "tables"}, 0
		c := target{parts: []*Part{part}, rules: rules, compare: func(_ context.Context, tr *trial) ([]found, error) {
			computed++
			part.Compared = figures
			made, other := 0, "1"
			for id, on := range tr.readings.Practice {
				if on && id == "other" {
					other = "2"
				} else if on {
					made++
				}
			}
			return []found{{part: part, Difference: Difference{"stubborn", strconv.Itoa(made), "9"}},
				{part: part, Difference: Difference{"another", other, "9"}}}, nil
		}}
		if err := c.run(t.Context(), func(string, int, int) {}); err != nil {
			t.Fatal(err)
		}
		if computed != 1+6+1+want || len(part.Open) != 2 {
			t.Errorf("%d figures: computed %d times, %v", figures, computed, part.Open)
		}
		limited := strings.Contains(strings.Join(part.Hints, "; "), "4 of 10 pairs of readings were tried")
		if limited != (want == 4) {
			t.Errorf("%d figures: the hints are %q", figures, part.Hints)
		}
	}
}

// TestOtherInput checks that differences that disappear with another state of an input are explained by that state.
func TestOtherInput(t *testing.T) {
	part := &Part{Kind: "pages"}
	c := target{parts: []*Part{part}, rules: &score.RuleSet{}, other: &Other{Name: "the submissions of the draw",
		Text: "they differ in A"}, compare: func(_ context.Context, tr *trial) ([]found, error) {
		out := []found{{part: part, Difference: Difference{"stubborn", "1", "0"}}}
		if !tr.other {
			out = append(out, found{part: part, Difference: Difference{"winner", "B", "A"}})
		}
		return out, nil
	}}
	if err := c.run(t.Context(), func(string, int, int) {}); err != nil {
		t.Fatal(err)
	}
	want := &Part{Kind: "pages", Open: []Difference{{"stubborn", "1", "0"}}, Causes: []*Cause{{ByInput,
		"the submissions of the draw", "they differ in A", []Difference{{"winner", "B", "A"}}}}}
	if diff := cmp.Diff(want, part); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestStranger checks that lines of a solver that entered nothing, and the missing winner, are attributed to the
// solver's absence. An entrant's line is not.
func TestStranger(t *testing.T) {
	part := &Part{Kind: "pages"}
	c := target{parts: []*Part{part}, rules: &score.RuleSet{}, compare: func(context.Context, *trial) ([]found, error) {
		return []found{
			{part: part, Difference: Difference{"p / X", "nothing", "a line"}, entrant: entrant{"t", "D", "X"}},
			{part: part, Difference: Difference{"p / Y", "nothing", "a line"}, entrant: entrant{"t", "D", "Y"}},
			{part: part, Difference: Difference{"p / winner", `"Y"`, `"X"`}},
			{part: part, Difference: Difference{"q", "1", "2"}, known: "the year knows"},
			{part: part, Difference: Difference{"r", "nothing", "2"}, missing: true},
		}, nil
	}, entered: func(e entrant) bool { return e.solver == "Y" }}
	if err := c.run(t.Context(), func(string, int, int) {}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range part.Causes {
		got = append(got, c.Kind+" "+c.Name+" "+c.Differences[0].Place)
	}
	want := []string{"input no entry of X p / X", "known the year knows q", "input not computed r"}
	if diff := cmp.Diff(want, got); diff != "" || len(part.Causes[0].Differences) != 2 {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]Difference{{"p / Y", "nothing", "a line"}}, part.Open); diff != "" {
		t.Errorf("open: -want +got\n%s", diff)
	}
}

// TestCells compares values of pages.
func TestCells(t *testing.T) {
	for _, c := range []struct {
		name, made, published string
		n                     int
		want                  []string
	}{
		{"six digits", `{"a": 1.000001, "b": -0.0}`, `{"a": 1.0, "b": 0}`, 2, nil},
		{"seventh digit", `{"a": 1.00001}`, `{"a": 1.0}`, 1, []string{"p / a: made 1.00001, published 1"}},
		{"words in any order", `{"a": ["x", "y"]}`, `{"a": ["y", "x"]}`, 2, nil},
		{"a word less", `{"a": ["x"]}`, `{"a": ["y", "x"]}`, 2, []string{`p / a / "y": made nothing, published listed`}},
		{"a key less", `{}`, `{"a": null, "b": "x"}`, 2, []string{`p / b: made nothing, published "x"`}},
		{"a final slash", `{"a": "https://x.org"}`, `{"a": "https://x.org/"}`, 1, nil},
		{"a host in capitals", `{"a": "https://X.org/B"}`, `{"a": "https://x.org/B"}`, 1, nil},
		{"another path", `{"a": "https://x.org/B"}`, `{"a": "https://x.org/b"}`, 1,
			[]string{`p / a: made "https://x.org/B", published "https://x.org/b"`}},
		{"a slash that is no address", `{"a": "x"}`, `{"a": "x/"}`, 1, []string{`p / a: made "x", published "x/"`}},
		{"participants in any order, logics in any order",
			`[{"name": "A", "seed": 1, "tracks": {"T": {"D": ["L", "M"]}}}, {"name": "B", "seed": 2, "tracks": {}}]`,
			`[{"name": "B", "seed": 2, "tracks": {}}, {"name": "A", "seed": 1, "tracks": {"T": {"D": ["M", "L"]}}}]`, 8, nil},
		{"ties", `[{"name": "A", "correctScore": 1}, {"name": "B", "correctScore": 1}]`,
			`[{"name": "B", "correctScore": 1}, {"name": "A", "correctScore": 1}]`, 6, nil},
		{"order", `[{"name": "A", "correctScore": 1}, {"name": "B", "correctScore": 2}]`,
			`[{"name": "B", "correctScore": 2}, {"name": "A", "correctScore": 1}]`, 6,
			[]string{"p / B / place: made 2, published 1", "p / A / place: made 1, published 2"}},
		{"a line more does not displace", `[{"name": "A", "correctScore": 3}, {"name": "B", "correctScore": 2}]`,
			`[{"name": "X", "correctScore": 4}, {"name": "A", "correctScore": 3}, {"name": "B", "correctScore": 2}]`, 7,
			[]string{"p / X: made nothing, published a line"}},
		{"a line less", `[{"name": "A", "division": "D"}, {"name": "A", "division": "E"}]`,
			`[{"name": "A", "division": "E"}]`, 4, []string{"p / D A: made a line, published nothing"}},
		{"nested", `[["D", ["T"]]]`, `[["D", ["T", "U"]]]`, 2, []string{
			`p / ["D",["T","U"]]: made nothing, published listed`, `p / ["D",["T"]]: made listed, published nothing`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var made, published any
			if err := json.Unmarshal([]byte(c.made), &made); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(c.published), &published); err != nil {
				t.Fatal(err)
			}
			compared := cells{}
			compared.value([]string{"p"}, made, published)
			var got []string
			for _, f := range compared.out {
				got = append(got, f.Place+": made "+f.Made+", published "+f.Published)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if compared.n != c.n {
				t.Errorf("%d compared, want %d", compared.n, c.n)
			}
		})
	}
}

// TestDraw compares drawn with published lists. The digest is that of sha256sum for the lines LIA/f/a and LIA/f/b.
func TestDraw(t *testing.T) {
	const digest = "94f6715ff6bb741452a1ab501c7715d7aceb74c8fc45e18d53b455c69f24ce15"
	drawn := []string{"non-incremental/LIA/f/b", "non-incremental/LIA/f/a"}
	for _, c := range []struct {
		name  string
		draw  Draw
		state State
		why   string
		open  int
	}{
		{"equal", Draw{Source: "s", Listed: []string{"LIA/f/a", "LIA/f/b"}, Lacking: "x"}, Equal, "", 0},
		{"other", Draw{Source: "s", Listed: []string{"LIA/f/a", "LIA/f/c"}}, Differs, "", 2},
		{"other, and not all was there", Draw{Source: "s", Listed: []string{"LIA/f/a", "LIA/f/c"}, Lacking: "x"},
			NotCompared, "it was drawn without x; 1 of its benchmarks are among the 2 in s", 0},
		{"no list", Draw{}, NotCompared, "neither a list, nor results, nor a digest of the track is published here", 0},
		{"digest", Draw{Digest: &pages.DrawnList{Count: 2, SHA256: digest}}, Equal, "", 0},
		{"other digest", Draw{Digest: &pages.DrawnList{Count: 2, SHA256: "00"}}, Differs, "", 1},
		{"other number", Draw{Digest: &pages.DrawnList{Count: 3, SHA256: digest}}, Differs, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.draw.Drawn = drawn
			p := c.draw.Part()
			p.settle()
			if p.State != c.state || p.Why != c.why || len(p.Open) != c.open {
				t.Errorf("got %+v", p)
			}
		})
	}
}

// TestDrawExplained checks that a difference is explained only by the input whose draw equals the published list.
func TestDrawExplained(t *testing.T) {
	draw := func(drawn ...string) *Part {
		d := Draw{Source: "s", Listed: []string{"LIA/f/a"}, Drawn: drawn}
		return d.Part()
	}
	p := draw("LIA/f/a", "LIA/f/b")
	p.ExplainBy("one", "text", draw("LIA/f/c"))
	if len(p.Causes) != 0 || !slices.Equal(p.Hints, []string{"with one, the list would differ in 2"}) {
		t.Errorf("got %v, %v", p.Causes, p.Hints)
	}
	p.ExplainBy("another", "text", draw("LIA/f/a"))
	want := []*Cause{{ByInput, "another", "text", []Difference{{"LIA/f/b", "selected", "not selected"}}}}
	if diff := cmp.Diff(want, p.Causes); diff != "" || len(p.Open) > 0 {
		t.Errorf("open %v, -want +got\n%s", p.Open, diff)
	}
}

// TestFind checks that all duplicates are reported together, and that results of several years are accepted, in a
// folder with brackets in its name.
func TestFind(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[1]")
	for name, text := range map[string]string{
		"a/benchmarks-2031.json": "", "b/benchmarks-2031.json.gz": "", "a/tracks.json": "", "b/tracks.json": "",
		"a/results-sq-2030.json": "", "a/results-inc-2031.json": "", "b/results-inc-2031.json": "",
		"a/notes.md": "# Notes",
		"a/x.md":     `{"year": 2029, "track": "track_parallel"}`, "a/2028-unsat-core/runs.csv": "",
		"a/2028-unsat-core/published.json": `{"year": 2027}`, "a/2026-cloud/other": "", "a/broken.md": "{",
		"a/2025-cloud/runs.csv.gz":         "",
		"b/2028-unsat-core/published.json": `{"year": 2027}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Find([]string{dir})
	for _, want := range []string{"b/benchmarks-2031.json.gz both exist", "b/tracks.json both exist",
		"broken.md: unexpected end", "b/2028-unsat-core both exist", "b/results-inc-2031.json both exist"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if got, want := m.Years(), []int{2025, 2027, 2029, 2030, 2031}; !slices.Equal(got, want) {
		t.Errorf("years %v, want %v", got, want)
	}
	files, missing := m.SingleQuery([]int{2029, 2030, 2031})
	if len(files) != 1 || filepath.Base(files[0]) != "results-sq-2030.json" ||
		!slices.Equal(missing, []int{2029, 2031}) {
		t.Errorf("got %v, and without %v", files, missing)
	}
}

// TestPages checks that names with special characters of Markdown or HTML are escaped, and that long lists are
// truncated.
func TestPages(t *testing.T) {
	r := &Report{Title: "T", Parts: []*Part{{Kind: "tables", Track: "a_b", Compared: 500}}}
	for range 300 {
		r.Parts[0].Open = append(r.Parts[0].Open, Difference{"<b> | x", "1", "2"})
	}
	r.Finish()
	var text, md, html bytes.Buffer
	for _, err := range []error{r.WriteText(&text), r.WriteMarkdown(&md), r.WriteHTML(&html)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(html.String(), "<b>") || !strings.Contains(html.String(), "and 100 more") {
		t.Error("HTML has a name as it is, or all lines")
	}
	if !strings.Contains(md.String(), `| &lt;b> \| x | 1 | 2 |`) || !strings.Contains(md.String(), "and 100 more") {
		t.Error("Markdown has a name as it is, or all lines")
	}
	if n := strings.Count(text.String(), "<b> | x"); n != 20 || !strings.Contains(text.String(), "and 280 more") {
		t.Errorf("%d lines on the terminal, want 20", n)
	}
}

// TestReadSiteFails checks that a site with unreadable data files names the first of them, every time it is read.
func TestReadSiteFails(t *testing.T) {
	dir := t.TempDir()
	s := &Site{Data: map[string]string{}}
	for _, name := range []string{"a.json", "b.json", "c.json", "d.json"} {
		s.Data[name] = filepath.Join(dir, name)
		if err := os.WriteFile(s.Data[name], []byte("{"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		if err := s.read(); err == nil || !strings.Contains(err.Error(), "a.json") {
			t.Fatalf("got the error %v", err)
		}
	}
}
