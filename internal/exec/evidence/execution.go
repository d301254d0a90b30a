package evidence

// Execution describes how a stage executed its runs. It has everything that is needed to repeat a run with only a site,
// without the pipeline or the store. Keys cover all of it.
type Execution struct {
	Stage    string      `json:"stage"` // its address
	Track    string      `json:"track"`
	Kind     string      `json:"track_kind"`         // the official track that it resembles
	Scramble *Scrambling `json:"scramble,omitempty"` // nil: not public, or no stage "scramble" wrote the scripts
	Input    string      `json:"input"`              // argument, stdin or dialogue
	Past     bool        `json:"past_unknown"`       // the dialogue continues after a check-sat of unknown status
	Merged   bool        `json:"merge_stderr"`       // standard error is merged into standard output
	WallS    float64     `json:"wall_limit_s"`
	CPUS     float64     `json:"cpu_limit_s"` // 0: none
	Memory   int64       `json:"memory_limit_bytes"`
	Cores    int         `json:"cores"`
	Output   int64       `json:"output_limit_bytes"`
	Scratch  int64       `json:"scratch_limit_bytes"` // 0: the memory limit
	Pids     int         `json:"processes"`
	Hardware string      `json:"hardware"`
	Starts   []Start     `json:"solvers"` // sorted by name and participation
}

// Scrambling describes how scripts were made from benchmarks.
type Scrambling struct {
	Seed  int64  `json:"seed"`
	Track string `json:"track"` // an official one
}

// Start describes how a solver is started.
type Start struct {
	Solver        string   `json:"solver"`
	Participation int64    `json:"participation"`
	Logics        []string `json:"logics,omitempty"` // names or patterns; empty: all logics
	Command       []string `json:"command"`
	SHA256        string   `json:"program_sha256,omitempty"` // of the program with its libraries, or of the unpacked archive
	Archive       string   `json:"archive_sha256,omitempty"`
	Packed        bool     `json:"packed"` // the program is in an archive or a folder
	StarExec      bool     `json:"starexec,omitempty"`
	Image         string   `json:"image_sha256,omitempty"` // image ID of its root; empty: the machine's own programs
}

// SetDigests sets the program's digests.
func (s *Start) SetDigests(p Program) { s.SHA256, s.Archive = text(p.SHA256), text(p.Archive) }
