package scramble

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib/smtlibtest"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// vector is one line of vectors.tsv, which contains outputs of the official program.
type vector struct {
	path, mode string
	seed       int64
	exit       int
	bytes      int
	sha256     string
}

// TestVectors compares with all published outputs of the official scrambler.
func TestVectors(t *testing.T) {
	vectors := readVectors(t, testkit.Shared(t, "scrambler-vectors", "vectors.tsv.gz"))
	files := map[string][]byte{}
	for _, f := range smtlibtest.Release(t) {
		files[f.Path] = f.Text
	}
	if len(vectors) != 11219 {
		t.Errorf("got %d vectors, want 11219", len(vectors))
	}
	next := make(chan vector)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			var out []byte
			for v := range next {
				out = checkVector(t, v, files[v.path], out[:0])
			}
		})
	}
	for _, v := range vectors {
		next <- v
	}
	close(next)
	workers.Wait()
}

func checkVector(t *testing.T, v vector, src, out []byte) []byte {
	name := fmt.Sprintf("%s %s seed %d", v.path, v.mode, v.seed)
	if src == nil {
		t.Errorf("%s: no such file in the release", name)
		return out
	}
	track, err := comp.ParseTrack(v.mode)
	if err != nil {
		t.Error(err)
		return out
	}
	opt := ForTrack(track, v.seed)
	opt.StatusHeader = false // the vectors do not include it
	out, err = Append(out, src, opt)
	exit := 0
	if err != nil {
		rejection, ok := errors.AsType[*Rejection](err)
		if !ok {
			t.Errorf("%s: %v", name, err)
			return out
		}
		exit = rejection.Exit
	}
	sum := sha256.Sum256(out)
	if got := hex.EncodeToString(sum[:]); exit != v.exit || len(out) != v.bytes || got != v.sha256 {
		t.Errorf("%s: got exit %d, %d bytes, %s (%v); want exit %d, %d bytes, %s", name, exit, len(out), got, err,
			v.exit, v.bytes, v.sha256)
	}
	return out
}

func readVectors(t *testing.T, path string) []vector {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	sc := bufio.NewScanner(gz)
	for sc.Scan() {
		f := strings.Split(sc.Text(), "\t")
		if f[0] == "path" {
			continue
		}
		v := vector{path: f[0], mode: f[1], sha256: f[5]}
		var errs [3]error
		v.seed, errs[0] = strconv.ParseInt(f[2], 10, 64)
		v.exit, errs[1] = strconv.Atoi(f[3])
		v.bytes, errs[2] = strconv.Atoi(f[4])
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		vectors = append(vectors, v)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return vectors
}
