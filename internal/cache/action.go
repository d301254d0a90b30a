package cache

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"
)

// Action is the record of one executed stage.
type Action struct {
	Address    string            `json:"address"`
	Kind       string            `json:"kind"`
	Components []Component       `json:"components"` // named parts that determine the key
	Outputs    map[string]Output `json:"outputs"`
	Inputs     []string          `json:"inputs,omitempty"` // digests of the artifacts that the stage read, hex, sorted
	Made
	Absent []Absent `json:"absent,omitempty"` // entrants that could not take part, with reasons
}

// Made records when a stage was executed, how long that took, and by which version.
type Made struct {
	Finished  time.Time `json:"finished,omitzero"`
	WallTimeS float64   `json:"wall_time_s,omitempty"`
	Version   string    `json:"smtpipe_version,omitempty"`
}

// Absent is an entrant that could not take part in a stage, with the reason.
type Absent struct {
	Entrant string `json:"entrant"` // name of the solver, or of the submission if the solver is unknown
	Reason  string `json:"reason"`
}

// Output is one output of an action: an artifact by digest, or a plain value as JSON.
type Output struct {
	Schema    string          `json:"schema,omitempty"`
	Digest    string          `json:"sha256,omitempty"`
	Rows      int64           `json:"rows,omitempty"`
	SizeBytes int64           `json:"size_bytes,omitempty"`
	Value     json.RawMessage `json:"value,omitempty"`
}

// PutAction stores the record for key after making all earlier writes durable.
func (s *Store) PutAction(key Key, a *Action) error {
	if err := s.Sync(); err != nil {
		return err
	}
	data, err := EncodeAction(a)
	if err != nil {
		return err
	}
	if err := writeFileBelow(s.actionPath(key), data); err != nil {
		return err
	}
	if s.remote != nil {
		s.remote.Stored(key)
	}
	return nil
}

// EncodeAction returns a record's stored form.
func EncodeAction(a *Action) ([]byte, error) {
	data, err := json.MarshalIndent(a, "", "  ")
	return sealJSON(data), err
}

// GetAction returns the record for key, or nil if there is none. If the record is unreadable, or if key does not match
// its components, the error is a *CorruptError.
func (s *Store) GetAction(key Key) (*Action, error) {
	a, err := s.readAction(key)
	if a != nil {
		touch(s.actionPath(key))
		return a, err
	}
	if pulled := s.pullAction(key); pulled != nil {
		return pulled, nil
	}
	return nil, err
}

// readAction is GetAction without marking the record as in use.
func (s *Store) readAction(key Key) (*Action, error) {
	path := s.actionPath(key)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var a Action
	if err := openJSON(data, &a); err != nil {
		return nil, &CorruptError{What: "record " + path, Why: err.Error()}
	}
	if got, err := KeyOf(a.Components); err != nil || got != key {
		return nil, &CorruptError{What: "record " + path, Why: "its components do not produce its key"}
	}
	return &a, nil
}

func (s *Store) actionPath(key Key) string {
	hex := key.String()
	return filepath.Join(s.dir, "actions", hex[:2], hex)
}

// State describes a pipeline's last run: the key of each instance's latest record.
type State struct {
	Pipeline string            `json:"pipeline"` // path of the pipeline, for display
	Latest   map[string]string `json:"latest"`   // address → key
	Attempts map[string]int64  `json:"attempts"` // measured stage's address → number of its attempt, from 0

	loaded map[string]string
}

// Stale reports whether Latest has changed since the state was loaded.
func (st *State) Stale() bool { return !maps.Equal(st.Latest, st.loaded) }

// LoadState returns the state of the pipeline at path, which is empty if it is missing. If it is damaged, LoadState
// returns an empty state and an error for which IsLost holds: the results of earlier attempts would be used again.
func (s *Store) LoadState(path string) (*State, error) {
	st, err := readState(s.statePath(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case IsLost(err):
		st = &State{}
	case err != nil:
		return nil, err
	}
	st.Pipeline = path
	if st.Latest == nil {
		st.Latest = map[string]string{}
	}
	if st.Attempts == nil {
		st.Attempts = map[string]int64{}
	}
	st.loaded = maps.Clone(st.Latest)
	return st, err
}

// readState reads a state. If it is missing, the state is empty.
func readState(file string) (*State, error) {
	st := &State{}
	data, err := os.ReadFile(file)
	if err != nil {
		return st, err
	}
	if err := openJSON(data, st); err != nil {
		return nil, &CorruptError{What: "state " + file, Why: err.Error() + ". It counts the attempts that --fresh " +
			"started. Remove it and restore it from a backup (smtpipe cache restore), or repeat each --fresh"}
	}
	return st, nil
}

// SaveState stores the state of the pipeline at st.Pipeline.
func (s *Store) SaveState(st *State) error {
	data, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return fmt.Errorf("state of %s: %w", st.Pipeline, err)
	}
	return s.unwritable(writeFileBelow(s.statePath(st.Pipeline), sealJSON(data)))
}

func (s *Store) statePath(pipeline string) string {
	return filepath.Join(s.dir, "state", DigestOf([]byte(pipeline)).String()[:32]+".json")
}
