package main

import (
	"io"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
)

// addRulesFlag adds --rules, with the alias --year, which names the rules that a command follows.
func addRulesFlag(f *pflag.FlagSet, name *string) {
	f.StringVar(name, "rules", rules.Newest(), "a year, or the path of a folder with the rules of one")
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "year" {
			name = "rules"
		}
		return pflag.NormalizedName(name)
	})
}

// loadYear loads the rules that the value of --rules names. It prints errors in their files.
func loadYear(stderr io.Writer, name string) (*rules.Rules, error) {
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
