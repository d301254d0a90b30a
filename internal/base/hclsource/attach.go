package hclsource

import "github.com/hashicorp/hcl/v2"

// attached is the source of a diagnostic about a file that is not part of the pipeline, such as a rule set.
type attached struct {
	file  *hcl.File
	extra any
}

// UnwrapDiagnosticExtra lets hcl.DiagnosticExtra find the diagnostic's previous extra.
func (a attached) UnwrapDiagnosticExtra() any { return a.extra }

// Attach records in diagnostics the file that they are about, so that its lines can be shown.
func Attach(diags hcl.Diagnostics, file *hcl.File) {
	for _, d := range diags {
		d.Extra = attached{file, d.Extra}
	}
}

// FileOf returns the file that a diagnostic is about: one of sources, or the attached one. It is nil if there is
// neither.
func FileOf(d *hcl.Diagnostic, sources map[string]*hcl.File) *hcl.File {
	if a, ok := hcl.DiagnosticExtra[attached](d); ok {
		return a.file
	}
	return sources[d.Subject.Filename]
}
