package scramble

import "unsafe"

// hugeInput is the size, in bytes, from which the arrays of an input get memory of their own, outside of the heap: with
// room for the longest that the input can make them, so that they are never copied. What is not used is never touched.
const hugeInput = 8 << 20

// memories are the pieces of such memory of one scrambling.
type memories [][]byte

// reserve gives an empty array with room for n elements in memory of its own, or old if there is none to be had.
// T must not contain pointers.
func reserve[T any](m *memories, old []T, n int) []T {
	var zero T
	piece := mapMemory(n * int(unsafe.Sizeof(zero)))
	if piece == nil {
		return old
	}
	*m = append(*m, piece)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(piece))), n)[:0]
}

// release gives all pieces back. Nobody may have a part of them any more.
func (m *memories) release() {
	for _, piece := range *m {
		unmapMemory(piece)
	}
	*m = nil
}
