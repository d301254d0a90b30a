package submission

import (
	"maps"
	"slices"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// SolverType is a solver's declared type (SMT-COMP 2026 rules, §4).
type SolverType string

// The solver types, spelled as in the files.
const (
	Wrapped    SolverType = "wrapped"
	Derived    SolverType = "derived"
	Standalone SolverType = "Standalone"
	Portfolio  SolverType = "Portfolio"
)

// Submission is a submission file that follows all rules.
type Submission struct {
	File              string // name as given to Parse
	Name              string
	Contributors      []Contributor
	Contacts          []Contact
	Archive           *Archive // nil: each participation has its own
	Command           *Command // nil: each participation has its own
	Website           string
	SystemDescription string
	Type              SolverType
	Participations    []Participation
	Seed              *int64 // nil: not given
	Competitive       bool
	Final             bool
	Warnings          Problems // warnings: allowed, but probably mistakes

	// Against lists reasons against the submission that are not in its file, such as those from a register.
	Against []admission.Reason

	slips  Problems // mistakes that organisers correct by hand; see file.slip
	places places
}

// at returns a problem at a pointer.
func (s *Submission) at(pointer, text string) Problem {
	p := s.places.at(pointer, text)
	p.File = s.File
	return p
}

// Contributor is a person or group behind the solver.
type Contributor struct {
	Name    string
	Website string // website; empty: none
}

// Contact is a mail address with its owner's name. If the file contains no name, it is the part before the @.
type Contact struct {
	Name    string
	Address string
}

// Archive is the address of a solver's archive, with its required digests in lower-case hex; empty: not given.
type Archive struct {
	URL    string
	SHA256 string
	SHA512 string
}

// Command is a program in the unpacked archive with its arguments. The benchmark's path is appended to them.
type Command struct {
	Binary    string
	Arguments []string
	StarExec  bool // whether the program needs StarExec's environment and working folder (compa_starexec)
}

// Participation enters a solver into tracks.
type Participation struct {
	Tracks       []string // names as in the file
	Logics       []comp.Logic
	Pattern      *Pattern // pattern of logics, used instead of Logics; nil: none
	Divisions    []comp.Division
	Archive      *Archive // nil: as in the submission
	Command      *Command // nil: as in the submission
	Experimental bool
	// AWSRepository is an image for the parallel and cloud tracks, used instead of archive and command; see
	// ParseEarlier.
	AWSRepository string
}

// fileTracks returns the tracks that a participation can name: those of SMT-COMP, followed by the competition's own.
// UnsatCoreValidation is the organisers' internal track and has no divisions. IndustryChallenge is our name for a track
// of 2019, when such files did not exist yet.
func fileTracks(own comp.Kinds) []string {
	return append([]string{"UnsatCore", "SingleQuery", "ProofExhibition", "ModelValidation", "Incremental", "Cloud",
		"Parallel", challengeTrack, "UnsatCoreValidation"}, slices.Sorted(maps.Keys(own))...)
}

const challengeTrack = "IndustryChallenge"

// digestSize maps a digest's name to its size in bytes. Files contain it in hexadecimal.
var digestSize = map[string]int{"sha256": 32, "sha512": 64}
