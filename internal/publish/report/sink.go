package report

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// Sink takes the files of a report. Create may be called from several goroutines, once for each slash-separated path.
type Sink interface {
	Create(name string) (io.WriteCloser, error)
}

// Memory is a sink that keeps the files.
type Memory struct {
	mu    sync.Mutex
	files map[string][]byte
}

// Create creates a file. It is kept when it is closed.
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

// writeFile creates one file of the report.
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
