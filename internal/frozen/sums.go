package frozen

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// SumsName is the name of the list of all files with their digests, as sha256sum writes and checks it.
const SumsName = "SHA256SUMS"

// Sums holds the digests of files by their paths, which have slashes.
type Sums map[string]cache.Digest

// Encode writes the lines of sha256sum, sorted by path.
func (s Sums) Encode() []byte {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s  %s\n", s[path], path)
	}
	return []byte(b.String())
}

// ParseSums reads the lines of sha256sum. Paths must stay in the folder, and each may occur once.
func ParseSums(src []byte) (Sums, error) {
	s := Sums{}
	n := 0
	for line := range strings.Lines(string(src)) {
		n++
		hex, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		d, err := cache.ParseDigest(hex)
		if !ok || err != nil {
			return nil, fmt.Errorf("line %d of %s is not a digest and a path", n, SumsName)
		}
		if !filepath.IsLocal(filepath.FromSlash(path)) || path != filepath.ToSlash(filepath.Clean(path)) {
			return nil, fmt.Errorf("line %d of %s names %q, which is not a path in the folder", n, SumsName, path)
		}
		if _, twice := s[path]; twice {
			return nil, fmt.Errorf("line %d of %s names %q again", n, SumsName, path)
		}
		s[path] = d
	}
	return s, nil
}
