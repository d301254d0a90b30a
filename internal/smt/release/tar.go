package release

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strings"
)

// tarBlock is the block size of the tar format. An archive ends with two blocks of zeros.
const tarBlock = 512

var (
	// errNoMark is returned for an archive without an end mark, such as one whose download was interrupted between two
	// members. archive/tar accepts such an archive.
	errNoMark = errors.New("no mark of the end")
	// errAfterEnd is returned for an archive with nonzero bytes after its end mark.
	errAfterEnd = errors.New("more after the mark of the end")
)

// tarReader reads an archive with archive/tar, and checks that it is complete.
type tarReader struct {
	*tar.Reader
	in tarSource
}

func newTarReader(r io.Reader) *tarReader {
	t := &tarReader{in: tarSource{r: r}}
	t.Reader = tar.NewReader(&t.in)
	return t
}

// Next advances to the next member. At the end of a complete archive it returns io.EOF. A sparse file in any format has
// the type tar.TypeGNUSparse. The caller must not continue after it, because its content may be petabytes of zeros.
func (t *tarReader) Next() (*tar.Header, error) {
	if _, err := io.Copy(io.Discard, t.Reader); err != nil {
		return nil, err
	}
	t.in.begin()
	h, err := t.Reader.Next()
	if err == io.EOF {
		return nil, t.in.end()
	}
	if err != nil {
		return nil, err
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			h.Typeflag = tar.TypeGNUSparse
		}
	}
	return h, nil
}

// tarSource counts the bytes that archive/tar reads and records whether they contain a header.
type tarSource struct {
	r      io.Reader
	offset int64
	member int64 // offset of the next member or the end mark
	zeros  bool  // only zeros have been read from member on
}

func (s *tarSource) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if s.zeros && s.offset >= s.member {
		s.zeros = isZero(p[:n])
	}
	s.offset += int64(n)
	return n, err
}

// begin records that the previous member's content has been read.
func (s *tarSource) begin() { s.member, s.zeros = (s.offset+tarBlock-1)&^(tarBlock-1), true }

// end reads the rest of the input after archive/tar has found the end, so that the compression's checksum is verified.
// It returns io.EOF if the archive is complete. The second block of the end mark may be missing.
func (s *tarSource) end() error {
	switch {
	case !s.zeros: // a header announced a member that does not follow
		return tar.ErrHeader
	case s.offset < s.member+tarBlock:
		return errNoMark
	}
	block := make([]byte, 2*tarBlock)
	for {
		n, err := s.r.Read(block)
		if !isZero(block[:n]) {
			return errAfterEnd
		}
		if err != nil {
			return err
		}
	}
}

func isZero(b []byte) bool { return bytes.Count(b, []byte{0}) == len(b) }
