package main

import (
	"os"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/audit/project"
)

// projectFlags are the flags of every command that works on a pipeline.
type projectFlags struct{ project.Options }

func (f *projectFlags) register(flags *pflag.FlagSet) {
	flags.StringVarP(&f.Pipeline, "pipeline", "p", "",
		"pipeline: a .hcl file or a folder with .hcl files (default: this folder)")
	flags.StringVar(&f.Store, "store", os.Getenv("SMTPIPE_STORE"),
		"store (default: $SMTPIPE_STORE, or .smtpipe beside the pipeline)")
	flags.StringArrayVar(&f.Vars, "var", nil, "value of a variable, as NAME=VALUE; may be repeated")
	flags.StringArrayVar(&f.VarFiles, "var-file", nil, "file with values of variables; may be repeated")
	flags.StringVar(&f.Evidence, "evidence", "",
		"frozen folder whose measurements are used; then nothing is measured here")
	flags.BoolVar(&f.Rehash, "rehash", false, "read all input files again, even those that look unchanged")
}

// open reads the pipeline and opens its store. It prints the pipeline's errors on stderr.
func (f *projectFlags) open(cmd *cobra.Command) (*project.Project, error) {
	here := f.here()
	return here.Open(cmd.Context(), cmd.ErrOrStderr())
}

// load reads the pipeline and opens its store.
func (f *projectFlags) load(cmd *cobra.Command) (*project.Project, hcl.Diagnostics, error) {
	here := f.here()
	return here.Load(cmd.Context(), cmd.ErrOrStderr())
}

// here returns the options for a pipeline that this program is about to read.
func (f *projectFlags) here() project.Options {
	delayGC(planMemory, 1)
	f.Version = version
	return f.Options
}
