package frozen

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/cache"
)

// LockName is the name of the lock in a frozen folder; SignatureName is the name of its optional signature. The list of
// files omits the signature: otherwise an existing folder could not be signed.
const (
	LockName      = "smtpipe.lock.hcl"
	SignatureName = LockName + ".sig"
)

// The lock versions. Readers reject any other version. Locks of the first version do not name the folder's files.
const (
	lockWithoutFiles = "1"
	lockFormat       = "2"
)

// Lock describes the origin of a frozen folder: its external inputs, and the outputs of each stage.
type Lock struct {
	Version  string // version of smtpipe that froze the folder
	Pipeline string // path of the pipeline in the folder
	Level    string // level: how much of the content is included
	Date     string // date that the author gave, such as 2026-05-01
	Runs     string // number of runs and root of the hash tree over them (package runtree)
	Entrants string // the same for entrants; empty if there are none, or if the runs say who takes part

	Inputs    map[string]Entry // external inputs by name in the pipeline: "file PATH" or "program NAME"
	Variables map[string]Entry // variables that were set from outside
	Stages    map[string]Entry // stages by address
	Outputs   map[string]Entry // outputs by address and name

	// Files contains all files in the folder by path, except the lock, its signature and SHA256SUMS. It is nil in
	// folders frozen by smtpipe 0.1.
	Files map[string]File
}

// File describes a file in a frozen folder.
type File struct {
	Digest cache.Digest
	Bytes  int64
}

// Entry is one line in a lock: attribute values by name.
type Entry map[string]string

// Attributes of entries.
const (
	AttrKind     = "kind"     // an input's kind (file, folder or program), or a stage's kind
	AttrName     = "name"     // an input's name, as in keys
	AttrSHA256   = "sha256"   // digest of the content
	AttrTree     = "tree"     // SHA-256 of an archive's unpacked content, or ID of an image
	AttrBytes    = "bytes"    // size of the content
	AttrPath     = "path"     // path in the frozen folder
	AttrWithout  = "without"  // what was removed from the file, such as addresses; digests refer to the original
	AttrValue    = "value"    // value of a variable, or of an output that is not an artifact, as JSON
	AttrKey      = "key"      // a stage's key
	AttrSchema   = "schema"   // an output's schema
	AttrRows     = "rows"     // an output's number of rows
	AttrFinished = "finished" // when a measured stage finished
	AttrVersion  = "smtpipe"  // smtpipe version that executed a measured stage
)

// Recorded lists the stage attributes that are key components and depend on where the stage was executed.
var Recorded = []string{"attempt", "executed_by", "hardware"}

const lockComment = `# What this folder was made of. Written by "smtpipe freeze"; one entry a line, sorted, so that two locks can be
# compared line by line. "smtpipe verify" checks it against the content.

`

// Encode returns the lock's text. Equal locks produce equal bytes.
func (l *Lock) Encode() []byte {
	var b bytes.Buffer
	b.WriteString(lockComment)
	format := lockFormat
	if l.Files == nil {
		format = lockWithoutFiles
	}
	for _, a := range [][2]string{{"format", format}, {AttrVersion, l.Version}, {"pipeline", l.Pipeline},
		{"level", l.Level}, {"date", l.Date}, {"runs", l.Runs}, {"entrants", l.Entrants}} {
		if a[0] == "entrants" && a[1] == "" {
			continue // smtpipe 0.1 did not write this line
		}
		fmt.Fprintf(&b, "%-8s = %s\n", a[0], quote(a[1]))
	}
	for _, s := range l.sections() {
		fmt.Fprintf(&b, "\n%s = {\n", s.name)
		for _, key := range slices.Sorted(maps.Keys(*s.entries)) {
			fmt.Fprintf(&b, "  %s = {", quote(key))
			for i, name := range slices.Sorted(maps.Keys((*s.entries)[key])) {
				if i > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, " %s = %s", name, quote((*s.entries)[key][name]))
			}
			b.WriteString(" }\n")
		}
		b.WriteString("}\n")
	}
	if l.Files != nil {
		b.WriteString("\nfiles = {\n")
		for _, path := range slices.Sorted(maps.Keys(l.Files)) {
			const line = "  %s = { bytes = \"%d\", sha256 = \"%s\" }\n"
			fmt.Fprintf(&b, line, quote(path), l.Files[path].Bytes, l.Files[path].Digest)
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

// Sums returns the digests of all files according to the lock, including that of the lock itself.
func (l *Lock) Sums() Sums {
	sums := make(Sums, len(l.Files)+1)
	for path, file := range l.Files {
		sums[path] = file.Digest
	}
	sums[LockName] = cache.DigestOf(l.Encode())
	return sums
}

type section struct {
	name    string
	entries *map[string]Entry
}

func (l *Lock) sections() []section {
	return []section{{"inputs", &l.Inputs}, {"variables", &l.Variables}, {"stages", &l.Stages}, {"outputs", &l.Outputs}}
}

// escapes replaces characters with HCL escape sequences.
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "${", "$${", "%{", "%%{")

// quote returns text as an HCL string.
func quote(s string) string {
	var b strings.Builder
	for _, r := range escapes.Replace(strings.ToValidUTF8(s, "\uFFFD")) {
		if unicode.IsControl(r) {
			fmt.Fprintf(&b, `\u%04X`, r)
			continue
		}
		b.WriteRune(r)
	}
	return `"` + b.String() + `"`
}

// ParseLock parses a lock. It accepts only lines that Encode writes, not other HCL, because it must not evaluate
// anything that strangers put into a lock.
func ParseLock(src []byte) (*Lock, error) {
	if err := limits.Lock.CheckLines(src, LockName); err != nil {
		return nil, err
	}
	if !utf8.Valid(src) {
		return nil, errors.New("the lock is not UTF-8 text")
	}
	l, format := &Lock{}, ""
	texts := map[string]*string{"format": &format, AttrVersion: &l.Version, "pipeline": &l.Pipeline, "level": &l.Level,
		"date": &l.Date, "runs": &l.Runs, "entrants": &l.Entrants}
	sections := map[string]*map[string]Entry{}
	for _, s := range l.sections() {
		sections[s.name] = s.entries
	}
	var in map[string]Entry // current section, or nil
	inFiles := false
	n := 0
	for text := range bytes.Lines(src) {
		n++
		line := string(bytes.TrimSuffix(text, []byte("\n")))
		var err error
		switch {
		case line == "" || line[0] == '#':
		case (in != nil || inFiles) && line == "}":
			in, inFiles = nil, false
		case inFiles:
			err = l.parseFile(line)
		case line == "files = {" && l.Files == nil:
			l.Files, inFiles = map[string]File{}, true
		case in != nil:
			err = parseEntry(line, in)
		default:
			in, err = parseTop(line, texts, sections)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of the lock: %w", n, err)
		}
	}
	if format != lockFormat && format != lockWithoutFiles {
		return nil, fmt.Errorf("the lock has the format %q, but this smtpipe reads %s and %s; use a newer smtpipe", format,
			lockWithoutFiles, lockFormat)
	}
	if (format == lockFormat) != (l.Files != nil) {
		return nil, fmt.Errorf("a lock of format %s has a section \"files\", and one of format %s has none", lockFormat,
			lockWithoutFiles)
	}
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		if *sections[name] == nil {
			return nil, fmt.Errorf("the lock has no %s", name)
		}
	}
	return l, nil
}

// parseTop parses a line outside sections. If the line starts a section, parseTop returns that section.
func parseTop(line string, texts map[string]*string, sections map[string]*map[string]Entry) (map[string]Entry, error) {
	name, value, _ := strings.Cut(line, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if to := sections[name]; to != nil && *to == nil && value == "{" {
		*to = map[string]Entry{}
		return *to, nil
	}
	to := texts[name]
	if to == nil || *to != "" {
		return nil, errLock
	}
	text, rest, err := unquote(value)
	if err != nil || rest != "" {
		return nil, errLock
	}
	*to = text
	return nil, nil
}

var errLock = errors.New("it differs from what \"smtpipe freeze\" writes")

// maxAttributes is the maximum number of attributes per entry.
const maxAttributes = 16

// parseEntry parses `  "KEY" = { NAME = "TEXT", NAME = "TEXT" }`.
func parseEntry(line string, in map[string]Entry) error {
	key, rest, err := unquote(strings.TrimPrefix(line, "  "))
	if err != nil {
		return err
	}
	if _, twice := in[key]; twice {
		return fmt.Errorf("%q occurs twice", key)
	}
	rest, ok := strings.CutPrefix(rest, " = {")
	e := Entry{}
	for ok && rest != " }" {
		var name string
		if name, rest, ok = strings.Cut(strings.TrimPrefix(rest, " "), " = "); !ok || !isName(name) {
			return errLock
		}
		if e[name], rest, err = unquote(rest); err != nil {
			return err
		}
		if len(e) > maxAttributes {
			return fmt.Errorf("%q has more than %d attributes", key, maxAttributes)
		}
		rest, _ = strings.CutPrefix(rest, ",")
	}
	if !ok {
		return errLock
	}
	in[key] = e
	return nil
}

// parseFile parses a file's line.
func (l *Lock) parseFile(line string) error {
	one := map[string]Entry{}
	if err := parseEntry(line, one); err != nil {
		return err
	}
	for path, e := range one {
		d, err := cache.ParseDigest(e[AttrSHA256])
		size, notSize := strconv.ParseInt(e[AttrBytes], 10, 64)
		switch {
		case err != nil || notSize != nil || len(e) != 2:
			return errLock
		case !isPath(path) || path == LockName || path == SignatureName || path == SumsName:
			return fmt.Errorf("%q is not the path of a file in the folder", path)
		}
		if _, twice := l.Files[path]; twice {
			return fmt.Errorf("%q occurs twice", path)
		}
		l.Files[path] = File{d, size}
	}
	return nil
}

func isName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789_"
	return s != "" && strings.Trim(s, letters) == ""
}

// unquote parses a quoted HCL string without templates and returns its text and the rest of the line.
func unquote(s string) (text, rest string, err error) {
	if s == "" || s[0] != '"' {
		return "", "", errLock
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], nil
		case (c == '$' || c == '%') && strings.HasPrefix(s[i+1:], string(c)+"{"):
			b.WriteString(s[i : i+1])
			b.WriteByte('{')
			i += 2
		case (c == '$' || c == '%') && strings.HasPrefix(s[i+1:], "{"):
			return "", "", errLock
		case c == '\\':
			r, _, tail, err := strconv.UnquoteChar(s[i:], '"')
			if err != nil {
				return "", "", errLock
			}
			b.WriteRune(r)
			i = len(s) - len(tail) - 1
		default:
			b.WriteByte(c)
		}
	}
	return "", "", errLock
}
