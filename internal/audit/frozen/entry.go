package frozen

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Artifact returns the artifact of an output's entry; ok is false if the output is a plain value.
func (e Entry) Artifact() (art stages.Artifact, ok bool) {
	d, err := cache.ParseDigest(e[AttrSHA256])
	if err != nil || e[AttrSchema] == "" {
		return art, false
	}
	rows, _ := strconv.ParseInt(e[AttrRows], 10, 64) // verify reports invalid numbers
	size, _ := strconv.ParseInt(e[AttrBytes], 10, 64)
	return stages.Artifact{Schema: e[AttrSchema], Digest: d, Rows: rows, SizeBytes: size}, true
}

// OutputEntry returns the entry for a record's output.
func OutputEntry(o cache.Output) Entry {
	if o.Digest == "" {
		var line bytes.Buffer
		if json.Compact(&line, o.Value) != nil {
			return Entry{AttrValue: string(o.Value)}
		}
		return Entry{AttrValue: line.String()}
	}
	return Entry{AttrSchema: o.Schema, AttrSHA256: o.Digest, AttrRows: strconv.FormatInt(o.Rows, 10),
		AttrBytes: strconv.FormatInt(o.SizeBytes, 10)}
}
