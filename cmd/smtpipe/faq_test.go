package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/exit"
)

// TestQuestions checks that each message that heads an entry in docs/start/faq.md occurs in the source code.
func TestQuestions(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "start", "faq.md"))
	if err != nil {
		t.Fatal(err)
	}
	texts := strings.Join(append(sourceTexts(t, "."), sourceTexts(t, filepath.Join("..", "..", "internal"))...), "\n")
	verb := regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]`)
	texts = verb.ReplaceAllString(texts, "…")
	messages := regexp.MustCompile("(?m)^### (.*)$").FindAllStringSubmatch(string(page), -1)
	if len(messages) < 10 {
		t.Fatalf("%d entries", len(messages))
	}
	for _, q := range exit.Questions {
		headed := func(m []string) bool { return strings.Contains(m[1], strings.TrimSpace(q)) }
		if !slices.ContainsFunc(messages, headed) {
			t.Errorf("errors with %q point to docs/start/faq.md, which has no entry for them", q)
		}
		if got := exit.SeeQuestions("it " + q + " here"); got != " (docs/start/faq.md)" {
			t.Errorf("%q: %q", q, got)
		}
	}
	for _, m := range messages {
		for _, quoted := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(m[1], -1) {
			message := strings.Trim(quoted[1], "… ")
			if !strings.Contains(texts, message) {
				t.Errorf("docs/start/faq.md explains %q, which no message says", message)
			}
		}
	}
}

// sourceTexts returns the constant texts in all Go files except tests.
func sourceTexts(t *testing.T, root string) (texts []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if text, ok := constantText(e); ok {
					texts = append(texts, text)
					return false
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// constantText returns the text of concatenated literals.
func constantText(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			left, ok := constantText(e.X)
			right, both := constantText(e.Y)
			return left + right, ok && both
		}
	}
	return "", false
}
