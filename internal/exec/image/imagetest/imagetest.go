// Package imagetest creates images for tests offline, using umoci.
package imagetest

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Save writes an OCI layout to a new folder and returns its path. Each layer is the tree of a folder. settings are
// NAME=VALUE pairs for commands in the image.
func Save(t testing.TB, settings []string, layers ...string) string {
	t.Helper()
	if _, err := exec.LookPath("umoci"); err != nil {
		if os.Getenv("SMTPIPE_REQUIRE_UMOCI") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir := filepath.Join(t.TempDir(), "layout")
	name := dir + ":latest"
	umoci(t, "init", "--layout", dir)
	umoci(t, "new", "--image", name)
	for _, l := range layers {
		umoci(t, "insert", "--rootless", "--image", name, l, "/")
	}
	args := []string{"config", "--image", name}
	for _, kv := range settings {
		args = append(args, "--config.env", kv)
	}
	umoci(t, args...)
	umoci(t, "gc", "--layout", dir)
	return dir
}

// umoci executes umoci.
func umoci(t testing.TB, args ...string) {
	t.Helper()
	if b, err := exec.Command("umoci", args...).CombinedOutput(); err != nil {
		t.Fatalf("umoci %q: %v: %s", args, err, b)
	}
}

// Archive packs a layout as an OCI archive.
func Archive(t testing.TB, layout string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "image.tar")
	if b, err := exec.Command("tar", "-C", layout, "-cf", file, ".").CombinedOutput(); err != nil {
		t.Fatalf("tar: %v: %s", err, b)
	}
	return file
}

// Musl is the interpreter of programs in the world that World creates. Debian never has it.
const Musl = "/lib/ld-musl-x86_64.so.1"

// World fills a folder with a small distribution: programs from this machine and the libraries that they load. If
// interpreter differs from the machine's, the programs run only in this world.
func World(t testing.TB, dir, interpreter string, programs ...string) {
	t.Helper()
	for _, p := range programs {
		path, err := exec.LookPath(p)
		if err != nil {
			t.Fatal(err)
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("ldd", path).Output()
		if err != nil {
			t.Fatalf("ldd %s: %v", path, err)
		}
		to := filepath.Join(dir, "usr/bin", filepath.Base(p))
		copyFile(t, path, to)
		for line := range strings.Lines(string(out)) {
			for word := range strings.FieldsSeq(line) {
				if !strings.HasPrefix(word, "/") {
					continue
				}
				if strings.Contains(word, "/ld-") && interpreter != "" {
					copyFile(t, word, filepath.Join(dir, interpreter))
					Interpret(t, to, interpreter)
				} else {
					copyFile(t, word, filepath.Join(dir, "usr", strings.TrimPrefix(word, "/usr")))
				}
			}
		}
	}
	for _, name := range []string{"bin", "lib", "lib64"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			continue // created for another interpreter
		}
		if err := os.Symlink("usr/"+name, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// Interpret replaces a program's interpreter with one whose name is no longer.
func Interpret(t testing.TB, program, interpreter string) {
	t.Helper()
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		if uint64(len(interpreter)) >= p.Filesz {
			t.Fatalf("%s is too long a name", interpreter)
		}
		text := append([]byte(interpreter), make([]byte, int(p.Filesz)-len(interpreter))...)
		file, err := os.OpenFile(program, os.O_WRONLY, 0)
		if err == nil {
			_, err = file.WriteAt(text, int64(p.Off))
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Replace replaces text in a file with text of the same length.
func Replace(t testing.TB, file, old, text string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(old) != len(text) || !bytes.Contains(b, []byte(old)) {
		t.Fatalf("%s has no %q of the length of %q", file, old, text)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(b, []byte(old), []byte(text)), 0o755); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(to), 0o755)
	if err == nil {
		var in, out *os.File
		if in, err = os.Open(from); err == nil {
			defer in.Close()
			if out, err = os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755); err == nil {
				_, err = io.Copy(out, in)
				err = errors.Join(err, out.Close())
			}
		}
	}
	if err != nil {
		t.Fatal(fmt.Errorf("copy %s: %w", from, err))
	}
}
