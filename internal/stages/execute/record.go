package execute

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/runner"
)

// record holds the stored data of one run that its key does not contain. Its encoding is part of the store's format:
// new fields are appended, and reading stops at the end of the bytes.
type record struct {
	Ending       comp.Ending
	ExitCode     int64
	Signal       int64
	WallTimeS    float64
	CPUTimeS     float64
	MemoryBytes  int64
	AnswerS      float64 // wall time of the first answer, -1: none
	Stdout       string
	StdoutSHA256 string
	StdoutBytes  int64
	StderrSHA256 string
	StderrBytes  int64
	Trace        string
	Flags        string
	Isolation    string
	FirstAnswer  string // for running counts; never a result
	Started      int64  // Unix time in seconds; 0: not known
	Version      string // of smtpipe
	Killed       string // the record of the attempt before this one, which an unexplained SIGKILL ended; empty: none
}

func (r *record) encode() []byte {
	b := make([]byte, 0, 160+len(r.Stdout)+len(r.Trace))
	b = appendText(b, string(r.Ending))
	b = binary.AppendVarint(b, r.ExitCode)
	b = binary.AppendVarint(b, r.Signal)
	b = appendFloat(b, r.WallTimeS)
	b = appendFloat(b, r.CPUTimeS)
	b = binary.AppendVarint(b, r.MemoryBytes)
	b = appendFloat(b, r.AnswerS)
	b = appendText(b, r.Stdout)
	b = appendText(b, r.StdoutSHA256)
	b = binary.AppendVarint(b, r.StdoutBytes)
	b = appendText(b, r.StderrSHA256)
	b = binary.AppendVarint(b, r.StderrBytes)
	b = appendText(b, r.Trace)
	b = appendText(b, r.Flags)
	b = appendText(b, r.Isolation)
	b = appendText(b, r.FirstAnswer)
	b = binary.AppendVarint(b, r.Started)
	b = appendText(b, r.Version)
	if r.Killed != "" {
		b = appendText(b, r.Killed)
	}
	return b
}

var errRecord = errors.New("the record of a run is cut")

// attempts returns the attempts in the record of an item, the result last.
func (r *record) attempts() ([]record, error) {
	if r.Killed == "" {
		return []record{*r}, nil
	}
	killed, err := decodeRecord([]byte(r.Killed))
	if err != nil {
		return nil, err
	}
	last := *r
	last.Killed = ""
	return []record{killed, last}, nil
}

// spentOn implements Kind.Spent.
func spentOn(record []byte) (coreSeconds float64, err error) {
	r, err := decodeRecord(record)
	return max(r.CPUTimeS, r.WallTimeS), err
}

// twice reports whether both attempts are the same one, read twice from where an executor left it.
func (r *record) twice() (bool, error) {
	all, err := r.attempts()
	if err != nil {
		return false, err
	}
	first, last := all[0], all[len(all)-1]
	return first.Started == last.Started && first.WallTimeS == last.WallTimeS && first.CPUTimeS == last.CPUTimeS, nil
}

// killedFromOutside reports whether an unexplained SIGKILL ended the run.
func (r *record) killedFromOutside() bool {
	flag := runner.FlagForeignKill.String()
	return r.Ending == comp.Signalled && slices.Contains(strings.Split(r.Flags, ","), flag)
}

// decodeRecord is the inverse of encode.
func decodeRecord(b []byte) (record, error) {
	d := decoder{rest: b}
	r := record{
		Ending:       comp.Ending(d.text()),
		ExitCode:     d.varint(),
		Signal:       d.varint(),
		WallTimeS:    d.float(),
		CPUTimeS:     d.float(),
		MemoryBytes:  d.varint(),
		AnswerS:      d.float(),
		Stdout:       d.text(),
		StdoutSHA256: d.text(),
		StdoutBytes:  d.varint(),
		StderrSHA256: d.text(),
		StderrBytes:  d.varint(),
		Trace:        d.text(),
		Flags:        d.text(),
		Isolation:    d.text(),
		FirstAnswer:  d.text(),
	}
	if len(d.rest) > 0 { // older records end here
		r.Started, r.Version = d.varint(), d.text()
	}
	if len(d.rest) > 0 { // most records have none
		r.Killed = d.text()
	}
	return r, d.err
}

func appendText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendFloat(b []byte, f float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
}

type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) text() string {
	n, k := binary.Uvarint(d.rest)
	if k <= 0 || n > uint64(len(d.rest)-k) {
		d.err, d.rest = errRecord, nil
		return ""
	}
	s := string(d.rest[k : k+int(n)])
	d.rest = d.rest[k+int(n):]
	return s
}

func (d *decoder) varint() int64 {
	n, k := binary.Varint(d.rest)
	if k <= 0 {
		d.err, d.rest = errRecord, nil
		return 0
	}
	d.rest = d.rest[k:]
	return n
}

func (d *decoder) float() float64 {
	if len(d.rest) < 8 {
		d.err, d.rest = errRecord, nil
		return 0
	}
	f := math.Float64frombits(binary.LittleEndian.Uint64(d.rest))
	d.rest = d.rest[8:]
	return f
}
