package stages

import (
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Lineage lists the instances from which an instance's arguments were computed, with the digests of their outputs. It
// contains no keys, so an instance that produces the same outputs again does not change the lineage.
type Lineage struct {
	Addr    string        // the instance's own address
	Version string        // smtpipe's version
	Steps   []LineageStep // each step comes after the steps it uses; the last is the instance itself, without outputs
}

// LineageStep is one instance in a lineage.
type LineageStep struct {
	Addr, Kind string
	Uses       []string // addresses of the instances whose outputs are among its arguments
	Outputs    []LineageOutput
	Files      []LineageFile  // files in the pipeline's folder that are among its arguments
	Absent     []cache.Absent // entrants that could not take part
}

// LineageOutput is an artifact that an instance produced.
type LineageOutput struct {
	Name string
	Artifact
}

// LineageFile is a file that an instance read.
type LineageFile struct {
	Name    string
	Digest  string // hexadecimal digest
	Meaning bool   // the digest covers only the file's meaning, which comments and layout do not change
}

// Tracer is an Action whose outputs describe the origin of its arguments. The engine calls Trace once, before it
// computes the key, and the action writes the lineage into the key.
type Tracer interface {
	KeyExtender
	Trace(l *Lineage)
}

// WriteKey writes the lineage as components of a key.
func (l *Lineage) WriteKey(k *cache.KeyWriter) {
	k.String("smtpipe", l.Version)
	for i := range l.Steps {
		s := &l.Steps[i]
		k.Within("lineage."+s.Addr, func() {
			k.String("uses", strings.Join(s.Uses, ", "))
			for _, o := range s.Outputs {
				k.String(o.Name, o.Schema+" sha256:"+o.Digest.String())
			}
			for j, f := range s.Files {
				k.String("file["+strconv.Itoa(j)+"]", f.Name+" sha256:"+f.Digest)
			}
			for j, a := range s.Absent {
				k.String("absent["+strconv.Itoa(j)+"]", a.Entrant+": "+a.Reason)
			}
		})
	}
}

// LineageFiles returns every argument file in the pipeline's folder, including those of nested blocks, in the order of
// walk. Where keys contain only an attribute's meaning, the result does too. Otherwise, a change that no key depends on
// would change the keys of all reports.
func (a *Args) LineageFiles() []LineageFile {
	var all []LineageFile
	a.walkAttrs(func(attr Attr, v cty.Value) {
		f, ok := FileOf(v)
		if !ok {
			return
		}
		file := LineageFile{Name: f.Name, Digest: f.Digest.String()}
		if attr.KeyText != nil {
			file.Meaning = true
			file.Digest = strings.TrimPrefix(attr.KeyText(v), "sha256:")
		}
		all = append(all, file)
	})
	return all
}
