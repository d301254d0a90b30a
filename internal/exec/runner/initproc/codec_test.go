package initproc

import (
	"bytes"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMessages checks that every field of a message arrives, including texts with arbitrary bytes.
func TestMessages(t *testing.T) {
	request := &Request{
		Root: &Root{
			Binds: []Bind{{Source: "/a\xff", Target: "/b", Writable: true, Optional: true},
				{Source: "/c", Overlay: true, Devices: true}},
			Image: []Bind{{Source: "/i", Target: "/usr"}},
			Files: []File{{Target: "/etc/x", Content: "x\xff", Mode: 0o444}, {Target: "/etc/y", Optional: true}},
			Links: []Link{{Target: "/l", To: "m"}},
			Hide:  []string{"/h"}, Scratch: 1 << 40, UID: -1, GID: 5,
		},
		Dir: "/work",
		Command: &Command{
			Argv: []string{"a", "", "\xfe b"}, Env: []string{"A=b"}, User: &User{UID: 65534, GID: 1<<32 - 1},
			Filter:    []syscall.SockFilter{{Code: 1, Jt: 2, Jf: 255, K: 1<<32 - 1}, {Code: 1<<16 - 1}},
			Programs:  []string{"/bin/a"},
			SoftFiles: 7, HardFiles: 1<<64 - 1, PreferVictim: true, IntoCgroup: true, Enter: 2, Leave: 3,
		},
	}
	reply := &Reply{
		Kind: Failed, Clock: 123 * time.Hour, Status: 1<<32 - 1, Usage: Usage{1, 2, 3, 4, 5}, Step: "s", Text: "t",
		Errno: 13, Start: true,
	}
	for _, tt := range []struct{ sent, got message }{
		{request, &Request{}}, {&Request{Dir: "/"}, &Request{}}, {reply, &Reply{}}, {&Reply{Kind: Done}, &Reply{}},
	} {
		if err := readMessage(bytes.NewReader(frame(tt.sent)), tt.got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.sent, tt.got); diff != "" {
			t.Error(diff)
		}
	}
}

// FuzzRequest checks that a truncated or invalid message is an error and takes no more memory than its size.
func FuzzRequest(f *testing.F) {
	f.Add(frame(&Request{Dir: "/", Root: &Root{Hide: []string{"a"}}, Command: &Command{Argv: []string{"a"}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r Request
		_ = readMessage(bytes.NewReader(data), &r)
		c := &codec{reading: true, b: bytes.Clone(data)}
		r.fields(c)
	})
}
