package release

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strings"
)

// tarBlock is the unit of the tar format; an archive ends with two blocks of zeros.
const tarBlock = 512

var (
	// errNoMark is returned for an archive without an end mark, such as a download interrupted between two members.
	// archive/tar takes such an archive for complete.
	errNoMark = errors.New("no mark of the end")
	// errAfterEnd is returned for an archive with anything but zeros after its end mark.
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

// Next moves to the next member. At the end of a complete archive it returns io.EOF. A sparse file of any format has
// the type tar.TypeGNUSparse; the caller must not continue after it, since it may be petabytes of zeros.
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

// tarSource counts the bytes that archive/tar reads and notes whether they include a header.
type tarSource struct {
	r      io.Reader
	offset int64
	member int64 // where the next member or the end mark begins
	zeros  bool  // only zeros were read from there on
}

func (s *tarSource) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if s.zeros && s.offset >= s.member {
		s.zeros = isZero(p[:n])
	}
	s.offset += int64(n)
	return n, err
}

// begin records that the content of a member has been read.
func (s *tarSource) begin() { s.member, s.zeros = (s.offset+tarBlock-1)&^(tarBlock-1), true }

// end continues reading where archive/tar found the end, so that the compression's checksum is checked, too. It returns
// io.EOF if all is well. The second block of the end mark may be missing.
func (s *tarSource) end() error {
	switch {
	case !s.zeros: // a header that announces a member, but none follows
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
