package jobs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// The driver records each number before it assigns the number to a chunk or to jobs, and records every chunk that is
// gone. From these notes, the next driver finds the existing chunks, and the jobs by name.

// note is a line in the journal.
type note struct {
	Token string `json:"token,omitempty"` // first line only: identifies the chunks and jobs of this store and stage
	Pool  string `json:"pool,omitempty"`  // pool that the chunks belong to
	Used  int    `json:"used,omitempty"`  // number assigned to jobs; chunk and job numbers are unique, from 1
	Chunk string `json:"chunk,omitempty"` // ticket of a chunk that is about to be written
	Gone  []int  `json:"gone,omitempty"`  // numbers of chunks whose results are no longer awaited
	// Chunks, with Size, is the prefix of chunk names recorded by smtpipe up to 0.1.1.
	Chunks string `json:"chunks,omitempty"`
	Size   int    `json:"size,omitempty"`
}

// notes is the decoded content of the journal.
type notes struct {
	token string
	pool  string
	used  int               // highest number used
	open  []exchange.Ticket // tickets of chunks whose results the driver waits for
	old   []string          // names of chunks written by an earlier version of smtpipe
}

// readNotes decodes the journal. It skips truncated or damaged lines.
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

// content encodes the notes in fewer lines.
func (n *notes) content() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	all := []note{{Token: n.token, Pool: n.pool}, {Used: n.used}}
	for _, t := range n.open {
		all = append(all, note{Chunk: t.Name()})
	}
	for _, line := range all {
		_ = enc.Encode(line) // writes to a buffer cannot fail
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
		return fmt.Errorf("write the submission journal: %w", err)
	}
	return nil
}
