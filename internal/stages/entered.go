package stages

import (
	"bytes"
	"encoding/gob"
	"io"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// Entered is what tables of verdicts tell about entrants. Everything else in them may be kept for tables that differ
// in nothing else, as after a team was corrected.
type Entered struct {
	Kinds []results.VerdictRow // by track and solver; a solver may have several
	Rest  string               // identifies everything else in the tables
}

// Entered returns what tables of verdicts tell about entrants. All kinds of stages keep it for each other.
func (k *Kept) Entered(tables []Artifact) (all Entered, err error) {
	kept, err := KeptIn(k.store, &Kind{Name: "verdicts"})
	if err != nil {
		return all, err
	}
	for _, t := range tables {
		var one Entered
		id := "entered/1 " + t.Digest.String()
		if !kept.Kept(id, func(r io.Reader) error { return gob.NewDecoder(r).Decode(&one) }) {
			if one, err = enteredIn(k.store, t); err == nil {
				err = kept.Keep(id, func(w io.Writer) error { return gob.NewEncoder(w).Encode(one) })
			}
		}
		if err != nil {
			return Entered{}, err
		}
		all.Kinds, all.Rest = append(all.Kinds, one.Kinds...), all.Rest+" "+one.Rest
	}
	return all, nil
}

func enteredIn(store *cache.Store, t Artifact) (e Entered, err error) {
	b, err := store.ReadBytes(t.Digest)
	if err != nil {
		return e, err
	}
	r := bytes.NewReader(b)
	verdicts, err := results.Open[results.VerdictRow](r, r.Size())
	if err == nil {
		_, e.Kinds, err = results.EntrantKinds(verdicts, "track", "solver")
	}
	if err == nil {
		e.Rest, err = results.IdentifyApart(r, r.Size(), results.EntrantColumns...)
	}
	return e, err
}
