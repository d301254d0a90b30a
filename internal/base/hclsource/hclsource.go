// Package hclsource parses HCL files from untrusted sources: pipelines, yearly rules and rule sets. HCL's parser and
// evaluator are recursive, and a Go program cannot recover from stack exhaustion, so text that is nested deeper than
// any sensible file is rejected before parsing.
package hclsource

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// Limits for a file.
const (
	maxOperators = 5000 // per expression
	maxExponent  = 4    // number of digits

	maxSyntaxErrors = 20 // syntax errors reported per file, because one mistake can cause many
)

// CheckFile returns an error if a file is not regular or is too large for HCL.
func CheckFile(info fs.FileInfo, name string) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", name)
	case info.Size() > limits.HCL.Bytes:
		return fmt.Errorf("%s has %d bytes; an HCL file has at most %d", name, info.Size(), limits.HCL.Bytes)
	}
	return nil
}

// ReadPath reads a file from disk within the limits.
func ReadPath(path string) ([]byte, error) {
	return ReadFile(os.DirFS(filepath.Dir(path)), filepath.Base(path), path)
}

// ReadFile reads a file in a folder within the limits. Errors show it as shown.
func ReadFile(folder fs.FS, name, shown string) ([]byte, error) {
	info, err := fs.Stat(folder, name)
	if err != nil {
		return nil, err
	}
	if err := CheckFile(info, shown); err != nil {
		return nil, err
	}
	f, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	src, err := limits.HCL.Read(f, shown)
	return src, errors.Join(err, f.Close())
}

// Parse parses HCL native syntax. The returned file is never nil, so diagnostics can always show the source.
func Parse(src []byte, name string) (*hcl.File, hcl.Diagnostics) {
	if diags := CheckNesting(src, name); diags.HasErrors() {
		return &hcl.File{Bytes: src, Body: &hclsyntax.Body{}}, diags
	}
	file, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	if i := slices.IndexFunc(diags,
		func(d *hcl.Diagnostic) bool { return d.Summary == "Invalid character encoding" }); i >= 0 {
		diags = diags[i : i+1] // errors that follow from it do not help
	}
	diags = addHints(diags, src)
	if len(diags) > maxSyntaxErrors {
		rest := len(diags) - maxSyntaxErrors
		diags = append(diags[:maxSyntaxErrors], &hcl.Diagnostic{Severity: hcl.DiagError,
			Summary: "Too many syntax errors",
			Detail:  fmt.Sprintf("%s has %d more syntax errors that are not shown. Is it HCL?", name, rest),
			Subject: diags[maxSyntaxErrors].Subject})
	}
	if file == nil {
		file = &hcl.File{Bytes: src, Body: &hclsyntax.Body{}}
	}
	if body, ok := file.Body.(*hclsyntax.Body); ok && !diags.HasErrors() {
		diags = append(diags, keysTwice(body)...)
	}
	return file, diags
}

// keysTwice warns about duplicate keys in an object, because HCL silently uses the last one.
func keysTwice(body *hclsyntax.Body) (diags hcl.Diagnostics) {
	_ = hclsyntax.VisitAll(body, func(n hclsyntax.Node) hcl.Diagnostics {
		object, ok := n.(*hclsyntax.ObjectConsExpr)
		if !ok {
			return nil
		}
		lines := map[string]int{}
		for _, item := range object.Items {
			at, key := item.KeyExpr.Range(), literalKey(item.KeyExpr)
			if key == "" {
				continue
			}
			if line := lines[key]; line > 0 {
				diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "Key twice", Subject: &at,
					Detail: fmt.Sprintf("The object has the key %q in line %d already, and only the last one counts. Put both "+
						"into one, or correct the name.", key, line)})
			}
			lines[key] = at.Start.Line
		}
		return nil
	})
	return diags
}

// literalKey returns the key of an object's item if it is a name or a string, or "" if it must be evaluated.
func literalKey(x hclsyntax.Expression) string {
	key, ok := x.(*hclsyntax.ObjectConsKeyExpr)
	if !ok || key.ForceNonLiteral {
		return ""
	}
	text, ok := key.Wrapped.(*hclsyntax.TemplateExpr)
	if !ok || !text.IsStringLiteral() {
		return hcl.ExprAsKeyword(key.Wrapped)
	}
	v, _ := text.Value(nil)
	return v.AsString()
}

// CheckNesting rejects text that would exhaust the parser's stack or memory.
func CheckNesting(src []byte, name string) hcl.Diagnostics {
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos) // the parser reports the same errors again
	open := []hclsyntax.TokenType{hclsyntax.TokenNil}
	operators := []int{0}
	refuse := func(t hclsyntax.Token, summary, detail string) hcl.Diagnostics {
		return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: t.Range.Ptr()}}
	}
	for _, t := range tokens {
		top := len(open) - 1
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOParen, hclsyntax.TokenOBrack, hclsyntax.TokenOQuote,
			hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			open, operators = append(open, t.Type), append(operators, 0)
			if len(open) > limits.HCL.Nesting {
				return refuse(t, "Nested too deeply", fmt.Sprintf("Brackets, blocks and templates can be nested at "+
					"most %d "+
					"deep.", limits.HCL.Nesting))
			}
		case hclsyntax.TokenCBrace, hclsyntax.TokenCParen, hclsyntax.TokenCBrack, hclsyntax.TokenCQuote,
			hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
			if top > 0 {
				open, operators = open[:top], operators[:top]
			}
		case hclsyntax.TokenComma:
			operators[top] = 0
		case hclsyntax.TokenNewline:
			if open[top] == hclsyntax.TokenNil || open[top] == hclsyntax.TokenOBrace {
				operators[top] = 0
			}
		case hclsyntax.TokenNumberLit:
			if _, exponent, found := strings.Cut(strings.ToLower(string(t.Bytes)), "e"); found &&
				len(strings.TrimLeft(exponent, "+-0")) > maxExponent {
				return refuse(t, "Number out of range", fmt.Sprintf("A number's exponent can have at most %d digits.",
					maxExponent))
			}
		case hclsyntax.TokenIdent, hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit:
		default:
			if operators[top]++; operators[top] > maxOperators {
				return refuse(t, "Expression too long", fmt.Sprintf("An expression can have at most %d operators.",
					maxOperators))
			}
		}
	}
	return nil
}
