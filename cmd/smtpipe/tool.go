package main

import "github.com/spf13/cobra"

// newToolCommand groups the competition's classic tools. Each can be used alone, as a replacement for the original
// tool. A tool consists of one file tool_NAME.go and one line here.
func newToolCommand() *cobra.Command {
	tool := &cobra.Command{
		Use:   "tool",
		Short: "The classic tools of the competition, each on its own",
	}
	tool.AddCommand(
		newToolCheckModelCommand(),
		newToolCheckScriptCommand(),
		formerly("compare", newTableDiffCommand()),
		newToolExecCommand(),
		newToolImageCommand(),
		newToolInfoCommand(),
		formerly("merge", newTableMergeCommand()),
		newToolPostprocessCommand(),
		newToolRandomCommand(),
		newToolScoreCommand(),
		newToolScrambleCommand(),
		newToolSelectCommand(),
		formerly("select-diff", newTableDiffCommand()),
		formerly("stats", newTableCountCommand()),
		newToolTraceCommand(),
		newToolWorkerCommand(),
	)
	return tool
}
