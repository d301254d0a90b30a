package jobs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// The driver notes each number before it gives it to a chunk or to jobs, and every chunk that is gone. With these notes
// the next driver finds the existing chunks, and the jobs by their names.

// note is a line of the journal.
type note struct {
	Token string `json:"token,omitempty"` // the first line: identifies the chunks and jobs of this store and stage
	Pool  string `json:"pool,omitempty"`  // of the chunks
	Used  int    `json:"used,omitempty"`  // a number of jobs; chunks and jobs have numbers from 1, none twice
	Chunk string `json:"chunk,omitempty"` // the ticket of a chunk that is about to be written
	Gone  []int  `json:"gone,omitempty"`  // chunks that are no longer waited for
	// Chunks, with Size, is what smtpipe up to 0.1.1 noted: the beginning of the names of chunks.
	Chunks string `json:"chunks,omitempty"`
	Size   int    `json:"size,omitempty"`
}

// notes is what the journal says.
type notes struct {
	token string
	pool  string
	used  int               // the largest number
	open  []exchange.Ticket // of the chunks that are waited for
	old   []string          // names of chunks of an earlier smtpipe
}

// readNotes reads the journal. Cut or damaged lines are left out.
func readNotes(content []byte) (all notes) {
	for line := range bytes.Lines(content) {
		var n note
		if json.Unmarshal(line, &n) != nil {
			continue
		}
		all.token, all.pool = cmp.Or(n.Token, all.token), cmp.Or(n.Pool, all.pool)
		if t, ok := exchange.ReadTicket(n.Chunk); ok {
			all.open = append(all.open, t)
			n.Used = t.Number
		}
		all.used = max(all.used, n.Used)
		all.open = slices.DeleteFunc(all.open, func(t exchange.Ticket) bool {
			return slices.Contains(n.Gone, t.Number)
		})
		for i := range n.Size {
			all.old = append(all.old, fmt.Sprint(n.Chunks, i))
		}
	}
	return all
}

// content returns lines that say the same, in short.
func (n *notes) content() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	all := []note{{Token: n.token, Pool: n.pool}, {Used: n.used}}
	for _, t := range n.open {
		all = append(all, note{Chunk: t.Name()})
	}
	for _, line := range all {
		_ = enc.Encode(line) // to a buffer
	}
	return b.Bytes()
}

// write appends a note.
func (d *driver) write(n note) error {
	line, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := d.w.note(append(line, '\n')); err != nil {
		return fmt.Errorf("note what is submitted: %w", err)
	}
	return nil
}
