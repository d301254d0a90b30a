package freeze

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/cache"
)

// partialPrefix is the prefix of the name of a folder that is being written.
const partialPrefix = ".smtpipe-freeze-"

// partial is a folder next to the target that contains the new target while it is being written. It survives a killed
// freeze. The next freeze to the same target reuses its complete files, which are listed in its journal and match their
// digests.
type partial struct {
	dir  string // path of the partial folder
	made string // path of the folder being written, inside the partial folder
	lock *flock.Flock

	mu      sync.Mutex
	journal *os.File
	whole   map[string]written // complete files by path in the folder
}

// written is a file that was written completely.
type written struct {
	digest cache.Digest
	from   string // source of the content
}

// openPartial acquires a target's partial folder. It returns an error if another process is using the folder.
func openPartial(target string) (_ *partial, err error) {
	p := &partial{dir: filepath.Join(filepath.Dir(target), partialPrefix+filepath.Base(target)),
		whole: map[string]written{}}
	p.made = filepath.Join(p.dir, folderName(target))
	if err := os.MkdirAll(p.dir, 0o777); err != nil {
		return nil, err
	}
	p.lock = flock.New(filepath.Join(p.dir, "lock"))
	if ok, err := p.lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("another process is writing %s", target), err)
	}
	if err := p.readJournal(); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// readJournal reads the list of complete files. If the process was killed, the last line may be incomplete.
func (p *partial) readJournal() (err error) {
	const flags = os.O_CREATE | os.O_RDWR | os.O_APPEND
	if p.journal, err = os.OpenFile(filepath.Join(p.dir, "journal"), flags, 0o666); err != nil {
		return err
	}
	lines := bufio.NewScanner(p.journal)
	for lines.Scan() {
		fields := strings.SplitN(lines.Text(), " ", 3)
		if len(fields) != 3 {
			continue
		}
		digest, err := cache.ParseDigest(fields[0])
		path, notQuoted := strconv.Unquote(fields[2])
		if err == nil && notQuoted == nil {
			p.whole[path] = written{digest, fields[1]}
		}
	}
	if _, err := p.journal.WriteString("\n"); err != nil { // terminates an incomplete line
		return err
	}
	return lines.Err()
}

// note records a complete file in the journal.
func (p *partial) note(it item, digest cache.Digest) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := fmt.Fprintf(p.journal, "%s %s %s\n", digest, it.from, strconv.Quote(it.path))
	return err
}

// keep removes incomplete and unwanted files, and returns the remaining files with their digests.
func (p *partial) keep(items []item) (map[string]frozen.File, error) {
	from := map[string]string{}
	for _, it := range items {
		from[it.path] = it.from
	}
	kept := map[string]frozen.File{}
	var folders []string
	err := filepath.WalkDir(p.made, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir():
			folders = append(folders, path)
			return nil
		}
		rel, err := filepath.Rel(p.made, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if was := p.whole[name]; was.from != "" && was.from == from[name] {
			file, err := fileAt(path)
			if err != nil {
				return err
			}
			if file.Digest == was.digest {
				kept[name] = file
				return nil
			}
		}
		return os.Remove(path)
	})
	for _, folder := range slices.Backward(folders) {
		_ = os.Remove(folder) // removes the folder if it is empty
	}
	return kept, err
}

func fileAt(path string) (frozen.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return frozen.File{}, err
	}
	defer f.Close()
	d, size, err := cache.DigestAll(f)
	return frozen.File{Digest: d, Bytes: size}, err
}

// close unlocks the folder for the next process, which can continue with the existing files.
func (p *partial) close() error {
	var err error
	if p.journal != nil {
		err = p.journal.Close()
	}
	return errors.Join(err, p.lock.Close())
}

// remove deletes the partial folder and only then unlocks it.
func (p *partial) remove() error { return errors.Join(os.RemoveAll(p.dir), p.close()) }

// madeFrom returns a text that identifies a file's source: equal texts mean equal files.
func madeFrom(parts ...any) string { return cache.DigestOf(fmt.Appendln(nil, parts...)).String() }
