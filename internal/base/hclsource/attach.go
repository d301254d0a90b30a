package hclsource

import "github.com/hashicorp/hcl/v2"

// attached records the source file of a diagnostic about a file outside the pipeline, such as a rule set.
type attached struct {
	file  *hcl.File
	extra any
}

// UnwrapDiagnosticExtra lets hcl.DiagnosticExtra find the extra that the diagnostic had before.
func (a attached) UnwrapDiagnosticExtra() any { return a.extra }

// Attach records the source file in its diagnostics, so that the affected lines can be shown.
func Attach(diags hcl.Diagnostics, file *hcl.File) {
	for _, d := range diags {
		d.Extra = attached{file, d.Extra}
	}
}

// FileOf returns the file that a diagnostic is about: the attached one, or else the one in sources, or nil.
func FileOf(d *hcl.Diagnostic, sources map[string]*hcl.File) *hcl.File {
	if a, ok := hcl.DiagnosticExtra[attached](d); ok {
		return a.file
	}
	return sources[d.Subject.Filename]
}
