package hclsource

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
)

// undecided starts the comments that mark decisions to be made before a competition, such as its deadlines.
const undecided = "# undecided"

// Undecided returns a warning for each comment that begins with "# undecided". It points at the comment and, unless the
// comment contains the attribute itself, at the line below it.
func Undecided(src []byte, name string) (diags hcl.Diagnostics) {
	if !bytes.Contains(src, []byte(undecided)) {
		return nil
	}
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	for i, t := range tokens {
		text := strings.TrimSpace(string(t.Bytes))
		if t.Type != hclsyntax.TokenComment || !strings.HasPrefix(text, undecided) {
			continue
		}
		at := t.Range
		at.End = hcl.Pos{Line: at.Start.Line, Column: at.Start.Column + len(text), Byte: at.Start.Byte + len(text)}
		attribute := strings.Contains(text, " = ")
		for _, next := range tokens[i+1:] {
			if attribute || next.Type == hclsyntax.TokenNewline || next.Type == hclsyntax.TokenComment ||
				next.Type == hclsyntax.TokenEOF {
				break
			}
			at.End = next.Range.End
		}
		detail := "Decide the line below the comment, then remove the comment."
		if attribute {
			detail = "Decide the attribute in the comment, then make it an attribute again."
		}
		diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "Undecided", Subject: &at,
			Detail: detail})
	}
	return diags
}

var (
	yearNumber = pattern.Lazy(`\b(19|20)[0-9]{2}\b`)
	dateText   = pattern.Lazy(`^"(19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}"$`)
)

// MarkUndecided adds an "# undecided" comment to each attribute whose value names another year, except citations
// ("cite"). A date becomes part of its comment, because another year's date is always wrong. was names the origin of
// the values.
func MarkUndecided(src []byte, was, year string) ([]byte, error) {
	file, diags := hclsyntax.ParseConfig(src, "", hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	lines := bytes.SplitAfter(src, []byte("\n"))
	_ = hclsyntax.VisitAll(file.Body.(*hclsyntax.Body), func(n hclsyntax.Node) hcl.Diagnostics {
		a, ok := n.(*hclsyntax.Attribute)
		if !ok {
			return nil
		}
		value := string(a.Expr.Range().SliceBytes(src))
		other := func(named string) bool { return named != year }
		if a.Name == "cite" || !slices.ContainsFunc(yearNumber().FindAllString(value, -1), other) {
			return nil
		}
		line := &lines[a.NameRange.Start.Line-1]
		indent := string((*line)[:a.NameRange.Start.Column-1])
		if dateText().MatchString(value) {
			words := bytes.Join(bytes.Fields(*line), []byte(" "))
			*line = fmt.Appendf(nil, "%s%s: in %s, %s\n", indent, undecided, was, words)
		} else {
			*line = fmt.Appendf(nil, "%s%s: as in %s\n%s", indent, undecided, was, *line)
		}
		return nil
	})
	return bytes.Join(lines, nil), nil
}
