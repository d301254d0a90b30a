package frozen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// LockName is the name of the lock in a frozen folder.
const LockName = "smtpipe.lock.hcl"

// lockFormat is the version of the lock. A reader refuses what it does not know.
const lockFormat = "1"

// Lock says what a frozen folder was made of: what was read from outside, and what each stage made of it.
type Lock struct {
	Version  string // of the smtpipe that froze
	Pipeline string // path of the pipeline in the folder
	Level    string // how much of the content is there
	Date     string // that its maker gave, as 2026-05-01

	Inputs    map[string]Entry // "file PATH" or "program NAME", as the pipeline names it
	Variables map[string]Entry // values that were given from outside
	Stages    map[string]Entry // by address
	Outputs   map[string]Entry // by address and name of the output
}

// Entry is one line of a lock: texts by name.
type Entry map[string]string

// Attributes of entries.
const (
	AttrKind     = "kind"     // of an input: file, folder or program; of a stage
	AttrName     = "name"     // of an input, as keys have it
	AttrSHA256   = "sha256"   // of content
	AttrTree     = "tree"     // SHA-256 of what an archive holds when it is unpacked
	AttrBytes    = "bytes"    // size of content
	AttrPath     = "path"     // in the frozen folder
	AttrValue    = "value"    // of a variable, or of an output that is no artifact, as JSON
	AttrKey      = "key"      // of a stage
	AttrSchema   = "schema"   // of an output
	AttrRows     = "rows"     // of an output
	AttrFinished = "finished" // when a measured stage ended
	AttrVersion  = "smtpipe"  // version that executed a measured stage
)

// Recorded are the attributes of stages that are components of their keys and follow from where they were executed.
var Recorded = []string{"attempt", "executed_by", "hardware"}

const lockComment = `# What this folder was made of. Written by "smtpipe freeze"; one entry a line, sorted, so that two locks can be
# compared line by line. "smtpipe verify" checks it against the content.

`

// Encode writes the lock. Equal locks give equal bytes.
func (l *Lock) Encode() []byte {
	var b strings.Builder
	b.WriteString(lockComment)
	for _, a := range [][2]string{{"format", lockFormat}, {AttrVersion, l.Version}, {"pipeline", l.Pipeline},
		{"level", l.Level}, {"date", l.Date}} {
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
	return []byte(b.String())
}

type section struct {
	name    string
	entries *map[string]Entry
}

func (l *Lock) sections() []section {
	return []section{{"inputs", &l.Inputs}, {"variables", &l.Variables}, {"stages", &l.Stages}, {"outputs", &l.Outputs}}
}

// quote writes a text as HCL reads it.
func quote(s string) string { return string(hclwrite.TokensForValue(cty.StringVal(s)).Bytes()) }

// ParseLock reads a lock.
func ParseLock(src []byte) (*Lock, error) {
	const most = 256 << 20
	if len(src) > most {
		return nil, fmt.Errorf("%s has %d bytes and cannot be a lock", LockName, len(src))
	}
	file, diags := hclsyntax.ParseConfig(src, LockName, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, fmt.Errorf("the lock cannot be read: %w", diags)
	}
	attrs, diags := file.Body.JustAttributes()
	if diags.HasErrors() {
		return nil, fmt.Errorf("the lock cannot be read: %w", diags)
	}
	l, format := &Lock{}, ""
	texts := map[string]*string{"format": &format, AttrVersion: &l.Version, "pipeline": &l.Pipeline, "level": &l.Level,
		"date": &l.Date}
	for name, to := range texts {
		if err := decodeText(attrs[name], name, to); err != nil {
			return nil, err
		}
	}
	if format != lockFormat {
		return nil, fmt.Errorf("the lock has the format %q, and this smtpipe reads %s; use a newer smtpipe", format,
			lockFormat)
	}
	for _, s := range l.sections() {
		if err := decodeEntries(attrs[s.name], s.name, s.entries); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func decodeText(a *hcl.Attribute, name string, to *string) error {
	if a == nil {
		return fmt.Errorf("the lock has no %s", name)
	}
	v, diags := a.Expr.Value(nil)
	if diags.HasErrors() || v.Type() != cty.String || v.IsNull() {
		return fmt.Errorf("%s of the lock is not a text", name)
	}
	*to = v.AsString()
	return nil
}

func decodeEntries(a *hcl.Attribute, name string, to *map[string]Entry) error {
	if a == nil {
		return fmt.Errorf("the lock has no %s", name)
	}
	v, diags := a.Expr.Value(nil)
	if diags.HasErrors() {
		return fmt.Errorf("%s of the lock: %w", name, diags)
	}
	if v.IsNull() || !v.Type().IsObjectType() {
		return fmt.Errorf("%s of the lock has no entries", name)
	}
	*to = map[string]Entry{}
	for key, line := range v.AsValueMap() {
		m, err := convert.Convert(line, cty.Map(cty.String))
		if err != nil || m.IsNull() {
			return fmt.Errorf("%s of the lock: the entry %q is not made of texts", name, key)
		}
		e := Entry{}
		for k, text := range m.AsValueMap() {
			if !text.IsNull() {
				e[k] = text.AsString()
			}
		}
		(*to)[key] = e
	}
	return nil
}
