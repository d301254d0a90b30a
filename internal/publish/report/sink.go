package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
)

// Sink receives a report's files. Create may be called concurrently, once for each slash-separated path.
type Sink interface {
	Create(name string) (io.WriteCloser, error)
}

// Memory is a sink that keeps files in memory.
type Memory struct {
	mu    sync.Mutex
	files map[string][]byte
}

// Create creates a file, which is kept when it is closed.
func (m *Memory) Create(name string) (io.WriteCloser, error) {
	return &memoryFile{m: m, name: name}, nil
}

// Files returns the files by path.
func (m *Memory) Files() map[string][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.files
}

type memoryFile struct {
	bytes.Buffer
	m    *Memory
	name string
}

func (f *memoryFile) Close() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if f.m.files == nil {
		f.m.files = map[string][]byte{}
	}
	if _, twice := f.m.files[f.name]; twice {
		return fmt.Errorf("the file %s of the report is written twice", f.name)
	}
	f.m.files[f.name] = f.Bytes()
	return nil
}

// Reuser is a Sink that still has the files of earlier reports.
type Reuser interface {
	Sink
	// Reuse uses an earlier report's file with this name, if that file depended on the same input. Otherwise, it calls
	// write, which creates the file.
	Reuse(name, reads string, write func() error) error
}

// dependsOnly declares the values that a file's content depends on, so that a report with the same values can reuse the
// file. The list must be complete, except for smtpipe's version, which every file depends on.
func (s *site) dependsOnly(f file, values ...any) file {
	s.reads[f.name] = s.m.in.identify(values...)
	return f
}

// identify returns a text that identifies smtpipe's version and the values.
func (in *Input) identify(values ...any) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q\x00", in.Provenance.ToolVersion)
	for _, v := range values {
		fmt.Fprintf(sum, "%#v\x00", v)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// write writes a file unless the sink can reuse an earlier report's file.
func (s *site) write(f file) error {
	write := func() error { return writeFile(s.dst, f.name, f.write) }
	if r, ok := s.dst.(Reuser); ok && s.reads[f.name] != "" {
		return r.Reuse(f.name, s.reads[f.name], write)
	}
	return write()
}

// writeFile creates one of the report's files.
func writeFile(dst Sink, name string, write func(io.Writer) error) (err error) {
	f, err := dst.Create(name)
	if err != nil {
		return fmt.Errorf("report file %s: %w", name, err)
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			err = fmt.Errorf("report file %s: %w", name, err)
		}
	}()
	return write(f)
}
