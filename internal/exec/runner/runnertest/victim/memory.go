package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alloc MEGABYTES [TIME] touches memory page by page, then holds it for TIME.
func alloc(args []string) {
	n := number(args, 0, 1) * 1_000_000
	mem, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		fmt.Println("mmap:", err)
		os.Exit(66)
	}
	for i := 0; i < n; i += os.Getpagesize() {
		mem[i] = 1
	}
	if len(args) > 1 {
		time.Sleep(duration(args, 1))
	}
	_ = mem[0]
}

// flood MEGABYTES [stdout|stderr] writes lines. Zero means endlessly.
func flood(args []string) {
	out := os.Stdout
	if len(args) > 1 && args[1] == "stderr" {
		out = os.Stderr
	}
	block := bytes.Repeat([]byte("0123456789abcde\n"), 4096) // 64 KiB
	n := number(args, 0, 0) * 1_000_000
	for written := 0; n == 0 || written < n; written += len(block) {
		if _, err := out.Write(block[:min(len(block), max(n-written, 0)+
			map[bool]int{true: len(block)}[n == 0])]); err != nil {
			os.Exit(67)
		}
	}
}

// longLine MEGABYTES writes a single line with NUL bytes and invalid UTF-8.
func longLine(args []string) {
	block := bytes.Repeat([]byte{0, 0xff, 'x', 0xc3}, 250_000)
	for range number(args, 0, 1) {
		_, _ = os.Stdout.Write(block)
	}
	_, _ = os.Stdout.Write([]byte("\n"))
}

// truncateOut tries to truncate its output file.
func truncateOut([]string) {
	if f, err := os.OpenFile("/dev/stdout", os.O_WRONLY|os.O_TRUNC, 0); err == nil {
		_ = f.Truncate(0)
		_, _ = f.WriteString("two\n")
		return
	}
	_ = os.Stdout.Truncate(0)
	_, _ = os.Stdout.WriteString("two\n")
}

// closeOut closes its output and continues.
func closeOut([]string) {
	_ = os.Stdout.Close()
	_ = os.Stderr.Close()
}

// echo copies standard input to standard output line by line.
func echo([]string) { _, _ = io.Copy(os.Stdout, os.Stdin) }

// stdin reports the kind of its standard input.
func stdin([]string) {
	data, err := io.ReadAll(os.Stdin)
	fmt.Printf("stdin: %d bytes, error %v\n", len(data), err)
}

// readAll FILE reads a file and discards the content.
func readAll(args []string) {
	f, err := os.Open(args[0])
	if err != nil {
		fail("%v", err)
	}
	n, err := io.Copy(io.Discard, f)
	fmt.Println("read", n, err)
}

// write FILE MEGABYTES writes a file and reports how much it could write.
func write(args []string) {
	f, err := os.Create(args[0])
	if err != nil {
		fmt.Println("write:", err)
		return
	}
	block := make([]byte, 1_000_000)
	for i := range number(args, 1, 1) {
		if _, err := f.Write(block); err != nil {
			fmt.Printf("write: after %d MB: %v\n", i, err)
			return
		}
	}
	fmt.Println("written")
}
