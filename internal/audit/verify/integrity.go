package verify

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/runtree"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// files reads all files and compares them with the lock, or with the list of digests if the lock does not name files.
func (v *verification) files(ctx context.Context) error {
	if err := v.unlisted(); err != nil {
		return err
	}
	if v.folder.Lock.Files != nil && !v.folder.Listed {
		v.report.differs(frozen.SumsName, "it is not the list of digests that the lock implies")
	}
	var mu sync.Mutex
	wrong := map[string]string{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for name, want := range v.folder.Sums {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			got, size, err := v.digestFile(name)
			mu.Lock()
			defer mu.Unlock()
			v.report.Files++
			v.report.Bytes += size
			switch {
			case errors.Is(err, fs.ErrNotExist):
				wrong[name] = "it is missing"
			case err != nil:
				wrong[name] = err.Error()
			case got != want:
				v.changed[name] = got
				wrong[name] = fmt.Sprintf("its digest is sha256:%s, but %s has sha256:%s", got, v.lists(), want)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		v.report.differs(name, wrong[name])
	}
	if !bytes.Equal(v.folder.Lock.Encode(), v.folder.Bytes) {
		v.report.differs(frozen.LockName, "it is not written as \"smtpipe freeze\" writes a lock")
	}
	return nil
}

// lists returns the name of the file that lists the digests of all others.
func (v *verification) lists() string {
	if v.folder.Lock.Files == nil {
		return frozen.SumsName
	}
	return "the lock"
}

// digestFile computes the digest of a regular file, whose size must be the one in the lock, if any. It does not follow
// links.
func (v *verification) digestFile(name string) (cache.Digest, int64, error) {
	path := v.folder.Path(name)
	info, err := os.Lstat(path)
	want, known := v.folder.Lock.Files[name]
	switch {
	case err != nil:
		return cache.Digest{}, 0, err
	case !info.Mode().IsRegular():
		return cache.Digest{}, 0, errors.New("it is not a regular file")
	case known && info.Size() != want.Bytes:
		return cache.Digest{}, 0, fmt.Errorf("it has %d bytes, but the lock records %d", info.Size(), want.Bytes)
	}
	f, err := limits.Open(path)
	if err != nil {
		return cache.Digest{}, 0, err
	}
	defer f.Close()
	return cache.DigestAll(f)
}

// unlisted reports files in the folder that are not listed.
func (v *verification) unlisted() error {
	return filepath.WalkDir(v.folder.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(v.folder.Dir, path)
		name := filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".smtpipe": // a store created later, which is never read
			v.report.Unlisted = append(v.report.Unlisted, name+"/")
			return filepath.SkipDir
		case d.IsDir() || name == frozen.SumsName || name == frozen.SignatureName:
			return nil
		}
		_, listed := v.folder.Sums[name]
		switch {
		case !d.Type().IsRegular() && !listed:
			v.report.differs(name, "it is not a regular file and not part of the frozen folder")
		case !listed && v.folder.Lock.Files != nil:
			v.report.differs(name, "it was added: the lock does not have it")
		case !listed:
			v.report.Unlisted = append(v.report.Unlisted, name)
		}
		return nil
	})
}

// members checks the members of the archives of small content.
func (v *verification) members(ctx context.Context) error {
	for _, name := range []string{frozen.OutputsName, frozen.ScriptsName} {
		if _, ok := v.folder.Sums[name]; !ok {
			continue
		}
		err := v.folder.EachMember(name, func(want cache.Digest, content io.Reader) error {
			dw := cache.NewDigestWriter(io.Discard)
			_, err := io.Copy(dw, content)
			if got, _ := dw.Sum(); err != nil || got != want {
				v.report.differs(name, fmt.Sprintf("the content of member %s does not match its digest", want))
			}
			return ctx.Err()
		})
		if err != nil {
			v.report.differs(name, err.Error())
		}
	}
	return nil
}

// records compares the stages' records and tables with the lock.
func (v *verification) records(context.Context) error {
	lock := v.folder.Lock
	var tables []string
	for _, addr := range slices.Sorted(maps.Keys(lock.Stages)) {
		record, err := v.folder.Record(addr)
		if err != nil {
			v.report.differs(addr, "its record cannot be read: "+err.Error())
			continue
		}
		v.record(addr, record)
		if key, err := cache.KeyOf(record.Components); err != nil || key.String() != lock.Stages[addr][frozen.AttrKey] {
			v.report.differs(addr, "its record's components do not produce the key in the lock")
		}
		for _, name := range slices.Sorted(maps.Keys(record.Outputs)) {
			out, where := record.Outputs[name], addr+"."+name
			if !maps.Equal(frozen.OutputEntry(out), lock.Outputs[where]) {
				v.report.differs(where, "the lock and the record of the stage name different content")
			}
		}
		tables = append(tables, v.tables(addr, record)...)
	}
	v.tabled = v.plainTables(tables)
	for _, where := range slices.Sorted(maps.Keys(lock.Outputs)) {
		if i := strings.LastIndexByte(where, '.'); i < 0 || lock.Stages[where[:i]] == nil {
			v.report.differs(where, "the lock lists an output of a stage that it does not list")
		}
	}
	return nil
}

// record compares the parts of a record that its key does not cover with the lock.
func (v *verification) record(addr string, record *cache.Action) {
	entry := v.folder.Lock.Stages[addr]
	finished := ""
	if !record.Finished.IsZero() {
		finished = record.Finished.Format("2006-01-02T15:04:05Z")
	}
	for _, p := range []struct{ what, is, want string }{{"address", record.Address, addr},
		{"kind", record.Kind, entry[frozen.AttrKind]}, {"end", finished, entry[frozen.AttrFinished]},
		{"version of smtpipe", record.Version, entry[frozen.AttrVersion]}} {
		if p.is != p.want {
			v.report.differs(addr, fmt.Sprintf("its record has %s %q, but the lock has %q", p.what, p.is,
				p.want))
		}
	}
}

// roots compares the roots of the hash tree over all runs and entrants with the lock.
func (v *verification) roots(r *Report) {
	lock := v.folder.Lock
	var tree runtree.Tree
	for _, where := range slices.Sorted(maps.Keys(lock.Outputs)) {
		schema := lock.Outputs[where][frozen.AttrSchema]
		if !runtree.HasRuns(schema) && !runtree.HasEntrants(schema) {
			continue
		}
		i := strings.LastIndexByte(where, '.')
		err := v.openTable(frozen.StageDir(where[:max(i, 0)])+"/"+where[i+1:]+".parquet",
			func(table io.ReaderAt, size int64) error { return tree.Add(schema, where, table, size) })
		if err != nil {
			r.differs(where, "its rows cannot be entered into the hash tree: "+err.Error())
			return
		}
	}
	roots, err := tree.Roots()
	if err != nil {
		r.differs(frozen.LockName, err.Error())
		return
	}
	for _, of := range []struct{ what, lock, is string }{{"runs", lock.Runs, roots.Runs},
		{"entrants", lock.Entrants, roots.Entrants}} {
		if of.lock != of.is {
			const text = "its root of the hash tree over all %[1]s is %[2]q, but the %[1]s have %[3]q"
			r.differs(frozen.LockName, fmt.Sprintf(text, of.what, of.lock, of.is))
		}
	}
}

// openTable opens a table in the folder for reading without loading it into memory.
func (v *verification) openTable(name string, read func(r io.ReaderAt, size int64) error) error {
	f, err := limits.Open(v.folder.Path(name))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return read(f, info.Size())
}

// tables returns the paths of a stage's tables, without extensions, and checks that they are those listed in the lock.
func (v *verification) tables(addr string, record *cache.Action) (paths []string) {
	for _, name := range slices.Sorted(maps.Keys(record.Outputs)) {
		out := record.Outputs[name]
		if _, err := results.SchemaByName(out.Schema); err != nil {
			continue
		}
		base := frozen.StageDir(addr) + "/" + name
		if v.folder.Sums[base+".parquet"].String() != out.Digest {
			v.report.differs(base+".parquet", "it is not the table that the lock names")
			continue
		}
		paths = append(paths, base)
	}
	return paths
}

// plainTables checks the hash tree over the tables' rows, and begins to check that the tables are equal in both
// formats. The latter takes little memory and uses cores that stages leave idle when they are executed again. The
// returned function waits for it and inserts all findings after those made before the call.
func (v *verification) plainTables(paths []string) (wait func()) {
	found := make([]Report, len(paths)+1)
	at := len(v.report.Differences)
	var group errgroup.Group
	group.Go(func() error {
		for i, base := range paths {
			v.plainTable(&found[i], base)
		}
		return nil
	})
	v.roots(&found[len(paths)])
	debug.FreeOSMemory() // the hash tree has as many leaves as there are runs
	return sync.OnceFunc(func() {
		group.Wait() // the goroutines never return errors
		for i := range slices.Backward(found) {
			v.report.Differences = slices.Insert(v.report.Differences, at, found[i].Differences...)
		}
	})
}

// plainTable checks that a CSV table, which may be compressed, is equal to the Parquet table.
func (v *verification) plainTable(r *Report, base string) {
	dw := cache.NewDigestWriter(io.Discard)
	err := v.openTable(base+".parquet", func(table io.ReaderAt, size int64) error {
		return results.Export(dw, table, size, results.CSV)
	})
	if err != nil {
		r.differs(base+".parquet", err.Error())
		return
	}
	want, size := dw.Sum()
	zipped := base + ".csv.gz"
	_, plain := v.folder.Sums[base+".csv"]
	_, packed := v.folder.Sums[zipped]
	if (plain || !packed) && v.folder.Sums[base+".csv"] != want {
		r.differs(base+".csv", "it differs from the Parquet table next to it")
	}
	if !packed {
		return
	}
	if got, err := unzippedDigest(v.folder.Path(zipped), size); err != nil {
		r.differs(zipped, "it cannot be unpacked: "+err.Error())
	} else if got != want {
		r.differs(zipped, "it differs from the Parquet table next to it")
	}
}

// bounds checks the stored bounds of a stage's tables, if these were not recomputed.
func (v *verification) bounds(addr string) {
	record, err := v.folder.Record(addr)
	if err != nil {
		return // already reported
	}
	for _, name := range slices.Sorted(maps.Keys(record.Outputs)) {
		if _, err := results.SchemaByName(record.Outputs[name].Schema); err != nil {
			continue
		}
		table := frozen.StageDir(addr) + "/" + name + ".parquet"
		if err := v.openTable(table, results.CheckBounds); err != nil && !errors.Is(err, fs.ErrNotExist) {
			v.report.differs(table, err.Error())
		}
	}
}

// unzippedDigest returns the digest of a compressed file's content, whose size should be size. If the content is
// longer, only one further byte is decompressed and included.
func unzippedDigest(name string, size int64) (cache.Digest, error) {
	f, err := limits.Open(name)
	if err != nil {
		return cache.Digest{}, err
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return cache.Digest{}, err
	}
	d, _, err := cache.DigestAll(io.LimitReader(z, size+1))
	return d, err
}
