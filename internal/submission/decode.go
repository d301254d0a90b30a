package submission

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// decoder turns nodes into values and collects their errors. Its methods accept a nil node for a missing field, and
// return the zero value for it and for everything that they report.
type decoder struct {
	file     string
	lines    lines
	earlier  bool // see ParseEarlier
	problems Problems
	bad      map[string]bool // pointers with a problem at or below them
	warnings Problems
	slips    Problems
	places   map[string]Problem
}

func (d *decoder) report(n *node, format string, args ...any) {
	p := d.place(n)
	p.Text = fmt.Sprintf(format, args...)
	d.add(p)
}

func (d *decoder) add(p Problem) {
	d.problems = append(d.problems, p)
	for at := p.Pointer; !d.bad[at]; at = at[:max(strings.LastIndexByte(at, '/'), 0)] {
		d.bad[at] = true
	}
}

// warn notes something that is allowed but probably a mistake.
func (d *decoder) warn(n *node, format string, args ...any) {
	p := d.place(n)
	p.Text = fmt.Sprintf(format, args...)
	d.warnings = append(d.warnings, p)
}

func (d *decoder) place(n *node) Problem {
	line, column := d.lines.position(n.offset)
	return Problem{File: d.file, Pointer: n.pointer, Line: line, Column: column}
}

// failed reports whether a problem was reported at or below a pointer.
func (d *decoder) failed(pointer string) bool { return d.bad[pointer] }

// fields holds the members of an object, with those that were requested.
type fields struct {
	d       *decoder
	at      *node
	members []member
	asked   []string
}

func (d *decoder) object(n *node) (*fields, bool) {
	members, ok := n.value.([]member)
	if !ok {
		d.report(n, "must be an object, not %s", n.describe())
		return nil, false
	}
	seen := map[string]bool{}
	for _, m := range members {
		if seen[m.name] {
			d.report(m.value, "the field %q occurs twice", m.name)
		}
		seen[m.name] = true
	}
	return &fields{d: d, at: n, members: members}, true
}

// value returns a field, nil if it is absent.
func (f *fields) value(name string) *node {
	f.asked = append(f.asked, name)
	for _, m := range f.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// nullable returns a field for which null means absent.
func (f *fields) nullable(name string) *node {
	n := f.value(name)
	if n != nil && n.value == nil {
		return nil
	}
	return n
}

// optional returns a field that may be absent, but not null.
func (f *fields) optional(name string) *node {
	n := f.value(name)
	if n != nil && n.value == nil {
		f.d.report(n, "must not be null; leave the field out")
		return nil
	}
	return n
}

func (f *fields) required(name string) *node {
	n := f.value(name)
	if n == nil {
		f.d.report(f.at, "the field %q is missing", name)
	}
	return n
}

// refuseOthers reports the fields that were not requested.
func (f *fields) refuseOthers() {
	for _, m := range f.members {
		if !slices.Contains(f.asked, m.name) {
			f.d.report(m.value, "%s", unknown("field", m.name, f.asked,
				"the fields here are "+strings.Join(f.asked, ", ")))
		}
	}
}

// list decodes an array of at least this many elements.
func list[T any](d *decoder, n *node, atLeast int, decode func(*node) T) []T {
	if n == nil {
		return nil
	}
	items, ok := n.value.([]*node)
	if !ok {
		d.report(n, "must be an array, not %s", n.describe())
		return nil
	}
	if len(items) < atLeast {
		d.report(n, "must have at least %d element", atLeast)
	}
	values := make([]T, len(items))
	for i, item := range items {
		d.places[item.pointer] = d.place(item)
		values[i] = decode(item)
	}
	return values
}

// text decodes a string that is not empty.
func (d *decoder) text(n *node) string {
	if n == nil {
		return ""
	}
	s, ok := n.value.(string)
	if !ok {
		d.report(n, "must be a string, not %s", n.describe())
		return ""
	}
	if strings.TrimSpace(s) == "" {
		d.report(n, "must not be empty")
		return ""
	}
	return s
}

func (d *decoder) flag(n *node, otherwise bool) bool {
	if n == nil {
		return otherwise
	}
	b, ok := n.value.(bool)
	if !ok {
		d.report(n, "must be true or false, not %s", n.describe())
	}
	return b
}

// seed decodes an integer or a string that is one. Whole numbers with a zero fraction count as integers.
func (d *decoder) seed(n *node) *int64 {
	if n == nil {
		return nil
	}
	text := ""
	switch v := n.value.(type) {
	case json.Number:
		text = wholeNumber(v.String())
	case string:
		text = strings.TrimSpace(v)
	default:
		d.report(n, "must be an integer or null, not %s", n.describe())
		return nil
	}
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		d.report(n, "must be an integer of at most 64 bits, not %s", n.describe())
		return nil
	}
	return &value
}

// wholeNumber rewrites a number such as 42.0 or 4.2e1 without fraction and exponent, if it is a whole number below
// 2^53.
func wholeNumber(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 || f == 0 && strings.ContainsAny(text, "123456789") {
		return text
	}
	return strconv.FormatInt(int64(f), 10)
}

// url decodes an http or https address with a host.
func (d *decoder) url(n *node) string {
	s := d.text(n)
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" ||
		strings.ContainsAny(s, " \t\r\n") || !validPort(u.Port()) {
		d.report(n, "must be an http or https address such as \"https://host.org/path\", not %q", s)
	}
	d.checkFilled(n, s, "write what it stands for")
	return s
}

// validPort reports whether a port is absent or from 1 to 65535.
func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// hostOf returns the host of an address, without a port, in lower case as in host names case does not count.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// contributor decodes "Full Name" or {name, website}.
func (d *decoder) contributor(n *node) Contributor {
	if _, ok := n.value.([]member); !ok {
		if _, ok := n.value.(string); !ok {
			d.report(n, "must be a name or an object with name and website, not %s", n.describe())
			return Contributor{}
		}
		return Contributor{Name: d.text(n)}
	}
	o, _ := d.object(n)
	c := Contributor{Name: d.text(o.required("name")), Website: d.url(o.nullable("website"))}
	o.refuseOthers()
	return c
}

// contact decodes "Name <mail@host>" or "mail@host".
func (d *decoder) contact(n *node) Contact {
	s := strings.TrimSpace(d.text(n))
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
		// The message does not repeat the contact: contacts are not public.
		d.report(n, "must be a mail address such as \"Name <user@host.org>\" or \"user@host.org\"")
		return Contact{}
	}
	if name == "" {
		name = user
	}
	return Contact{Name: name, Address: address}
}

// validHost reports whether a mail host has at least two labels, of letters, digits and inner hyphens.
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

// archive decodes {url, h}. Other fields of an archive are ignored, as in the organisers' model, with a warning.
func (d *decoder) archive(n *node) *Archive {
	if n == nil {
		return nil
	}
	o, ok := d.object(n)
	if !ok {
		return nil
	}
	address := o.required("url")
	a := &Archive{URL: d.url(address)}
	d.checkDownload(address, a.URL)
	if h := o.nullable("h"); h != nil {
		d.digests(h, a)
	}
	for _, m := range o.members {
		if !slices.Contains(o.asked, m.name) {
			d.warn(m.value, "the field %q of an archive is ignored; the fields are url and h", m.name)
		}
	}
	return a
}

func (d *decoder) digests(n *node, a *Archive) {
	o, ok := d.object(n)
	if !ok {
		return
	}
	a.SHA256 = d.digest(o.nullable("sha256"), "sha256")
	a.SHA512 = d.digest(o.nullable("sha512"), "sha512")
	o.refuseOthers()
	if o.nullable("sha256") == nil && o.nullable("sha512") == nil && !d.failed(n.pointer) {
		d.report(n, "must have sha256 or sha512")
	}
}

func (d *decoder) digest(n *node, algorithm string) string {
	s := d.text(n)
	if raw, err := hex.DecodeString(s); s != "" && (err != nil || len(raw) != digestSize[algorithm]) {
		d.warn(n, "%.140q is not a %s digest in hexadecimal; no archive can match it", s, algorithm)
	}
	return strings.ToLower(s)
}

// command decodes [binary, argument...] or {binary, arguments, compa_starexec}.
func (d *decoder) command(n *node) *Command {
	if n == nil {
		return nil
	}
	if _, isObject := n.value.([]member); isObject {
		o, _ := d.object(n)
		c := &Command{
			Binary:    d.text(o.required("binary")),
			Arguments: list(d, o.optional("arguments"), 0, d.argument),
			StarExec:  d.flag(o.optional("compa_starexec"), false),
		}
		o.refuseOthers()
		d.checkBinary(n, c.Binary)
		d.checkWords(wordsOf(o.value("binary"), o.value("arguments")))
		return c
	}
	if _, isArray := n.value.([]*node); !isArray {
		d.report(n, "must be an array such as [\"bin/solver\", \"--option\"], or an object with binary and "+
			"arguments, not %s", n.describe())
		return nil
	}
	words := list(d, n, 1, d.argument)
	if len(words) == 0 {
		return nil
	}
	if strings.TrimSpace(words[0]) == "" && !d.failed(n.pointer+"/0") {
		d.report(n, "must begin with the name of a program")
	}
	d.checkBinary(n, words[0])
	d.checkWords(wordsOf(nil, n))
	return &Command{Binary: words[0], Arguments: words[1:]}
}

// checkBinary warns about a program that cannot be in the archive.
func (d *decoder) checkBinary(n *node, binary string) {
	if path.IsAbs(binary) || path.Clean(binary) == ".." || strings.HasPrefix(path.Clean(binary), "../") {
		d.warn(n, "the program %q is not in the archive; name it by its path there, such as \"bin/solver\"", binary)
	}
}

// argument decodes a string, which may be empty.
func (d *decoder) argument(n *node) string {
	s, ok := n.value.(string)
	if !ok {
		d.report(n, "must be a string, not %s", n.describe())
	}
	return s
}
