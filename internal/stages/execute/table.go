package execute

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// groupsName names the items that map runs to the row group written from them. It only saves time: if an
// entry is missing or dangling, the row group is written again with the same bytes.
const groupsName = "groups"

// runGroup holds the runs of one of the table's row groups.
type runGroup struct {
	pairs []int32
	key   cache.Key // covers everything in the row group
}

// madeGroup is a finished row group's location, and the count of its killed attempts.
type madeGroup struct {
	table  cache.Digest
	number uint32
	killed uint32 // attempts ended by an unexplained SIGKILL
}

func (m madeGroup) encode() []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(m.table[:], m.number), m.killed)
}

func decodeGroup(b []byte) (m madeGroup, ok bool) {
	if len(b) != len(m.table)+8 {
		return m, false
	}
	n := copy(m.table[:], b)
	m.number, m.killed = binary.LittleEndian.Uint32(b[n:]), binary.LittleEndian.Uint32(b[n+4:])
	return m, true
}

// writeRuns sets the output: the runs for which keep returns true, in the order of the pairs. It calls keep once for
// each run. Row groups that an earlier table contains are copied from it. Only one of the remaining row groups is in
// memory at any time.
func (f *execution) writeRuns(keep func(i int) bool) error {
	groups, err := f.group(keep)
	if err != nil {
		return err
	}
	known, err := f.env.Store.Items(groupsName)
	if err != nil {
		return err
	}
	earlier := &earlierTables{store: f.env.Store, known: known, open: map[cache.Digest]*results.Groups{}}
	defer earlier.close()
	made := make([]madeGroup, len(groups))
	killed := 0
	art, err := artifact.WriteTableGroups(f.env.Store, func(w *results.GroupWriter[results.RunRow]) error {
		for k, g := range groups {
			number := w.Len()
			m, table := earlier.find(g.key)
			if table != nil {
				if err := w.Take(table, int(m.number)); err != nil {
					return err
				}
			} else if m.killed, err = f.writeGroup(w, g.pairs); err != nil {
				return err
			}
			killed += int(m.killed)
			if made[k] = m; w.Len() == number+1 {
				made[k].number = uint32(number)
			} else {
				groups[k].key = cache.Key{} // the rows were split into several row groups
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k, g := range groups {
		if made[k].table != art.Digest && g.key != (cache.Key{}) {
			made[k].table = art.Digest
			if known.Put(g.key, made[k].encode()) != nil {
				break // the store is not writable
			}
		}
	}
	if killed > 0 {
		f.env.Log.Warn(fmt.Sprintf("attempts at runs that a SIGKILL ended which smtpipe did not send: %d; their flags have "+
			"%s, and where there is a second attempt, it counts", killed, runner.FlagForeignKill))
	}
	return f.env.Set("runs", stages.ArtifactVal(art))
}

// writeGroup writes the rows of the given runs.
func (f *execution) writeGroup(w *results.GroupWriter[results.RunRow], pairs []int32) (killed uint32, err error) {
	all := make([]results.RunRow, 0, len(pairs))
	for _, i := range pairs {
		rows, err := f.rowsOf(int(i))
		if err != nil {
			return 0, err
		}
		for k := range rows {
			if strings.Contains(rows[k].Flags, runner.FlagForeignKill.String()) {
				killed++
			}
		}
		all = append(all, rows...)
	}
	return killed, w.Rows(all)
}

// group divides the runs into the table's row groups.
func (f *execution) group(keep func(i int) bool) ([]runGroup, error) {
	var groups []runGroup
	var cut results.Cutter
	all := make([]int32, 0, len(f.pairs))
	from := 0
	for i, p := range f.pairs {
		if !keep(i) {
			continue
		}
		if cut.Next(f.scripts[p.script].Benchmark, f.entrants[p.solver].name) {
			groups = append(groups, runGroup{pairs: all[from:]})
			from = len(all)
		}
		all = append(all, int32(i))
	}
	if from < len(all) {
		groups = append(groups, runGroup{pairs: all[from:]})
	}
	common := f.commonKey()
	for k := range groups {
		h := sha256.New()
		h.Write(common[:])
		last := int32(-1)
		for _, i := range groups[k].pairs {
			if script := f.pairs[i].script; script != last {
				f.hashScript(h, script)
				last = script
			}
			if err := f.hashRun(h, int(i)); err != nil {
				return nil, err
			}
		}
		h.Sum(groups[k].key[:0])
	}
	return groups, nil
}

// hashScript hashes everything about a script that appears in its runs' rows.
func (f *execution) hashScript(h hash.Hash, i int32) {
	script := &f.scripts[i]
	text := []byte("script")
	for _, s := range []string{script.Benchmark, script.Logic, script.ScriptSHA256} {
		text = append(binary.AppendUvarint(text, uint64(len(s))), s...)
	}
	h.Write(text)
}

// hashRun hashes the rest of a run's rows: its key, its record and its solver.
func (f *execution) hashRun(h hash.Hash, i int) error {
	record, err := f.items.Record(i)
	if err != nil {
		return err
	}
	var b [64]byte
	key := f.items.Key(i)
	text := binary.LittleEndian.AppendUint32(append(append(b[:0], "run"...), key[:]...), uint32(f.pairs[i].solver))
	h.Write(binary.AppendUvarint(text, uint64(len(record))))
	h.Write(record)
	return nil
}

// commonKey hashes what all rows have in common, such as the solvers, the limits, and the version of the program that
// writes tables.
func (f *execution) commonKey() cache.Key {
	k := cache.NewKeyWriter("groups/2")
	k.String("program", program())
	k.String("track", f.track)
	k.String("hardware", f.place.Hardware)
	k.Int("attempt", f.env.Attempt)
	k.String("limits", fmt.Sprintf("%+v", f.limits))
	for j := range f.entrants {
		e := &f.entrants[j]
		k.String("solver", fmt.Sprintf("%q %d", e.name, e.participation))
	}
	return k.Key()
}

// program identifies smtpipe and its libraries, since another version may encode the same rows differently.
var program = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.String()
})

// earlierTables holds the tables that row groups are copied from.
type earlierTables struct {
	store *cache.Store
	known *cache.Items
	open  map[cache.Digest]*results.Groups // by digest; nil for a lost or damaged table
	blobs []*cache.Blob
}

// find returns the row group with a key and its table, or nil if no table contains it.
func (t *earlierTables) find(key cache.Key) (madeGroup, *results.Groups) {
	b, ok, err := t.known.Get(key)
	if err != nil || !ok {
		return madeGroup{}, nil
	}
	m, ok := decodeGroup(b)
	if !ok {
		return madeGroup{}, nil
	}
	table, seen := t.open[m.table]
	if !seen {
		var blob *cache.Blob
		if table, blob, err = artifact.OpenTableGroups[results.RunRow](t.store, m.table); err == nil {
			t.blobs = append(t.blobs, blob)
		} else {
			table = nil
		}
		t.open[m.table] = table
	}
	if table == nil || int(m.number) >= table.Len() {
		return madeGroup{}, nil
	}
	return m, table
}

func (t *earlierTables) close() {
	for _, b := range t.blobs {
		b.Close()
	}
}
