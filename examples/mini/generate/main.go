// Command generate writes the release of the small 2008 competition: benchmarks in SMT-LIB 1.2 for eight of its
// divisions, with one archive per division. Statuses are known by construction. Two are left unknown, which makes the
// benchmarks ineligible.
//
// The program always writes the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "examples/mini/release-2008", "folder to write the release to")
	flag.Parse()
	if err := writeRelease(filepath.Join(*out, "non-incremental")); err != nil {
		log.Fatal(err)
	}
}

// family is a generator of benchmarks in one division and category.
type family struct {
	division, name, category string
	count                    int

	// write adds the benchmark's formulas and returns its status. Each instance i of a family has its own random
	// numbers.
	write func(b *benchmark, i int, r *rand.Rand) (status string)
}

// benchmark collects the attributes of a benchmark.
type benchmark struct{ lines []string }

func (b *benchmark) add(format string, args ...any) {
	b.lines = append(b.lines, ":"+fmt.Sprintf(format, args...))
}

// text returns the benchmark as SMT-LIB 1.2.
func (b *benchmark) text(f family, name, status string) string {
	logic := strings.TrimSuffix(strings.TrimSuffix(f.division, "+p"), "-p")
	head := []string{
		"(benchmark " + name,
		":source { Generated for the small competitions of smtpipe (family " + f.name + "). }",
		":status " + status,
		":category { " + f.category + " }",
		":logic " + logic,
	}
	return strings.Join(append(head, b.lines...), "\n") + "\n)\n"
}

// writeRelease writes an archive for each division.
func writeRelease(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var divisions []string
	archives := map[string]*archive{}
	for _, f := range families {
		a := archives[f.division]
		if a == nil {
			a = newArchive()
			archives[f.division] = a
			divisions = append(divisions, f.division)
		}
		for i := range f.count {
			var b benchmark
			status := f.write(&b, i, random(f.name, i))
			name := fmt.Sprintf("%s_%02d", f.name, i)
			a.add("non-incremental/"+f.division+"/"+f.name+"/"+name+".smt", b.text(f, name, status))
		}
	}
	for _, d := range divisions {
		if err := os.WriteFile(filepath.Join(dir, d+".tar.zst"), archives[d].bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// random returns an instance's random generator. Adding a family does not change other instances.
func random(family string, i int) *rand.Rand {
	var seed uint64 = 14695981039346656037 // FNV-1a of the family's name
	for _, c := range []byte(family) {
		seed = (seed ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, uint64(i)))
}

// archive is a tar archive in memory, with fixed times and owners. Writing to memory cannot fail.
type archive struct {
	buf bytes.Buffer
	z   *zstd.Encoder
	t   *tar.Writer
}

func newArchive() *archive {
	a := &archive{}
	z, err := zstd.NewWriter(&a.buf, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		log.Fatal(err)
	}
	a.z, a.t = z, tar.NewWriter(z)
	return a
}

func (a *archive) add(path, text string) {
	h := &tar.Header{Name: path, Mode: 0o644, Size: int64(len(text)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
	if err := a.t.WriteHeader(h); err != nil {
		log.Fatal(err)
	}
	if _, err := a.t.Write([]byte(text)); err != nil {
		log.Fatal(err)
	}
}

func (a *archive) bytes() []byte {
	if err := a.t.Close(); err != nil {
		log.Fatal(err)
	}
	if err := a.z.Close(); err != nil {
		log.Fatal(err)
	}
	return a.buf.Bytes()
}
