package verify

import (
	"fmt"
	"io"
	"slices"
	"strings"

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

// text describes the confinement in a sentence.
func (c *Confined) text() string {
	switch {
	case c == nil:
		return "Checked in a process without limits."
	case c.NoNetwork:
		return fmt.Sprintf("Checked in a process limited to %.1f GB of memory, without network access.", float64(c.MemoryBytes)/1e9)
	}
	return fmt.Sprintf("Checked in a process limited to %.1f GB of memory. This system did not allow cutting off its network access.",
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

// WriteText writes the report as text.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, frozen on %s by smtpipe %s at the level %q\nlock sha256:%s\n\n", r.Path, r.Date, r.FrozenBy,
		r.Level, r.LockSHA256)
	b.WriteString(r.Confined.text() + "\n")
	fmt.Fprintf(&b, "Integrity: %d files with %d bytes were read.\n", r.Files, r.Bytes)
	const most = 10
	for i, name := range r.Unlisted {
		if i == most {
			fmt.Fprintf(&b, "  and %d more\n", len(r.Unlisted)-most)
			break
		}
		fmt.Fprintf(&b, "  not part of the frozen folder, and not read: %s\n", name)
	}
	b.WriteString("\nSignature: " + r.Signature.text() + "\n")
	if len(r.NotSigned) > 0 {
		fmt.Fprintf(&b, "A lock written by smtpipe 0.1 does not list all files. Neither its signature nor the "+
			"derivation covers these:\n")
		for _, name := range r.NotSigned {
			fmt.Fprintf(&b, "  %s\n", name)
		}
	}
	b.WriteString("\nDerivation:\n")
	for _, s := range r.Stages {
		fmt.Fprintf(&b, "  %-11s %s%s\n", stateText[s.State], s.Addr, because(s.Why))
	}
	r.writeShares(&b)
	r.writeMeasurement(&b)
	if len(r.Differences) > 0 {
		b.WriteString("\nDifferences:\n")
		for _, d := range r.Differences {
			fmt.Fprintf(&b, "  %s: %s\n", d.Where, d.What)
		}
	}
	b.WriteString("\n" + r.verdict() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeMeasurement writes the repeated runs' results.
func (r *Report) writeMeasurement(b *strings.Builder) {
	m := r.Measurement
	if m == nil {
		return
	}
	fmt.Fprintf(b, "\nMeasurement: %d runs were repeated on %s with %s isolation (seed %d).\n", m.Runs,
		m.Here, m.Isolation, m.Seed)
	if m.Elsewhere && m.Runs > 0 {
		fmt.Fprintf(b, "  This is a different machine: its CPU times are %.2f times the original ones, and the figures below are corrected for that.\n",
			m.Factor)
	}
	for _, why := range m.NotMade {
		fmt.Fprintf(b, "  not repeated: %s\n", why)
	}
	for _, t := range m.Times {
		switch t.Verdict {
		case TooFew:
			fmt.Fprintf(b, "  %s: too few runs above %g s of CPU time: %d; at least %d are "+
				"needed\n", t.Solver, leastCPUS, t.Runs,
				leastRuns)
		default:
			fmt.Fprintf(b, "  %s: CPU times %s: %.2f times the earlier ones, 99 %% interval %.2f to %.2f (%d runs)\n",
				t.Solver, t.Verdict, t.Ratio, t.Low, t.High, t.Runs)
		}
	}
	for _, c := range m.Contradictions {
		fmt.Fprintf(b, "  CONTRADICTION: %s on %s: %s then, %s now\n", c.Solver, c.Benchmark, c.Then, c.Now)
		fmt.Fprintf(b, "    then: %q\n    now:  %q\n", c.LogThen, c.LogNow)
	}
	if len(m.Contradictions) == 0 && m.Runs > 0 {
		b.WriteString("  No answer contradicts an original one.\n")
	}
}

var stateText = map[State]string{Same: "same", Different: "DIFFERENT", Measured: "measured", NotChecked: "not checked"}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// verdict describes the findings and their limitations in words.
func (r *Report) verdict() string {
	same, not := r.count(Same), r.count(NotChecked)
	var b strings.Builder
	switch {
	case r.Differs():
		n := plural(len(r.Differences), "thing differs", "things differ")
		fmt.Fprintf(&b, "The folder is NOT what it claims to be: %s.", n)
	case not > 0:
		fmt.Fprintf(&b, "Everything that could be recomputed is the same: %d stages. %d could not be, as the lines "+
			"above say.", same, not)
	default:
		fmt.Fprintf(&b, "Everything that follows from the measurements was recomputed and is the same: %d stages.",
			same)
	}
	if r.count(Measured) > 0 && !r.Differs() && r.Measurement == nil {
		b.WriteString("\nThis does not say that the measurements are true: whoever invents outputs of runs and computes " +
			"everything else from them passes this check.\n" + r.Signature.vouches())
	}
	return b.String()
}
