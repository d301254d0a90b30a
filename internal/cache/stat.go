package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Stat counts the content of a store.
type Stat struct {
	Dir         string         `json:"dir"`
	Blobs       int            `json:"blobs"`        // blobs stored in their own files
	BlobBytes   int64          `json:"blob_bytes"`   // total stored size of blobs with their own files
	Packed      int            `json:"packed_blobs"` // small blobs stored in packs
	PackBytes   int64          `json:"pack_bytes"`
	Actions     int            `json:"actions"`
	Items       map[string]int `json:"items"` // number of records by namespace
	ItemBytes   int64          `json:"item_bytes"`
	TempBytes   int64          `json:"temp_bytes"`
	Pipelines   int            `json:"pipelines"`
	OtherBytes  int64          `json:"other_bytes"`
	DamagedKept int            `json:"damaged_kept"` // number of damaged files moved aside
}

// Stat returns counts of the store's content.
func (s *Store) Stat() (*Stat, error) {
	st := &Stat{Dir: s.dir, Packed: s.packs.len(), Items: map[string]int{}}
	spaces, err := os.ReadDir(filepath.Join(s.dir, "items"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range spaces {
		it, err := s.Items(e.Name())
		if err != nil {
			return nil, err
		}
		st.Items[e.Name()] = it.log.len()
	}
	return st, filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return nil // removed in the meantime
		}
		rel, err := filepath.Rel(s.dir, path)
		if err != nil {
			return err
		}
		st.count(filepath.ToSlash(rel), info.Size())
		return nil
	})
}

func (st *Stat) count(rel string, size int64) {
	if strings.HasSuffix(rel, ".damaged") {
		st.DamagedKept++
	}
	part, _, _ := strings.Cut(rel, "/")
	switch part {
	case "blobs":
		st.Blobs++
		st.BlobBytes += size
	case "packs":
		st.PackBytes += size
	case "items":
		st.ItemBytes += size
	case "tmp":
		st.TempBytes += size
	case "actions":
		st.Actions++
		st.OtherBytes += size
	case "state":
		st.Pipelines++
		st.OtherBytes += size
	default:
		st.OtherBytes += size
	}
}

// len returns the number of distinct keys in a log.
func (l *recordLog) len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	n := 0
	eachLatest(l.segments, func(e entry) error {
		if _, again := l.fresh[e.key]; !again {
			n++
		}
		return nil
	})
	return n + len(l.fresh)
}
