package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/engine"
)

// addressCompletion configures the shell completion of arguments. most is the maximum number of stage addresses,
// outputs also completes their outputs, and behind is appended to each completion.
type addressCompletion struct {
	most    int
	outputs bool
	behind  string // such as "::", if the command does not accept an address alone
}

// manyTargets is the value of most for commands that accept any number of targets.
const manyTargets = 1 << 20

// register makes a command complete addresses from the pipeline that its flags name.
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

// addresses lists the pipeline's stage instances, with their outputs if requested. For a pipeline with errors it lists
// the blocks. It does not create a store if the pipeline has none.
func (f *projectFlags) addresses(cmd *cobra.Command, outputs bool) (all []string, err error) {
	here := *f
	if here.Store == "" && !hasStore(here.PathOrFolder()) {
		if here.Store, err = os.MkdirTemp("", "smtpipe-"); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(here.Store)) }()
	}
	cmd.SetErr(io.Discard) // no output while the user is typing
	p, diags, err := here.load(cmd)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	for _, n := range p.Pipeline.Nodes() {
		all = append(all, n.Addr)
	}
	if !diags.HasErrors() {
		e, err := p.Engine(engine.Options{})
		if err != nil {
			return nil, err
		}
		plan, _ := e.Plan()
		all = project.StepAddresses(plan)
	}
	if !outputs {
		return all, nil
	}
	var both []string
	for _, addr := range all {
		both = append(both, addr)
		for _, n := range p.Pipeline.Nodes() {
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
