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
	// List returns the jobs that have not ended, and those that have as far as the system knows them.
	List(ctx context.Context) ([]Job, error)
	// Cancel cancels jobs by ID. It ignores those that have ended.
	Cancel(ctx context.Context, ids []string) error
}

// ErrNoNode matches the error of a submission when all nodes are excluded.
var ErrNoNode = errors.New("no node may execute the jobs")

// Submission is a number of jobs that are alike.
type Submission struct {
	Name    string // of the jobs
	Size    int    // the jobs have the numbers from 0
	Exclude []string
	// Script returns the script of a job. The shell of the job evaluates its number, and the command, if it is not
	// empty, that starts the job again.
	Script func(number, again string) string
}

// Job is a job as the batch system lists it.
type Job struct {
	Name  string // of the submission
	Index int
	ID    string // for Cancel
	State State
	Node  string
	Text  string // for people: why it waits, or how it ended
	Exit  int    // the exit code of the script of a job that ended
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

// world is the environment of the driver: the batch system, the exchange folder, its own notes, and time. The tests
// have one with virtual time in which everything may fail.
type world interface {
	System

	// put writes a file of the exchange folder, whole or not at all.
	put(name string, content []byte) error
	// names lists a folder. One that is not there is empty.
	names(folder string) ([]string, error)
	// read reads a part of a file. At the end of the file it returns nothing.
	read(name string, at int64, most int) ([]byte, error)
	// remove removes a file, or a folder with everything in it. What is not there is removed.
	remove(name string) error

	// notes returns the earlier notes. note appends a line that outlives the process. renote replaces all lines.
	notes() ([]byte, error)
	note(line []byte) error
	renote(content []byte) error

	now() time.Time
	sleep(ctx context.Context, d time.Duration) error
}
