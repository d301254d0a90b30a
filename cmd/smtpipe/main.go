// Command smtpipe runs a solver competition described in a file.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/words"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes a command line and returns its exit code. It reports errors on stderr.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal, running work ends in an orderly way, and the system's default handling applies: a second
	// signal ends the process and its children immediately.
	unhook := context.AfterFunc(ctx, func() {
		stop()
		fmt.Fprintln(stderr, "Interrupted: stopping what is running. A second signal stops at once.")
	})
	defer unhook()

	defer endSoon(ctx)()

	root := newRootCommand(args...)
	root.SetArgs(doubleDashes(args))
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	report(stderr, err)
	return exitCode(err)
}

// oneDash lists flags that may be written with one dash, as in other programs that read HCL.
var oneDash = []string{"-var", "-var-file", "-check", "-diff", "-list", "-json", "-out", "-detailed-exitcode"}

// doubleDashes adds the second dash to such flags. It does not change the tools' arguments, because these may belong to
// a solver.
func doubleDashes(args []string) []string {
	if len(args) > 0 && args[0] == "tool" {
		return args
	}
	out := slices.Clone(args)
	for i, a := range out {
		if a == "--" {
			break
		}
		if name, _, _ := strings.Cut(a, "="); slices.Contains(oneDash, name) {
			out[i] = "-" + a
		}
	}
	return out
}

// report prints err unless the command has already printed it. Errors quote strangers' files.
func report(stderr io.Writer, err error) {
	if st, ok := errors.AsType[*exit.Status](err); ok {
		err = st.Cause
	}
	if err != nil {
		text := fmt.Sprint(firstDiskFull(err), exit.Advice(err))
		fmt.Fprintf(stderr, "Error: %s%s\n", words.Inert(text), exit.SeeQuestions(text))
	}
}

// firstDiskFull returns only the first of several errors if the disk is full, because the others report the same
// problem for other files.
func firstDiskFull(err error) error {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok || !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	for _, e := range many.Unwrap() {
		if errors.Is(e, syscall.ENOSPC) {
			return firstDiskFull(e)
		}
	}
	return err
}

// newRootCommand returns the root with the command that the arguments name, or with all commands if they name none:
// making all of them takes longer than some of them need.
func newRootCommand(args ...string) *cobra.Command {
	root := &cobra.Command{
		Use:   "smtpipe",
		Short: "Run a solver competition from a file",
		Long: `smtpipe runs a solver competition, described in HCL files as a graph of content-addressed stages.
Only stages whose inputs changed are executed, and a finished run is never executed again.

` + exit.Help,
		Version:       versionText(), // the text that --version prints
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
			kind := map[string]string{"int": "a whole number", "int64": "a whole number",
				"uint64": "a whole number from 0 on", "float64": "a number such as 0.05"}[bad.GetFlag().Value.Type()]
			if kind != "" {
				err = fmt.Errorf("--%s %q is not %s", bad.GetFlag().Name, bad.GetValue(), kind)
			}
		}
		return exit.With(exit.Usage, fmt.Errorf("%w; see \"%s --help\"", err, cmd.CommandPath()))
	})
	cobra.EnableCommandSorting = false
	if !addNamed(root, args) {
		addAll(root)
	}
	explainExits(root)
	refuseUnknown(root)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		return errors.Join(refuseNaN(cmd), refuseGroups(cmd))
	}
	root.RunE = func(cmd *cobra.Command, _ []string) error { return firstScreen(cmd) }
	return root
}

// refuseNaN makes NaN as the value of a flag a usage error. No comparison with it is true, so no check of a range would
// refuse it, and no limit would be reached.
func refuseNaN(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "float64" && f.Value.String() == "NaN" {
			err = exit.With(exit.Usage, fmt.Errorf("--%s is not a number; see \"%s --help\"", f.Name,
				cmd.CommandPath()))
		}
	})
	return err
}

// refuseGroups makes missing flags, and flags that exclude each other, usage errors. Cobra checks them too, but without
// an exit code.
func refuseGroups(cmd *cobra.Command) error {
	err := errors.Join(cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups())
	if err == nil {
		return nil
	}
	if _, given, ok := strings.Cut(err.Error(), "none of the others can be; ["); ok {
		given, _, _ = strings.Cut(given, "]")
		err = fmt.Errorf("--%s exclude each other", strings.Join(strings.Fields(given), " and --"))
	}
	return exit.With(exit.Usage, fmt.Errorf("%w; see \"%s --help\"", err, cmd.CommandPath()))
}

// maker makes the command with a name.
type maker struct {
	name string
	make func() *cobra.Command
}

var groups = []struct {
	title  string
	makers []maker
}{
	{"Begin", []maker{{"init", newInitCommand}, {"check", newCheckCommand}, {"rehearse", newRehearseCommand},
		{"doctor", newDoctorCommand}}},
	{"Run a competition", []maker{{"plan", newPlanCommand}, {"seed", newSeedCommand}, {"run", newRunCommand},
		{"serve", newServeCommand}, {"cache", newCacheCommand}}},
	{"Look at results", []maker{{"show", newShowCommand}, {"logs", newLogsCommand}, {"explain", newExplainCommand},
		{"decided", newDecidedCommand}, {"report", newReportCommand}}},
	{"Change rules", []maker{{"what-if", newWhatIfCommand}, {"design", newDesignCommand}, {"diff", newDiffCommand},
		{"rules", newRulesCommand}, {"console", newConsoleCommand}}},
	{"Publish and check", []maker{{"freeze", newFreezeCommand}, {"verify", newVerifyCommand},
		{"prove", newProveCommand}, {"reproduce", newReproduceCommand}, {"shadow", newShadowCommand}}},
	{"Write and enter solvers", []maker{{"compare", newCompareCommand}, {"bisect", newBisectCommand},
		{"check-submission", newCheckSubmissionCommand}, {"tool", newToolCommand}, {"table", newTableCommand}}},
	{"Write pipelines", []maker{{"stages", newStagesCommand}, {"graph", newGraphCommand}, {"fmt", newFmtCommand},
		{"lsp", newLSPCommand}}},
	{"", []maker{{"version", newVersionCommand}}},
}

// addNamed adds only the command that the first argument names. It reports whether there is one.
func addNamed(root *cobra.Command, args []string) bool {
	for _, group := range groups {
		for _, m := range group.makers {
			if len(args) > 0 && m.name == args[0] {
				root.AddCommand(m.make())
				root.CompletionOptions.DisableDefaultCmd = true
				return true
			}
		}
	}
	return false
}

// addAll adds all commands, grouped by task, with common ones first.
func addAll(root *cobra.Command) {
	for _, group := range groups {
		if group.title != "" {
			root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		}
		for _, m := range group.makers {
			cmd := m.make()
			cmd.GroupID = group.title
			root.AddCommand(cmd)
		}
	}
	root.InitDefaultCompletionCmd("completion")
}

// refuseUnknown makes an unknown command a usage error, also within groups of commands, which would otherwise print
// their help.
func refuseUnknown(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		refuseUnknown(c)
	}
	if cmd.Runnable() || !cmd.HasSubCommands() {
		return
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		hint := ""
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			hint = fmt.Sprintf("; did you mean %q", near[0])
		}
		return exit.With(exit.Usage, fmt.Errorf("unknown command %q for %q%s; see \"%s --help\"", args[0],
			cmd.CommandPath(), hint, cmd.CommandPath()))
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// explainExits appends the exit codes to the help text of every command that does not list them.
func explainExits(cmd *cobra.Command) {
	if cmd.Long == "" {
		cmd.Long = cmd.Short + "."
	}
	if !strings.Contains(cmd.Long, "Exit codes: ") { // some commands list their own exit codes
		cmd.Long = strings.TrimRight(cmd.Long, "\n") + "\n\n" + exit.Help
	}
	for _, c := range cmd.Commands() {
		explainExits(c)
	}
}

// usageArgs makes a violation of a cobra argument check a usage error.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return exit.With(exit.Usage, fmt.Errorf("%s; see \"%s --help\"", misplaced(cmd, args, check),
				cmd.CommandPath()))
		}
		return nil
	}
}

// misplaced describes a violation of an argument check: the first superfluous argument, or a missing one.
func misplaced(cmd *cobra.Command, args []string, check cobra.PositionalArgs) string {
	for n := len(args) - 1; n >= 0; n-- {
		if check(cmd, args[:n]) == nil {
			return fmt.Sprintf("unexpected argument %q: %s", args[n], cmd.UseLine())
		}
	}
	return "an argument is missing: " + cmd.UseLine()
}
