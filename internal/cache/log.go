package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Durability determines when records are forced to disk.
type Durability uint8

// Batched forces records to disk at most 100 ms or 256 records after they were written, which bounds the loss in a
// power failure. Relaxed leaves syncing to the system: a killed process loses nothing, but a power failure may lose
// about the last 30 seconds.
const (
	Batched Durability = iota
	Relaxed
)

const (
	batchDelay   = 100 * time.Millisecond
	batchRecords = 256
	compactAbove = 8        // number of a folder's sealed segments that triggers a merge
	compactBytes = 32 << 20 // size above which segments are never merged
	compactLeast = 1 << 20  // size below which any process merges segments
	compactTimes = 4        // maximum ratio between a merged segment and what the process has written
	rollRecords  = 1 << 17  // number of frames after which the process seals its segment, to limit memory
)

// recordLog is a map from keys to bytes, stored in a folder of segments. It only grows. Many processes may read and
// write the folder concurrently, each writing its own segment.
type recordLog struct {
	dir        string
	durability Durability
	before     func() error // makes content durable before the records that refer to it

	first sync.Mutex // putFirst holds it

	mu       sync.RWMutex
	segments []*segment
	opened   int      // number of segments that were opened with the log
	later    []uint64 // bits that stand for the keys in the segments after those; nil if there are none
	writer   *os.File // this process's segment, locked; nil until the first put
	path     string   // path of this process's segment
	written  int64
	fresh    map[[32]byte]entry // entries of this process's segment
	order    []entry
	pending  int // number of frames not yet synced
	timer    *time.Timer
	failed   error      // first background sync error; every later put returns it
	replaced []*segment // segments replaced by repaired ones; still open, since their records may be in use
	lost     []string   // damage found but not yet reported
	damaged  sync.Map   // keys of records found damaged and not stored again since
}

// openLog opens the log in dir, which need not exist.
func openLog(dir string, durability Durability, before func() error) (*recordLog, error) {
	l := &recordLog{dir: dir, durability: durability, before: before, fresh: map[[32]byte]entry{}}
	for {
		err := l.openSegments()
		if err == nil {
			l.opened = len(l.segments)
			return l, nil
		}
		for _, s := range l.segments {
			s.close()
		}
		l.segments = nil
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("open records in %s: %w", dir, err)
		}
		// Since this process read the folder, another process has merged a segment into another one: read the folder
		// again.
	}
}

func (l *recordLog) openSegments() error {
	names, err := segmentNames(l.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		s, err := l.adopt(filepath.Join(l.dir, name))
		if err != nil {
			return err
		}
		l.segments = append(l.segments, s)
	}
	return nil
}

func segmentNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".seg") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names) // names begin with the creation time
	return names, nil
}

// adopt opens a segment. If the segment has no index and its writer has ended, adopt seals it: it removes and reports
// incomplete frames, and writes the index. If the folder is read-only, adopt only reads the segment.
func (l *recordLog) adopt(path string) (*segment, error) {
	s, err := openSegment(path)
	if err != nil || s.index != nil {
		return s, err
	}
	return l.adoptScanned(s)
}

// adoptScanned seals a scanned segment if its writer has ended. It scans a segment again that has grown since.
func (l *recordLog) adoptScanned(s *segment) (*segment, error) {
	path := s.path
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		if ignoreReadOnly(err) == nil {
			return s, nil
		}
		s.close()
		return nil, err
	}
	defer f.Close()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return s, nil // its writer is alive: only the frames so far are readable
	}
	if info, err := f.Stat(); err != nil || info.Size() != int64(len(s.data)) {
		s.close()
		f.Close() // frees the lock
		if err != nil {
			return nil, err
		}
		return l.adopt(path)
	}
	if err := seal(s); err != nil {
		if ignoreReadOnly(err) == nil {
			return s, nil
		}
		s.close()
		return nil, err
	}
	if len(s.bad) == 0 {
		return s, nil
	}
	l.lost = append(l.lost, s.loss())
	s.close()
	return openSegment(path)
}

// get returns the latest record of key; ok is false if there is none. The bytes stay valid while the log is open.
func (l *recordLog) get(key [32]byte) (payload []byte, ok bool, err error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if e, ok := l.fresh[key]; ok {
		buf := make([]byte, e.length)
		if _, err := l.writer.ReadAt(buf, e.offset); err != nil {
			return nil, false, err
		}
		return buf, true, nil
	}
	for _, s := range slices.Backward(l.segments) {
		e, found := s.find(key)
		if !found {
			continue
		}
		payload, damage := s.payload(e)
		if damage == nil {
			return payload, true, nil
		}
		err = damage // an older record may be intact
	}
	if err != nil {
		l.damaged.Store(key, true)
	}
	return nil, false, err
}

// whole reports whether there is an intact record for key.
func (l *recordLog) whole(key [32]byte) bool { return l.wholeAfter(0, key) }

// wholeAfter is like whole, but skips the first segments.
func (l *recordLog) wholeAfter(skip int, key [32]byte) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if _, ok := l.fresh[key]; ok {
		return true
	}
	return (skip < l.opened || l.isLater(key)) && findIn(l.segments[min(skip, len(l.segments)):], key).Found()
}

// laterBits is the logarithm of the number of words in later. Each key has three bits in one word. With four million
// keys, fewer than one in a hundred absent keys are searched for in vain; without these bits, each would be searched
// for in every segment.
const laterBits = 20

// laterOf returns a key's word in later, and the bits in it that stand for the key.
func laterOf(key []byte) (word, mask uint64) {
	n := binary.BigEndian.Uint64(key)
	return n >> (64 - laterBits), 1<<(n%64) | 1<<(n>>6%64) | 1<<(n>>12%64)
}

// isLater returns false if key is in none of the segments after those that were opened with the log.
func (l *recordLog) isLater(key [32]byte) bool {
	word, mask := laterOf(key[:])
	return l.later != nil && l.later[word]&mask == mask
}

// addLater adds a segment to those that were opened with the log.
func (l *recordLog) addLater(s *segment) {
	l.segments = append(l.segments, s)
	if l.later == nil {
		l.later = make([]uint64, 1<<laterBits)
	}
	for i := range s.len() {
		word, mask := laterOf(s.keyAt(i))
		l.later[word] |= mask
	}
}

// has reports whether there is a record for key, without reading it.
func (l *recordLog) has(key [32]byte) bool {
	if _, bad := l.damaged.Load(key); bad {
		return false // absent: the item must be computed again
	}
	_, ok := l.stored(key)
	return ok
}

// put appends a record. When put returns, the record is in the file; the next sync makes it durable.
func (l *recordLog) put(key [32]byte, payload []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return l.failed
	}
	if len(payload) > maxPayload {
		return fmt.Errorf("a record of %d bytes is too large", len(payload))
	}
	if l.writer == nil {
		if err := l.create(); err != nil {
			return err
		}
	}
	frame := appendFrame(make([]byte, 0, frameHeader+len(payload)), key, payload)
	if _, err := l.writer.WriteAt(frame, l.written); err != nil {
		l.writer.Truncate(l.written) // removes a partial frame, such as on a full disk
		return fmt.Errorf("append to %s: %w", l.path, err)
	}
	e := entry{key: key, offset: l.written + frameHeader, length: uint32(len(payload))}
	l.written += int64(len(frame))
	l.fresh[key] = e
	l.damaged.Delete(key)
	l.order = append(l.order, e)
	l.pending++
	l.schedule()
	if len(l.order) >= rollRecords {
		return l.roll()
	}
	return nil
}

// roll seals this process's segment and continues in a new one. This keeps the in-memory table of new records small,
// and older records are found in mapped memory.
func (l *recordLog) roll() error {
	f := l.writer
	if err := l.flush(f); err != nil {
		return err
	}
	if err := writeIndex(l.path, l.order, l.written); err != nil {
		return fmt.Errorf("seal %s: %w", l.path, err)
	}
	s, err := openSegment(l.path)
	if err != nil {
		return err
	}
	l.addLater(s)
	l.writer, l.written, l.order, l.pending = nil, 0, nil, 0
	clear(l.fresh)
	return errors.Join(f.Close(), syncDir(l.dir))
}

// create starts this process's segment, with a name that sorts after those of older segments. The file is locked and
// has its header before it is named; otherwise another process could mistake it for an abandoned segment.
func (l *recordLog) create() error {
	if err := os.MkdirAll(l.dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(l.dir, fmt.Sprintf("%016x-*.new", time.Now().UnixNano()))
	if err != nil {
		return err
	}
	path := strings.TrimSuffix(f.Name(), ".new") + ".seg"
	if err := start(f, path); err != nil {
		f.Close()
		os.Remove(f.Name())
		return err
	}
	l.writer, l.path, l.written = f, path, int64(len(segmentMagic))
	if l.durability == Relaxed {
		return nil
	}
	return errors.Join(syncDir(l.dir), syncDir(filepath.Dir(l.dir))) // the folder may be new as well
}

// start locks a new segment, writes its header and names it.
func start(f *os.File, path string) error {
	f.Chmod(0o666 &^ umask)
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	if _, err := f.WriteAt([]byte(segmentMagic), 0); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// schedule ensures that pending frames are synced soon.
func (l *recordLog) schedule() {
	if l.durability == Relaxed {
		return
	}
	if l.pending >= batchRecords {
		l.pending = 0
		go l.background()
		return
	}
	if l.timer == nil {
		l.timer = time.AfterFunc(batchDelay, l.background)
	}
}

func (l *recordLog) background() {
	if err := l.sync(); err != nil {
		l.mu.Lock()
		if l.failed == nil {
			l.failed = err
		}
		l.mu.Unlock()
	}
}

// sync makes every record stored before the call durable.
func (l *recordLog) sync() error {
	l.mu.Lock()
	f := l.writer
	l.pending = 0
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	l.mu.Unlock()
	if f == nil {
		return nil
	}
	return l.flush(f)
}

// flush makes a segment durable after the content that its records refer to.
func (l *recordLog) flush(f *os.File) error {
	if l.durability == Relaxed {
		return nil
	}
	if l.before != nil {
		if err := l.before(); err != nil {
			return err
		}
	}
	conn, err := f.SyscallConn() // keeps the file open even if another goroutine closes it meanwhile
	if err != nil {
		return err
	}
	var failed error
	if conn.Control(func(fd uintptr) { failed = unix.Fdatasync(int(fd)) }) != nil {
		return nil // the file is closed, and a segment is synced before it is closed
	}
	if failed != nil {
		return fmt.Errorf("sync the records in %s: %w", l.dir, failed)
	}
	return nil
}

// takeDamageReports returns the damage found since the previous call.
func (l *recordLog) takeDamageReports() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lost := l.lost
	l.lost = nil
	for _, s := range l.segments {
		if s.damage.CompareAndSwap(damageFound, damageReported) {
			lost = append(lost, s.path+
				" has damaged records, which are ignored; \"smtpipe cache verify --repair\" removes them")
		}
	}
	return lost
}

// close syncs and seals this process's segment, and merges segments if there are many.
func (l *recordLog) close() error {
	err := l.sync()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writer != nil {
		err = errors.Join(err, writeIndex(l.path, l.order, l.written), l.writer.Close(), syncDir(l.dir))
		l.writer = nil
	}
	closeSegments(l.segments)
	closeSegments(l.replaced)
	l.segments, l.replaced = nil, nil
	if err == nil {
		err = l.compact(l.written)
	}
	return err
}
