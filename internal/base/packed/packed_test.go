package packed_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/packed"
)

// zeros returns a gzip file of n zeros. Deflate compresses them by a factor of at most 1032 (RFC 1951: 258 bytes in 2
// bits).
func zeros(t *testing.T, n int) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestLimits(t *testing.T) {
	const size = 4 << 20
	tests := []struct {
		name   string
		limits packed.Limits
		want   error
	}{
		{"no bounds", packed.Limits{}, nil},
		{"ratio that deflate cannot reach", packed.Limits{Ratio: 1100}, nil},
		{"ratio", packed.Limits{Ratio: 100}, packed.ErrRatio},
		{"all of it is free", packed.Limits{Ratio: 100, Free: size}, nil},
		{"all of it but a byte is free", packed.Limits{Ratio: 100, Free: size - 1}, packed.ErrRatio},
		{"time", packed.Limits{Time: time.Nanosecond}, packed.ErrTime},
		{"time enough", packed.Limits{Time: time.Hour}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := tt.limits.Start(0)
			z, err := gzip.NewReader(m.Input(bytes.NewReader(zeros(t, size))))
			if err != nil {
				t.Fatal(err)
			}
			var total int64
			n, err := io.Copy(io.Discard, m.Output(z, &total))
			if !errors.Is(err, tt.want) || tt.want == nil && (err != nil || n != size || total != size) {
				t.Errorf("%d bytes of %d, %v; want %v", n, total, err, tt.want)
			}
		})
	}
}

// TestOneTotal checks that the ratio applies to the total of two files that are each within the limit.
func TestOneTotal(t *testing.T) {
	m := packed.Limits{Ratio: 10}.Start(100)
	var total int64
	for _, want := range []error{nil, packed.ErrRatio} {
		_, err := io.Copy(io.Discard, m.Output(strings.NewReader(strings.Repeat("x", 600)), &total))
		if !errors.Is(err, want) {
			t.Errorf("%d bytes: %v, want %v", total, err, want)
		}
	}
}
