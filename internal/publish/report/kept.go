package report

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Keeper keeps data that is expensive to compute or to read again, for later reports.
type Keeper interface {
	// Kept calls read with the data kept under an id. It returns false if there is none, or if read fails.
	Kept(id string, read func(io.Reader) error) bool
	// Keep calls write, and keeps what it writes if the store may be changed.
	Keep(id string, write func(io.Writer) error) error
}

// keptID identifies data that follows from the values; empty if no data is kept.
func (in *Input) keptID(data string, values ...any) string {
	if in.Keeper == nil || in.VerdictsID == "" {
		return ""
	}
	return data + "\x00" + in.identify(values...)
}

// keptOr returns the data that an earlier report kept under an id. Otherwise, it calls get and keeps the result.
func keptOr[Data any](in *Input, id string, get func() (Data, error)) (data Data, err error) {
	if id == "" {
		return get()
	}
	if in.Keeper.Kept(id, func(r io.Reader) error { return gob.NewDecoder(bufio.NewReader(r)).Decode(&data) }) {
		return data, nil
	}
	if data, err = get(); err != nil {
		return data, err
	}
	return data, in.Keeper.Keep(id, func(w io.Writer) error { return gob.NewEncoder(w).Encode(data) })
}

// apart identifies the divisions' runs as they are kept, apart from what is known about their entrants, by track and
// solver. If that is not known, or a solver has several descriptions, of is nil and all of the verdicts are identified.
func (in *Input) apart() (id string, of map[[2]string]run.Entrant) {
	const data = "runs by division/4"
	if id = in.keptID(data, in.VerdictsID); in.Entrants == nil || id == "" {
		return id, nil
	}
	kinds, rest, err := in.Entrants()
	of = map[[2]string]run.Entrant{}
	for i := range kinds {
		of[[2]string{kinds[i].Track, kinds[i].Solver}] = kinds[i].Entrant
	}
	if err != nil || len(of) < len(kinds) { // an error is reported when the verdicts are read
		return id, nil
	}
	return in.keptID(data, rest), of
}

// keep keeps the divisions' runs under an id.
func (b *builder) keep(id string, all []*runTable) error {
	if id == "" {
		return nil
	}
	kept := make([]keptRuns, len(all))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range all {
		group.Go(func() error {
			body, err := t.encode()
			if err != nil {
				return err
			}
			kept[i].Body = body
			kept[i].ID, err = t.identity()
			t.ID = b.m.in.identify(kept[i].ID, t.Entrants)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return b.m.in.Keeper.Keep(id, func(w io.Writer) error {
		enc := gob.NewEncoder(w)
		for i := range kept {
			if err := enc.Encode(&kept[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// keptRuns are a division's runs as they are kept.
type keptRuns struct {
	ID   string // identifies the runs apart from what is known about their entrants
	Body []byte
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

// identity returns a text that identifies the runs, apart from what is known about their entrants, in every process.
// What gob writes does not: it numbers types in the order in which a process uses them first.
func (t *runTable) identity() (string, error) {
	h := sha256.New()
	w := bufio.NewWriter(h)
	parts, head := t.parts(), t.runHead
	parts[0], head.Entrants = &head, Entrants{}
	for _, part := range parts {
		values := reflect.ValueOf(part).Elem().Interface()
		size := binary.Size(values) // -1 if there are texts
		fmt.Fprintln(w, size)
		if size < 0 {
			fmt.Fprintf(w, "%#v\n", values)
		} else if err := binary.Write(w, binary.LittleEndian, values); err != nil {
			return "", err
		}
	}
	err := w.Flush()
	return hex.EncodeToString(h.Sum(nil)), err
}

func (k *keptRuns) decode(t *runTable) error {
	dec := gob.NewDecoder(bytes.NewReader(k.Body))
	for _, part := range t.parts() {
		if err := dec.Decode(part); err != nil {
			return err
		}
	}
	for _, n := range t.names() {
		n.number()
	}
	return nil
}

// kept reads the divisions' runs that an earlier report kept under an id. ok is false if there are none.
func (b *builder) kept(id string, of map[[2]string]run.Entrant) (all []*runTable, ok bool) {
	if id == "" {
		return nil, false
	}
	ok = b.m.in.Keeper.Kept(id, func(r io.Reader) error {
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
			t := newRunTable()
			all = append(all, t)
			group.Go(func() error {
				if err := k.decode(t); err != nil {
					return err
				}
				if of != nil {
					t.describe(of)
				}
				t.ID = b.m.in.identify(k.ID, t.Entrants)
				return nil
			})
		}
	})
	return all, ok
}

// parts returns pointers to everything that a run table consists of.
func (t *runTable) parts() []any {
	all := []any{&t.runHead, &t.families, &t.benches, &t.bench, &t.solver, &t.answer, &t.verdict, &t.ending, &t.reason,
		&t.wall, &t.cpu, &t.memory, &t.detail, &t.keys}
	for _, n := range t.names() {
		all = append(all, &n.list)
	}
	return all
}

func (t *runTable) names() []*names {
	return []*names{t.answers, t.verdicts, t.endings, t.reasons, t.texts}
}
