package compressed_test

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
)

// TestZstdAgain reads many intact and truncated streams, sequentially and concurrently.
func TestZstdAgain(t *testing.T) {
	long := strings.Repeat("a line of some length\n", 10_000)
	sound := map[string][]byte{}
	for _, text := range []string{"", text, long} {
		var b bytes.Buffer
		w, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		sound[text] = b.Bytes()
	}
	read := func(packed []byte) (string, error) {
		r, err := compressed.NewReader(bytes.NewReader(packed))
		if err != nil {
			return "", err
		}
		defer r.Close()
		got, err := io.ReadAll(r)
		return string(got), err
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if _, err := read(sound[long][:len(sound[long])-5]); err == nil {
					t.Error("a stream that is cut was read")
				}
				for want, packed := range sound {
					if len(packed) == 0 {
						continue // the encoder writes nothing for empty input
					}
					if got, err := read(packed); err != nil || got != want {
						t.Errorf("got %d bytes and %v, want %d bytes", len(got), err, len(want))
					}
				}
			}
		})
	}
	all.Wait()
}
