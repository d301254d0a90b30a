package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// consoleFlags are the flags of console in addition to the project's.
type consoleFlags struct {
	projectFlags
	exprs []string
}

func newConsoleCommand() *cobra.Command {
	flags := consoleFlags{projectFlags: projectFlags{project.Options{Reads: true}}}
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Evaluate expressions in a pipeline, with the outputs that are in the store",
		Long: `Evaluates expressions of the pipeline's language in its scope: variables, locals, functions, solvers, and the outputs of the
stages that are up to date. Expressions come from -e, or from standard input: one per line, or over several lines while a bracket is
open. Nothing is executed. If the pipeline has errors, they are reported, and everything that does not depend on them is still evaluated.

rows(TABLE) returns the rows of a table as objects, rows(TABLE, N) the first N of them:

  smtpipe console -e '[for r in rows(stage.score.main.scores) : r.solver if r.rank == 1]'

` + exit.Help,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.run(cmd) },
	}
	flags.register(cmd.Flags())
	cmd.Flags().StringArrayVarP(&flags.exprs, "expression", "e", nil, "expression to evaluate; may be repeated")
	return cmd
}

func (f *consoleFlags) run(cmd *cobra.Command) (err error) {
	p, diags, err := f.load(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	broken := diags.HasErrors() // evaluate the parts that do not depend on the errors
	if err := p.Report(cmd.ErrOrStderr(), diags); err != nil && !p.Pipeline.Ordered() {
		return err
	}
	e, err := p.Engine(engine.Options{})
	if err != nil {
		return err
	}
	plan, diags := e.Plan()
	if !broken {
		if err := p.Report(cmd.ErrOrStderr(), diags); err != nil {
			return err
		}
	}
	p.Pipeline.AddFunction("rows", project.RowsFunc(p.Store))
	c := &console{Project: p, known: plan.Known, out: cmd.OutOrStdout(), errs: cmd.ErrOrStderr(), failed: broken}
	if len(f.exprs) > 0 {
		for _, src := range f.exprs {
			c.evaluate(src)
		}
	} else if err := c.read(cmd.InOrStdin()); err != nil {
		return err
	}
	if c.failed && !c.terminal {
		return exit.ErrReported
	}
	return nil
}

// console evaluates expressions over the known outputs.
type console struct {
	*project.Project
	known     stages.Known
	out, errs io.Writer
	terminal  bool // the input is typed at a terminal
	failed    bool
}

// maxExpression is the maximum length of an expression.
const maxExpression = 1 << 20

// read evaluates expressions from standard input.
func (c *console) read(in io.Reader) error {
	if f, ok := in.(*os.File); ok {
		c.terminal = term.IsTerminal(int(f.Fd()))
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxExpression)
	src := ""
	for c.prompt(src); lines.Scan(); c.prompt(src) {
		src += lines.Text() + "\n"
		switch text := strings.TrimSpace(src); {
		case text == "exit" || text == "quit":
			return nil
		case text == "" || strings.HasPrefix(text, "#") && !strings.Contains(text, "\n"):
		case openBrackets(src) && len(src) < maxExpression:
			continue
		default:
			c.evaluate(text)
		}
		src = ""
	}
	if text := strings.TrimSpace(src); text != "" {
		c.evaluate(text)
	}
	return lines.Err()
}

func (c *console) prompt(src string) {
	switch {
	case !c.terminal:
	case src == "":
		fmt.Fprint(c.out, "> ")
	default:
		fmt.Fprint(c.out, ". ")
	}
}

// evaluate prints an expression's value, or why the expression has no value.
func (c *console) evaluate(src string) {
	v, diags := c.Pipeline.Eval(src, c.known)
	if err := c.Report(c.errs, diags); err != nil {
		c.failed = true
		return
	}
	fmt.Fprintln(c.out, project.Expression(v))
}

// openBrackets reports whether an expression continues on the next line.
func openBrackets(src string) bool {
	tokens, _ := hclsyntax.LexExpression([]byte(src), "", hcl.InitialPos)
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOParen, hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenTemplateInterp,
			hclsyntax.TokenTemplateControl:
			depth++
		case hclsyntax.TokenCParen, hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenTemplateSeqEnd:
			depth--
		}
	}
	return depth > 0
}
