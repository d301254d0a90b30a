package report

import (
	"io"
	"os"
	"path"
	"sync"
)

// openDir returns a sink that writes to a folder, which it creates if necessary.
func openDir(folder string) (*dirSink, error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	return &dirSink{root: root, made: map[string]bool{".": true}}, nil
}

// dirSink is a sink that writes to a folder.
type dirSink struct {
	root *os.Root
	mu   sync.Mutex
	made map[string]bool
}

// Create creates a file and its parent folders.
func (d *dirSink) Create(name string) (io.WriteCloser, error) {
	if err := d.mkdir(path.Dir(name)); err != nil {
		return nil, err
	}
	return d.root.Create(name)
}

func (d *dirSink) mkdir(dir string) error {
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
func (d *dirSink) Close() error { return d.root.Close() }
