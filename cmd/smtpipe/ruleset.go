package main

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// findScoring reads the rule set with a name and prints its errors.
func findScoring(w io.Writer, name string) (*score.RuleSet, *rules.Rules, error) {
	rs, of, diags := rules.FindScoring(name, "")
	files := maps.Clone(of.Sources())
	if rs != nil {
		maps.Copy(files, rs.Files())
	}
	err := printDiagnostics(w, files, diags)
	if _, absent := os.Stat(name); err != nil && absent != nil && !rules.IsBuiltin(name) {
		err = exit.With(exit.Usage, nil) // the name is wrong, not the rules
	}
	return rs, of, err
}

// printDiagnostics prints diagnostics with their source. It returns an error if any of them is an error.
func printDiagnostics(w io.Writer, files map[string]*hcl.File, diags hcl.Diagnostics) error {
	if len(diags) == 0 {
		return nil
	}
	if err := hcl.NewDiagnosticTextWriter(w, files, 100, false).WriteDiagnostics(diags); err != nil {
		return err
	}
	if diags.HasErrors() {
		return exit.With(exit.Error, nil)
	}
	return nil
}

// ruleError prints a row expression's error with its source.
func ruleError(w io.Writer, rs *score.RuleSet, err error) error {
	if diags, ok := errors.AsType[hcl.Diagnostics](err); ok {
		return printDiagnostics(w, rs.Files(), diags)
	}
	if errors.Is(err, context.Canceled) {
		return exit.With(exit.Interrupted, err)
	}
	return err
}
