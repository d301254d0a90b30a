//go:build man

package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra/doc"
)

// With the build tag man this program writes its man pages and exits: go run -tags man ./cmd/smtpipe FOLDER SECONDS.
// The pages have the date of the commit, in seconds since 1970. The generator is not part of the released program.
func init() {
	if err := writeManPages(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(exitError)
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
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &date, Source: "smtpipe " + version,
		Manual: "smtpipe"}, args[0])
}
