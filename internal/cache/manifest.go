package cache

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Manifest lists the files of a tree. The tree's digest is the digest of its encoding.
type Manifest struct{ Files []ManifestFile }

// ManifestFile is a file in a tree.
type ManifestFile struct {
	Path       string // relative path, with slashes
	Size       int64
	Digest     Digest
	Executable bool
}

// Sort sorts the files by path, as the encoding requires.
func (m *Manifest) Sort() {
	slices.SortFunc(m.Files, func(a, b ManifestFile) int { return strings.Compare(a.Path, b.Path) })
}

// Encode returns the canonical form: one line per file with digest, size, mode and quoted path.
func (m *Manifest) Encode() []byte {
	var buf bytes.Buffer
	for _, f := range m.Files {
		mode := "-"
		if f.Executable {
			mode = "x"
		}
		fmt.Fprintf(&buf, "%s %d %s %s\n", f.Digest, f.Size, mode, strconv.Quote(f.Path))
	}
	return buf.Bytes()
}

// DecodeManifest is the inverse of Encode.
func DecodeManifest(b []byte) (*Manifest, error) {
	m := &Manifest{}
	for line := range strings.Lines(string(b)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if len(fields) != 4 {
			return nil, fmt.Errorf("line %d of the manifest has %d fields; it must have 4", len(m.Files)+1, len(fields))
		}
		d, err := ParseDigest(fields[0])
		if err != nil {
			return nil, fmt.Errorf("line %d of the manifest: %w", len(m.Files)+1, err)
		}
		size, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d of the manifest: %w", len(m.Files)+1, err)
		}
		path, err := strconv.Unquote(fields[3])
		if err != nil {
			return nil, fmt.Errorf("line %d of the manifest: path %s: %w", len(m.Files)+1, fields[3], err)
		}
		m.Files = append(m.Files, ManifestFile{Path: path, Size: size, Digest: d, Executable: fields[2] == "x"})
	}
	return m, nil
}
