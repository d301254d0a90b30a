package report

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Keeper keeps data that is expensive to read again, for later reports.
type Keeper interface {
	// Kept calls read with the data kept under an id. It returns false if there is none, or if read fails.
	Kept(id string, read func(io.Reader) error) bool
	// Keep calls write, and keeps what it writes if the store may be changed.
	Keep(id string, write func(io.Writer) error) error
}

// keptID identifies the divisions' runs; empty if they are not kept.
func (b *builder) keptID() string {
	in := b.m.in
	if in.Keeper == nil || in.VerdictsID == "" {
		return ""
	}
	return fmt.Sprintf("runs by division/2\x00%s\x00%s", in.Provenance.ToolVersion, in.VerdictsID)
}

// keep keeps the divisions' runs.
func (b *builder) keep() error {
	id := b.keptID()
	if id == "" {
		return nil
	}
	return b.m.in.Keeper.Keep(id, func(w io.Writer) error {
		enc := gob.NewEncoder(w)
		for _, t := range b.m.tracks {
			for _, d := range t.divisions {
				if d.runs == nil {
					continue
				}
				body, err := d.runs.encode()
				if err != nil {
					return err
				}
				sum := sha256.Sum256(body)
				d.runs.id = hex.EncodeToString(sum[:])
				if err := enc.Encode(keptRuns{t.name, d.name, d.runs.id, body}); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// keptRuns are a division's runs as they are kept.
type keptRuns struct {
	Track, Division, ID string
	Body                []byte
}

func (t *runTable) encode() ([]byte, error) {
	var body bytes.Buffer
	enc := gob.NewEncoder(&body)
	for _, part := range t.parts() {
		if err := enc.Encode(part); err != nil {
			return nil, err
		}
	}
	return body.Bytes(), nil
}

func (k *keptRuns) decode() (*runTable, error) {
	t := newRunTable()
	t.id = k.ID
	dec := gob.NewDecoder(bytes.NewReader(k.Body))
	for _, part := range t.parts() {
		if err := dec.Decode(part); err != nil {
			return nil, err
		}
	}
	for _, n := range t.names() {
		n.number()
	}
	return t, nil
}

// kept reads the divisions' runs that an earlier report kept. It reports whether there are any.
func (b *builder) kept() bool {
	id := b.keptID()
	type kept struct {
		track, division string
		runs            *runTable
	}
	var all []*kept
	if id == "" || !b.m.in.Keeper.Kept(id, func(r io.Reader) error {
		dec := gob.NewDecoder(bufio.NewReader(r))
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for {
			var k keptRuns
			if err := dec.Decode(&k); errors.Is(err, io.EOF) {
				return group.Wait()
			} else if err != nil {
				return errors.Join(err, group.Wait())
			}
			one := &kept{track: k.Track, division: k.Division}
			all = append(all, one)
			group.Go(func() (err error) {
				one.runs, err = k.decode()
				return err
			})
		}
	}) {
		return false
	}
	for _, k := range all {
		b.division(k.track, k.division).runs = k.runs
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
