//go:build !linux

package scramble

// mapMemory gives nil: the arrays of large inputs are on the heap.
func mapMemory(int) []byte { return nil }

func dropMemory([]byte) {}

func unmapMemory([]byte) {}

// AdviseLarge does nothing on this system.
func AdviseLarge([]byte) {}

func adviseLarge([]byte) {}
