package jobs

import (
	"context"
	"errors"
	"time"
)

// System is a batch system.
type System interface {
	// Submit submits jobs. After an error, some or all of them may have been submitted.
	Submit(ctx context.Context, s *Submission) error
	// List returns the jobs that have not ended, and the ended ones that the system still knows.
	List(ctx context.Context) ([]Job, error)
	// Cancel cancels jobs by ID. It ignores ended jobs.
	Cancel(ctx context.Context, ids []string) error
}

// ErrNoNode matches the error of a submission if all nodes are excluded.
var ErrNoNode = errors.New("no node may execute the jobs")

// Submission is a number of equal jobs.
type Submission struct {
	Name    string // of the jobs
	Size    int    // the jobs are numbered from 0
	Exclude []string
	// Script returns a job's script. The job's shell evaluates its number, and the command that starts the job again,
	// unless it is empty.
	Script func(number, again string) string
}

// Job is a job as the batch system lists it.
type Job struct {
	Name  string // of the submission
	Index int
	ID    string // for Cancel
	State State
	Node  string
	Text  string // in readable form: why it waits, or how it ended
	Exit  int    // the exit code of an ended job's script
	// Cancelled means that somebody ended the job.
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

// world is the driver's environment: the batch system, the exchange folder, the driver's notes, and time. Tests use one
// with virtual time in which everything may fail.
type world interface {
	System

	// put writes a file in the exchange folder atomically.
	put(name string, content []byte) error
	// names lists a folder. A missing folder is empty.
	names(folder string) ([]string, error)
	// read reads part of a file. At the end of the file it returns nothing.
	read(name string, at int64, most int) ([]byte, error)
	// remove removes a file, or a folder with everything in it. A missing path is not an error.
	remove(name string) error

	// notes returns the existing notes. note appends a line that outlives the process. renote replaces all lines.
	notes() ([]byte, error)
	note(line []byte) error
	renote(content []byte) error

	now() time.Time
	sleep(ctx context.Context, d time.Duration) error
}
