package project

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/base/budget"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// ReportFailures prints stage failures as diagnostics with their positions, and returns the rest of err. It reports a
// full disk only once.
func (p *Project) ReportFailures(w io.Writer, err error) error {
	if err == nil || errors.Is(err, syscall.ENOSPC) {
		return err
	}
	diags, rest := failures(err)
	for _, d := range diags {
		p.attachSource(d)
	}
	if reported := p.Report(w, diags); rest == nil {
		return reported
	}
	return rest
}

// attachSource loads a diagnostic's file if the file is not part of the pipeline, such as a rule set.
func (p *Project) attachSource(d *hcl.Diagnostic) {
	if d.Subject == nil || p.Sources()[d.Subject.Filename] != nil {
		return
	}
	name := d.Subject.Filename
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.Pipeline.Folder(), name)
	}
	if src, err := os.ReadFile(name); err == nil {
		file, _ := hclsource.Parse(src, d.Subject.Filename)
		hclsource.Attach(hcl.Diagnostics{d}, file)
	}
}

// failures splits err into diagnostics for stage errors and the remaining errors.
func failures(err error) (diags hcl.Diagnostics, rest error) {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var left []error
		for _, e := range many.Unwrap() {
			d, r := failures(e)
			diags, left = append(diags, d...), append(left, r)
		}
		return diags, errors.Join(left...)
	}
	_, waits := errors.AsType[*stages.WaitingError](err) // a waiting stage has not failed
	if e, ok := err.(*engine.StageError); ok && !waits {
		for _, one := range inFiles(e.Err) {
			d := failure(e.One(one))
			see := exit.SeeQuestions(d.Summary + d.Detail)
			if d.Detail == "" {
				see = strings.TrimSpace(see)
			}
			d.Detail += see
			diags = append(diags, d)
		}
		return diags, nil
	}
	return nil, err
}

// rowAdvice returns advice for an expression that failed for a row.
func rowAdvice(detail string) string {
	if strings.Contains(detail, "must not be null") {
		return "A value that a row does not have is null; ask for it first, as in x != null && x < 1."
	}
	return "If such rows are expected, try(EXPRESSION, VALUE) returns VALUE for them."
}

// inFiles returns the errors joined in err if all of them concern a file's data. They are reported individually.
func inFiles(err error) []error {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range many.Unwrap() {
		for _, one := range inFiles(e) {
			if _, ok := one.(*stages.DataError); !ok {
				return []error{err}
			}
			all = append(all, one)
		}
	}
	return all
}

// failure returns a diagnostic at a stage's block or, if an expression failed for a row, at that expression with the
// row's values.
func failure(e *engine.StageError) *hcl.Diagnostic {
	d := &hcl.Diagnostic{Severity: hcl.DiagError}
	if e.Range.Filename != "" { // an output lost by several stages has no position
		d.Subject = &e.Range
	}
	if data, ok := errors.AsType[*stages.DataError](e.Err); ok && e.Args != nil {
		at := e.Args.RangeOf(data.Attr)
		d.Subject = &at
	}
	text := e.Error()
	if row, ok := errors.AsType[*rowexpr.RowError](e.Err); ok {
		before, _, _ := strings.Cut(text, row.Error())
		d.Subject = &row.Expr
		said := row.Msg
		if len(row.Diags) > 0 {
			first := row.Diags[0]
			said = first.Summary
			d.Detail, d.Expression, d.EvalContext = first.Detail, first.Expression, first.EvalContext
			if first.Subject != nil {
				d.Subject = first.Subject
			}
			if first.Summary != budget.TooLarge {
				d.Detail += "\n" + rowAdvice(d.Detail)
			}
			if row.Name != "" {
				d.Detail = "The row is " + row.Name + ". " + d.Detail
			}
		}
		text = before + said
	}
	// Line breaks in a program's output are kept.
	first, more, _ := strings.Cut(text, "\n")
	d.Summary = first
	if more != "" {
		d.Detail = "  " + strings.ReplaceAll(more, "\n", "\n  ")
	}
	d.Detail += exit.Advice(e.Err)
	d.Detail = strings.TrimPrefix(d.Detail, "\n")
	return d
}
