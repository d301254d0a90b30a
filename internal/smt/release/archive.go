package release

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/base/packed"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
)

// Member is one file inside an archive.
type Member struct {
	Path    string // path in the archive, escaped as in Go if it cannot be shown
	Size    int64
	Problem string // why the member cannot be used, or empty
}

// maxMember limits the size of one benchmark. Larger members are rejected before memory is allocated.
const maxMember = 4 << 30

// suffixes lists the endings of archive names. The compression is detected from the first bytes.
var suffixes = []string{".tar", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst"}

// IsArchive reports whether a file name has the extension of an archive that Walk can read.
func IsArchive(name string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}

// Walk reads an archive from r, compressed or not, and calls visit for each member except folders, in archive order.
// visit may read the content before it returns, or ignore it. Links, devices and files whose path cannot be shown are
// members with a problem. Members that are not files have no content. Walk returns an error for a damaged or truncated
// archive, data after its end, a path that escapes the archive's folder, a sparse file, and an exceeded ratio or time
// limit. Errors contain the archive's name.
func Walk(name string, r io.Reader, limits packed.Limits, visit func(m Member, content io.Reader) error) error {
	begin := bufio.NewReader(r)
	if err := checkBeginning(name, begin); err != nil {
		return err
	}
	z, err := compressed.NewReaderWithin(begin, limits)
	if err != nil {
		return archiveError(name, err)
	}
	defer z.Close()
	t := newTarReader(z)
	content := &memberReader{t, name}
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return archiveError(name, err)
		}
		m := Member{Path: strings.TrimPrefix(h.Name, "./")}
		switch h.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		case tar.TypeReg:
			m.Size = h.Size
		case tar.TypeGNUSparse: // the rest of the archive must not be read
			return fmt.Errorf("archive %s: %s is a sparse file; pack it as an ordinary file", name, h.Name)
		case tar.TypeLink, tar.TypeSymlink:
			m.Problem = "is a link; pack the file itself"
		default:
			m.Problem = fmt.Sprintf("is neither a file nor a folder (type %q)", h.Typeflag)
		}
		if err := checkName(m.Path); err != nil {
			return fmt.Errorf("archive %s: %w", name, err)
		}
		if !showable(m.Path) {
			quoted := strconv.Quote(m.Path)
			m.Path = quoted[1 : len(quoted)-1] // unique to this member: checkName refuses backslashes
			m.Problem = "its path is not UTF-8 or has control characters; rename the file in the archive"
		}
		if m.Size > maxMember {
			return fmt.Errorf("archive %s: %s has %d bytes, which is more than %d", name, m.Path, m.Size,
				int64(maxMember))
		}
		if err := visit(m, content); err != nil {
			return err
		}
	}
}

// checkBeginning rejects what servers often send instead of an archive: an empty file or an HTML page.
func checkBeginning(name string, r *bufio.Reader) error {
	first, err := r.Peek(len("<!doctype"))
	switch text := strings.ToLower(string(first)); {
	case len(first) == 0 && err == io.EOF:
		return fmt.Errorf("archive %s is empty; fetch it again", name)
	case strings.HasPrefix(text, "<!doctype"), strings.HasPrefix(text, "<html"):
		return fmt.Errorf("archive %s is a web page, not an archive; look at the page, and fetch the archive again", name)
	}
	return nil // reading detects any other damage
}

// showable reports whether a name can be shown unchanged in tables and terminals.
func showable(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl)
}

// memberReader adds the archive's name to read errors.
type memberReader struct {
	r       io.Reader
	archive string
}

func (m *memberReader) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && err != io.EOF {
		err = archiveError(m.archive, err)
	}
	return n, err
}

func archiveError(name string, err error) error {
	switch {
	case errors.Is(err, packed.ErrRatio):
		return fmt.Errorf("archive %s: %w; look at what is in it, and if it is what it should be, raise unpack_ratio of the "+
			"stage that reads it", name, err)
	case errors.Is(err, packed.ErrTime):
		return fmt.Errorf("archive %s: %w; look at what is in it, and if it is what it should be, raise unpack_time of the "+
			"stage that reads it", name, err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("archive %s is cut: it ends before its content does; fetch it again", name)
	case err == errNoMark:
		return fmt.Errorf("archive %s is cut: it has no mark of its end; fetch it again", name)
	case err == errAfterEnd:
		return fmt.Errorf("archive %s is damaged: it goes on after the mark of its end; fetch it again, or pack its "+
			"files into one archive", name)
	}
	return fmt.Errorf("archive %s is damaged: %w; fetch it again", name, err)
}
