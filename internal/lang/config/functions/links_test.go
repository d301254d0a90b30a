package functions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCheckLinks checks that files that a pipeline's text does not name are not read.
func TestCheckLinks(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	folder := filepath.Join(base, "pipeline")
	for _, dir := range []string{"pipeline/in", "pipeline/data", "secret", "other"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"pipeline/in/a", "secret/shadow", "other/b"} {
		if err := os.WriteFile(filepath.Join(base, file), []byte("text"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"pipeline/same": "in", "pipeline/out": "../secret", "pipeline/far": filepath.Join(base, "secret"),
		"pipeline/data/shadow": "../../secret/shadow", "pipeline/twice": "out", "pipeline/nowhere": "in/none",
		"beside": "secret", "user": "pipeline",
	} {
		if err := os.Symlink(target, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name    string
		refused bool
	}{
		{"in/a", false}, {"same/a", false}, {"./same/../same/a", false}, {"nowhere", false}, {"in/none", false},
		{"in/a/none", false}, {".", false},
		{"out", true}, {"out/shadow", true}, {"out/none", true}, {"far/shadow", true}, {"twice/shadow", true},
		{"data/shadow", true},
		{filepath.Join(folder, "out/shadow"), true}, {"../pipeline/out/shadow", true},
		{"..", false}, {"../other/b", false}, {"../secret/shadow", false}, {"../none", false},
		{"../beside/shadow", true}, {"../beside", true},
		{filepath.Join(base, "beside/shadow"), false}, {"/usr/bin/sh", false},
	}
	for _, at := range []string{folder, filepath.Join(base, "user")} { // the second is a link to the first
		for _, tt := range tests {
			if filepath.IsAbs(tt.name) && at != folder {
				continue
			}
			if err := CheckLinks(at, tt.name); (err != nil) != tt.refused {
				t.Errorf("%s in %s: %v, want it refused: %v", tt.name, at, err, tt.refused)
			}
		}
	}
	globs := []struct {
		pattern, want string // expected names, or a part of the error
	}{
		{"same/*", "same/a"}, {"out/*", "by a link to"}, {"o*/shadow", "out is a link"},
		{"data/*", "in data: shadow is a link"}, {"**/a", "in/a"},
		{"../other/*", "../other/b"}, {"../beside/*", "by a link to"}, {"i?/a", "in/a"},
	}
	for _, tt := range globs {
		names, err := glob(folder, tt.pattern)
		if got := strings.Join(names, " "); got != tt.want && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s gives %q, %v, want %q", tt.pattern, got, err, tt.want)
		}
	}
	if names, err := glob(folder, "**/shadow"); err == nil || slices.Contains(names, "data/shadow") {
		t.Errorf("**/shadow gives %q, %v", names, err)
	}
}
