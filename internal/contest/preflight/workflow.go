package preflight

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
)

// workflows contains GitHub Actions workflow files.
//
//go:embed workflows/*.yml
var workflows embed.FS

// WriteWorkflows writes the workflow files to a folder. It keeps files that the user has changed.
func WriteWorkflows(w io.Writer, folder string) error {
	files, err := workflows.ReadDir("workflows")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return exit.With(exit.Usage, exit.Plain(err, folder))
	}
	var errs []error
	for _, f := range files {
		data, err := workflows.ReadFile("workflows/" + f.Name())
		if err != nil {
			return err
		}
		path := filepath.Join(folder, f.Name())
		if old, err := os.ReadFile(path); err == nil && !bytes.Equal(old, data) {
			errs = append(errs, fmt.Errorf("%s already exists with other content; remove it to let smtpipe write it",
				path))
			continue
		}
		if err := outfile.Write(path, data, 0o644); err != nil {
			errs = append(errs, exit.Plain(err, path))
			continue
		}
		fmt.Fprintf(w, "Wrote %s.\n", path)
	}
	if len(errs) > 0 {
		return exit.With(exit.Usage, errors.Join(errs...))
	}
	return nil
}
