package config

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
)

// JSONPos is a position in a file. Line and column start at 1, byte at 0. Columns count user-perceived characters.
type JSONPos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Byte   int `json:"byte"`
}

// JSONRange is a range in a file, excluding End.
type JSONRange struct {
	Filename string  `json:"filename"`
	Start    JSONPos `json:"start"`
	End      JSONPos `json:"end"`
}

// JSONDiagnostic is a machine-readable diagnostic. Range and Snippet are omitted without a location.
type JSONDiagnostic struct {
	Severity string      `json:"severity"` // error or warning
	Summary  string      `json:"summary"`
	Detail   string      `json:"detail"`
	Range    *JSONRange  `json:"range,omitempty"`
	Snippet  string      `json:"snippet,omitempty"` // source lines of the range
	Values   []JSONValue `json:"values,omitempty"`  // variables in the expression
}

// JSONValue is a variable in a diagnostic's expression, with its value as text.
type JSONValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// DiagnosticsJSON writes diagnostics as a JSON array.
func DiagnosticsJSON(w io.Writer, diags hcl.Diagnostics, sources map[string]*hcl.File) error {
	all := make([]JSONDiagnostic, 0, len(diags))
	for _, d := range diags {
		all = append(all, jsonDiagnostic(d, sources))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}

func jsonDiagnostic(d *hcl.Diagnostic, sources map[string]*hcl.File) JSONDiagnostic {
	out := JSONDiagnostic{Severity: "error", Summary: d.Summary, Detail: d.Detail}
	if d.Severity == hcl.DiagWarning {
		out.Severity = "warning"
	}
	for _, v := range valuesOf(d) {
		out.Values = append(out.Values, JSONValue{v.name, v.text})
	}
	if d.Subject == nil {
		return out
	}
	pos := func(p hcl.Pos) JSONPos { return JSONPos{p.Line, p.Column, p.Byte} }
	out.Range = &JSONRange{d.Subject.Filename, pos(d.Subject.Start), pos(d.Subject.End)}
	if f := hclsource.FileOf(d, sources); f != nil {
		var text []string
		for _, l := range linesOf(f.Bytes, *d.Subject) {
			text = append(text, l.text)
		}
		out.Snippet = strings.Join(text, "\n")
	}
	return out
}
