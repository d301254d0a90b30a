// Package release reads SMT-LIB releases. It reads the record that lists a release's archives, downloads archives, and
// reads the benchmarks in them as a stream, without unpacking to disk.
package release

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/words"
)

// Record is the part of a Zenodo record (GET /api/records/ID) that describes a release's files.
type Record struct {
	Title string
	Files []RecordFile // in record order
}

// RecordFile is one file of a record.
type RecordFile struct {
	Key  string // file name, such as QF_BV.tar.zst
	Size int64  // in bytes
	MD5  string // hexadecimal, or empty if the record has none
	URL  string // address of the content
}

// maxRecord limits the size of a record. Otherwise, a wrong address could exhaust the memory.
const maxRecord = 64 << 20

// ReadRecord parses a record in Zenodo's JSON format. It ignores fields that do not describe files.
func ReadRecord(r io.Reader) (*Record, error) {
	var raw struct {
		Title    string `json:"title"`
		Metadata struct {
			Title string `json:"title"`
		} `json:"metadata"`
		Files []struct {
			Key      string            `json:"key"`
			Filename string            `json:"filename"` // used by older records
			Size     int64             `json:"size"`
			Checksum string            `json:"checksum"`
			Links    map[string]string `json:"links"`
		} `json:"files"`
	}
	dec := json.NewDecoder(io.LimitReader(r, maxRecord))
	if err := dec.Decode(&raw); err != nil {
		return nil, fmt.Errorf("the record is not JSON of a Zenodo record: %w", err)
	}
	if len(raw.Files) == 0 {
		return nil, fmt.Errorf("the record lists no files; is its access restricted?")
	}
	rec := &Record{Title: raw.Metadata.Title}
	if rec.Title == "" {
		rec.Title = raw.Title
	}
	for i, f := range raw.Files {
		file := RecordFile{Key: f.Key, Size: f.Size, URL: f.Links["self"]}
		if file.Key == "" {
			file.Key = f.Filename
		}
		if algorithm, sum, ok := strings.Cut(f.Checksum, ":"); ok && algorithm == "md5" {
			file.MD5 = sum
		} else if f.Checksum != "" {
			return nil, fmt.Errorf("file %d of the record has the checksum %q; only md5:HEX is known", i+1, f.Checksum)
		}
		if f.Size < 0 {
			return nil, fmt.Errorf("file %d of the record has the size %d", i+1, f.Size)
		}
		if err := checkName(file.Key); err != nil {
			return nil, fmt.Errorf("file %d of the record: %w", i+1, err)
		}
		rec.Files = append(rec.Files, file)
	}
	if twice := firstTwice(rec.Files); twice != "" {
		return nil, fmt.Errorf("the record lists the file %q twice", twice)
	}
	return rec, nil
}

func firstTwice(files []RecordFile) string {
	seen := map[string]bool{}
	for _, f := range files {
		if seen[f.Key] {
			return f.Key
		}
		seen[f.Key] = true
	}
	return ""
}

// checkName rejects a file name that leads out of its folder.
func checkName(name string) error {
	if name == "" || strings.HasPrefix(name, "/") || strings.Contains(name, "\\") || strings.Contains(name, "\x00") ||
		path.Clean(name) != name || name == ".." || strings.HasPrefix(name, "../") {
		return fmt.Errorf("the path %q escapes its folder or is not in its simplest form", name)
	}
	return nil
}

// RecordURL returns the address of a record on a Zenodo-like service whose API is at api.
func RecordURL(api, id string) (string, error) {
	if id == "" || strings.Trim(id, "0123456789") != "" {
		return "", fmt.Errorf("%q is not a record number: it must be digits, such as \"15493090\"", id)
	}
	u, err := url.Parse(api)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") {
		return "", fmt.Errorf("%q is not the address of an API", api)
	}
	return u.JoinPath("records", id).String(), nil
}

// Select returns the names that match at least one of the patterns: path.Match patterns, or logics such as QF_BV, which
// match their archive. Without patterns it returns all names. A pattern without a match is an error, because it must be
// a mistake.
func Select(names []string, patterns []string) ([]string, error) {
	if len(patterns) == 0 {
		return names, nil
	}
	var kept []string
	used := make([]bool, len(patterns))
	for _, name := range names {
		hit := false
		for i, p := range patterns {
			match, err := matches(p, name)
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %w", p, err)
			}
			if match {
				hit, used[i] = true, true
			}
		}
		if hit {
			kept = append(kept, name)
		}
	}
	if i := slices.Index(used, false); i >= 0 {
		return nil, fmt.Errorf("no file of the release matches %q; it has %s", patterns[i], words.Some(names, 8))
	}
	return kept, nil
}

func matches(pattern, name string) (bool, error) {
	if ok, err := path.Match(pattern, name); ok || err != nil {
		return ok, err
	}
	base := path.Base(name)
	stem, _, _ := strings.Cut(base, ".")
	return pattern == base || pattern == stem, nil
}
