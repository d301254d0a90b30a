package run

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Record holds everything that the store keeps about a run except its key.
type Record struct {
	Measured
	FirstAnswer string // for counting runs during execution; never a result
	Started     int64  // Unix time in seconds; 0 if unknown
	Version     string // smtpipe's version
	Killed      string // the previous attempt's record, if an unexplained SIGKILL ended it; otherwise empty
}

// fields returns the fields in encoding order. The encoding is part of the store's format, so new fields must be added
// at the end.
func (r *Record) fields() [numFields]any {
	return [...]any{
		&r.Ending, &r.ExitCode, &r.Signal, &r.WallTimeS, &r.CPUTimeS, &r.MemoryBytes, &r.AnswerWallTimeS, &r.Stdout,
		&r.StdoutSHA256, &r.StdoutBytes, &r.StderrSHA256, &r.StderrBytes, &r.Trace, &r.Flags, &r.Isolation,
		&r.FirstAnswer,
		&r.Started, &r.Version, // the oldest records lack these
		&r.Killed,
	}
}

const (
	numFields = 19
	oldest    = 16 // number of fields in the oldest records
	always    = 18 // number of fields that are written even if these and all later fields are zero
)

// Encode returns a record's bytes.
func (r *Record) Encode() []byte {
	b := make([]byte, 0, 160+len(r.Stdout)+len(r.Trace)+len(r.Killed))
	n := 0 // number of fields up to the last one that is not zero
	for i, f := range r.fields() {
		zero := false
		switch f := f.(type) {
		case *comp.Ending:
			b, zero = appendText(b, string(*f)), *f == ""
		case *string:
			b, zero = appendText(b, *f), *f == ""
		case *int64:
			b, zero = binary.AppendVarint(b, *f), *f == 0
		case *Seconds:
			b, zero = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(*f))), *f == 0
		}
		if !zero || i < always {
			n = len(b)
		}
	}
	return b[:n]
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

var errRecord = errors.New("the record of a run is truncated")

// Decode is the inverse of Encode. Fields beyond the end of the bytes are zero.
func Decode(b []byte) (r Record, err error) {
	for i, f := range r.fields() {
		if len(b) == 0 && (i == oldest || i >= always) {
			return r, nil
		}
		k := 0 // encoded size of the field in bytes
		switch f := f.(type) {
		case *comp.Ending:
			var s string
			s, k = text(b)
			*f = comp.Ending(s)
		case *string:
			*f, k = text(b)
		case *int64:
			*f, k = binary.Varint(b)
		case *Seconds:
			if len(b) >= 8 {
				*f, k = Seconds(math.Float64frombits(binary.LittleEndian.Uint64(b))), 8
			}
		}
		if k <= 0 {
			return r, errRecord
		}
		b = b[k:]
	}
	return r, nil
}

// text reads a text and returns its bytes and its encoded size, which is 0 if the text is truncated.
func text(b []byte) (s string, size int) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return "", 0
	}
	end := k + int(n)
	return string(b[k:end]), end
}

// Attempts returns all attempts at the run. The last one is the result.
func (r *Record) Attempts() ([]Record, error) {
	if r.Killed == "" {
		return []Record{*r}, nil
	}
	killed, err := Decode([]byte(r.Killed))
	if err != nil {
		return nil, err
	}
	last := *r
	last.Killed = ""
	return []Record{killed, last}, nil
}
