package verify

import (
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/cache"
)

// State is the outcome for a stage.
type State string

// The states.
const (
	Same       State = "same"        // recomputed with the same result
	Different  State = "different"   // does not follow from its stated inputs
	Measured   State = "measured"    // a record of measurements, whose runs are those of the pipeline
	NotChecked State = "not_checked" // could not be recomputed
)

// Report contains all findings.
type Report struct {
	Format     string   `json:"format"` // always smtpipe/verify/1
	Path       string   `json:"path"`
	LockSHA256 string   `json:"lock_sha256"`
	FrozenBy   string   `json:"frozen_by_smtpipe"`
	Date       string   `json:"date"`
	Level      string   `json:"level"`
	Hardware   []string `json:"measured_on"`

	Confined  *Confined `json:"confined"`                 // how the checking process is confined; nil if unconfined
	NotSigned []string  `json:"not_covered_by_signature"` // only if the lock does not name files

	Files       int       `json:"files"`
	Bytes       int64     `json:"bytes"`
	Differences []Finding `json:"differences"` // differences in files, records and rows
	Unlisted    []string  `json:"unlisted_files"`
	Signature   Signature `json:"signature"`
	Shares      []Share   `json:"verdicts"`
	Stages      []Stage   `json:"stages"`
	Unsure      bool      `json:"cannot_verify"` // whether a check was impossible that the folder should allow

	Measurement *Measurement `json:"measurement,omitempty"` // nil if no runs were repeated
}

// Confined describes how the process that reads untrusted files is confined.
type Confined struct {
	MemoryBytes int64 `json:"memory_bytes"` // memory limit
	NoNetwork   bool  `json:"no_network"`
}

// text describes the confinement.
func (c *Confined) text() string {
	switch {
	case c == nil:
		return "in a process without limits"
	case c.NoNetwork:
		return fmt.Sprintf("in a process limited to %.1f GB of memory, without network access", float64(c.MemoryBytes)/1e9)
	}
	return fmt.Sprintf("in a process limited to %.1f GB of memory; this system did not allow cutting off its network access",
		float64(c.MemoryBytes)/1e9)
}

// Finding is a problem found by the verification.
type Finding struct {
	Where string `json:"where"`
	What  string `json:"what"`
}

// Stage contains the findings about a stage.
type Stage struct {
	Addr  string `json:"address"`
	Kind  string `json:"kind"`
	State State  `json:"state"`
	Why   string `json:"why,omitempty"` // why the stage was not checked, or who measured it
	Rows  int64  `json:"rows"`          // number of rows of the first table; -1 if there is none
}

const reportFormat = "smtpipe/verify/1"

func newReport(path string, f *frozen.Folder) *Report {
	return &Report{Format: reportFormat, Path: path, LockSHA256: cache.DigestOf(f.Bytes).String(),
		FrozenBy: f.Lock.Version, Date: f.Lock.Date, Level: f.Lock.Level, Hardware: f.Hardware(),
		NotSigned: f.NotSigned(), Differences: []Finding{}, Unlisted: []string{}, Shares: []Share{}, Stages: []Stage{}}
}

func (r *Report) differs(where, what string) {
	r.Differences = append(r.Differences, Finding{where, what})
}

// Differs reports whether anything differs from what was expected.
func (r *Report) Differs() bool {
	return len(r.Differences) > 0 || slices.ContainsFunc(r.Stages, func(s Stage) bool { return s.State == Different })
}

func (r *Report) count(state State) int {
	n := 0
	for _, s := range r.Stages {
		if s.State == state {
			n++
		}
	}
	return n
}

var stateText = map[State]string{Same: "same", Different: "DIFFERENT", Measured: "measured", NotChecked: "not checked"}

// verdict describes the findings and their limitations in words.
func (r *Report) verdict() (lines []string) {
	same, not := r.count(Same), r.count(NotChecked)
	switch {
	case len(r.Differences) == 1:
		lines = append(lines, "The folder is NOT what it claims to be: 1 thing differs.")
	case r.Differs():
		lines = append(lines, fmt.Sprintf("The folder is NOT what it claims to be: %d things differ.",
			len(r.Differences)))
	case not > 0:
		lines = append(lines, fmt.Sprintf("Everything that could be recomputed is the same: %d stages. %d could not be, "+
			"as the list of stages says.", same, not))
	default:
		lines = append(lines, fmt.Sprintf("Everything that follows from the measurements was recomputed and is the "+
			"same: %d stages.", same))
	}
	if r.count(Measured) > 0 && !r.Differs() && r.Measurement == nil {
		lines = append(lines, "This does not say that the measurements are true: whoever invents outputs of runs and "+
			"computes everything else from them passes this check.", r.Signature.vouches())
	}
	return lines
}
