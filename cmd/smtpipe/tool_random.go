package main

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/random"
)

func newToolRandomCommand() *cobra.Command {
	var (
		seed  uint32
		count int
	)
	cmd := &cobra.Command{
		Use:   "random --seed N",
		Short: "Print the values of the C library's random() after srandom(N)",
		Long: `random prints what the C library's random() gives after srandom(N), one value per line. These values
choose benchmarks and scramble them; docs/randomness.md says in which order they are used.

` + exitCodesHelp,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("seed") {
				return withExit(exitUsage, errors.New("--seed is required: the number for srandom(), 0 to 4294967295"))
			}
			if count < 0 {
				return withExit(exitUsage, fmt.Errorf("--count is %d; it must not be negative", count))
			}
			out := bufio.NewWriter(cmd.OutOrStdout())
			g := random.NewGlibc(seed)
			for range count {
				fmt.Fprintln(out, g.Next())
			}
			return out.Flush()
		},
	}
	cmd.Flags().Uint32Var(&seed, "seed", 0, "number for srandom()")
	cmd.Flags().IntVar(&count, "count", 10, "how many values")
	return cmd
}
