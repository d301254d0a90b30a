//go:build man

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/smtpipe/smtpipe/internal/base/exit"
)

// With the build tag man, this program writes its man pages and exits: go run -tags man ./cmd/smtpipe FOLDER SECONDS.
// The pages carry the commit's date, in seconds since 1970. The generator is not part of the released program.
func init() {
	if err := writeManPages(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(exit.Error)
	}
	os.Exit(0)
}

func writeManPages(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want FOLDER SECONDS, have %q", args)
	}
	seconds, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	date := time.Unix(seconds, 0).UTC()
	root := newRootCommand()
	root.DisableAutoGenTag = true
	asMarkdown(root)
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &date, Source: "smtpipe " + version,
		Manual: "smtpipe"}, args[0])
}

// asMarkdown converts help texts to Markdown, which the generator expects. Indented lines become a list if they begin
// with a dash, and otherwise a code block.
func asMarkdown(cmd *cobra.Command) {
	var out []string
	indented, cut, add := false, 0, ""
	for _, line := range strings.Split(cmd.Long, "\n") {
		if in := strings.HasPrefix(line, " "); in != indented && line != "" {
			indented = in
			out = append(out, "")
			if strings.HasPrefix(line, "  - ") {
				cut, add = 2, ""
			} else {
				cut, add = 0, "    "
			}
		}
		if indented && line != "" {
			line = add + line[cut:]
		}
		out = append(out, line)
	}
	cmd.Long = strings.Join(out, "\n")
	for _, c := range cmd.Commands() {
		asMarkdown(c)
	}
}
