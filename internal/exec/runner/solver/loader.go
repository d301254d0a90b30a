package solver

import (
	"bytes"
	"debug/elf"
	"os"
	"path"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// Interpreter returns the loader that a program names, or "".
func Interpreter(bin *elf.File) string {
	for _, p := range bin.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < maxName {
			text := make([]byte, p.Filesz)
			if _, err := p.ReadAt(text, 0); err == nil {
				return string(bytes.TrimRight(text, "\x00"))
			}
		}
	}
	return ""
}

// EnvProgram returns the program that a script starts through env, or "". words are the words of the script's first
// line.
func EnvProgram(words []string) string {
	if path.Base(words[0]) == "env" {
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
				return w
			}
		}
	}
	return ""
}

// OwnFolders returns the library folders listed in DT_RPATH or DT_RUNPATH of a file in dir.
func OwnFolders(bin *elf.File, dir string, tag elf.DynTag) (dirs []string, named bool) {
	paths, _ := bin.DynString(tag)
	for _, list := range paths {
		for d := range strings.SplitSeq(list, ":") {
			if d != "" {
				dirs = append(dirs, origin(dir).Replace(d))
			}
		}
	}
	return dirs, len(paths) > 0
}

// origin replaces the loader's variables in the paths of a file in dir.
func origin(dir string) *strings.Replacer {
	return strings.NewReplacer("$ORIGIN", dir, "${ORIGIN}", dir, "$LIB", "lib", "${LIB}", "lib")
}

// loaderFile limits the size of an ld.so.conf.
var loaderFile = limits.Of{What: "an ld.so.conf", Bytes: 1 << 20}

// ConfFolders returns the library folders listed in an ld.so.conf and its includes. real returns the actual file for a
// path.
func ConfFolders(name string, real func(name string) (string, error)) []string {
	return confFolders(name, real, 0)
}

func confFolders(name string, real func(name string) (string, error), depth int) (dirs []string) {
	file, err := real(name)
	if err != nil || depth > maxScripts {
		return nil
	}
	data, err := loaderFile.ReadFile(file)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		pattern, include := strings.CutPrefix(line, "include ")
		if !include {
			if line != "" {
				dirs = append(dirs, line)
			}
			continue
		}
		if pattern = strings.TrimSpace(pattern); !path.IsAbs(pattern) {
			pattern = path.Join(path.Dir(name), pattern)
		}
		folder, err := real(path.Dir(pattern))
		if err != nil {
			continue
		}
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			if ok, _ := path.Match(path.Base(pattern), e.Name()); ok {
				dirs = append(dirs, confFolders(path.Join(path.Dir(pattern), e.Name()), real, depth+1)...)
			}
		}
	}
	return dirs
}
