package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// version is set by the linker: -ldflags "-X main.version=1.2.3".
var version = "0.1.1"

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionText())
			return err
		},
	}
}

func versionText() string {
	return fmt.Sprintf("smtpipe %s %s %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
