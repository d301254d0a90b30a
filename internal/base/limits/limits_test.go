package limits

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var small = Of{What: "a test", Bytes: 100, Items: 3, Nesting: 2}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for size, fine := range map[int64]bool{0: true, 99: true, 100: true, 101: false, 1 << 40: false} {
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		got, err := small.ReadFile(path)
		_, tooLarge := errors.AsType[*Error](err)
		if fine != (err == nil) || !fine != tooLarge || fine && int64(len(got)) != size {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, special := range []string{pipe, dir, "/dev/zero"} {
		if _, err := small.ReadFile(special); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
			t.Errorf("%s: %v", special, err)
		}
	}
	if got, err := small.Read(strings.NewReader(strings.Repeat("x", 100)), "pipe"); len(got) != 100 || err != nil {
		t.Errorf("read %d, %v", len(got), err)
	}
	_, err := small.Read(strings.NewReader(strings.Repeat("x", 101)), "pipe")
	if err == nil || err.Error() != "pipe has more than 100 bytes, and a test has at most 100" {
		t.Error(err)
	}
}

func TestDecodeJSON(t *testing.T) {
	for src, want := range map[string]string{
		`[1, "[[[,,,,{\"[", 3]`:         "",
		`[[1], 2]`:                      "",
		`[[[1]]]`:                       "x has brackets nested 3 deep, and a test has at most 2",
		`[1, 2, 3, 4]`:                  "x has 4 values, and a test has at most 3",
		`{"a": "\\", "b": [], "c": {}}`: "x has 5 values, and a test has at most 3",
		`["`:                            "x: unexpected end of JSON input",
	} {
		var v any
		err := small.DecodeJSON([]byte(src), "x", &v)
		if got := errors.Join(err); (want == "") != (err == nil) || got != nil && got.Error() != want {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
	if err := small.CheckLines([]byte("1\n2\n3\n"), "x"); err != nil {
		t.Error(err)
	}
	if err := small.CheckLines([]byte("1\n2\n3\n4\n"), "x"); err == nil {
		t.Error("four lines are not too many")
	}
}
