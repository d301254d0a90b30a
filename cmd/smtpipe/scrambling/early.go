package scrambling

import (
	"io"
	"os"
	"strconv"
	"syscall"

	"github.com/smtpipe/smtpipe/internal/scramble"
)

// writeError is why the short way was begun and not finished.
var writeError error

// Tried gives the error with which the short way ended when it could not write its output, and nil if there was none or
// the short way was not taken. The caller reports this error in place of trying again.
func Tried() error { return writeError }

// ShortInput is the size of a benchmark, in bytes, up to which the short way takes it. For a larger one the start of the
// program does not count, and the long way has means against the peak of memory that would be initialised here in vain.
const ShortInput = 8 << 20

// The short way. What it does not understand to the last letter it leaves to the rest of the program, which explains
// what is wrong; so it ends the process only with a scrambled benchmark or with a rejection.
func init() {
	flags, file, ok := plain(os.Args)
	if !ok {
		return
	}
	opt, err := flags.Options()
	if err != nil {
		return
	}
	var s scramble.Scrambler
	src, ok := smallSource(file, &s)
	if !ok {
		return
	}
	if err = s.WriteTo(os.Stdout, src, opt); err == nil {
		os.Exit(0)
	}
	if rejection, ok := Report(os.Stderr, err); ok {
		os.Exit(rejection.Exit)
	}
	writeError = err
}

// smallSource reads a regular file of moderate size into a buffer of s, and gives false for anything else and for every error: the rest of the
// program comes upon the same again. It asks the system itself, since package os makes ready for files that are waited for.
func smallSource(file string, s *scramble.Scrambler) ([]byte, bool) {
	fd := syscall.Stdin
	if file != "-" {
		var err error
		if fd, err = syscall.Open(file, syscall.O_RDONLY|syscall.O_CLOEXEC, 0); err != nil {
			return nil, false
		}
		defer syscall.Close(fd)
	}
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil || info.Mode&syscall.S_IFMT != syscall.S_IFREG || info.Size > ShortInput {
		return nil, false
	}
	at, err := syscall.Seek(fd, 0, io.SeekCurrent)
	if err != nil {
		return nil, false
	}
	src := s.Buffer(int(max(info.Size-at, 0)) + 1)
	for len(src) < cap(src) { // a full buffer means that the file has grown
		n, err := syscall.Pread(fd, src[len(src):cap(src)], at+int64(len(src)))
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return nil, false
		case n == 0:
			_, err = syscall.Seek(fd, at+int64(len(src)), io.SeekStart) // who reads standard input next finds its end
			return src, err == nil
		default:
			src = src[:len(src)+n]
		}
	}
	return nil, false
}

// plain reads a command line "smtpipe tool scramble [--FLAG VALUE]... [FILE]" of the flags that name one value. It
// refuses every other one.
func plain(args []string) (flags Flags, file string, ok bool) {
	if len(args) < 3 || args[1] != "tool" || args[2] != "scramble" {
		return flags, "", false
	}
	flags, file = Default(), "-"
	rest := args[3:]
	for len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
		name, value, inline := cut(rest[0])
		if rest = rest[1:]; name == "--no-header" && !inline {
			flags.NoHeader = true
			continue
		}
		if !inline {
			if len(rest) == 0 {
				return flags, "", false
			}
			value, rest = rest[0], rest[1:]
		}
		if !flags.set(name, value) {
			return flags, "", false
		}
	}
	switch {
	case len(rest) == 1 && rest[0] != "":
		return flags, rest[0], true
	case len(rest) == 0:
		return flags, file, true
	}
	return flags, "", false
}

// cut splits a flag at its first sign of equality, if it has one.
func cut(flag string) (name, value string, found bool) {
	for i := range len(flag) {
		if flag[i] == '=' {
			return flag[:i], flag[i+1:], true
		}
	}
	return flag, "", false
}

// set gives a flag its value.
func (f *Flags) set(name, value string) bool {
	switch name {
	case "--seed":
		seed, err := strconv.ParseInt(value, 0, 64) // as the library of the command line reads numbers
		f.Seed = seed
		return err == nil
	case "--mode":
		f.Mode = value
	case "--annotations":
		f.Annotations = value
	case "--core":
		f.Core = value
	default:
		return false
	}
	return true
}
