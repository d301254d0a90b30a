package project

import (
	"io"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
)

// LoadRules loads the rules that a name stands for, as rules.Load. It prints errors in their files.
func LoadRules(stderr io.Writer, name string) (*rules.Rules, error) {
	r, diags := rules.Load(name, "")
	if len(diags) == 0 {
		return r, nil
	}
	var files map[string]*hcl.File
	if r != nil {
		files = r.Files
	}
	if err := hcl.NewDiagnosticTextWriter(stderr, files, 100, false).WriteDiagnostics(diags); err != nil {
		return nil, err
	}
	if diags.HasErrors() {
		return nil, exit.With(exit.Usage, nil)
	}
	return r, nil
}
