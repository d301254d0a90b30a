package scramble

import "unsafe"

// hugePage is the size of a huge page where Linux has any.
const hugePage = 2 << 20

// hugeInput is the size, in bytes, from which the arrays of an input get memory of their own, outside of the heap: with
// room for the longest that the input can make them, so that they are never copied. What is not used is never touched.
const hugeInput = 8 << 20

// onceInput is the size from which the arrays of an input that is scrambled alone stand side by side in one piece of memory
// outside of the heap: one huge page was measured to cost as much as about eighty small ones, which such an input touches, and
// the garbage collector, which has nothing to do in such a process, does not start.
const onceInput = 64 << 10

// memories are the pieces of such memory of one scrambling.
type memories struct {
	pieces [][]byte
	rest   []byte // of the piece that arrays are carved from
}

// reserve gives an empty array with room for n elements in memory of its own, or old if there is none to be had.
// T must not contain pointers.
func reserve[T any](m *memories, old []T, n int) []T {
	piece := mapMemory(n * sizeOf[T]())
	if piece == nil {
		return old
	}
	m.pieces = append(m.pieces, piece)
	return arrayIn[T](piece, n)
}

// cut gets a piece of memory to carve arrays from.
func (m *memories) cut(size int) {
	if piece := mapMemory(size); piece != nil {
		m.pieces, m.rest = append(m.pieces, piece), piece
	}
}

// carve gives an empty array with room for n elements in the next part of the piece, or old if there is no room for it.
// An array that becomes longer moves to the heap. T must not contain pointers.
func carve[T any](m *memories, old []T, n int) []T {
	size := carvedSize[T](n)
	if size > len(m.rest) {
		return old
	}
	piece := m.rest[:size:size]
	m.rest = m.rest[size:]
	return arrayIn[T](piece, n)
}

// carvedSize is what carve takes for n elements, in bytes.
func carvedSize[T any](n int) int {
	const align = 64
	return (n*sizeOf[T]() + align - 1) &^ (align - 1)
}

func arrayIn[T any](piece []byte, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(piece))), n)[:0:n]
}

func sizeOf[T any]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// release gives all pieces back. Nobody may have a part of them any more.
func (m *memories) release() {
	for _, piece := range m.pieces {
		unmapMemory(piece)
	}
	*m = memories{}
}

// trim gives the memory behind the end of an array back, if it is a piece of memory: it is zeroed, and costs nothing until it
// is touched again.
func trim[T any](m *memories, a []T) { drop(m, a[len(a):cap(a)]) }

// drop gives the memory of a part of an array back, if that is a piece of memory. Nobody may look at the part any more.
func drop[T any](m *memories, part []T) {
	size := len(part) * sizeOf[T]()
	if size == 0 {
		return
	}
	first := unsafe.Pointer(unsafe.SliceData(part))
	for _, piece := range m.pieces {
		if at := uintptr(first) - uintptr(unsafe.Pointer(unsafe.SliceData(piece))); at < uintptr(len(piece)) {
			dropMemory(piece[at : int(at)+size])
		}
	}
}

// array gives an empty array with room for n elements on the heap. What is not used of a large one is never touched.
// T must not contain pointers.
func array[T any](n int) []T {
	a := make([]T, 0, n)
	if size := n * sizeOf[T](); size >= 2*hugePage {
		adviseLarge(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), size))
	}
	return a
}
