package runner

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMessagesComeBackEqual(t *testing.T) {
	req := request{
		Argv: []string{"solver", "", "a b", "\xff\xfe", "ü"}, Env: []string{"A=b"}, Dir: "/work", PidNS: true, UserNS: true,
		Guard: true, UID: -1, GID: 65534, ToolCgroup: true, Enter: 3, Leave: 2, OpenFilesSoft: 1 << 40,
		OpenFilesHard: 1<<64 - 1,
		Root: &rootSpec{
			Binds:   []bindSpec{{Source: "/a\n", Target: "/b", Writable: true}, {Source: "c", Overlay: true, Optional: true, Devices: true}},
			Files:   []fileSpec{{Target: "/f", Content: []byte{0, 1, 0xff}, Mode: 0o444}},
			Links:   []linkSpec{{"/x", "y"}},
			Hide:    []string{"/h"},
			Scratch: 1 << 50, UID: 1, GID: 2, Proc: true,
		},
	}
	var got request
	roundTrip(t, &req, &got)
	if diff := cmp.Diff(req, got, cmp.AllowUnexported(linkSpec{})); diff != "" {
		t.Error(diff)
	}
	rep := reply{Kind: "exited", Clock: time.Hour, Status: 0x137f, User: 1, System: 2, InBlocks: 3, OutBlocks: 4, MaxRSS: 5,
		Step: "s", Text: "t", Errno: 6, Start: true}
	var back reply
	roundTrip(t, &rep, &back)
	if diff := cmp.Diff(rep, back); diff != "" {
		t.Error(diff)
	}
}

func roundTrip(t *testing.T, in, out message) {
	t.Helper()
	var buf bytes.Buffer
	if err := writeMessage(&buf, in); err != nil {
		t.Fatal(err)
	}
	if err := readMessage(&buf, out); err != nil {
		t.Fatal(err)
	}
}

// FuzzReadMessage checks that no bytes make the reader fail in another way than by an error.
func FuzzReadMessage(f *testing.F) {
	var buf bytes.Buffer
	if err := writeMessage(&buf, &request{Argv: []string{"a"}, Root: &rootSpec{Hide: []string{"b"}}}); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Add([]byte{1, 0, 0, 0, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		var req request
		_ = readMessage(bytes.NewReader(data), &req)
		var rep reply
		_ = readMessage(bytes.NewReader(data), &rep)
	})
}
