package main

import (
	"os"
	"syscall"
)

// mapFile maps a regular file into memory, which neither copies it nor needs memory of its own for it, and gives false if that
// cannot be done. The mapping lasts as long as the process.
func mapFile(file string) ([]byte, bool) {
	f, err := os.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Size() != int64(int(info.Size())) {
		return nil, false
	}
	src, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_POPULATE)
	return src, err == nil
}
