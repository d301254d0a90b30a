package cache

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/google/renameio/v2"
)

// seal removes incomplete frames from a scanned segment and writes its index.
func seal(s *segment) error {
	if len(s.bad) == 0 {
		return writeIndex(s.path, s.table, int64(len(s.data)))
	}
	return rewrite(s.path, s.data, s.table, s.bad)
}

// rewrite replaces a segment with one that contains the given frames in the same order, and writes its index. It keeps
// the bad parts next to the segment for inspection. Processes that have the segment open continue to use the old one.
func rewrite(path string, data []byte, frames []entry, bad []gap) error {
	if err := keepBad(path+".damaged", data, bad); err != nil {
		return err
	}
	frames = slices.Clone(frames)
	slices.SortFunc(frames, func(a, b entry) int { return cmp.Compare(a.offset, b.offset) })
	if len(frames) == 0 {
		os.Remove(path + ".idx")
		return os.Remove(path)
	}
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o666))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	w := bufio.NewWriterSize(f, 1<<20)
	w.WriteString(segmentMagic)
	size := int64(len(segmentMagic))
	var frame []byte
	for i := range frames {
		e := &frames[i]
		frame = appendFrame(frame[:0], e.key, data[e.offset:e.end()])
		w.Write(frame)
		e.offset = size + frameHeader
		size += int64(len(frame))
	}
	if err := errors.Join(w.Flush(), f.CloseAtomicallyReplace()); err != nil {
		return err
	}
	return writeIndex(path, frames, size)
}

// keepBad appends the bad parts of a segment to a file.
func keepBad(path string, data []byte, bad []gap) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	for _, g := range bad {
		_, failed := f.Write(data[g.from:g.to])
		err = errors.Join(err, failed)
	}
	return errors.Join(err, f.Close())
}

// inspect checks every frame of a sealed segment. If it finds damage, it returns the intact frames, the bad parts and
// the errors. A frame with only a damaged length counts as intact: it ends where the next one begins.
func (s *segment) inspect() (whole []entry, bad []gap, wrong []error) {
	for i := range s.len() {
		why := ""
		switch e := s.at(i); {
		case !s.holds(e):
			why = "its checksum is wrong"
		case binary.LittleEndian.Uint32(s.data[e.offset-frameHeader:]) != e.length:
			why = "its length differs from the index; it is otherwise intact"
		default:
			continue
		}
		wrong = append(wrong, &CorruptError{What: "record in " + s.path, Why: why})
	}
	if len(wrong) > 0 {
		bad = scanSegment(s.data, func(e entry) { whole = append(whole, e) })
	}
	return whole, bad, wrong
}

// inspect reads the sealed segments and returns the damage. If mend is true, it removes damaged records, unless the
// folder is read-only or another process is merging segments.
func (l *recordLog) inspect(mend bool) (wrong []error, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var segments []*segment
	for _, s := range l.segments {
		if s.index != nil { // a sealed segment has no writer
			var more []error
			s, more, err = l.inspectSegment(s, mend)
			wrong = append(wrong, more...)
			if err != nil {
				return wrong, err
			}
		}
		if s != nil {
			segments = append(segments, s)
		}
	}
	l.segments = segments
	return wrong, nil
}

// inspectSegment returns the damage in a sealed segment. If mend is true, it rewrites the segment, or returns nil if no
// frame is intact. The old segment stays open, since its records may be in use.
func (l *recordLog) inspectSegment(s *segment, mend bool) (_ *segment, wrong []error, err error) {
	whole, bad, wrong := s.inspect()
	if len(wrong) == 0 {
		return s, nil, nil
	}
	s.damage.Store(damageReported)
	if !mend {
		return s, wrong, nil
	}
	lock, err := lockCompaction(l.dir)
	if err != nil || lock == nil {
		return s, wrong, ignoreReadOnly(err)
	}
	defer lock.Close()
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
		return s, wrong, nil // merged by another process
	}
	if err := rewrite(s.path, s.data, whole, bad); err != nil {
		return s, wrong, ignoreReadOnly(err)
	}
	l.replaced = append(l.replaced, s)
	if len(whole) == 0 {
		return nil, wrong, nil
	}
	s, err = openSegment(s.path)
	return s, wrong, err
}
