package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
)

// Format is the format of plan documents. Its number increases if a field is removed or changes its meaning, but not if
// a field is added.
const Format = "smtpipe/plan/1"

// Plan is a plan document, for programs and for "smtpipe run FILE". docs/tools/json.md describes it.
type Plan struct {
	Format   string          `json:"format"`
	Version  string          `json:"smtpipe_version"`
	Pipeline string          `json:"pipeline"`           // absolute path
	Evidence string          `json:"evidence,omitempty"` // evidence in use; empty if there is none
	Targets  []string        `json:"targets"`
	Jobs     int             `json:"jobs"`
	Changed  bool            `json:"changed"`
	Loss     *engine.Loss    `json:"loss,omitempty"` // finished runs that executing the plan would no longer use
	Totals   engine.Totals   `json:"totals"`
	Steps    []engine.Step   `json:"steps"`
	Warnings json.RawMessage `json:"warnings"` // in the format of check --json
}

func (p *Project) Document(plan *engine.Plan, diags hcl.Diagnostics, targets []string, jobs int) (*Plan,
	error) {
	var warnings bytes.Buffer
	if err := config.DiagnosticsJSON(&warnings, diags, p.Sources()); err != nil {
		return nil, err
	}
	if jobs <= 0 {
		jobs = runtime.NumCPU()
	}
	return &Plan{
		Format:   Format,
		Version:  p.version,
		Pipeline: p.Path,
		Evidence: p.evidenceText(),
		Targets:  append([]string{}, targets...),
		Jobs:     jobs,
		Changed:  plan.Changed(),
		Totals:   plan.Totals(),
		Steps:    plan.Steps,
		Warnings: warnings.Bytes(),
	}, nil
}

// Write atomically writes the document to a file.
func (d *Plan) Write(path string) error {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	if err := outfile.Write(path, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("the plan cannot be written: %w", err)
	}
	return nil
}

// maxPlanBytes is the maximum size of a plan file. The largest pipeline's plan takes about 20 MB.
const maxPlanBytes = 256 << 20

// readPlan reads and checks a plan file.
func readPlan(path string) (*Plan, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, exit.With(exit.Usage, exit.Plain(err, path))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPlanBytes))
	if err != nil {
		return nil, err
	}
	var d Plan
	if err := json.Unmarshal(text, &d); err != nil || d.Format == "" {
		return nil, exit.With(exit.Usage, fmt.Errorf("%s is not a plan; \"smtpipe plan --out FILE\" writes one", path))
	}
	if d.Format != Format {
		return nil, exit.With(exit.Usage, fmt.Errorf("%s is a plan in format %s, but this smtpipe reads %s; create it "+
			"again with \"smtpipe plan --out\"", path, d.Format, Format))
	}
	return &d, nil
}

// UsePlan reads a plan file and sets the options to the plan's pipeline, unless they name another one.
func (f *Options) UsePlan(path string) (*Plan, error) {
	doc, err := readPlan(path)
	if err != nil {
		return nil, err
	}
	if f.Pipeline == "" {
		f.Pipeline = doc.Pipeline
	}
	full, err := filepath.Abs(f.Pipeline)
	if err != nil {
		return nil, err
	}
	if full != doc.Pipeline {
		return nil, exit.With(exit.Usage, fmt.Errorf("%s is a plan for %s, not for %s", path, doc.Pipeline, full))
	}
	return doc, nil
}

// CheckPlan checks that a run would still do the planned work.
func (p *Project) CheckPlan(stderr io.Writer, doc *Plan, jobs int) error {
	now, diags, err := p.plan(engine.Options{Targets: doc.Targets, Jobs: jobs})
	if err != nil {
		return err
	}
	if diags.HasErrors() {
		return p.Report(stderr, diags)
	}
	differences := now.Differences(&engine.Plan{Steps: doc.Steps})
	if doc.Version != p.version {
		differences = append(differences, fmt.Sprintf("the plan was made by smtpipe %s, but this is %s", doc.Version,
			p.version))
	}
	if len(differences) == 0 {
		return nil
	}
	const shown = 20
	more := ""
	if n := len(differences) - shown; n > 0 {
		differences, more = differences[:shown], fmt.Sprintf("\n  and %d more", n)
	}
	return fmt.Errorf("the plan is no longer valid; nothing was executed:\n  %s%s\nCreate a new one with \"smtpipe "+
		"plan --out\" and the same --var and --var-file flags as the run",
		strings.Join(differences, "\n  "), more)
}
