package evidence

// Execution describes how a stage executed its runs. It contains everything needed to repeat a run from a site alone,
// without the pipeline or the store. Keys cover all of it.
type Execution struct {
	Stage    string      `json:"stage"` // address of the stage
	Track    string      `json:"track"`
	Kind     string      `json:"track_kind"`         // official track that the stage's track resembles
	Scramble *Scrambling `json:"scramble,omitempty"` // nil if not public, or if no stage "scramble" wrote the scripts
	Input    string      `json:"input"`              // how the solver receives the script: argument, stdin or dialogue
	Past     bool        `json:"past_unknown"`       // whether a dialogue goes past a check-sat of unknown status
	Merged   bool        `json:"merge_stderr"`       // whether standard error is merged into standard output
	WallS    float64     `json:"wall_limit_s"`
	CPUS     float64     `json:"cpu_limit_s"` // limit on CPU time; 0 means no limit
	Memory   int64       `json:"memory_limit_bytes"`
	Cores    int         `json:"cores"`
	Output   int64       `json:"output_limit_bytes"`
	Scratch  int64       `json:"scratch_limit_bytes"` // limit on the scratch space; 0 means the memory limit
	Pids     int         `json:"processes"`
	Hardware string      `json:"hardware"`
	Starts   []Start     `json:"solvers"` // sorted by name and participation
}

// Scrambling describes how scripts were produced from benchmarks.
type Scrambling struct {
	Seed  int64  `json:"seed"`
	Track string `json:"track"` // name of an official track
}

// Start describes how a solver is started.
type Start struct {
	Solver        string   `json:"solver"`
	Participation int64    `json:"participation"`
	Logics        []string `json:"logics,omitempty"` // names or patterns; empty means all logics
	Command       []string `json:"command"`
	SHA256        string   `json:"program_sha256,omitempty"` // digest of program with libraries, or of archive tree
	Archive       string   `json:"archive_sha256,omitempty"`
	Packed        bool     `json:"packed"` // whether the program is in an archive or a folder
	StarExec      bool     `json:"starexec,omitempty"`
	Image         string   `json:"image_sha256,omitempty"` // ID of the root's image; empty means the machine itself
}

// SetDigests sets the program's digests.
func (s *Start) SetDigests(p Program) { s.SHA256, s.Archive = text(p.SHA256), text(p.Archive) }
