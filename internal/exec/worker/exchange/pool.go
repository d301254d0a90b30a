package exchange

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
)

// A pool consists of all jobs of the same kind, no matter which driver submitted them, and the chunks that they may
// take. A chunk is a folder with the file WorksFile: a header and works as in docs/run/worker.md. Until a job takes the
// chunk, the pool's folder contains its ticket. A job takes the chunk by renaming the ticket, which becomes the chunk's
// results file. The driver removes the chunk when it is complete, or when its job is gone.
const WorksFile = "works.jsonl"

// The folders in the exchange folder. The ticket and worker folders contain one folder per pool.
const (
	BlobsFolder   = "blobs"
	ChunksFolder  = "chunks"
	TicketsFolder = "open"
	WorkersFolder = "workers" // one file per job, with its greeting and the output of its shell and worker
)

// Ticket represents a chunk that no job has taken.
type Ticket struct {
	Order  int           // chunks with the lowest order are taken first, across all stages
	Stage  string        // driver's token, which consists of digits and lower-case letters
	Number int           // number of the chunk
	Needs  time.Duration // time that a job needs for the chunk, in whole seconds
}

var ticketName = pattern.Lazy(`^([0-9]{7,9})-([0-9a-z]{1,16})-([0-9]{1,9})-([0-9]{1,9})$`)

// Name returns the ticket's file name.
func (t Ticket) Name() string {
	return fmt.Sprintf("%07d-%s-%d-%d", t.Order, t.Stage, t.Number, t.Needs/time.Second)
}

// Chunk returns the chunk's name.
func (t Ticket) Chunk() string { return fmt.Sprintf("%s-%d", t.Stage, t.Number) }

// ReadTicket parses a ticket's file name.
func ReadTicket(name string) (t Ticket, ok bool) {
	f := ticketName().FindStringSubmatch(name)
	if f == nil {
		return t, false
	}
	var n [5]int
	for i := range f {
		n[i], _ = strconv.Atoi(f[i]) // the pattern allows only digits
	}
	return Ticket{Order: n[1], Stage: f[2], Number: n[3], Needs: time.Duration(n[4]) * time.Second}, true
}

// Choose returns the first tickets that a job may take. more is true if there are tickets but the job may take none. A
// job that has not yet taken any may take any ticket. Otherwise the job must have enough time left for the chunk: a job
// should leave little of a chunk unfinished when it ends.
func Choose(names []string, left time.Duration, fresh bool) (fit []string, more bool) {
	const most = 200 // enough, even if other jobs take some first
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

// MostFailures is the number of consecutive failed tasks after which a job takes no further chunks. Otherwise a node on
// which everything fails quickly would take all of them.
const MostFailures = 3

// Patience returns how long a job without runs waits for a chunk, because a new chunk may not be visible immediately.
func Patience(delay time.Duration) time.Duration { return 2 * delay }

// Pulse returns the interval at which a job writes a sign of life to each of its results files.
func Pulse(delay time.Duration) time.Duration { return max(delay/2, 100*time.Millisecond) }
