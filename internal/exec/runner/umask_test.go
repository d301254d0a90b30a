package runner

import (
	"bytes"
	"context"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLargeInputWithUmask checks that the user of runs can read an input that goes through a file, with any umask of
// the driver.
func TestLargeInputWithUmask(t *testing.T) {
	h, err := Open(Config{Isolation: BestEffort, Jobs: 1, NoLock: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if !h.Isolation().Private() {
		t.Skip("no namespaces: inputs are shown where they are")
	}
	defer unix.Umask(unix.Umask(0o077))
	const target = "/input/large"
	rec, err := h.Run(context.Background(), Command{Argv: []string{"cat", target}, HostSystem: true,
		Inputs: []Input{{Target: target, Content: bytes.Repeat([]byte("a"), inlineBytes+1)}}})
	if err != nil {
		t.Fatal(err)
	}
	if rec.Stdout.Total != inlineBytes+1 {
		t.Errorf("%d bytes are readable: %s", rec.Stdout.Total, rec.Stderr.Bytes())
	}
}
