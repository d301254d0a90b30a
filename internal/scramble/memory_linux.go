package scramble

import (
	"syscall"
	"unsafe"
)

// adviseHuge is MADV_HUGEPAGE, which package syscall does not name.
const adviseHuge = 14

// mapMemory gets zeroed memory from the system that costs nothing until it is touched, in huge pages where there are
// any: arrays of a large input are read at random places, and with small pages most of the time goes into finding them.
// It gives nil if there is none to be had.
func mapMemory(size int) []byte {
	size = (size + hugePage - 1) &^ (hugePage - 1) // Linux aligns only such sizes to huge pages, and the rest of one would be small pages
	const flags = syscall.MAP_ANON | syscall.MAP_PRIVATE | syscall.MAP_NORESERVE
	m, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, flags)
	if err != nil {
		return nil
	}
	_ = syscall.Madvise(m, adviseHuge) // an advice: without huge pages the same happens more slowly
	return m
}

// dropMemory gives the whole huge pages of a part of mapped memory back.
func dropMemory(m []byte) {
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(m))) & (hugePage - 1))
	if n := (len(m) - skip) &^ (hugePage - 1); n > 0 {
		_ = syscall.Madvise(m[skip:skip+n], syscall.MADV_DONTNEED)
	}
}

func unmapMemory(m []byte) { _ = syscall.Munmap(m) }

// AdviseLarge asks for huge pages under a buffer that is large.
func AdviseLarge(buffer []byte) {
	if whole := buffer[:cap(buffer)]; len(whole) >= 2*hugePage {
		adviseLarge(whole)
	}
}

func adviseLarge(m []byte) {
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(m))) & (hugePage - 1))
	if n := (len(m) - skip) &^ (hugePage - 1); n > 0 {
		_ = syscall.Madvise(m[skip:skip+n], adviseHuge)
	}
}
