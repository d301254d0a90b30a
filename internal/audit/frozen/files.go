package frozen

import (
	"errors"
	"sync"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Finder finds the files that a pipeline names on a machine (config.Files).
type Finder interface {
	File(path string) (stages.File, error)
	Program(name string) (stages.File, error)
}

// Prefixes of input names.
const (
	filePrefix    = "file "
	programPrefix = "program "
)

// Files returns a Finder for the files that a pipeline names, as they were when the folder was frozen: programs and
// missing files from the lock, other files on this machine.
func (f *Folder) Files(here Finder) Finder { return &lockedFiles{f, here} }

type lockedFiles struct {
	folder *Folder
	here   Finder
}

// File implements Finder.
func (l *lockedFiles) File(path string) (stages.File, error) {
	found, err := l.here.File(path)
	entry, locked := l.folder.Lock.Inputs[filePrefix+path]
	if !locked {
		return found, err
	}
	if entry[AttrWithout] != "" && (err != nil || found.Digest.String() != entry[AttrSHA256]) {
		return absent(entry, path)
	}
	if delivered := entry[AttrPath]; err != nil && delivered != "" {
		found, err = l.here.File(l.folder.Path(delivered))
	}
	if err == nil {
		found.Name = entry[AttrName]
		return found, nil
	}
	return absent(entry, path)
}

// Program implements Finder.
func (l *lockedFiles) Program(name string) (stages.File, error) {
	found, err := l.here.Program(name)
	entry, locked := l.folder.Lock.Inputs[programPrefix+name]
	if !locked {
		return found, err
	}
	was, failed := absent(entry, name)
	if err == nil && failed == nil && found.Digest == was.Digest {
		return found, nil
	}
	return was, failed
}

// absent returns a file known only from the lock. It has no path: a file with the same name on this machine would be a
// different one.
func absent(entry Entry, path string) (stages.File, error) {
	d, err := cache.ParseDigest(entry[AttrSHA256])
	if err != nil {
		return stages.File{}, errors.New("the lock has no digest of " + path)
	}
	tree, _ := cache.ParseDigest(entry[AttrTree]) // only archives and images have this attribute
	return stages.File{Name: entry[AttrName], Digest: d, Absent: true, Tree: tree,
		IsDir: entry[AttrKind] == "folder"}, nil
}

// Recorder is a Finder that uses another one and records the files that a pipeline requested.
type Recorder struct {
	Finder

	mu    sync.Mutex
	found map[string]stages.File // requested files, by input name in the lock
}

// File implements Finder.
func (r *Recorder) File(path string) (stages.File, error) {
	f, err := r.Finder.File(path)
	return r.note(filePrefix+path, f, err)
}

// Program implements Finder.
func (r *Recorder) Program(name string) (stages.File, error) {
	f, err := r.Finder.Program(name)
	return r.note(programPrefix+name, f, err)
}

func (r *Recorder) note(input string, f stages.File, err error) (stages.File, error) {
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.found == nil {
			r.found = map[string]stages.File{}
		}
		r.found[input] = f
	}
	return f, err
}

// Found returns the files that the pipeline requested, by input name in the lock: "file PATH" or "program NAME".
func (r *Recorder) Found() map[string]stages.File {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.found
}
