package frozen

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/packed"
	"github.com/smtpipe/smtpipe/internal/cache"
)

// The archives of small content in a frozen folder. Each member's name is its digest.
const (
	OutputsName = "outputs.zip" // runs' outputs
	ScriptsName = "inputs.zip"  // runs' scripts and other inputs
)

// TreeName returns the file name of a rule set's tree. digest is that of the rule set's canonical form.
func TreeName(digest cache.Digest) string { return "rules/" + digest.String() + ".json" }

// RecordName is the file name of a stage's record in the stage's folder.
const RecordName = "record.json"

// Folder is an open frozen folder. It is safe for concurrent use.
type Folder struct {
	Dir  string // absolute path of the folder
	Lock *Lock
	Sums Sums // digests of all files, from the lock or, for folders of smtpipe 0.1, from SHA256SUMS
	// Listed reports whether SHA256SUMS matches the lock.
	Listed bool
	Bytes  []byte // the lock's content

	paths map[cache.Digest]string // paths of plain files, by digest
	keys  map[string]string       // key → address of a stage
	zips  map[string]func() (*zipContent, error)
}

// ErrNotFrozen reports that "smtpipe freeze" did not write the folder.
var ErrNotFrozen = errors.New("is not a frozen folder")

// Open reads the structure of a frozen folder. It does not read the folder's content, whose digests are checked on use.
func Open(dir string) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{Dir: dir, paths: map[cache.Digest]string{}, keys: map[string]string{},
		zips: map[string]func() (*zipContent, error){}}
	err = f.readLock()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s %w: it has no file %s", dir, ErrNotFrozen, LockName)
	}
	if err == nil {
		err = f.readSums()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Sums)) {
		if _, known := f.paths[f.Sums[name]]; !known {
			f.paths[f.Sums[name]] = name
		}
	}
	for _, name := range []string{OutputsName, ScriptsName} {
		if _, ok := f.Sums[name]; ok {
			f.zips[name] = sync.OnceValues(func() (*zipContent, error) { return openZip(f.Path(name)) })
		}
	}
	return f, nil
}

// readLock reads and parses the lock.
func (f *Folder) readLock() (err error) {
	if f.Bytes, err = limits.Lock.ReadFile(f.Path(LockName)); err != nil {
		return err
	}
	if f.Lock, err = ParseLock(f.Bytes); err != nil {
		return err
	}
	for _, addr := range slices.Sorted(maps.Keys(f.Lock.Stages)) { // of several with the same key, the last counts
		f.keys[f.Lock.Stages[addr][AttrKey]] = addr
	}
	return nil
}

// readSums reads the digests of all files: from the lock, which must match SHA256SUMS, or from SHA256SUMS if the lock
// does not name files.
func (f *Folder) readSums() error {
	text, err := limits.Sums.ReadFile(f.Path(SumsName))
	if errors.Is(err, fs.ErrNotExist) && f.Lock.Files != nil {
		err = nil
	}
	if err != nil {
		return err
	}
	if f.Lock.Files == nil {
		f.Sums, err = ParseSums(text)
		return err
	}
	f.Sums = f.Lock.Sums()
	f.Listed = bytes.Equal(text, f.Sums.Encode())
	return nil
}

// coveredByLock lists the parts of a folder that a lock without files covers, because their content is named by digest
// or affects keys.
var coveredByLock = []string{"stages", "rules", "pipeline", "pipeline-inputs", OutputsName, ScriptsName, LockName}

// NotSigned returns the files, sorted, that neither the lock (and therefore its signature) nor a computation covers. It
// returns none if the lock names its files.
func (f *Folder) NotSigned() []string {
	if f.Lock.Files != nil {
		return []string{}
	}
	programs := map[string]bool{} // known only from runs; stage keys cover all other inputs
	for _, in := range f.Lock.Inputs {
		programs[in[AttrPath]] = in[AttrKind] == "program"
	}
	files := []string{}
	for name := range f.Sums {
		top, _, _ := strings.Cut(name, "/")
		if !slices.Contains(coveredByLock, top) || programs[name] {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return files
}

// Path returns a file's path on this machine.
func (f *Folder) Path(name string) string { return filepath.Join(f.Dir, filepath.FromSlash(name)) }

// Close closes the archives.
func (f *Folder) Close() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(f.zips)) {
		if z, err := f.zips[name](); err == nil {
			errs = append(errs, z.reader.Close())
		}
	}
	return errors.Join(errs...)
}

// Copy writes content to w, which must check it. If the content is missing, the error is a *cache.MissingError.
func (f *Folder) Copy(d cache.Digest, w io.Writer) error {
	if name, ok := f.paths[d]; ok {
		r, err := limits.Open(f.Path(name))
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(w, r)
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(f.zips)) {
		z, err := f.zips[name]()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if member := z.members[d]; member != nil {
			return z.copyMember(member, w)
		}
	}
	return &cache.MissingError{Digest: d}
}

// Has reports whether the folder lists content with the given digest.
func (f *Folder) Has(d cache.Digest) bool {
	if _, ok := f.paths[d]; ok {
		return true
	}
	for _, open := range f.zips {
		if z, err := open(); err == nil && z.members[d] != nil {
			return true
		}
	}
	return false
}

// Record returns the record of the stage at an address.
func (f *Folder) Record(addr string) (*cache.Action, error) {
	var a cache.Action
	if err := limits.StageRecord.ReadJSON(f.Path(StageDir(addr)+"/"+RecordName), &a); err != nil {
		return nil, fmt.Errorf("the record of %s cannot be read: %w", addr, err)
	}
	return &a, nil
}

// zipContent is an open archive of small content.
type zipContent struct {
	reader  *limits.Zip
	members map[cache.Digest]*zip.File
}

func openZip(name string) (*zipContent, error) {
	r, err := limits.OpenZip(name)
	if err != nil {
		return nil, err
	}
	z := &zipContent{reader: r, members: make(map[cache.Digest]*zip.File, len(r.File))}
	for _, m := range r.File {
		d, err := cache.ParseDigest(m.Name)
		if err != nil || z.members[d] != nil {
			return nil, errors.Join(fmt.Errorf("the member %q is not named by a digest", m.Name),
				r.Close())
		}
		z.members[d] = m
	}
	return z, nil
}

func (z *zipContent) copyMember(m *zip.File, w io.Writer) error {
	r, err := m.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, packed.Default.Start(z.reader.Size).Output(r, new(int64)))
	return err
}

// StageDir returns the path of a stage's folder in a frozen folder. for_each keys are folders within the block's
// folder.
func StageDir(addr string) string {
	var b strings.Builder
	b.WriteString("stages/")
	quoted := false
	for i := 0; i < len(addr); i++ {
		switch c := addr[i]; {
		case c == '"' && !quoted:
			quoted = true
		case c == '"':
			quoted = false
		case quoted && c == '\\' && i+1 < len(addr):
			i++
			fmt.Fprintf(&b, "%%%02X", addr[i])
		case !quoted && c == '[':
			b.WriteByte('/')
		case !quoted && c == ']':
		case plainByte(c) || !quoted && c == '.':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return path.Clean(b.String())
}

func plainByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// EachMember visits the members of an archive of small content, in archive order.
func (f *Folder) EachMember(name string, visit func(d cache.Digest, content io.Reader) error) error {
	z, err := f.zips[name]()
	if err != nil {
		return err
	}
	meter, total := packed.Default.Start(z.reader.Size), int64(0) // one limit for all members, which may share bytes
	for _, m := range z.reader.File {
		d, err := cache.ParseDigest(m.Name)
		if err != nil {
			return err
		}
		r, err := m.Open()
		if err != nil {
			return err
		}
		err = errors.Join(visit(d, meter.Output(r, &total)), r.Close())
		if err != nil {
			return err
		}
	}
	return nil
}
