package release

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
)

// tarBlock is the unit of the tar format; an archive ends with two blocks of zeros.
const tarBlock = 512

var (
	// errNoMark is given for an archive that ends without the mark of its end, as after a download that broke off between two
	// members. archive/tar takes it for a complete one.
	errNoMark = errors.New("no mark of the end")
	// errBehindMark is given for an archive with more than zeros behind the mark of its end.
	errBehindMark = errors.New("more behind the mark of the end")
)

// tarMember is what the header of a member says.
type tarMember struct {
	kind byte // tar.TypeReg and so on
	name string
	size int64
}

// tarReader goes through the members of an archive. It reads plain headers itself, and the names and times that may stand in
// front of one, since archive/tar takes longer for the header of a small file than Inspect for its text. What has any other
// header (other extensions, old formats, numbers that are not plain) is left to archive/tar, which is given the archive from this
// header on, for this member.
type tarReader struct {
	in    io.Reader
	left  int64 // bytes of the content of this member that were not read yet
	pad   int   // bytes between the end of the content and the next block
	block [2 * tarBlock]byte
	head  []byte // a header that says something of the next one, with its content, and the next one

	other *tar.Reader // reads this member; nil: its header was plain
	given tarSource   // what other reads
}

// next goes to the next member, at the end of the archive it gives io.EOF. A sparse file of any format has the type
// tar.TypeGNUSparse; one must not go on behind it, since it may be petabytes of nothing.
func (t *tarReader) next() (tarMember, error) {
	if err := t.finish(); err != nil {
		return tarMember{}, err
	}
	header, err := t.header()
	if err != nil {
		return tarMember{}, err
	}
	if *header == [tarBlock]byte{} {
		return tarMember{}, t.end()
	}
	m, ok := plainHeader(header)
	switch {
	case ok && isMember(m.kind):
		return t.begin(m), nil
	case ok && m.size <= maxExtension:
		return t.extended(header, m)
	}
	return t.otherHeader(header[:])
}

func isMember(kind byte) bool { return kind == tar.TypeReg || kind == tar.TypeDir }

// begin makes the content of a member with a plain header the one to read.
func (t *tarReader) begin(m tarMember) tarMember {
	if m.kind == tar.TypeReg {
		t.left, t.pad = m.size, padding(m.size)
	}
	return m
}

// padding is the number of bytes from the end of a content to the next block.
func padding(size int64) int { return int(-size & (tarBlock - 1)) }

// maxExtension bounds the content of an extension that is read here.
const maxExtension = 4 << 10

// extended reads a member whose header stands behind an extension, whose header was read.
func (t *tarReader) extended(header *[tarBlock]byte, extension tarMember) (tarMember, error) {
	end := tarBlock + int(extension.size)
	next := end + padding(extension.size)
	t.head = slices.Grow(t.head[:0], next+tarBlock)[:next+tarBlock]
	copy(t.head, header[:])
	if _, err := io.ReadFull(t.in, t.head[tarBlock:]); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return tarMember{}, err
	}
	name, known := extendedName(extension.kind, t.head[tarBlock:end])
	m, ok := plainHeader((*[tarBlock]byte)(t.head[next:]))
	if !known || !ok || !isMember(m.kind) {
		return t.otherHeader(t.head)
	}
	if name != "" {
		m.name = name
	}
	return t.begin(m), nil
}

// finish passes over the content that nobody has read.
func (t *tarReader) finish() error {
	if t.other != nil {
		if _, err := io.Copy(io.Discard, t.other); err != nil {
			return err
		}
		t.other, t.pad = nil, padding(t.given.taken)
		return nil
	}
	if t.left == 0 {
		return nil
	}
	n, err := io.CopyN(io.Discard, t.in, t.left)
	t.left -= n
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// header reads the rest of a block and the one that follows in one go.
func (t *tarReader) header() (*[tarBlock]byte, error) {
	want := t.block[tarBlock-t.pad:]
	n := 0
	for n < len(want) {
		got, err := t.in.Read(want[n:])
		if n += got; err == nil || n == len(want) {
			continue
		}
		switch {
		case err == io.EOF && n > t.pad:
			err = io.ErrUnexpectedEOF
		case err == io.EOF:
			err = errNoMark
		}
		return nil, err
	}
	t.pad = 0
	return (*[tarBlock]byte)(t.block[tarBlock:]), nil
}

// end reads what follows the first block of zeros to the end of the archive, which also compares the checksum of the
// compression. The second block may be missing. It gives io.EOF if all is well.
func (t *tarReader) end() error {
	n, err := io.ReadFull(t.in, t.block[:tarBlock])
	if err != nil {
		return err
	}
	if !isZero(t.block[:n]) {
		return tar.ErrHeader
	}
	for err == nil {
		n, err = t.in.Read(t.block[:])
		if !isZero(t.block[:n]) {
			return errBehindMark
		}
	}
	return err
}

func isZero(b []byte) bool { return bytes.Count(b, []byte{0}) == len(b) }

// otherHeader has archive/tar read a header, and what else belongs to it. head is what was read of the archive from there on.
func (t *tarReader) otherHeader(head []byte) (tarMember, error) {
	t.given = tarSource{head: head, rest: t.in}
	t.other = tar.NewReader(&t.given)
	h, err := t.other.Next()
	if err == io.EOF { // a header that says something of a member, and none follows
		err = tar.ErrHeader
	}
	if err != nil {
		return tarMember{}, err
	}
	m := tarMember{h.Typeflag, h.Name, h.Size}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			m.kind = tar.TypeGNUSparse
		}
	}
	return m, nil
}

// Read reads from the content of this member.
func (t *tarReader) Read(p []byte) (int, error) {
	if t.other != nil {
		return t.other.Read(p)
	}
	if t.left == 0 {
		return 0, io.EOF
	}
	n, err := t.in.Read(p[:min(int64(len(p)), t.left)])
	t.left -= int64(n)
	if err == io.EOF {
		if err = io.ErrUnexpectedEOF; t.left == 0 {
			err = nil
		}
	}
	return n, err
}

// tarSource gives an archive from a header on that was read already, and counts what was taken of it.
type tarSource struct {
	head  []byte
	rest  io.Reader
	taken int64
}

func (s *tarSource) Read(p []byte) (n int, err error) {
	if len(s.head) > 0 {
		n = copy(p, s.head)
		s.head = s.head[n:]
	} else {
		n, err = s.rest.Read(p)
	}
	s.taken += int64(n)
	return n, err
}

// plainHeader reads a header of the POSIX (ustar) or the GNU format with all numbers written as octal digits: of a file or a
// folder, or of an extension that extendedName may know. It gives what archive/tar gives. ok is false for any other header, and a
// damaged one.
//
// Source: POSIX.1-2017, pax, "ustar Interchange Format"; GNU tar manual, "Basic Tar Format".
func plainHeader(b *[tarBlock]byte) (m tarMember, ok bool) {
	switch m.kind = b[156]; m.kind {
	case tar.TypeReg, tar.TypeDir, tar.TypeXHeader, tar.TypeGNULongName:
	default:
		return m, false
	}
	prefix := cString(b[345:500])
	switch string(b[257:265]) {
	case "ustar\x0000":
		if string(b[508:]) == "tar\x00" { // star's format, with times in the prefix
			return m, false
		}
	case "ustar  \x00":
		if b[345] != 0 || b[357] != 0 { // times, where POSIX has the prefix
			return m, false
		}
	default:
		return m, false
	}
	sum, ok := octal(b[148:156])
	if !ok || sum != checksum(b) {
		return m, false
	}
	for _, field := range [...][]byte{b[100:108], b[108:116], b[116:124], b[136:148], b[329:337], b[337:345]} {
		if _, ok := octal(field); !ok { // mode, owner, group, time, device
			return m, false
		}
	}
	m.size, ok = octal(b[124:136])
	if len(prefix) > 0 {
		m.name = string(prefix) + "/"
	}
	m.name += string(cString(b[:100]))
	return m, ok
}

// extendedName reads the content of an extension that gives the next member a name, or a time, which does not matter here. An empty
// name is none. ok is false for any other extension, and a damaged one.
//
// Source: POSIX.1-2017, pax, "pax Extended Header"; GNU tar manual, "Basic Tar Format", GNUTYPE_LONGNAME.
func extendedName(kind byte, content []byte) (name string, ok bool) {
	if kind == tar.TypeGNULongName {
		return string(cString(content)), true
	}
	for len(content) > 0 { // LENGTH KEY=VALUE, where the length is that of the whole line
		digits := bytes.IndexByte(content, ' ')
		if digits < 1 || digits > 4 || !isDigits(content[:digits]) {
			return "", false
		}
		length := 0
		for _, c := range content[:digits] {
			length = 10*length + int(c-'0')
		}
		if length < digits+2 || length > len(content) || content[length-1] != '\n' {
			return "", false
		}
		key, value, _ := bytes.Cut(content[digits+1:length-1], []byte{'='})
		switch string(key) {
		case "path":
			if name = string(value); name == "" || strings.Contains(name, "\x00") {
				return "", false
			}
		case "mtime", "atime", "ctime":
			if seconds, fraction, _ := bytes.Cut(value, []byte{'.'}); len(seconds) < 1 || len(seconds) > 18 || !isDigits(seconds) || !isDigits(fraction) {
				return "", false
			}
		default:
			return "", false
		}
		content = content[length:]
	}
	return name, true
}

func isDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// checksum is the sum of all bytes of a header, with blanks where it stands itself.
func checksum(b *[tarBlock]byte) int64 {
	const every2nd = 0x00FF00FF00FF00FF
	sum := uint64(0) // four sums of 16 bits, of 128 bytes each
	for i := 0; i < tarBlock; i += 8 {
		v := binary.LittleEndian.Uint64(b[i:])
		sum += v&every2nd + v>>8&every2nd
	}
	total := int64(sum&0xFFFF + sum>>16&0xFFFF + sum>>32&0xFFFF + sum>>48)
	for _, c := range b[148:156] {
		total += ' ' - int64(c)
	}
	return total
}

// octal reads a number that is written as digits and filled up with NULs or blanks.
func octal(field []byte) (n int64, ok bool) {
	i := 0
	for ; i < len(field) && '0' <= field[i] && field[i] <= '7'; i++ {
		n = n<<3 | int64(field[i]-'0')
	}
	for _, c := range field[i:] {
		if c != 0 && c != ' ' {
			return 0, false
		}
	}
	return n, true
}

// cString is the text up to the first NUL.
func cString(field []byte) []byte {
	if i := bytes.IndexByte(field, 0); i >= 0 {
		return field[:i]
	}
	return field
}
