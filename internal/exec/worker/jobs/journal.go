package jobs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// The driver notes every wave before it is submitted, its job afterwards, and every chunk that is gone. With these
// notes the next driver finds the existing jobs. If this one dies between submission and note, the next finds the jobs
// by their name, which contains the wave's number and the driver's token.

// note is a line of the journal.
type note struct {
	Token string `json:"token,omitempty"` // the first line: identifies the jobs of this store and stage
	Wave  int    `json:"wave,omitempty"`  // from 1
	Size  int    `json:"size,omitempty"`  // chunks of a wave that is about to be submitted
	// Chunks is the beginning of the names of these chunks, which contains the token: stages share an exchange folder.
	Chunks string `json:"chunks,omitempty"`
	Job    string `json:"job,omitempty"`  // of a wave that was submitted
	Gone   []int  `json:"gone,omitempty"` // chunks of a wave that are no longer waited for
}

// wave is the content of the notes about one wave.
type wave struct {
	number int
	size   int
	chunks string // beginning of their names
	job    string // empty: it may have been submitted
	gone   []bool
}

// readNotes reads the journal. Cut or damaged lines are left out.
func readNotes(content []byte) (token string, waves []*wave) {
	byNumber := map[int]*wave{}
	for line := range bytes.Lines(content) {
		var n note
		if json.Unmarshal(line, &n) != nil {
			continue
		}
		if n.Token != "" {
			token = n.Token
		}
		w := byNumber[n.Wave]
		if n.Size > 0 && w == nil {
			w = &wave{number: n.Wave, size: n.Size, gone: make([]bool, n.Size), chunks: n.Chunks}
			if w.chunks == "" { // noted by smtpipe 0.1.1 or earlier
				w.chunks = fmt.Sprintf("%d-", n.Wave)
			}
			byNumber[n.Wave] = w
			waves = append(waves, w)
		}
		if w == nil {
			continue
		}
		if n.Job != "" {
			w.job = n.Job
		}
		for _, i := range n.Gone {
			if i >= 0 && i < w.size {
				w.gone[i] = true
			}
		}
	}
	return token, waves
}

// allGone reports whether no chunk is waited for.
func (w *wave) allGone() bool { return !slices.Contains(w.gone, false) }

// noteAll returns lines equivalent to the notes of the waves, without finished waves. The last wave stays, since its
// number must not be reused.
func noteAll(token string, waves []*wave) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	_ = enc.Encode(note{Token: token}) // to a buffer
	for i, w := range waves {
		if w.allGone() && i < len(waves)-1 {
			continue
		}
		_ = enc.Encode(note{Wave: w.number, Size: w.size, Chunks: w.chunks, Job: w.job})
		var gone []int
		for i, g := range w.gone {
			if g {
				gone = append(gone, i)
			}
		}
		if len(gone) > 0 {
			_ = enc.Encode(note{Wave: w.number, Gone: gone})
		}
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

// NamePrefix is how the names of all jobs begin.
const NamePrefix = "smtpipe-"

// jobName returns the name of the jobs of a wave.
func jobName(token string, wave int) string { return fmt.Sprintf("%s%s-%d", NamePrefix, token, wave) }
