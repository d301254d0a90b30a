package run

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TestRecordBytes contains the bytes of records as stored since version 0.1.
func TestRecordBytes(t *testing.T) {
	killed := Record{Measured: Measured{Ending: comp.Signalled, ExitCode: -1, Signal: 9,
		Usage: Usage{WallTimeS: 1.5, CPUTimeS: 0.25, MemoryBytes: 4096}, AnswerWallTimeS: -1,
		Flags: "foreign_kill", Isolation: "full"}, Started: 100, Version: "1"}
	const first = "\tsignalled\x01\x12\x00\x00\x00\x00\x00\x00\xf8?\x00\x00\x00\x00\x00\x00\xd0?\x80@" +
		"\x00\x00\x00\x00\x00\x00\xf0\xbf\x00\x00\x00\x00\x00\x00\fforeign_kill\x04full\x00\xc8\x01\x011"
	last := Record{Measured: Measured{Ending: comp.Exited, ExitCode: 3,
		Usage: Usage{WallTimeS: 2.5, CPUTimeS: 0.75, MemoryBytes: 8192}, AnswerWallTimeS: 0.5, Stdout: "sat\n",
		StdoutSHA256: "ab", StdoutBytes: 4, StderrSHA256: "cd", StderrBytes: 5, Trace: "{}", Flags: "truncated",
		Isolation: "full"}, FirstAnswer: "sat", Started: 200, Version: "2", Killed: first}
	const second = "\x06exited\x06\x00\x00\x00\x00\x00\x00\x00\x04@\x00\x00\x00\x00\x00\x00\xe8?\x80\x80\x01" +
		"\x00\x00\x00\x00\x00\x00\xe0?\x04sat\n\x02ab\b\x02cd\n\x02{}\ttruncated\x04full\x03sat\x90\x03\x012C" + first
	for _, test := range []struct {
		record Record
		bytes  string
	}{{killed, first}, {last, second}} {
		if got := string(test.record.Encode()); got != test.bytes {
			t.Errorf("encoded as %q, want %q", got, test.bytes)
		}
		got, err := Decode([]byte(test.bytes))
		if diff := cmp.Diff(test.record, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	both, err := last.Attempts()
	last.Killed = ""
	if diff := cmp.Diff([]Record{killed, last}, both); diff != "" || err != nil {
		t.Errorf("attempts: %v (-want +got):\n%s", err, diff)
	}
}

// TestRecordFields checks that every declared field is encoded exactly once.
func TestRecordFields(t *testing.T) {
	var r Record
	encoded := map[any]bool{}
	for _, f := range r.fields() {
		encoded[f] = true
	}
	v := reflect.ValueOf(&r).Elem()
	declared := 0
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Anonymous {
			continue
		}
		if declared++; !encoded[v.FieldByIndex(f.Index).Addr().Interface()] {
			t.Errorf("the field %s is not encoded", f.Name)
		}
	}
	if len(encoded) != declared || declared != numFields {
		t.Errorf("%d fields are declared, and %d of %d encoded", declared, len(encoded), numFields)
	}
}

// TestCutRecord checks that a record may end after its first answer, like the oldest records, or after its version, but
// nowhere else.
func TestCutRecord(t *testing.T) {
	r := Record{Measured: Measured{Ending: comp.Exited, Isolation: "full"}, FirstAnswer: "sat", Started: 1 << 40,
		Version: "1.0"}
	whole := r.Encode()
	old := r
	old.Started, old.Version = 0, ""
	oldest := len(old.Encode()) - len("\x00\x00")
	for n := range whole {
		got, err := Decode(whole[:n])
		if (err == nil) != (n == oldest) {
			t.Errorf("%d of %d bytes: error %v", n, len(whole), err)
		}
		if n == oldest && got != old {
			t.Errorf("the oldest records: %+v, want %+v", got, old)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	r := Record{Measured: Measured{Ending: comp.Exited, Stdout: "unsat\n", Isolation: "full"}, FirstAnswer: "unsat"}
	bytes := r.Encode()
	for b.Loop() {
		if _, err := Decode(bytes); err != nil {
			b.Fatal(err)
		}
	}
}
