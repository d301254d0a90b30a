// Command generate writes the quickstart's release: about 400 benchmarks in 8 logics and 20 families, as per-logic
// archives with a record next to them, in the form of an SMT-LIB release. Statuses are known by construction, or
// unknown if the question is open or out of reach.
//
// The program always writes the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"crypto/md5"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "examples/quickstart/release", "folder to write the release to")
	flag.Parse()
	if err := writeRelease(*out); err != nil {
		log.Fatal(err)
	}
}

// benchmark is one file in the release.
type benchmark struct {
	logic, family, name string
	text                string
}

func (b benchmark) path() string {
	return "non-incremental/" + b.logic + "/" + b.family + "/" + b.name + ".smt2"
}

// benchmarks returns all benchmarks, sorted by path.
func benchmarks() []benchmark {
	var all []benchmark
	for _, f := range families {
		for i := range f.count {
			var s script
			status := f.write(&s, i)
			all = append(all, benchmark{f.logic, f.name, fmt.Sprintf("%s-%02d", f.stem, i), s.text(f, status)})
		}
	}
	slices.SortFunc(all, func(a, b benchmark) int { return bytes.Compare([]byte(a.path()), []byte(b.path())) })
	return all
}

// writeRelease writes one archive per logic and the record that lists them.
func writeRelease(dir string) error {
	dir = filepath.Join(dir, "non-incremental")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var logics []string
	byLogic := map[string][]benchmark{}
	for _, b := range benchmarks() {
		if byLogic[b.logic] == nil {
			logics = append(logics, b.logic)
		}
		byLogic[b.logic] = append(byLogic[b.logic], b)
	}
	var files []recordFile
	for _, logic := range logics {
		data, err := archive(byLogic[logic])
		if err != nil {
			return err
		}
		name := logic + ".tar.zst"
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
		files = append(files, recordFile{
			Key:      name,
			Size:     len(data),
			Checksum: fmt.Sprintf("md5:%x", md5.Sum(data)),
			Links:    map[string]string{"self": "https://zenodo.example/api/records/1/files/" + name + "/content"},
		})
	}
	data, err := json.MarshalIndent(record{ID: 1, Title: "smtpipe quickstart release", Files: files}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "record.json"), append(data, '\n'), 0o666)
}

// record is the part of a Zenodo record that a release needs.
type record struct {
	ID    int          `json:"id"`
	Title string       `json:"title"`
	Files []recordFile `json:"files"`
}

type recordFile struct {
	Key      string            `json:"key"`
	Size     int               `json:"size"`
	Checksum string            `json:"checksum"`
	Links    map[string]string `json:"links"`
}

// archive packs benchmarks with fixed times and owners.
func archive(all []benchmark) ([]byte, error) {
	var buf bytes.Buffer
	z, err := zstd.NewWriter(&buf, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	for _, b := range all {
		h := &tar.Header{Name: b.path(), Mode: 0o644, Size: int64(len(b.text)), ModTime: time.Unix(0, 0),
			Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write([]byte(b.text)); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
