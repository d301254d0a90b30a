package jobs

import (
	"context"
	"errors"
	"time"
)

// System is a batch system.
type System interface {
	// Submit submits jobs. After an error, some or all of them may still have been submitted.
	Submit(ctx context.Context, s *Submission) error
	// List returns the jobs that have not ended, and those ended jobs that the system still knows.
	List(ctx context.Context) ([]Job, error)
	// Cancel cancels jobs by ID. It ignores jobs that have ended.
	Cancel(ctx context.Context, ids []string) error
}

// ErrNoNode matches the error of a submission that excludes all nodes.
var ErrNoNode = errors.New("no node is allowed to execute the jobs")

// Submission describes a set of identical jobs.
type Submission struct {
	Name    string // name of the jobs
	Size    int    // number of jobs, which are numbered from 0
	Exclude []string
	// Script returns a job's script. The job's shell evaluates number. again is a shell command that starts the job
	// again, or "" if there is none.
	Script func(number, again string) string
}

// Job describes a job in the batch system's list.
type Job struct {
	Name  string // name of the submission
	Index int
	ID    string // ID for Cancel
	State State
	Node  string
	Text  string // why the job waits or how it ended, in readable form
	Exit  int    // exit code of the script; only for ended jobs
	// Cancelled reports whether the job was ended from outside.
	Cancelled bool
}

// State is the state of a job.
type State byte

// The states of a job.
const (
	Queued State = iota
	Running
	Ended
)

// world is the driver's environment: the batch system, the exchange folder, the driver's notes, and the clock. Tests
// use a world with virtual time, where every operation may fail.
type world interface {
	System

	// put writes a file in the exchange folder atomically.
	put(name string, content []byte) error
	// names returns the names in a folder. A missing folder counts as empty.
	names(folder string) ([]string, error)
	// read reads part of a file. At the end of the file, it returns no bytes.
	read(name string, at int64, most int) ([]byte, error)
	// remove removes a file, or a folder with its content. A missing path is not an error.
	remove(name string) error

	// notes returns the existing notes. note appends a line that outlives the process. renote replaces all lines.
	notes() ([]byte, error)
	note(line []byte) error
	renote(content []byte) error

	now() time.Time
	sleep(ctx context.Context, d time.Duration) error
}
