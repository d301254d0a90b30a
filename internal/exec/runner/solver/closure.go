package solver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// File is a file that a program requires.
type File struct {
	Path   string // path as opened by the loader
	Real   string // path without symbolic links
	Size   int64
	Digest Digest
}

// ProgramClosure finds all files that an installed program needs: the program itself, the dynamic loader, and all
// direct and indirect libraries. It searches where the loader does (RPATH, RUNPATH, the folders in /etc/ld.so.conf, the
// standard folders). For a script, it includes the interpreter's closure. Files are sorted by path. The digest covers
// paths and contents, so it changes when a library changes. Files that a program opens later (dlopen, a Python module)
// are not found.
func ProgramClosure(program string) ([]File, Digest, error) {
	c := &closure{seen: map[string]bool{}}
	abs, err := filepath.Abs(program)
	if err != nil {
		return nil, Digest{}, err
	}
	if err := c.add(abs, 0); err != nil {
		return nil, Digest{}, fmt.Errorf("find dependencies of %s: %w", program, err)
	}
	slices.SortFunc(c.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	h := sha256.New()
	for _, f := range c.files {
		fmt.Fprintf(h, "%s %d %s\n", f.Digest, f.Size, strconv.Quote(f.Path))
	}
	return c.files, Digest(h.Sum(nil)), nil
}

// closure is a search in progress.
type closure struct {
	seen     map[string]bool // visited paths and library names
	files    []File
	standard []string // standard library folders
}

const maxScripts = 5 // maximum nesting depth of interpreters that are scripts

// add adds a program or library by path, with everything that it needs.
func (c *closure) add(p string, depth int) error {
	if c.seen[p] {
		return nil
	}
	c.seen[p] = true
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return err
	}
	e, err := hashFile(context.Background(), real)
	if err != nil {
		return err
	}
	c.files = append(c.files, File{Path: p, Real: real, Size: e.Size, Digest: e.Digest})
	return c.addNeeded(p, real, depth)
}

func (c *closure) addNeeded(p, real string, depth int) error {
	f, err := os.Open(real)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 4)
	if _, err := io.ReadFull(f, head); err != nil {
		return fmt.Errorf("%s is neither a program nor a script", p)
	}
	if bytes.HasPrefix(head, []byte("#!")) {
		return c.addInterpreter(real, depth)
	}
	if string(head) != elf.ELFMAG {
		return fmt.Errorf("%s is neither a program nor a script", p)
	}
	bin, err := elf.NewFile(f)
	if err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	return c.addELF(bin, real, depth)
}

// addInterpreter adds the interpreter in a script's first line. A program started through /usr/bin/env is looked up in
// the usual PATH.
func (c *closure) addInterpreter(real string, depth int) error {
	if depth > maxScripts {
		return errors.New("script interpreters are nested too deeply")
	}
	data, err := readHead(real, 4096)
	if err != nil {
		return err
	}
	line, _, _ := bytes.Cut(data[2:], []byte("\n"))
	if bytes.HasSuffix(line, []byte("\r")) {
		return fmt.Errorf(`the first line of %s ends with a carriage return, so the kernel finds no interpreter; remove `+
			`them from every line (sed -i 's/\r$//')`, real)
	}
	words := strings.Fields(string(line))
	if len(words) == 0 {
		return fmt.Errorf("script %s names no interpreter", real)
	}
	if err := c.add(words[0], depth+1); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("interpreter %q of %s is not installed", words[0], real)
	} else if err != nil {
		return fmt.Errorf("interpreter of %s: %w", real, err)
	}
	w := EnvProgram(words)
	if w == "" {
		return nil
	}
	for _, dir := range []string{"/usr/local/bin", "/usr/bin", "/bin"} {
		if _, err := os.Stat(filepath.Join(dir, w)); err == nil {
			return c.add(filepath.Join(dir, w), depth+1)
		}
	}
	return fmt.Errorf("interpreter %q of %s is not installed", w, real)
}

func readHead(p string, n int) ([]byte, error) {
	f, err := os.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buf := make([]byte, n)
	k, err := io.ReadFull(f, buf)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return buf[:k], nil
}

// addELF adds a program's or library's loader and libraries.
func (c *closure) addELF(bin *elf.File, real string, depth int) error {
	if loader := Interpreter(bin); loader != "" {
		if err := c.add(loader, depth); err != nil {
			return fmt.Errorf("loader of %s: %w", real, err)
		}
		c.seen[filepath.Base(loader)] = true
	}
	libs, err := bin.ImportedLibraries()
	if err != nil {
		return nil // a static program without a dynamic section
	}
	dirs := c.folders(bin, real)
	for _, lib := range libs {
		if c.seen[lib] {
			continue
		}
		p := origin(filepath.Dir(real)).Replace(lib) // a path if it contains a slash
		if !strings.Contains(p, "/") {
			if p = findLibrary(lib, dirs, bin.Machine, bin.Class); p == "" {
				return fmt.Errorf("library %s of %s is in none of %s", lib, real, strings.Join(dirs, ", "))
			}
			c.seen[lib] = true // later references to this name resolve to the same file
		}
		if err := c.add(p, depth); err != nil {
			return fmt.Errorf("library %s of %s: %w", lib, real, err)
		}
	}
	return nil
}

// folders returns the folders that the loader searches for a file's libraries, in order (ld.so(8)).
func (c *closure) folders(bin *elf.File, real string) []string {
	rpath, _ := OwnFolders(bin, filepath.Dir(real), elf.DT_RPATH)
	runpath, _ := OwnFolders(bin, filepath.Dir(real), elf.DT_RUNPATH)
	if c.standard == nil {
		c.standard = append(ConfFolders("/etc/ld.so.conf", filepath.EvalSymlinks),
			"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/lib32", "/usr/lib32")
	}
	return slices.Concat(rpath, runpath, c.standard)
}

// findLibrary returns the path of a library built for the right machine.
func findLibrary(name string, dirs []string, machine elf.Machine, class elf.Class) string {
	for _, dir := range dirs {
		p := filepath.Join(dir, name)
		f, err := elf.Open(p)
		if err != nil {
			continue
		}
		fits := f.Machine == machine && f.Class == class
		_ = f.Close()
		if fits {
			return p
		}
	}
	return ""
}
