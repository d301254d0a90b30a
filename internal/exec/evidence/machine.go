package evidence

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// Machine contains the states of all machines with the same profile that executed runs.
type Machine struct {
	Hardware string  `json:"hardware"` // result of runner.Profile.String
	States   []State `json:"states"`   // states in order of first appearance
}

// State is a machine's state with the first and last day (UTC) on which it was seen.
type State struct {
	runner.State
	Text  string `json:"text"` // the state in readable form
	First string `json:"first"`
	Last  string `json:"last"`
}

// Text returns state i in readable form, with its days if there are several states.
func (m *Machine) Text(i int) string {
	s := &m.States[i]
	switch {
	case len(m.States) == 1:
		return s.Text
	case s.First == s.Last:
		return fmt.Sprintf("%s (%s)", s.Text, s.First)
	}
	return fmt.Sprintf("%s (%s to %s)", s.Text, s.First, s.Last)
}

// clean removes unprintable characters.
func (s *State) clean() {
	s.State = CleanState(s.State)
	s.Text, s.First, s.Last = clean(s.Text), clean(s.First), clean(s.Last)
}

// CleanState removes unprintable characters from a state, which may come from an untrusted source.
func CleanState(s runner.State) runner.State {
	s.Kernel, s.Governor, s.Turbo, s.SMT = clean(s.Kernel), clean(s.Governor), clean(s.Turbo), clean(s.SMT)
	return s
}

// maxStates is the number of latest states to keep per profile.
const maxStates = 50

func machineKey(hardware string) cache.Key {
	k := cache.NewKeyWriter("machine/1")
	k.String("hardware", hardware)
	return k.Key()
}

// FindMachine returns the states of machines with the given profile. The result has no states if none were seen.
func FindMachine(store *cache.Store, hardware string) (Machine, error) {
	m := Machine{Hardware: hardware}
	items, err := store.Items("machines")
	if err != nil {
		return m, err
	}
	record, ok, err := items.Get(machineKey(hardware))
	if ok && json.Unmarshal(record, &m.States) != nil {
		m.States = nil // written by another version
	}
	return m, err
}

// PutState records that a machine with the given profile executed runs in a state.
func PutState(store *cache.Store, hardware string, state runner.State, at time.Time) error {
	m, err := FindMachine(store, hardware)
	if err != nil {
		return err
	}
	day := at.UTC().Format(time.DateOnly)
	seen := State{State: CleanState(state), First: day, Last: day}
	seen.Text = clean(seen.State.String())
	i := slices.IndexFunc(m.States, func(s State) bool { return s.State == seen.State })
	switch {
	case i < 0:
		m.States = append(m.States, seen)
	case m.States[i].Last == seen.Last:
		return nil
	default:
		m.States[i].Last = seen.Last
	}
	m.States = m.States[max(0, len(m.States)-maxStates):]
	record, err := json.Marshal(m.States)
	if err != nil {
		return err
	}
	items, err := store.Items("machines")
	if err != nil {
		return err
	}
	return items.Put(machineKey(hardware), record)
}
