package config

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/mitchellh/go-wordwrap"
	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// maxSnippet is the maximum number of source lines to show.
const maxSnippet = 6

// Terminal colours.
const (
	colorError   = "\x1b[1;31m"
	colorWarning = "\x1b[1;33m"
	colorBold    = "\x1b[1m"
	colorMark    = "\x1b[4m"
	colorReset   = "\x1b[0m"
)

// WriteDiagnostics writes diagnostics in readable form: the problem, the source lines with the location underlined, the
// values of the variables in the expression, and the remedy. Text is wrapped at width columns, or not at all if width
// is 0.
func WriteDiagnostics(w io.Writer, diags hcl.Diagnostics, sources map[string]*hcl.File, width int, color bool) error {
	var out bytes.Buffer
	for i, d := range diags {
		if i > 0 {
			out.WriteByte('\n')
		}
		writeDiagnostic(&out, d, sources, width, color)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func writeDiagnostic(w *bytes.Buffer, d *hcl.Diagnostic, sources map[string]*hcl.File, width int, color bool) {
	paint := func(code, s string) string {
		if !color || s == "" {
			return s
		}
		return code + s + colorReset
	}
	severity := paint(colorError, "Error:")
	if d.Severity == hcl.DiagWarning {
		severity = paint(colorWarning, "Warning:")
	}
	fmt.Fprintf(w, "%s %s\n", severity, paint(colorBold, d.Summary))
	if d.Subject != nil {
		writeSnippet(w, d, sources, paint, color)
	}
	for i, v := range valuesOf(d) {
		lead := "    with "
		if i > 0 {
			lead = "         "
		}
		fmt.Fprintf(w, "%s%s = %s\n", lead, v.name, v.text)
	}
	if d.Detail != "" {
		detail := d.Detail
		if width > 0 {
			detail = wrap(detail, width)
		}
		fmt.Fprintf(w, "%s\n", detail)
	}
}

// wrap wraps lines that are not indented. Indented lines are lists and stay unchanged.
func wrap(s string, width int) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if !strings.HasPrefix(l, " ") {
			lines[i] = wordwrap.WrapString(l, uint(max(width, 20)))
		}
	}
	return strings.Join(lines, "\n")
}

func writeSnippet(w *bytes.Buffer, d *hcl.Diagnostic, sources map[string]*hcl.File, paint func(code, s string) string,
	color bool) {
	file := hclsource.FileOf(d, sources)
	where := ""
	if file != nil {
		if nav, ok := file.Nav.(interface{ ContextString(offset int) string }); ok {
			if c := nav.ContextString(d.Subject.Start.Byte); c != "" {
				where = ", in " + c
			}
		}
	}
	fmt.Fprintf(w, "  on %s line %d%s:\n", d.Subject.Filename, d.Subject.Start.Line, where)
	if file == nil {
		return
	}
	lines := linesOf(file.Bytes, *d.Subject)
	digits := len(fmt.Sprint(lines[min(len(lines), maxSnippet)-1].number))
	for i, l := range lines {
		if i == maxSnippet {
			fmt.Fprintf(w, "  %*s\n", digits, "...")
			return
		}
		before, marked, after := l.text[:l.from], l.text[l.from:l.to], l.text[l.to:]
		fmt.Fprintf(w, "  %*d: %s%s%s\n", digits, l.number, before, paint(colorMark, marked), after)
		if !color && len(lines) == 1 {
			fmt.Fprintf(w, "  %*s  %s%s\n", digits, "", blank(before),
				strings.Repeat("^", max(1, utf8.RuneCountInString(marked))))
		}
	}
}

// blank returns white space as wide as a text.
func blank(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}

// sourceLine is a source line with its relevant part.
type sourceLine struct {
	number   int
	text     string
	from, to int // byte offsets of the relevant part
}

// linesOf returns the lines of a range. It returns at least one line.
func linesOf(src []byte, r hcl.Range) []sourceLine {
	start, end := min(max(r.Start.Byte, 0), len(src)), min(max(r.End.Byte, 0), len(src))
	end = max(start, end)
	begin := bytes.LastIndexByte(src[:start], '\n') + 1
	var lines []sourceLine
	for number := r.Start.Line; ; number++ {
		stop := len(src)
		if i := bytes.IndexByte(src[begin:], '\n'); i >= 0 {
			stop = begin + i
		}
		text := bytes.TrimSuffix(src[begin:stop], []byte("\r"))
		clamp := func(at int) int { return min(max(at-begin, 0), len(text)) }
		lines = append(lines, sourceLine{number, strings.ToValidUTF8(string(text), "?"), clamp(start), clamp(end)})
		last := &lines[len(lines)-1]
		if len(last.text) != len(text) {
			last.from, last.to = 0, 0 // the line is not valid UTF-8
		}
		last.clip()
		begin = stop + 1
		if begin >= end || begin > len(src) {
			return lines
		}
	}
}

// longestLine is the maximum number of bytes shown of a line.
const longestLine = 240

// clip shortens a long line to the text around its relevant part.
func (l *sourceLine) clip() {
	if len(l.text) <= longestLine {
		return
	}
	from := max(0, min(l.from-longestLine/3, len(l.text)-longestLine))
	to := min(len(l.text), from+longestLine)
	for from > 0 && !utf8.RuneStart(l.text[from]) {
		from--
	}
	for to < len(l.text) && !utf8.RuneStart(l.text[to]) {
		to++
	}
	lead, tail := "", ""
	if from > 0 {
		lead = "..."
	}
	if to < len(l.text) {
		tail = "..."
	}
	shift := func(at int) int { return len(lead) + min(max(at-from, 0), to-from) }
	l.text, l.from, l.to = lead+l.text[from:to]+tail, shift(l.from), shift(l.to)
}

// namedText is a variable with its value as text.
type namedText struct{ name, text string }

// valuesOf returns the variables in a diagnostic's expression whose values are known and can be shown, in source order.
func valuesOf(d *hcl.Diagnostic) []namedText {
	if d.Expression == nil || d.EvalContext == nil {
		return nil
	}
	var all []namedText
	seen := map[string]bool{}
	for _, t := range d.Expression.Variables() {
		v, diags := t.TraverseAbs(d.EvalContext)
		if diags.HasErrors() {
			continue
		}
		name := traversalText(t)
		if seen[name] {
			continue
		}
		seen[name] = true
		if text := valueText(v); text != "" {
			all = append(all, namedText{name, text})
		}
	}
	return all
}

func traversalText(t hcl.Traversal) string {
	var w strings.Builder
	for _, step := range t {
		switch s := step.(type) {
		case hcl.TraverseRoot:
			w.WriteString(s.Name)
		case hcl.TraverseAttr:
			w.WriteString("." + s.Name)
		case hcl.TraverseIndex:
			switch {
			case s.Key.Type() == cty.String:
				w.WriteString(keyText(s.Key.AsString()))
			case s.Key.Type() == cty.Number:
				w.WriteString("[" + s.Key.AsBigFloat().Text('g', -1) + "]")
			}
		}
	}
	return w.String()
}

// valueText describes a value in a few words, or returns "" if that would not help.
func valueText(v cty.Value) string {
	const longest = 80
	if isSensitive(v) {
		return "(sensitive)"
	}
	v, _ = v.UnmarkDeep()
	t := v.Type()
	switch {
	case !v.IsKnown():
		if t == cty.DynamicPseudoType {
			return "(not known yet)"
		}
		return "(a " + typeName(t) + ", not known yet)"
	case v.IsNull():
		return "null"
	case t == cty.Bool:
		return fmt.Sprint(v.True())
	case t == cty.Number:
		return v.AsBigFloat().Text('g', 12)
	case t == cty.String:
		s := []rune(v.AsString())
		if len(s) > longest {
			return fmt.Sprintf("%q... (%d characters)", string(s[:longest]), len(s))
		}
		return fmt.Sprintf("%q", string(s))
	case t.IsCollectionType(), t.IsTupleType():
		return fmt.Sprintf("%s with %d elements", typeName(t), v.LengthInt())
	case t.IsObjectType():
		names := attrNames(t)
		if len(names) == 0 {
			return "{}"
		}
		return "object with " + strings.ReplaceAll(words.OneOf(names), `"`, "")
	}
	if a, ok := stages.ArtifactOf(v); ok && a.Rows > 0 {
		return fmt.Sprintf("%s with %d rows", typeName(t), a.Rows)
	}
	if f, ok := stages.FileOf(v); ok {
		return "file " + f.Name
	}
	return typeName(t)
}
