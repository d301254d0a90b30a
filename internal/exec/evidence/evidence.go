// Package evidence keeps facts about runs that no key covers, because no reused result depends on them: the versions
// that programs report, and the states of machines. They are stored as items. Their own keys are derived from the
// digests and profiles that are part of run keys.
package evidence

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/cache"
)

// Format is the format version of a Document.
const Format = "evidence/1"

// Name is the file name of a Document in a frozen folder.
const Name = "evidence.json"

// Document is the evidence about a pipeline's runs and their execution, for people and programs.
type Document struct {
	Format   string    `json:"format"`
	Versions []Version `json:"versions"` // sorted by program and digest
	Machines []Machine `json:"machines,omitempty"`
	Stages   []Stage   `json:"nodes,omitempty"` // only stages with executors elsewhere
	// Executions are in the order of the pipeline's stages.
	Executions []Execution `json:"executions,omitempty"`
}

// Program is a solver's program as named by a participation.
type Program struct {
	SHA256  cache.Digest // digest of the program with its libraries, or of the unpacked archive; zero if not yet known
	Archive cache.Digest // digest of the archive; zero if there is none
	Name    string       // first element of the command
}

// Version is the answer of a program asked for its version.
type Version struct {
	SHA256  string   `json:"program_sha256,omitempty"`
	Archive string   `json:"archive_sha256,omitempty"`
	Program string   `json:"program"`
	Asked   []string `json:"asked"` // command that asked for the version
	Line    string   `json:"line"`  // first line of the answer; may be empty
}

// Text returns the answer in readable form.
func (v *Version) Text() string {
	if v.Line == "" {
		return "did not say"
	}
	return v.Line
}

// Text returns the distinct answers of a solver's programs in readable form, or "".
func Text(versions []Version) string {
	var all []string
	for i := range versions {
		if text := versions[i].Text(); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

// namespace is the item namespace for versions.
const namespace = "versions"

// keys returns the keys under which a program's answer is stored, one for each of its digests.
func (p Program) keys() (all []cache.Key) {
	for _, d := range []cache.Digest{p.SHA256, p.Archive} {
		if d != (cache.Digest{}) {
			k := cache.NewKeyWriter("version/1")
			k.Digest("program", d)
			k.String("name", p.Name)
			all = append(all, k.Key())
		}
	}
	return all
}

// text formats a digest in hex. The zero digest becomes "".
func text(d cache.Digest) string {
	if d == (cache.Digest{}) {
		return ""
	}
	return d.String()
}

// Find returns a program's answer, or nil if the program was never asked.
func Find(store *cache.Store, p Program) (*Version, error) {
	items, err := store.Items(namespace)
	if err != nil {
		return nil, err
	}
	for _, key := range p.keys() {
		record, ok, err := items.Get(key)
		if err != nil {
			return nil, err
		}
		var v Version
		if ok && json.Unmarshal(record, &v) == nil {
			return &v, nil
		}
	}
	return nil, nil
}

// Put stores a program's answer.
func Put(store *cache.Store, p Program, asked []string, line string) error {
	items, err := store.Items(namespace)
	if err != nil {
		return err
	}
	v := Version{SHA256: text(p.SHA256), Archive: text(p.Archive), Program: p.Name, Asked: asked, Line: line}
	record, err := json.Marshal(v)
	if err != nil {
		return err
	}
	for _, key := range p.keys() {
		if err := items.Put(key, record); err != nil {
			return err
		}
	}
	return items.Sync()
}

// Find returns a program's answer, or nil if the document has none.
func (d *Document) Find(p Program) *Version {
	return d.of(p.Name, text(p.SHA256), text(p.Archive))
}

// of returns the answer of the program with the given name and either digest, or nil. Each digest may be empty.
func (d *Document) of(name, program, archive string) *Version {
	for i := range d.Versions {
		v := &d.Versions[i]
		is := func(digest string) bool { return digest != "" && (digest == v.SHA256 || digest == v.Archive) }
		if v.Program == name && (is(program) || is(archive)) {
			return v
		}
	}
	return nil
}

// Add adds the answers that are missing from the document, and sorts all answers.
func (d *Document) Add(versions ...Version) {
	d.Format = Format
	for _, v := range versions {
		if d.of(v.Program, v.SHA256, v.Archive) == nil {
			d.Versions = append(d.Versions, v)
		}
	}
	slices.SortFunc(d.Versions, func(a, b Version) int {
		return cmp.Or(strings.Compare(a.Program, b.Program), strings.Compare(a.SHA256, b.SHA256))
	})
}

// AddMachine adds a machine unless the document already contains it.
func (d *Document) AddMachine(m Machine) {
	if len(m.States) > 0 && d.Machine(m.Hardware) == nil {
		d.Machines = append(d.Machines, m)
		slices.SortFunc(d.Machines, func(a, b Machine) int { return strings.Compare(a.Hardware, b.Hardware) })
	}
}

// Machine returns the states of machines with the given profile, or nil.
func (d *Document) Machine(hardware string) *Machine {
	i := slices.IndexFunc(d.Machines, func(m Machine) bool { return m.Hardware == hardware })
	if i < 0 {
		return nil
	}
	return &d.Machines[i]
}

// Encode returns the document as JSON.
func (d *Document) Encode() ([]byte, error) {
	text, err := json.MarshalIndent(d, "", "  ")
	return append(text, '\n'), err
}

// Stage returns a stage's nodes, or nil.
func (d *Document) Stage(address string) []Node {
	i := slices.IndexFunc(d.Stages, func(s Stage) bool { return s.Address == address })
	if i < 0 {
		return nil
	}
	return d.Stages[i].Nodes
}

// ReadFile reads a document from an untrusted file.
func ReadFile(path string) (*Document, error) {
	src, err := limits.Document.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Read(src, path)
}

// Read decodes a document from an untrusted source and cleans its text again. name appears in errors.
func Read(src []byte, name string) (*Document, error) {
	d := &Document{}
	if err := limits.Document.DecodeJSON(src, name, d); err != nil {
		return nil, err
	}
	for i := range d.Versions {
		d.Versions[i].Line = clean(d.Versions[i].Line)
	}
	for i := range d.Stages {
		for k := range d.Stages[i].Nodes {
			d.Stages[i].Nodes[k].clean()
		}
	}
	for i := range d.Machines {
		for k := range d.Machines[i].States {
			d.Machines[i].States[k].clean()
		}
	}
	return d, nil
}

// maxLine is the maximum length of a stored line, in characters.
const maxLine = 160

// FirstLine returns the line of an output that states a version: the first non-empty line, without unprintable
// characters. It returns "" if that line cannot be a version because it has no digit, or because it is an SMT-LIB
// answer or error. Wrappers print the latter if they mistake the option for a benchmark.
func FirstLine(output []byte) string {
	for line := range strings.Lines(string(output)) {
		if line = clean(line); line == "" {
			continue
		}
		if strings.HasPrefix(line, "(") || !strings.ContainsFunc(line, unicode.IsDigit) {
			return ""
		}
		return line
	}
	return ""
}

func clean(line string) string {
	line = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), r == utf8.RuneError:
			return -1
		}
		return r
	}, line)
	line = strings.Join(strings.Fields(line), " ")
	if all := []rune(line); len(all) > maxLine {
		line = string(all[:maxLine-1]) + "…"
	}
	return line
}
