package cache

// Overlay opens a store in dir for what is written, and reads blobs that it does not have from s, which must stay open.
// It is for what is computed for a moment, as from the runs so far, and thrown away with dir. Records of stages and
// items are its own.
func (s *Store) Overlay(dir string) (*Store, error) {
	over, err := Open(dir, Options{Durability: Relaxed})
	if err != nil {
		return nil, err
	}
	over.behind = s
	return over, nil
}
