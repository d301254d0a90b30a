package report

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
)

// Keeper keeps data that is expensive to read again, for later reports.
type Keeper interface {
	// Kept calls read with the data kept under an id. It returns false if there is none, or if read fails.
	Kept(id string, read func(io.Reader) error) bool
	// Keep keeps what write writes.
	Keep(id string, write func(io.Writer) error) error
}

// keptID identifies the divisions' runs; empty if they are not kept.
func (b *builder) keptID() string {
	in := b.m.in
	if in.Keeper == nil || in.VerdictsID == "" {
		return ""
	}
	return fmt.Sprintf("runs by division/1\x00%s\x00%s", in.Provenance.ToolVersion, in.VerdictsID)
}

// keep keeps the divisions' runs.
func (b *builder) keep() error {
	id := b.keptID()
	if id == "" {
		return nil
	}
	return b.m.in.Keeper.Keep(id, func(w io.Writer) error {
		buffered := bufio.NewWriter(w)
		enc := gob.NewEncoder(buffered)
		for _, t := range b.m.tracks {
			for _, d := range t.divisions {
				if d.runs == nil {
					continue
				}
				for _, part := range append([]any{[]string{t.name, d.name}}, d.runs.parts()...) {
					if err := enc.Encode(part); err != nil {
						return err
					}
				}
			}
		}
		return buffered.Flush()
	})
}

// kept reads the divisions' runs that an earlier report kept. It reports whether there are any.
func (b *builder) kept() bool {
	id := b.keptID()
	type kept struct {
		of   []string // track and division
		runs *runTable
	}
	var all []kept
	if id == "" || !b.m.in.Keeper.Kept(id, func(r io.Reader) error {
		dec := gob.NewDecoder(bufio.NewReader(r))
		for {
			k := kept{runs: newRunTable()}
			switch err := dec.Decode(&k.of); {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return err
			}
			for _, part := range k.runs.parts() {
				if err := dec.Decode(part); err != nil {
					return err
				}
			}
			all = append(all, k)
		}
	}) {
		return false
	}
	for _, k := range all {
		for _, n := range k.runs.names() {
			n.number()
		}
		b.division(k.of[0], k.of[1]).runs = k.runs
	}
	return true
}

// parts returns pointers to everything that a run table consists of.
func (t *runTable) parts() []any {
	all := []any{&t.teams, &t.bases, &t.competitive, &t.limits, &t.logics, &t.families, &t.benches, &t.bench, &t.solver,
		&t.answer, &t.verdict, &t.ending, &t.reason, &t.wall, &t.cpu, &t.memory, &t.detail,
		&t.keys}
	for _, n := range t.names() {
		all = append(all, &n.list)
	}
	return all
}

func (t *runTable) names() []*names {
	return []*names{t.solvers, t.answers, t.verdicts, t.endings, t.reasons, t.texts}
}
