package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// TestReference checks that the reference page contains each exit code once and links only to existing pages.
func TestReference(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "write", "reference.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []int{exit.Done, exit.Error, exit.Usage, exit.Differs, exit.CannotVerify, exit.Contradicts,
		exit.Waiting, exit.Absent, exit.Interrupted} {
		if n := strings.Count(string(page), fmt.Sprintf("\n| %d | ", code)); n != 1 {
			t.Errorf("docs/write/reference.md has exit code %d %d times", code, n)
		}
		if code > 0 && !strings.Contains(exit.Help, fmt.Sprintf("%d ", code)) {
			t.Errorf("the help texts lack exit code %d", code)
		}
	}
}

// TestColumnsAreDocumented requires a description for each column of each table.
func TestColumnsAreDocumented(t *testing.T) {
	for _, s := range results.Schemas() {
		if s.Doc == "" {
			t.Errorf("table %s has no description", s.Name)
		}
		for _, c := range s.Columns {
			if strings.TrimSpace(c.Doc) == "" {
				t.Errorf("column %s of %s has no meaning", c.Name, s.Name)
			}
		}
	}
}
