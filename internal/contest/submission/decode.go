package submission

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/mail"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// value is a value in a file, with its position. It is empty if the value is absent, null, or in a form that the schema
// does not allow.
type value struct {
	f       *file
	pointer string // JSON pointer (RFC 6901)
	v       any
}

// field returns an object's field.
func (v value) field(name string) value {
	fields, _ := v.v.(map[string]any)
	return value{v.f, child(v.pointer, name), fields[name]}
}

// text returns a string, or "" if it is blank.
func (v value) text() string {
	s, _ := v.v.(string)
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return s
}

func (v value) word() string {
	s, _ := v.v.(string)
	return s
}

func (v value) flag(otherwise bool) bool {
	if b, ok := v.v.(bool); ok {
		return b
	}
	return otherwise
}

// items returns an array's elements.
func (v value) items() []value {
	list, _ := v.v.([]any)
	items := make([]value, len(list))
	for i, item := range list {
		items[i] = value{v.f, v.pointer + "/" + strconv.Itoa(i), item}
	}
	return items
}

// each applies of to an array's elements. It returns nil if there are none.
func each[T any](v value, of func(value) T) []T {
	if _, ok := v.v.([]any); !ok {
		return nil
	}
	made := []T{}
	for _, item := range v.items() {
		made = append(made, of(item))
	}
	return made
}

func (v value) report(format string, args ...any) { v.f.report(v.pointer, format, args...) }

func (v value) warn(format string, args ...any) { v.f.warn(v.pointer, format, args...) }

func (v value) submission() *Submission {
	s := &Submission{
		File:              v.f.file,
		Name:              v.field("name").text(),
		Contributors:      each(v.field("contributors"), value.contributor),
		Contacts:          each(v.field("contacts"), value.contact),
		Archive:           v.field("archive").archive(),
		Command:           v.field("command").command(),
		Website:           v.field("website").address(),
		SystemDescription: v.field("system_description").address(),
		Type:              SolverType(v.field("solver_type").text()),
		Participations:    each(v.field("participations"), value.participation),
		Seed:              v.field("seed").seed(),
		Competitive:       v.field("competitive").flag(true),
		Final:             v.field("final").flag(false),
	}
	if s.Competitive && s.Seed == nil && !v.f.failed["/seed"] {
		v.warn("there is no seed: a solver that competes must give an integer before the competition's seed is made")
	}
	if entered := v.field("participations"); entered.v != nil && len(s.Participations) == 0 {
		entered.warn("there is no participation: the solver enters nothing")
	}
	return s
}

func (v value) participation() Participation {
	tracks, logics := v.field("tracks"), v.field("logics")
	p := Participation{
		Tracks:        each(tracks, value.text),
		Logics:        each(logics, func(v value) comp.Logic { return comp.Logic(v.text()) }),
		Divisions:     each(v.field("divisions"), func(v value) comp.Division { return comp.Division(v.text()) }),
		Archive:       v.field("archive").archive(),
		Command:       v.field("command").command(),
		Experimental:  v.field("experimental").flag(false),
		AWSRepository: v.field("aws_repository").address(),
	}
	if list, ok := tracks.v.([]any); ok && len(list) == 0 {
		tracks.warn("there is no track: the participation enters nothing")
	}
	if pattern, ok := logics.v.(string); ok {
		v.f.checkTyped(logics.pointer, pattern)
		var err error
		if p.Pattern, err = NewPattern(pattern); err != nil {
			logics.report("%v", err)
		}
	}
	return p
}

// seed returns an integer, which can also be written as a string.
func (v value) seed() *int64 {
	text := v.text()
	if n, ok := v.v.(json.Number); ok {
		text = n.String()
	}
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		v.report("%s, not %s", seedForm, v.f.describe(v.pointer, v.v))
		return nil
	}
	return &n
}

// address returns an http or https address with a host.
func (v value) address() string {
	s := v.text()
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || !validPort(u.Port()) {
		v.report("%s, not %q", addressForm, s)
	}
	v.f.checkFilled(v.pointer, s, "write what it stands for")
	return s
}

// validPort reports whether a port is absent or from 1 to 65535.
func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// contributor parses "Full Name" or {name, website}.
func (v value) contributor() Contributor {
	if name := v.text(); name != "" {
		return Contributor{Name: name}
	}
	return Contributor{Name: v.field("name").text(), Website: v.field("website").address()}
}

// contact parses "Name <mail@host>" or "mail@host".
func (v value) contact() Contact {
	s := strings.TrimSpace(v.text())
	if s == "" {
		return Contact{}
	}
	name, address := "", s
	if open := strings.LastIndexByte(s, '<'); open >= 0 && strings.HasSuffix(s, ">") {
		name, address = strings.Trim(strings.TrimSpace(s[:open]), `"`), strings.TrimSpace(s[open+1:len(s)-1])
	}
	parsed, err := mail.ParseAddress(address)
	user, host, _ := strings.Cut(address, "@")
	if err != nil || parsed.Address != address || !validHost(host) {
		v.report(mailForm) // this message omits the contact because contacts are not public
		return Contact{}
	}
	if name == "" {
		name = user
	}
	return Contact{Name: name, Address: address}
}

// validHost reports whether a mail host consists of at least two labels of letters, digits and inner hyphens.
func validHost(host string) bool {
	labels := strings.Split(host, ".")
	for _, label := range labels {
		strange := strings.IndexFunc(label, func(r rune) bool {
			return r != '-' && !unicode.IsLetter(r) &&
				!unicode.IsDigit(r)
		})
		if label == "" || strange >= 0 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return len(labels) >= 2
}

// archive parses {url, h}. It ignores an archive's other fields with a warning, as the organisers' model does.
func (v value) archive() *Archive {
	fields, ok := v.v.(map[string]any)
	if !ok {
		return nil
	}
	address, digests := v.field("url"), v.field("h")
	a := &Archive{URL: address.address(), SHA256: digests.field("sha256").digest("sha256"),
		SHA512: digests.field("sha512").digest("sha512")}
	if a.SHA256 == "" && a.SHA512 != "" {
		digests.field("sha512").warn("only a sha256 is checked; give it too, as sha256sum prints it")
	}
	v.f.checkDownload(address.pointer, a.URL)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "url" && name != "h" {
			v.field(name).warn("the field %q of an archive is ignored; the fields are url and h", name)
		}
	}
	return a
}

func (v value) digest(algorithm string) string {
	s := v.text()
	if raw, err := hex.DecodeString(s); s != "" && (err != nil || len(raw) != digestSize[algorithm]) {
		v.warn("%.140q is not a %s digest in hexadecimal; no archive can match it", s, algorithm)
	}
	return strings.ToLower(s)
}

// command parses [binary, argument...] or {binary, arguments, compa_starexec}.
func (v value) command() *Command {
	words := v.items()
	if _, ok := v.v.(map[string]any); ok {
		words = append([]value{v.field("binary")}, v.field("arguments").items()...)
	}
	if len(words) == 0 {
		return nil
	}
	c := &Command{Binary: words[0].text(), Arguments: []string{}, StarExec: v.field("compa_starexec").flag(false)}
	for _, word := range words[1:] {
		c.Arguments = append(c.Arguments, word.word())
	}
	if path.IsAbs(c.Binary) || path.Clean(c.Binary) == ".." || strings.HasPrefix(path.Clean(c.Binary), "../") {
		v.warn("the program %q is not in the archive; name it by its path there, such as \"bin/solver\"", c.Binary)
	}
	v.f.checkWords(words)
	return c
}

// places holds the position of each value in a file.
type places struct {
	file    string
	lines   lines
	offsets map[string]int // byte offsets by JSON pointer (RFC 6901)
}

// at returns a problem at a pointer. The position of a missing value is that of its closest enclosing value.
func (p *places) at(pointer, text string) Problem {
	offset, ok := p.offsets[pointer]
	for !ok && pointer != "" {
		pointer = string(jsontext.Pointer(pointer).Parent())
		offset, ok = p.offsets[pointer]
	}
	line, column := p.lines.position(offset)
	return Problem{File: p.file, Pointer: pointer, Line: line, Column: column, Text: text}
}
