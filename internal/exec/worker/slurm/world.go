package slurm

import (
	"context"
	"errors"
	"time"
)

// world is the environment of the driver: Slurm, the exchange folder, its own notes, and time. The tests have one with
// virtual time in which everything may fail.
type world interface {
	// submit submits an array of jobs, one for each chunk of a wave, and returns its id.
	submit(ctx context.Context, s *submission) (job string, err error)
	// list returns the elements of arrays that have not ended, and as far as they are known those that have.
	list(ctx context.Context) ([]element, error)
	// cancel cancels elements. Those that have ended are left out silently.
	cancel(ctx context.Context, ids []string) error

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

// submission is an array of jobs.
type submission struct {
	name    string // of the jobs
	size    int    // the elements have the numbers from 0
	chunks  string // an element's chunk is this and the number
	exclude []string
}

// element is an element of an array.
type element struct {
	name  string // of the job
	index int
	id    string // for cancel
	state state
	node  string
	text  string // for people: why it waits, or how it ended
	exit  int    // of an element that ended: the exit code of its script
	// cancelled means that somebody ended the element.
	cancelled bool
}

// state is the state of an element.
type state byte

const (
	queued state = iota
	running
	ended
)

// errNoNode matches the error of a submission when all nodes are excluded.
var errNoNode = errors.New("no node may execute the jobs")
