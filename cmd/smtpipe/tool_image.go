package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/exec/image"
)

// newToolImageCommand returns the command that fetches an image from a registry.
func newToolImageCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "image REGISTRY/NAME@sha256:DIGEST --out FOLDER",
		Short: "Fetch an image of a registry, by its digest",
		Long: `Fetches an image once, by its digest, and writes it as an OCI layout, for the attribute and the flag "image". All digests are
checked. The registry is accessed without credentials; save private images with a tool that has yours.

` + exit.Help,
		Example: `  smtpipe tool image docker.io/library/debian@sha256:… --out debian-12`,
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return exit.With(exit.Usage, fmt.Errorf("name the folder to write: --out FOLDER"))
			}
			if err := image.Fetch(cmd.Context(), strings.TrimPrefix(args[0], "docker://"), out); err != nil {
				return err
			}
			img, err := image.Open(out)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "Wrote %s, the image %s.\n", out, img.ID)
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "folder to write; it must not exist")
	return cmd
}
