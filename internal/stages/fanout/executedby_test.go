package fanout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExecutes checks that the digest depends on what executes the program, not on its name or folder.
func TestExecutes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	digest := func(program string, interpreter ...string) string {
		t.Helper()
		d, err := executes(program, interpreter)
		if err != nil {
			t.Fatal(err)
		}
		return d.String()
	}
	mine := write("mine", "#!/bin/sh\nexec sh \"$@\"\n")
	one, two := write("a/p", "#!/bin/sh\n"), write("b/p", "#!/bin/sh\n: other\n")
	byMine := write("c/p", "#!"+mine+"\n")
	named, bare := digest(one, "/bin/sh"), digest(one, "sh")
	if digest(one) != digest(two) {
		t.Error("the place or text of the program is part of the digest of what executes it")
	}
	before, beforeNamed := digest(byMine), digest(one, mine)
	if before == digest(one) || beforeNamed == named {
		t.Error("two interpreters have one digest")
	}
	write("mine", "#!/bin/sh\n# newer\nexec sh \"$@\"\n")
	if digest(byMine) == before || digest(one, mine) == beforeNamed {
		t.Error("a newer interpreter has the digest of the older")
	}
	if bare == "" {
		t.Error("a bare name has no digest")
	}
	for name, want := range map[string]string{"no-such-program": "there is no program",
		"./mine": "not an absolute path", dir: "there is no program"} {
		if _, err := executes(one, []string{name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("interpreter %s gives %v, want %q", name, err, want)
		}
	}
}
