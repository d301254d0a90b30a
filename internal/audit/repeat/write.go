package repeat

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/audit/shadow"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
)

// write adds a file to the output folder.
func (w *repeated) write(name string, content func(io.Writer) error) error {
	digest, size, err := w.scratch.Write(content)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	w.tree.Files = append(w.tree.Files, cache.ManifestFile{Path: name, Size: size, Digest: digest})
	return nil
}

func (w *repeated) writeBytes(name string, data []byte) error {
	return w.write(name, func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}

// finish writes the output folder and prints the comparison.
func (w *repeated) finish() error {
	r := &w.report
	for name, content := range map[string]func(io.Writer) error{
		shadow.ReportFile: r.WriteJSON, "shadow.md": r.WriteMarkdown, "shadow.html": r.WriteHTML,
	} {
		if err := w.write(name, content); err != nil {
			return err
		}
	}
	w.tree.Sort()
	target, err := filepath.Abs(w.Out)
	if err != nil {
		return err
	}
	if err := w.scratch.PublishTree(&w.tree, target); err != nil {
		return err
	}
	print := r.WriteText
	if w.JSON {
		print = r.WriteJSON
	}
	if err := print(w.Stdout); err != nil {
		return err
	}
	fmt.Fprintf(w.Stderr, "Wrote %d files into %s.\n", len(w.tree.Files), w.Out)
	if w.failed == nil && r.State == shadow.Differs {
		return exit.With(exit.Differs, nil)
	}
	return w.failed
}

// steps displays the current step.
type steps struct {
	w     io.Writer
	quiet bool
	what  string
	last  time.Time
}

// show prints a step when it begins, and the step's progress every two seconds.
func (s *steps) show(what string, done, total int) {
	const often = 2 * time.Second
	if s.quiet || what == s.what && time.Since(s.last) < often {
		return
	}
	s.what, s.last = what, time.Now()
	if total > 0 {
		what = fmt.Sprintf("%s: %d of %d", what, done, total)
	}
	fmt.Fprintf(s.w, "%s%s\n", strings.ToUpper(what[:1]), what[1:])
}
