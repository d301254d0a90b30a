package freeze

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/image"
	"github.com/smtpipe/smtpipe/internal/exec/solvertree"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// addInputs adds the pipeline's external files to the lock, and to the folder if the level requires them. place returns
// the path for a file that belongs next to the pipeline's own files; ok is false for other files.
func (f *freezing) addInputs(place func(path string) (name string, ok bool)) error {
	bulk, private := f.bulkFiles(), f.privateFiles()
	for i, input := range slices.Sorted(maps.Keys(f.Files)) {
		file := f.Files[input]
		entry, found, err := f.inputEntry(input, file)
		if err != nil {
			return err
		}
		name, beside := place(file.Path)
		if !beside {
			name = fmt.Sprintf("pipeline-inputs/%d/%s", i+1, filepath.Base(file.Path))
		}
		isProgram := entry[frozen.AttrKind] == "program"
		if (f.Level == Inputs || !bulk[file.Digest] && !isProgram) && (beside || !isProgram) {
			for _, item := range found {
				if private[file.Digest] {
					entry[frozen.AttrWithout] = "addresses"
					item = withoutAddresses(item)
				}
				item.path = filepath.ToSlash(filepath.Join(name, item.path))
				f.add(item)
			}
			entry[frozen.AttrPath] = name
		}
		f.lock.Inputs[input] = entry
	}
	return nil
}

// isImage reports whether a file is the image of a root file system for runs.
func (f *freezing) isImage(file stages.File) bool {
	for i := range f.Steps {
		if slices.Contains(f.Steps[i].Args.Images(), file.Digest) {
			return true
		}
	}
	return false
}

// bulkFiles returns the digests of files that are numerous or large.
func (f *freezing) bulkFiles() map[cache.Digest]bool {
	bulk := map[cache.Digest]bool{}
	for i := range f.Steps {
		for _, file := range f.Steps[i].Args.BulkFiles() {
			bulk[file.Digest] = true
		}
	}
	return bulk
}

// privateFiles returns the digests of files that contain people's mail addresses, unless these may be published.
func (f *freezing) privateFiles() map[cache.Digest]bool {
	private := map[cache.Digest]bool{}
	for i := range f.Steps {
		for _, file := range f.Steps[i].Args.PrivateFiles() {
			private[file.Digest] = !f.Contacts
		}
	}
	return private
}

// address matches mail addresses.
var address = pattern.Lazy(`[^\s"<>()\[\],;:\\@]+@[^\s"<>()\[\],;:\\@]+`)

// withoutAddresses returns an item that omits the mail addresses in a JSON file's strings. If the file is not JSON, the
// item is empty.
func withoutAddresses(it item) item {
	read := it.write
	return item{path: it.path, mode: it.mode, size: it.size, write: func(w io.Writer) error {
		var whole bytes.Buffer
		if err := read(&whole); err != nil {
			return err
		}
		if limits.Submission.CheckJSON(whole.Bytes(), it.path) != nil {
			return nil
		}
		dec := json.NewDecoder(&whole)
		dec.UseNumber()
		var content any
		if dec.Decode(&content) != nil {
			return nil
		}
		text, err := indented(removeAddresses(content))
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	}}
}

func removeAddresses(v any) any {
	switch v := v.(type) {
	case string:
		return address().ReplaceAllString(v, "(address)")
	case []any:
		for i := range v {
			v[i] = removeAddresses(v[i])
		}
	case map[string]any:
		all := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) { // of names that become equal, the last one's value remains
			all[address().ReplaceAllString(name, "(address)")] = removeAddresses(v[name])
		}
		return all
	}
	return v
}

// inputEntry returns an input's lock entry, and the input's files by their paths within the input.
func (f *freezing) inputEntry(input string, file stages.File) (frozen.Entry, []item, error) {
	e := frozen.Entry{frozen.AttrKind: "file", frozen.AttrName: file.Name, frozen.AttrSHA256: file.Digest.String()}
	switch {
	case file.IsDir:
		e[frozen.AttrKind] = "folder"
	case strings.HasPrefix(input, "program "):
		e[frozen.AttrKind] = "program"
	default:
		if tree, ok := solvertree.Find(f.Store, solvertree.Archive{SHA256: file.Digest}); ok {
			e[frozen.AttrTree] = tree.Digest.String()
		}
	}
	if f.isImage(file) {
		if img, err := image.Open(file.Path); err == nil {
			e[frozen.AttrTree] = img.ID.String()
		}
	}
	if file.Absent {
		return e, nil, fmt.Errorf("%s is not on this machine; freeze on the machine that executed the "+
			"pipeline", file.Name)
	}
	var found []item
	var size int64
	err := filepath.WalkDir(file.Path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(file.Path, path)
		if err != nil {
			return err
		}
		size += info.Size()
		found = append(found, fileItem(filepath.ToSlash(rel), path, 0o644|info.Mode()&0o111))
		return nil
	})
	e[frozen.AttrBytes] = strconv.FormatInt(size, 10)
	return e, found, err
}
