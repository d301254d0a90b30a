package frozen

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/cache"
)

// SumsName is the name of the list of all files with their digests, in sha256sum's format.
const SumsName = "SHA256SUMS"

// Sums contains the digests of files, by path with slashes.
type Sums map[string]cache.Digest

// Encode returns lines in sha256sum's format, sorted by path.
func (s Sums) Encode() []byte {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s  %s\n", s[path], path)
	}
	return []byte(b.String())
}

// isPath reports whether text is the canonical path of a file within a folder.
func isPath(path string) bool {
	return filepath.IsLocal(filepath.FromSlash(path)) && path == filepath.ToSlash(filepath.Clean(path)) && path != "."
}

// ParseSums parses lines in sha256sum's format. Paths must be unique and stay within the folder.
func ParseSums(src []byte) (Sums, error) {
	if err := limits.Sums.CheckLines(src, SumsName); err != nil {
		return nil, err
	}
	s := Sums{}
	n := 0
	for line := range bytes.Lines(src) {
		n++
		const hexBytes, most = 2 * len(cache.Digest{}), 4096
		hex, name, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("  "))
		if !ok || len(hex) != hexBytes || len(name) > most {
			return nil, fmt.Errorf("line %d of %s is not a digest and a path", n, SumsName)
		}
		path := string(name)
		d, err := cache.ParseDigest(string(hex))
		if err != nil {
			return nil, fmt.Errorf("line %d of %s is not a digest and a path", n, SumsName)
		}
		if !isPath(path) {
			return nil, fmt.Errorf("line %d of %s names %q, which is not a path in the folder", n, SumsName, path)
		}
		if _, twice := s[path]; twice {
			return nil, fmt.Errorf("line %d of %s lists %q a second time", n, SumsName, path)
		}
		s[path] = d
	}
	return s, nil
}
