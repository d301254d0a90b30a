package benchexec

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// Logs are the logs of one execution of BenchExec: an archive NAME.logfiles.zip, or the folder NAME.logfiles that
// BenchExec leaves with --no-compress-results.
type Logs struct {
	archive *limits.Zip // nil for a folder
	members map[string]*zip.File
	folder  string
}

// OpenLogs opens an archive or a folder.
func OpenLogs(file string) (*Logs, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return &Logs{folder: file}, nil
	}
	archive, err := limits.OpenZip(file)
	if err != nil {
		return nil, fmt.Errorf("%s is not an archive of logs: %w", filepath.Base(file), err)
	}
	l := &Logs{archive: archive, members: make(map[string]*zip.File, len(archive.File))}
	for _, member := range archive.File {
		l.members[path.Base(member.Name)] = member
	}
	return l, nil
}

// Close closes the archive.
func (l *Logs) Close() error {
	if l.archive == nil {
		return nil
	}
	return l.archive.Close()
}

// maxLog is the maximum size of a run's log. BenchExec's default is 20 MB.
const maxLog = 256 << 20

// ErrNoLog means that a run has no log.
var ErrNoLog = errors.New("there is no log")

// Read reads a run's log. It is safe for concurrent use.
func (l *Logs) Read(h *Header, r *Run) (Log, error) {
	name := path.Base(r.Name) + ".log"
	if definition := h.Definition(); definition != "" {
		name = definition + "." + name
	}
	text, err := l.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Log{}, fmt.Errorf("%w %s", ErrNoLog, name)
	}
	if err != nil {
		return Log{}, fmt.Errorf("log %s: %w", name, err)
	}
	log, err := ParseLog(text)
	if err != nil {
		return log, fmt.Errorf("log %s: %w", name, err)
	}
	return log, nil
}

func (l *Logs) read(name string) ([]byte, error) {
	var in io.ReadCloser
	var err error
	if !filepath.IsLocal(name) {
		return nil, errors.New("the name leads out of the folder")
	}
	if l.archive == nil {
		in, err = limits.Open(filepath.Join(l.folder, name))
	} else if member := l.members[name]; member != nil {
		in, err = member.Open()
	} else {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxLog+1))
	if err == nil && len(text) > maxLog {
		err = fmt.Errorf("it has more than %d MB; run BenchExec with --maxLogfileSize", maxLog>>20)
	}
	return text, err
}

// BaseName returns the common prefix of the result files and logs of one execution, such as abacus.DATE for
// abacus.DATE.results.NAME.xml.bz2 and abacus.DATE.logfiles.zip. It returns other names unchanged.
func BaseName(file string) string {
	name := path.Base(file)
	for _, mark := range []string{".results.", ".logfiles"} {
		if i := strings.LastIndex(name, mark); i > 0 {
			return name[:i]
		}
	}
	return name
}
