package jobs

import (
	"context"
	"errors"
	"time"
)

// System is a batch system.
type System interface {
	// Submit submits a job for each chunk of a wave and returns a name of them for people. After an error, some or all
	// of them may have been submitted.
	Submit(ctx context.Context, s *Submission) (job string, err error)
	// List returns the jobs that have not ended, and those that have as far as the system knows them.
	List(ctx context.Context) ([]Job, error)
	// Cancel cancels jobs by ID. It ignores those that have ended.
	Cancel(ctx context.Context, ids []string) error
}

// ErrNoNode matches the error of a submission when all nodes are excluded.
var ErrNoNode = errors.New("no node may execute the jobs")

// Submission is a wave of jobs.
type Submission struct {
	Name    string // of the jobs
	Size    int    // the jobs have the numbers from 0
	Chunks  string // the chunk of a job is this and its number
	Exclude []string
	// Script returns the script of a job. The shell of the job evaluates the arguments: the name of its chunk, and
	// JOB-RESTART, which the name of its file of results begins with.
	Script func(chunk, attempt string) string
}

// Job is a job of a wave, as the batch system lists it.
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
	// remove removes a folder with everything in it. One that is not there is removed.
	remove(folder string) error

	// notes returns the earlier notes. note appends a line that outlives the process. renote replaces all lines.
	notes() ([]byte, error)
	note(line []byte) error
	renote(content []byte) error

	now() time.Time
	sleep(ctx context.Context, d time.Duration) error
}
