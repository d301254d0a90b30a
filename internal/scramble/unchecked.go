package scramble

import "unsafe"

// Access without checks of bounds, for the loops in which nearly all of the time is spent: plainRun, printWord, and homes,
// which looks ahead. What they reach for is in bounds by how the tape is built and by the room that they make before; it says so
// where they do.

// at gives element i of an array.
func at[T any](array *T, i uint64) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(array), uintptr(i)*unsafe.Sizeof(*array)))
}

// load64At is load64 of the eight bytes at i.
func load64At(array *byte, i uint64) uint64 {
	return load64((*[8]byte)(unsafe.Pointer(at(array, i)))[:])
}

// store64At is store64 to the eight bytes at i.
func store64At(array *byte, i uint64, v uint64) {
	store64((*[8]byte)(unsafe.Pointer(at(array, i)))[:], v)
}
