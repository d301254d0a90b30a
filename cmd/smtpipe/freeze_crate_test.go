package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestCrate checks that external validators accept a folder's metadata and bills of materials, and report errors in
// them. Each validation takes ten CPU-seconds, so the gate checks only one invalid folder.
func TestCrate(t *testing.T) {
	t.Parallel()
	python := testkit.Python(t, "crate")
	project := smallProject(t)
	whole := filepath.Join(project, "whole")
	execSmtpipe(t, exit.Done, "freeze", "-p", project, "--inputs", "--title", `"Two" & more`, "--creator", "The Chair",
		"--creator", "Somebody Else", "--license", "CC-BY-4.0", "-o", whole)
	broken := func(name, file, old, new string) string {
		t.Helper()
		folder := filepath.Join(project, name)
		if err := os.CopyFS(folder, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		damage(t, folder, file, func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(new), 1) }, false)
		return folder
	}
	const metadata = "ro-crate-metadata.json"
	tests := []struct {
		folder, want string // text in the validators' output; empty if they accept the folder
	}{
		{whole, ""},
		{broken("no-main-entity", metadata, `"mainEntity"`, `"subEntity"`), "mainEntity"},
		{broken("not-in-the-list", metadata, `"@id": "README.md"`, `"@id": "LIESMICH.md"`), "ro-crate-1.1_"},
		{broken("another-format", "sbom/smtpipe.cdx.json", `"CycloneDX"`, `"Cyclone"`), "smtpipe.cdx.json"},
	}
	if os.Getenv("SMTPIPE_LONG") == "" {
		tests = tests[:2]
	}
	for _, tt := range tests {
		text, err := exec.Command(python, "../../scripts/validate-crate", tt.folder).CombinedOutput()
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v\n%s", filepath.Base(tt.folder), err, text)
		case tt.want != "" && (err == nil || !strings.Contains(string(text), tt.want)):
			t.Errorf("%s: %v, want %q\n%s", filepath.Base(tt.folder), err, tt.want, text)
		}
	}
}
