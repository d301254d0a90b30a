package functions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestGlobMatchEnds matches patterns with many ** against a text with many folders, without success.
func TestGlobMatchEnds(t *testing.T) {
	text := strings.Repeat("a/", 500) + "b"
	for pattern, want := range map[string]bool{
		strings.Repeat("**/a/", 12) + "c":     false,
		strings.Repeat("**/a/", 12) + "b":     true, // the last ** matches the parts that the others leave
		strings.Repeat("**/a/", 12) + "**/b":  true,
		strings.Repeat("**/", 12) + "c":       false,
		strings.Repeat("**/a/", 501) + "**/b": false, // only 500 exist
	} {
		done := make(chan bool, 1)
		go func() {
			ok, err := globMatch(pattern, text)
			done <- ok && err == nil
		}()
		select {
		case got := <-done:
			if got != want {
				t.Errorf("%.40s: %v, want %v", pattern, got, want)
			}
		case <-time.After(3 * time.Second):
			t.Fatalf("%.40s does not end", pattern)
		}
	}
}

// TestGlobEnds expands patterns with many ** over a chain of folders: each folder is visited once for each part.
func TestGlobEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deep := filepath.Join(dir, filepath.FromSlash(strings.Repeat("a/", 40)))
	if err := os.MkdirAll(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(deep, "b"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]int{
		strings.Repeat("**/a/", 12) + "c":    0,
		strings.Repeat("**/a/", 12) + "b":    1,
		strings.Repeat("**/", 12) + "b":      1,
		strings.Repeat("**/a/", 41) + "**/b": 0, // only 40 exist
	} {
		done := make(chan int, 1)
		go func() {
			names, err := glob(dir, pattern)
			if err != nil {
				t.Error(err)
			}
			done <- len(names)
		}()
		select {
		case got := <-done:
			if got != want {
				t.Errorf("%.40s: %d files, want %d", pattern, got, want)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%.40s does not end", pattern)
		}
	}
}
