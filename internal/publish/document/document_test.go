package document

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/diff"
)

// TestStrangers writes texts that others chose: they neither end code or lines in Markdown nor command a terminal.
func TestStrangers(t *testing.T) {
	d := &Document{Title: "a\x1b[2Jb\u009bc", Sections: []Section{
		{List: []Item{{Text: "x\r# y", Blocks: []string{"ls '`` @you'\r# z", "`"}}}}}}
	var text, markdown bytes.Buffer
	if err := d.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(text.String(), "\x1b\u009b\r") {
		t.Errorf("control characters in the text: %q", text.String())
	}
	if err := d.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	const want = "- x # y\n  ``` ls '`` @you' # z ```\n  `` ` ``\n"
	if _, got, _ := strings.Cut(markdown.String(), "\n\n"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMarkdownIsLiteral checks that Markdown strikes nothing through and shows no formula, entity or command to the
// terminal.
func TestMarkdownIsLiteral(t *testing.T) {
	d := &Document{Title: "~~a~~ $b$ &lt;c&gt; \x1b[31m"}
	var b bytes.Buffer
	if err := d.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	if want := `# \~\~a\~\~ \$b\$ &amp;lt;c&amp;gt; ` + "\uFFFD\\[31m\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// TestForms writes a document with a name that is special in Markdown and HTML in all forms.
func TestForms(t *testing.T) {
	d := &Document{Title: "T", Page: "Page", About: "About.", Verdict: "It differs.", State: "bad",
		Lines: []string{"A line."}, Sections: []Section{
			{Head: []string{"part", "n", "result"}, Rows: []Row{{Cells: []string{"a|b", "10", "no"}, State: "bad"},
				{Cells: []string{"c", "-", "yes"}}}},
			{Title: "Why", Groups: []Group{
				{Title: "By practice", Words: [2]string{"made", "published"}, Most: 1, Notes: []string{"a note"},
					All: []diff.Difference{{What: "<x>", From: "1", To: "2"}, {What: "y", From: "3", To: "4"}}},
				{All: []diff.Difference{{What: "z", From: "1", To: "2", Causes: []string{"c"},
					Details: []string{"before: q"}}}},
			}, List: []Item{{Text: "an item", Blocks: []string{"a command"}}}},
		}}
	for _, form := range []struct {
		name  string
		write func(*bytes.Buffer) error
		want  string
	}{
		{"text", func(b *bytes.Buffer) error { return d.WriteText(b) }, `T
It differs.
A line.

part   n  result
a|b   10  no
c      -  yes

Why
  By practice
    <x>: made 1, published 2
    and 1 more
    a note
  z: 1 → 2  (c)
    before: q
- an item
    a command
`},
		{"Markdown", func(b *bytes.Buffer) error { return d.WriteMarkdown(b) }, `# Page

About.

**It differs.** A line.

| part | n | result |
| --- | ---: | --- |
| a\|b | 10 | no |
| c | - | yes |

## Why

By practice

| what | made | published |
| --- | --- | --- |
| &lt;x> | 1 | 2 |
| y | 3 | 4 |

- a note

| what | from | to | because |
| --- | --- | --- | --- |
| z | 1 | 2 | c before: q |

- an item
  ` + "`` a command ``\n"},
	} {
		var b bytes.Buffer
		if err := form.write(&b); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(form.want, b.String()); d != "" {
			t.Errorf("%s: -want +got\n%s", form.name, d)
		}
	}
	var page bytes.Buffer
	if err := d.WritePage(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>Page</title>", `<span class="badge bad">It differs.</span>`,
		`<td class="num">10</td><td class="text"><span class="badge bad">no</span></td>`,
		`<li>an item<pre tabindex="0">a command</pre></li>`, `<th scope="col">published</th>`,
		`<th scope="row">&lt;x&gt;</th><td class="text">1</td>`, "<li>before: q</li>", "<p class=\"sub\">a note</p>"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %s:\n%s", want, page.String())
		}
	}
}
