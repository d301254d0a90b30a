package cache

// Overlay opens a store in dir for writing. Blobs missing from it are read from s, which must stay open. It has its own
// stage and item records. An overlay holds temporary results, such as those computed from the runs so far, and is
// discarded with dir.
func (s *Store) Overlay(dir string) (*Store, error) {
	over, err := Open(dir, Options{Durability: Relaxed})
	if err != nil {
		return nil, err
	}
	over.behind = s
	return over, nil
}

// Behind returns the store that an overlay reads from, or nil if the store is not an overlay.
func (s *Store) Behind() *Store { return s.behind }
