package cache

import (
	"os"
	"path/filepath"
)

// refresh looks for records that other processes have written since the log was opened, in new segments and in growing
// segments of live writers. It reports whether it found any. Open segments stay open, since their records may be in
// use.
func (l *recordLog) refresh() bool {
	names, err := segmentNames(l.dir)
	if err != nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := map[string]int64{}
	for _, s := range l.segments {
		seen[s.path] = max(seen[s.path], int64(len(s.data)))
	}
	found := false
	for _, name := range names {
		path := filepath.Join(l.dir, name)
		if l.writer != nil && path == l.path {
			continue
		}
		info, err := os.Stat(path)
		if size, known := seen[path]; err != nil || known && info.Size() <= size {
			continue
		}
		if s, err := l.adopt(path); err == nil {
			l.addLater(s)
			found = true
		}
	}
	return found
}
