package exchange

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// A pool is the jobs that are alike, whichever driver submitted them, and the chunks that each of them may take. A
// chunk is a folder with the file WorksFile, a header and works as in docs/run/worker.md. As long as no job has taken
// it, it has a ticket in the folder of its pool. A job takes the chunk by renaming the ticket, which becomes the file
// of its results. The driver removes the chunk when it is done, or when its job is gone.
const WorksFile = "works.jsonl"

// The folders of the exchange folder. Those of tickets and workers have a folder for each pool.
const (
	BlobsFolder   = "blobs"
	ChunksFolder  = "chunks"
	TicketsFolder = "open"
	WorkersFolder = "workers" // a file for each job, with its greeting and what the shell and the worker say
)

// Ticket stands for a chunk that no job has taken.
type Ticket struct {
	Order  int           // the chunks of all stages whose order is the lowest are taken first
	Stage  string        // the driver's token, of digits and small letters
	Number int           // of the chunk
	Needs  time.Duration // of a job, in whole seconds
}

var ticketName = regexp.MustCompile(`^([0-9]{7,9})-([0-9a-z]{1,16})-([0-9]{1,9})-([0-9]{1,9})$`)

// Name returns the name of the file.
func (t Ticket) Name() string {
	return fmt.Sprintf("%07d-%s-%d-%d", t.Order, t.Stage, t.Number, t.Needs/time.Second)
}

// Chunk returns the name of the chunk.
func (t Ticket) Chunk() string { return fmt.Sprintf("%s-%d", t.Stage, t.Number) }

// ReadTicket reads the name of a file.
func ReadTicket(name string) (t Ticket, ok bool) {
	f := ticketName.FindStringSubmatch(name)
	if f == nil {
		return t, false
	}
	var n [5]int
	for i := range f {
		n[i], _ = strconv.Atoi(f[i]) // digits, where it is used
	}
	return Ticket{Order: n[1], Stage: f[2], Number: n[3], Needs: time.Duration(n[4]) * time.Second}, true
}

// Choose returns the first tickets that a job may take. more means that there are only others. A job that has taken
// none yet takes any; another one must have the time that the chunk needs, so that little is left when it ends.
func Choose(names []string, left time.Duration, fresh bool) (fit []string, more bool) {
	const most = 200 // other jobs may be faster
	slices.Sort(names)
	for _, name := range names {
		switch t, ok := ReadTicket(name); {
		case !ok:
		case fresh || t.Needs <= left:
			if fit = append(fit, name); len(fit) == most {
				return fit, false
			}
		default:
			more = true
		}
	}
	return fit, more && len(fit) == 0
}

// MostFailures is the number of tasks that fail in a row after which a job takes no other chunk: a node where
// everything fails at once would take them all.
const MostFailures = 3

// Patience is how long a job without runs waits for a chunk: a new one may not be seen at once.
func Patience(delay time.Duration) time.Duration { return 2 * delay }

// Pulse is the time between two signs of life of a job in each file of its results.
func Pulse(delay time.Duration) time.Duration { return max(delay/2, 100*time.Millisecond) }
