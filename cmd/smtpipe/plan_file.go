package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
)

// planFormat names the format of plan documents. Adding a field does not change it. It gets a new number if a field's
// meaning changes or a field is removed.
const planFormat = "smtpipe/plan/1"

// planDocument is a plan for programs and for "smtpipe run FILE". docs/tools/json.md describes it.
type planDocument struct {
	Format   string          `json:"format"`
	Version  string          `json:"smtpipe_version"`
	Pipeline string          `json:"pipeline"`           // absolute path
	Evidence string          `json:"evidence,omitempty"` // evidence in use; empty: none
	Targets  []string        `json:"targets"`
	Jobs     int             `json:"jobs"`
	Changed  bool            `json:"changed"`
	Loss     *engine.Loss    `json:"loss,omitempty"` // finished runs that a run would no longer use
	Totals   engine.Totals   `json:"totals"`
	Steps    []engine.Step   `json:"steps"`
	Warnings json.RawMessage `json:"warnings"` // as in check --json
}

func (p *project) planDocument(plan *engine.Plan, diags hcl.Diagnostics, targets []string, jobs int) (*planDocument,
	error) {
	var warnings bytes.Buffer
	if err := config.DiagnosticsJSON(&warnings, diags, p.sources()); err != nil {
		return nil, err
	}
	if jobs <= 0 {
		jobs = runtime.NumCPU()
	}
	return &planDocument{
		Format:   planFormat,
		Version:  version,
		Pipeline: p.path,
		Evidence: p.evidenceText(),
		Targets:  append([]string{}, targets...),
		Jobs:     jobs,
		Changed:  plan.Changed(),
		Totals:   plan.Totals(),
		Steps:    plan.Steps,
		Warnings: warnings.Bytes(),
	}, nil
}

// write writes the document to a file atomically.
func (d *planDocument) write(path string) error {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	if err := writeNamedFile(path, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("the plan cannot be written: %w", err)
	}
	return nil
}

// maxPlanBytes limits the size of a plan file. The largest pipeline's plan has about 20 MB.
const maxPlanBytes = 256 << 20

// readPlan reads a plan file.
func readPlan(path string) (*planDocument, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, exit.With(exit.Usage, exit.Plain(err, path))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPlanBytes))
	if err != nil {
		return nil, err
	}
	var d planDocument
	if err := json.Unmarshal(text, &d); err != nil || d.Format == "" {
		return nil, exit.With(exit.Usage, fmt.Errorf("%s is not a plan; \"smtpipe plan --out FILE\" writes one", path))
	}
	if d.Format != planFormat {
		return nil, exit.With(exit.Usage, fmt.Errorf("%s is a plan of the form %s, but this smtpipe reads %s; make it "+
			"again with \"smtpipe plan --out\"", path, d.Format, planFormat))
	}
	return &d, nil
}

// planNamed returns the plan file among the arguments of run, and the other arguments. A file is recognised by a path
// separator or an extension, which stage addresses never contain.
func planNamed(flag string, args []string) (string, []string, error) {
	i := slices.IndexFunc(args, func(a string) bool {
		info, err := os.Stat(a)
		return err == nil && info.Mode().IsRegular()
	})
	switch {
	case flag == "" && i < 0:
		return "", args, nil
	case len(args) > 1 || flag != "" && len(args) > 0:
		return "", nil, exit.With(exit.Usage, errors.New("a plan has its own targets; name the plan alone"))
	case flag == "":
		flag = args[0]
	}
	return flag, nil, nil
}

// usePlan reads a plan file and sets the flags to the plan's pipeline, unless they name another one.
func (f *projectFlags) usePlan(path string) (*planDocument, error) {
	doc, err := readPlan(path)
	if err != nil {
		return nil, err
	}
	if f.pipeline == "" {
		f.pipeline = doc.Pipeline
	}
	full, err := filepath.Abs(f.pipeline)
	if err != nil {
		return nil, err
	}
	if full != doc.Pipeline {
		return nil, exit.With(exit.Usage, fmt.Errorf("%s is a plan of %s, not of %s", path, doc.Pipeline, full))
	}
	return doc, nil
}

// checkPlan checks that a run would still do the planned work.
func (p *project) checkPlan(cmd *cobra.Command, doc *planDocument, jobs int) error {
	now, diags, err := p.plan(engine.Options{Targets: doc.Targets, Jobs: jobs})
	if err != nil {
		return err
	}
	if diags.HasErrors() {
		return p.report(cmd.ErrOrStderr(), diags)
	}
	differences := now.Differences(&engine.Plan{Steps: doc.Steps})
	if doc.Version != version {
		differences = append(differences, fmt.Sprintf("the plan was made by smtpipe %s, but this is %s", doc.Version,
			version))
	}
	if len(differences) == 0 {
		return nil
	}
	const shown = 20
	more := ""
	if n := len(differences) - shown; n > 0 {
		differences, more = differences[:shown], fmt.Sprintf("\n  and %d more", n)
	}
	return fmt.Errorf("the plan is no longer valid; nothing was executed:\n  %s%s\nMake a new one with \"smtpipe "+
		"plan --out\"; give it the same --var and --var-file as the run",
		strings.Join(differences, "\n  "), more)
}
