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

	"github.com/smtpipe/smtpipe/internal/config/functions"
	"github.com/smtpipe/smtpipe/internal/rules"
)

// Bounds of a source file. The parser and evaluator of HCL are recursive, and a Go program cannot survive the
// exhaustion of its stack, so that what is nested more deeply than any person writes is refused before it is parsed.
const (
	maxFileBytes = 8 << 20
	maxNesting   = 200
	maxOperators = 5000 // in one expression
	maxExponent  = 4    // digits

	maxSyntaxErrors = 20 // that are reported of one file: one mistake can make many
)

// sources reads and parses files, each once.
type sources struct {
	files  map[string]*hcl.File // by the name in ranges
	failed map[string]bool
}

// read parses one file; nil if it has errors.
func (s *sources) read(name string) (*hclsyntax.Body, hcl.Diagnostics) {
	if f, ok := s.files[name]; ok {
		if s.failed[name] {
			return nil, nil // reported before
		}
		return f.Body.(*hclsyntax.Body), nil
	}
	src, err := readSource(name)
	if err != nil {
		return nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Cannot read a file of the pipeline",
			Detail: upperFirst(err.Error()) + "."}}
	}
	file, diags := parse(src, name)
	s.files[name] = file
	s.failed[name] = diags.HasErrors()
	if diags.HasErrors() {
		return nil, diags
	}
	return file.Body.(*hclsyntax.Body), diags
}

func readSource(name string) ([]byte, error) {
	if strings.HasPrefix(name, rules.Builtin) {
		return rules.ReadFile(name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, sentence(err)
	}
	if info.Size() > maxFileBytes {
		return nil, fmt.Errorf("%s has %d bytes; a file of a pipeline has at most %d. Keep data in files of their "+
			"own and read them with file_text()", name, info.Size(), maxFileBytes)
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, sentence(err)
	}
	return src, nil
}

// sentence words the errors of a file system for people.
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

// parse parses native syntax. The file is never nil, so that diagnostics can show its source.
func parse(src []byte, name string) (*hcl.File, hcl.Diagnostics) {
	if diags := checkNesting(src, name); diags.HasErrors() {
		return &hcl.File{Bytes: src, Body: &hclsyntax.Body{}}, diags
	}
	file, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	if i := slices.IndexFunc(diags,
		func(d *hcl.Diagnostic) bool { return d.Summary == "Invalid character encoding" }); i >= 0 {
		diags = diags[i : i+1] // what follows from it says nothing
	}
	if len(diags) > maxSyntaxErrors {
		rest := len(diags) - maxSyntaxErrors
		diags = append(diags[:maxSyntaxErrors], &hcl.Diagnostic{Severity: hcl.DiagError,
			Summary: "Too many syntax errors",
			Detail:  fmt.Sprintf("%s has %d syntax errors more, which are not shown. Is it a pipeline?", name, rest),
			Subject: diags[maxSyntaxErrors].Subject})
	}
	if file == nil {
		file = &hcl.File{Bytes: src, Body: &hclsyntax.Body{}}
	}
	return file, diags
}

// checkNesting refuses what would exhaust the stack or the memory of the parser.
func checkNesting(src []byte, name string) hcl.Diagnostics {
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos) // errors come again from the parser
	open := []hclsyntax.TokenType{hclsyntax.TokenNil}
	operators := []int{0}
	refuse := func(t hclsyntax.Token, summary, detail string) hcl.Diagnostics {
		return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: t.Range.Ptr()}}
	}
	for _, t := range tokens {
		top := len(open) - 1
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOParen, hclsyntax.TokenOBrack, hclsyntax.TokenOQuote,
			hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			open, operators = append(open, t.Type), append(operators, 0)
			if len(open) > maxNesting {
				return refuse(t, "Nested too deeply", fmt.Sprintf("Brackets, blocks and templates can be nested %d "+
					"deep.", maxNesting))
			}
		case hclsyntax.TokenCBrace, hclsyntax.TokenCParen, hclsyntax.TokenCBrack, hclsyntax.TokenCQuote,
			hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
			if top > 0 {
				open, operators = open[:top], operators[:top]
			}
		case hclsyntax.TokenComma:
			operators[top] = 0
		case hclsyntax.TokenNewline:
			if open[top] == hclsyntax.TokenNil || open[top] == hclsyntax.TokenOBrace {
				operators[top] = 0
			}
		case hclsyntax.TokenNumberLit:
			if _, exponent, found := strings.Cut(strings.ToLower(string(t.Bytes)), "e"); found &&
				len(strings.TrimLeft(exponent, "+-0")) > maxExponent {
				return refuse(t, "Number out of range", fmt.Sprintf("The exponent of a number has at most %d digits.",
					maxExponent))
			}
		case hclsyntax.TokenIdent, hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit:
		default:
			if operators[top]++; operators[top] > maxOperators {
				return refuse(t, "Expression too long", fmt.Sprintf("An expression has at most %d operators.",
					maxOperators))
			}
		}
	}
	return nil
}

// IsSource reports whether a file of this name in the folder of a pipeline is part of it.
func IsSource(name string) bool {
	return strings.HasSuffix(name, ".hcl") && !strings.HasSuffix(name, ".lock.hcl") &&
		!strings.HasSuffix(name, rules.Suffix) && !strings.HasPrefix(name, ".")
}

// sourceNames lists the files of a pipeline or module: path itself, or the *.hcl files of the folder, sorted. Lock
// files (*.lock.hcl), rule files (*.rules.hcl) and hidden files are not part of it.
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
		return nil, "", fmt.Errorf("the folder %s has no .hcl file; \"smtpipe init\" makes a pipeline", path)
	}
	slices.Sort(names) // the order of declarations follows the order of files
	return names, path, nil
}
