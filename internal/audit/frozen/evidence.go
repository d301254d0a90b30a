package frozen

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Recorded implements stages.Evidence. For an instance that is not in the lock, it returns the hardware of the other
// instances if they all have the same.
func (f *Folder) Recorded(addr, component string) (value string, ok bool) {
	if v, ok := f.Lock.Stages[addr][component]; ok {
		return v, true
	}
	if component != "hardware" {
		return "", false
	}
	if all := f.Hardware(); len(all) == 1 {
		return all[0], true
	}
	return "several machines; the lock does not say which of them would measure " + addr, true
}

// Hardware returns the profiles of the machines that executed measured stages, sorted.
func (f *Folder) Hardware() []string {
	var all []string
	for _, s := range f.Lock.Stages {
		if h := s["hardware"]; h != "" {
			all = append(all, h)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Latest returns the stage keys by address.
func (f *Folder) Latest() map[string]string {
	keys := map[string]string{}
	for addr, s := range f.Lock.Stages {
		keys[addr] = s[AttrKey]
	}
	return keys
}

// Values returns the values of variables that were set from outside when the folder was frozen, except sensitive ones.
func (f *Folder) Values() map[string]string {
	values := map[string]string{}
	for name, v := range f.Lock.Variables {
		if text, ok := v[AttrValue]; ok {
			values[name] = text
		}
	}
	return values
}

// Remote is a read-only remote store that provides the folder's content to another store.
type Remote struct {
	folder *Folder
	store  *cache.Store
	kinds  []*stages.Kind

	mu  sync.Mutex
	bad []string
}

// NewRemote returns the folder as a remote store for the given store. The kinds recover item records from tables.
func (f *Folder) NewRemote(store *cache.Store, kinds []*stages.Kind) *Remote {
	return &Remote{folder: f, store: store, kinds: kinds}
}

// Record implements cache.Remote.
func (r *Remote) Record(key cache.Key) []byte {
	addr, ok := r.folder.keys[key.String()]
	if !ok {
		return nil
	}
	text, err := limits.StageRecord.ReadFile(r.folder.Path(StageDir(addr) + "/" + RecordName))
	if err != nil {
		r.ReportBad(err.Error())
		return nil
	}
	return text
}

// Content implements cache.Remote.
func (r *Remote) Content(d cache.Digest, w io.Writer) error { return r.folder.Copy(d, w) }

// ReportBad implements cache.Remote.
func (r *Remote) ReportBad(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.bad, what) {
		r.bad = append(r.bad, what)
	}
}

// Bad returns the folder's content that was found not to match the lock.
func (r *Remote) Bad() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.bad)
}

// Stored implements cache.Remote.
func (r *Remote) Stored(cache.Key) {}

// ItemStored implements cache.ItemRemote.
func (r *Remote) ItemStored(string, cache.Key) {}

// PullItems implements cache.ItemRemote. It recovers run records from the tables of runs.
func (r *Remote) PullItems(ctx context.Context, namespace string, want []cache.Key,
	put func(key [32]byte, record []byte) error) int {
	wanted := make(map[cache.Key]bool, len(want))
	for _, k := range want {
		wanted[k] = true
	}
	found := 0
	for _, addr := range slices.Sorted(maps.Keys(r.folder.Lock.Stages)) {
		kind := r.kindOf(addr)
		if kind == nil || kind.Recall == nil || ctx.Err() != nil {
			continue
		}
		err := kind.Recall(r.store, r.folder.artifacts(addr, kind), func(of string, k cache.Key, record []byte) error {
			if of != namespace || !wanted[k] {
				return nil
			}
			delete(wanted, k)
			found++
			return put(k, record)
		})
		if err != nil {
			r.ReportBad("the records of " + addr + " cannot be read: " + err.Error())
		}
	}
	return found
}

func (r *Remote) kindOf(addr string) *stages.Kind {
	return stages.FindKind(r.kinds, r.folder.Lock.Stages[addr][AttrKind])
}

// artifacts returns the artifacts among a stage's outputs, by output name.
func (f *Folder) artifacts(addr string, kind *stages.Kind) map[string]stages.Artifact {
	all := map[string]stages.Artifact{}
	for _, out := range kind.Outputs {
		if art, ok := f.Lock.Outputs[addr+"."+out.Name].Artifact(); ok {
			all[out.Name] = art
		}
	}
	return all
}
