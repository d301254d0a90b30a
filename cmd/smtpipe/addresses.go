package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/engine"
)

// addressCompletion configures the shell completion of arguments: stage addresses for at most this many arguments, with
// outputs if these can also be named, and with the text that follows an address.
type addressCompletion struct {
	most    int
	outputs bool
	behind  string // such as "::", if an address alone is incomplete
}

// manyTargets is the value of most for commands that take any number of targets.
const manyTargets = 1 << 20

// register makes a command complete addresses in the pipeline that its flags name.
func (a addressCompletion) register(cmd *cobra.Command, flags *projectFlags) {
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= a.most || strings.Contains(typed, "::") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		addresses, err := flags.addresses(cmd, a.outputs && strings.HasPrefix(typed, "stage."))
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var found []string
		for _, addr := range addresses {
			if strings.HasPrefix(addr, typed) {
				found = append(found, addr+a.behind)
			}
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if a.behind != "" {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		if a.most > 1 && len(found) == 0 {
			directive = cobra.ShellCompDirectiveDefault // the arguments may be files
		}
		return found, directive
	}
}

// addresses lists the pipeline's stage instances, with their outputs if wanted. For a pipeline with errors it lists the
// blocks. If the pipeline has no store, it does not create one.
func (f *projectFlags) addresses(cmd *cobra.Command, outputs bool) (all []string, err error) {
	here := *f
	if here.store == "" && !hasStore(here.pathOrFolder()) {
		if here.store, err = os.MkdirTemp("", "smtpipe-"); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(here.store)) }()
	}
	cmd.SetErr(io.Discard) // no output while the user is typing
	p, diags, err := here.load(cmd)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	for _, n := range p.pipeline.Nodes() {
		all = append(all, n.Addr)
	}
	if !diags.HasErrors() {
		e, err := p.engine(engine.Options{})
		if err != nil {
			return nil, err
		}
		plan, _ := e.Plan()
		all = stepAddresses(plan)
	}
	if !outputs {
		return all, nil
	}
	var both []string
	for _, addr := range all {
		both = append(both, addr)
		for _, n := range p.pipeline.Nodes() {
			if !engine.Covers(n.Addr, addr) {
				continue
			}
			for _, out := range n.Kind.Outputs {
				both = append(both, addr+"."+out.Name)
			}
		}
	}
	return both, nil
}

func stepAddresses(plan *engine.Plan) []string {
	var all []string
	for i := range plan.Steps {
		all = append(all, plan.Steps[i].Addr)
	}
	return all
}

// meantStage adds the stage that was probably intended to an unknown-stage error.
func meantStage(e *engine.Engine, err error) error {
	if _, ok := errors.AsType[*engine.UnknownStageError](err); !ok {
		return err
	}
	plan, _ := e.Plan()
	return meantStages(stepAddresses(plan), err)
}

// meantStages is meantStage for several errors.
func meantStages(known []string, err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, e := range several.Unwrap() {
			errs = append(errs, meantStages(known, e))
		}
		return errors.Join(errs...)
	}
	if unknown, ok := errors.AsType[*engine.UnknownStageError](err); ok {
		return noStage(unknown.Addr, known)
	}
	return err
}

// noStage returns the error for an address without a stage, with the stage that was probably intended.
func noStage(address string, known []string) error {
	hint := `"smtpipe plan" lists the stages`
	if near := nearest.Name(address, known); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	} else if near := nearest.Name("stage."+address, known); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	return exit.With(exit.Usage, fmt.Errorf("there is no stage %s; %s", address, hint))
}
