package functions

import (
	"strings"
	"testing"
	"time"
)

// TestGlobMatchEnds has patterns with many ** that do not match, in a text with many folders.
func TestGlobMatchEnds(t *testing.T) {
	text := strings.Repeat("a/", 500) + "b"
	for pattern, want := range map[string]bool{
		strings.Repeat("**/a/", 12) + "c":     false,
		strings.Repeat("**/a/", 12) + "b":     true, // the last ** takes what the others leave
		strings.Repeat("**/a/", 12) + "**/b":  true,
		strings.Repeat("**/", 12) + "c":       false,
		strings.Repeat("**/a/", 501) + "**/b": false, // 500 are there
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
