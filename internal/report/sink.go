package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"sync"
)

// Sink takes the files of a report. Create may be called from several goroutines, once for each slash-separated path.
type Sink interface {
	Create(name string) (io.WriteCloser, error)
}

// Dir returns a sink that writes into a folder, which it makes if need be. Nothing outside of the folder can be
// written.
func Dir(folder string) (*DirSink, error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	return &DirSink{root: root, made: map[string]bool{".": true}}, nil
}

// DirSink is a sink on a folder.
type DirSink struct {
	root *os.Root
	mu   sync.Mutex
	made map[string]bool
}

// Create makes a file and its folders.
func (d *DirSink) Create(name string) (io.WriteCloser, error) {
	if err := d.mkdir(path.Dir(name)); err != nil {
		return nil, err
	}
	return d.root.Create(name)
}

func (d *DirSink) mkdir(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made[dir] {
		return nil
	}
	if err := d.root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	d.made[dir] = true
	return nil
}

// Close releases the folder.
func (d *DirSink) Close() error { return d.root.Close() }

// Memory is a sink that keeps the files.
type Memory struct {
	mu    sync.Mutex
	files map[string][]byte
}

// Create makes a file; it is kept when it is closed.
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
