package cache

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func key(i int) [32]byte { return sha256.Sum256(fmt.Appendf(nil, "key %d", i)) }

func payload(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, 3+i) }

// writeSegment writes records into a new log without sealing it, like a killed process, and returns the path of the
// segment and the end offset of each frame.
func writeSegment(t *testing.T, dir string, records int) (path string, ends []int64) {
	t.Helper()
	l, err := openLog(dir, Relaxed, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		if err := l.put(key(i), payload(i)); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, l.written)
	}
	path = l.path
	l.writer.Close() // frees the lock, as the death of a process does
	return path, ends
}

// recovered opens a log and reports which records it contains. It fails the test if a record differs from what was
// written: recovery must never invent content.
func recovered(t *testing.T, dir string, records int) (have []bool, lost []string) {
	t.Helper()
	l, err := openLog(dir, Relaxed, nil)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer l.close()
	have = make([]bool, records)
	for i := range records {
		got, ok, err := l.get(key(i))
		if err != nil {
			if _, corrupt := errors.AsType[*CorruptError](err); !corrupt {
				t.Fatalf("record %d: %v", i, err)
			}
			continue
		}
		if ok && !bytes.Equal(got, payload(i)) {
			t.Fatalf("record %d is %q, want %q", i, got, payload(i))
		}
		have[i] = ok
	}
	if n := l.len(); n > records {
		t.Fatalf("%d records after writing %d", n, records)
	}
	return have, l.lost
}

func TestCutAtEveryByte(t *testing.T) {
	const records = 6
	path, ends := writeSegment(t, t.TempDir(), records)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := 0; size <= len(whole); size++ {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "1.seg"), whole[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		have, lost := recovered(t, dir, records)
		cut := true
		for i := range records {
			if complete := int64(size) >= ends[i]; have[i] != complete {
				t.Fatalf("cut to %d bytes: record %d is there: %v, want %v", size, i, have[i], complete)
			}
			if int64(size) == ends[i] || size == len(segmentMagic) {
				cut = false
			}
		}
		if cut != (len(lost) > 0) {
			t.Fatalf("cut to %d bytes: told of a loss: %q", size, lost)
		}
		if again, lost := recovered(t, dir, records); fmt.Sprint(again) != fmt.Sprint(have) || len(lost) > 0 {
			t.Fatalf("cut to %d bytes: a second opening gives %v and %q, want %v and nothing", size, again, lost, have)
		}
	}
}

// TestCorruptAtEveryByte changes each byte of an unsealed segment in turn. Only the record that contains the byte is
// lost; none is lost if the byte belongs to a part of a header that can be reconstructed.
func TestCorruptAtEveryByte(t *testing.T) {
	const records = 6
	path, ends := writeSegment(t, t.TempDir(), records)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range whole {
		dir := t.TempDir()
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x41
		if err := os.WriteFile(filepath.Join(dir, "1.seg"), damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		have, lost := recovered(t, dir, records)
		start := int64(len(segmentMagic))
		for i := range records {
			hit := int64(at) >= start+4 && int64(at) < ends[i] // after the length, which can be reconstructed
			if have[i] == hit {
				t.Fatalf("byte %d: record %d is there: %v, want %v", at, i, have[i], !hit)
			}
			start = ends[i]
		}
		if len(lost) == 0 {
			t.Fatalf("byte %d: nothing was told of the damage", at)
		}
		if again, lost := recovered(t, dir, records); fmt.Sprint(again) != fmt.Sprint(have) || len(lost) > 0 {
			t.Fatalf("byte %d: a second opening gives %v and %q, want %v and nothing", at, again, lost, have)
		}
	}
}

// TestCorruptSealed damages a segment that has an index: the damaged record is an error, and all other records are
// intact.
func TestCorruptSealed(t *testing.T) {
	const records = 4
	dir := t.TempDir()
	path, ends := writeSegment(t, dir, records)
	recovered(t, dir, records) // seals the segment
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[ends[1]-1] ^= 1 // in the payload of record 1
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	have, _ := recovered(t, dir, records)
	if fmt.Sprint(have) != "[true false true true]" {
		t.Errorf("records %v, want all but number 1", have)
	}
}

// TestIndexCorruptAtEveryByte changes each byte of an index in turn: the index is rebuilt, and all records are found.
func TestIndexCorruptAtEveryByte(t *testing.T) {
	const records = 4
	dir := t.TempDir()
	path, _ := writeSegment(t, dir, records)
	recovered(t, dir, records) // seals the segment
	index, err := os.ReadFile(path + ".idx")
	if err != nil {
		t.Fatal(err)
	}
	for at := range index {
		damaged := bytes.Clone(index)
		damaged[at] ^= 1 << (at % 8)
		if err := os.WriteFile(path+".idx", damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		if have, lost := recovered(t, dir, records); fmt.Sprint(have) != "[true true true true]" || len(lost) > 0 {
			t.Fatalf("byte %d: records %v, lost %q, want all and nothing", at, have, lost)
		}
		if again, err := os.ReadFile(path + ".idx"); err != nil || !bytes.Equal(again, index) {
			t.Fatalf("byte %d: the index was not made again: %v", at, err)
		}
	}
}

func TestDamagedIndexIsIgnored(t *testing.T) {
	dir := t.TempDir()
	path, _ := writeSegment(t, dir, 3)
	recovered(t, dir, 3)
	if err := os.Truncate(path+".idx", 30); err != nil {
		t.Fatal(err)
	}
	if have, _ := recovered(t, dir, 3); fmt.Sprint(have) != "[true true true]" {
		t.Errorf("records %v, want all", have)
	}
}

func TestCompaction(t *testing.T) {
	dir := t.TempDir()
	const logs = compactAbove + 4
	for i := range logs {
		l, err := openLog(dir, Relaxed, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.put(key(i), payload(i)); err != nil {
			t.Fatal(err)
		}
		if err := l.close(); err != nil {
			t.Fatal(err)
		}
	}
	names, err := segmentNames(dir)
	if err != nil || len(names) > compactAbove {
		t.Errorf("%d segments are left after %d logs: %v", len(names), logs, err)
	}
	have, _ := recovered(t, dir, logs)
	for i, ok := range have {
		if !ok {
			t.Errorf("record %d is lost", i)
		}
	}
}

// TestFullSegments checks that full segments are never merged, however small their records are.
func TestFullSegments(t *testing.T) {
	const logs = compactAbove + 1
	for records, want := range map[int]int{rollRecords - 1: 1, rollRecords: logs + 1} {
		dir := t.TempDir()
		for i := range logs {
			path := filepath.Join(dir, fmt.Sprintf("%02d.seg", i))
			if err := os.WriteFile(path, []byte(segmentMagic), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := writeIndex(path, make([]entry, records), int64(len(segmentMagic))); err != nil {
				t.Fatal(err)
			}
		}
		l, err := openLog(dir, Relaxed, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(l.put(key(0), payload(0)), l.close()); err != nil {
			t.Fatal(err)
		}
		if names, err := segmentNames(dir); err != nil || len(names) != want {
			t.Errorf("of %d segments with %d records, %d are left, %v, want %d", logs, records, len(names), err, want)
		}
	}
}

// TestTwoWriters opens two logs in one folder: each writes its own segment, and a third log reads both.
func TestTwoWriters(t *testing.T) {
	dir := t.TempDir()
	a, err := openLog(dir, Batched, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := openLog(dir, Batched, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range []*recordLog{a, b} {
		if err := l.put(key(i), payload(i)); err != nil {
			t.Fatal(err)
		}
	}
	third, err := openLog(dir, Batched, nil) // while both are being written
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if !third.has(key(i)) {
			t.Errorf("record %d of a living writer is not seen", i)
		}
	}
	for _, l := range []*recordLog{a, b, third} {
		if err := l.close(); err != nil {
			t.Error(err)
		}
	}
	if have, lost := recovered(t, dir, 2); fmt.Sprint(have) != "[true true]" || len(lost) > 0 {
		t.Errorf("records %v, lost %q", have, lost)
	}
}

// TestFullDisk fills a small file system: the error names the cause, stored content stays intact, and writing works
// again once there is space.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", dir).Run(); err != nil {
		t.Skip("a small file system cannot be mounted without root: " + err.Error())
	}
	defer exec.Command("umount", "-l", dir).Run()
	s, err := Open(filepath.Join(dir, "store"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.NewChaCha8([32]byte{1})
	noise := make([]byte, 30<<10)
	stored := 0
	for ; err == nil && stored < 100; stored++ {
		random.Read(noise) // incompressible
		_, err = s.PutBytes(noise)
	}
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Fatalf("after %d blobs the error is %v, want one about space", stored, err)
	}
	if err := exec.Command("mount", "-o", "remount,size=8m", dir).Run(); err != nil {
		t.Fatal(err)
	}
	d, err := s.PutBytes([]byte("after"))
	if err != nil {
		t.Fatalf("after space is back: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(filepath.Join(dir, "store"), Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if lost := s.DamageReports(); len(lost) > 0 {
		t.Errorf("damage was found: %q", lost)
	}
	if b, err := s.ReadBytes(d); err != nil || string(b) != "after" {
		t.Errorf("got %q, %v", b, err)
	}
}

// TestSeesOtherWriters opens two stores in one folder: each finds the blobs that the other one writes later.
func TestSeesOtherWriters(t *testing.T) {
	dir := t.TempDir()
	var stores [2]*Store
	for i := range stores {
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		stores[i] = s
	}
	for round := range 3 {
		for i, s := range stores {
			text := fmt.Appendf(nil, "round %d of store %d", round, i)
			d, err := s.PutBytes(text)
			if err != nil {
				t.Fatal(err)
			}
			other := stores[1-i]
			if !other.Has(d) {
				t.Errorf("the other store does not see %q", text)
			}
			if got, err := other.ReadBytes(d); err != nil || !bytes.Equal(got, text) {
				t.Errorf("the other store reads %q, %v", got, err)
			}
		}
	}
}

// A background sync may have taken the segment's file just before another goroutine sealed and closed it.
func TestFlushOfASealedSegment(t *testing.T) {
	l, err := openLog(t.TempDir(), Batched, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if err := l.put(key(0), payload(0)); err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	f := l.writer
	err = l.roll()
	l.mu.Unlock()
	if err := errors.Join(err, l.flush(f)); err != nil {
		t.Fatal(err)
	}
}

// A segment's writer may end while another process scans the segment, after that process has seen half a frame.
func TestAdoptSegmentThatGrew(t *testing.T) {
	const records = 3
	path, ends := writeSegment(t, t.TempDir(), records)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	grown := filepath.Join(dir, "1.seg")
	if err := os.WriteFile(grown, whole[:ends[0]+9], 0o666); err != nil {
		t.Fatal(err)
	}
	l := &recordLog{dir: dir}
	s, err := openSegment(grown)
	if err := errors.Join(err, os.WriteFile(grown, whole, 0o666)); err != nil {
		t.Fatal(err)
	}
	if s, err = l.adoptScanned(s); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if s.len() != records || len(l.lost) > 0 {
		t.Errorf("%d records after writing %d; lost: %v", s.len(), records, l.lost)
	}
}

// Another process may merge a segment while this one looks for segments to merge.
func TestCompactWithoutASegment(t *testing.T) {
	dir := t.TempDir()
	for i := range compactAbove + 1 {
		if err := os.Symlink("gone", filepath.Join(dir, fmt.Sprintf("%d.seg", i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := (&recordLog{dir: dir}).compact(0); err != nil {
		t.Error(err)
	}
}
