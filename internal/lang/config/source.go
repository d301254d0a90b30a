package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/smtpipe/smtpipe/internal/base/budget"
	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/lang/config/functions"
)

// sources reads and parses each file once.
type sources struct {
	files  map[string]*hcl.File // parsed files by name in source ranges
	failed map[string]bool

	overlay map[string][]byte // texts that replace files, as in Options
}

// read parses a file. It returns nil if the file has errors.
func (s *sources) read(name string) (*hclsyntax.Body, hcl.Diagnostics) {
	if f, ok := s.files[name]; ok {
		if s.failed[name] {
			return nil, nil // the error was reported earlier
		}
		return f.Body.(*hclsyntax.Body), nil
	}
	src, err := s.bytes(name)
	if err != nil {
		return nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Cannot read a file of the pipeline",
			Detail: upperFirst(err.Error()) + "."}}
	}
	file, diags := hclsource.Parse(src, name)
	s.files[name] = file
	s.failed[name] = diags.HasErrors()
	if diags.HasErrors() {
		return nil, diags
	}
	body := file.Body.(*hclsyntax.Body)
	budget.CountAll(body)
	return body, diags
}

// bytes returns a file's text.
func (s *sources) bytes(name string) ([]byte, error) {
	if src, ok := s.overlay[name]; ok {
		return src, nil
	}
	if strings.HasPrefix(name, rules.Builtin) {
		return rules.ReadFile(name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, sentence(err)
	}
	if err := hclsource.CheckFile(info, name); err != nil {
		return nil, fmt.Errorf("%w. Keep data in separate files, and read them with file_text()", err)
	}
	src, err := limits.HCL.ReadFile(name)
	if err != nil {
		return nil, sentence(err)
	}
	return src, nil
}

// sentence rewords file system errors as readable sentences.
func sentence(err error) error {
	var at *fs.PathError
	switch {
	case !errors.As(err, &at):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file or folder %s", at.Path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be read: permission denied", at.Path)
	}
	return err
}

// IsSource reports whether a file with this name in a pipeline's folder is part of the pipeline.
func IsSource(name string) bool {
	return strings.HasSuffix(name, ".hcl") && !strings.HasSuffix(name, ".lock.hcl") &&
		!strings.HasSuffix(name, rules.Suffix) && !strings.HasPrefix(name, ".")
}

// sourceNames returns the files of a pipeline or module: path itself, or the *.hcl files in the folder, sorted. It
// excludes lock files (*.lock.hcl), rule files (*.rules.hcl) and hidden files.
func sourceNames(path string) (names []string, folder string, err error) {
	if strings.HasPrefix(path, rules.Builtin) {
		return []string{path}, "", nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", sentence(err)
	}
	if !info.IsDir() {
		if !strings.HasSuffix(path, ".hcl") {
			return nil, "", fmt.Errorf("%s is not a pipeline: its name must end in .hcl", path)
		}
		return []string{path}, filepath.Dir(path), nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, "", sentence(err)
	}
	for _, e := range entries {
		if !e.IsDir() && IsSource(e.Name()) {
			if err := functions.CheckLinks(path, e.Name()); err != nil {
				return nil, "", fmt.Errorf("the file %w", err)
			}
			names = append(names, filepath.Join(path, e.Name()))
		}
	}
	if len(names) == 0 {
		return nil, "", fmt.Errorf("folder %s has no .hcl file; create a pipeline with \"smtpipe init\"", path)
	}
	slices.Sort(names) // the order of files determines the order of declarations
	return names, path, nil
}
