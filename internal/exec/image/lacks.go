package image

import (
	"bufio"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
)

// Place is an environment for executing programs: a root file system with a solver's folder mounted in it.
type Place struct {
	Root   string // root folder, such as that of an unpacked image, or "/" for the machine
	Name   string // readable name, such as "the image x.tar" or "this machine"
	Target string // mount point of Folder
	Folder string // folder of the solver
}

// Lack is something that a program needs but the place lacks.
type Lack struct {
	Program string // path of the program in the place
	Text    string // what is missing, and what to do
}

// String returns the lack as a sentence.
func (l Lack) String() string { return l.Program + " " + l.Text }

// Lacks returns what the place lacks for a program and everything that the program loads: the interpreter of a program
// or script, libraries, and versions of libraries. It reads file headers and executes nothing. env contains NAME=VALUE
// settings for the command. What a program opens later (dlopen, other programs) is not found.
func (p Place) Lacks(program string, env []string) ([]Lack, error) {
	c := &checker{Place: p, seen: map[string]bool{}, search: variable(env, "PATH")}
	if len(c.search) == 0 {
		c.search = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
	}
	c.preferred = variable(env, "LD_LIBRARY_PATH")
	if !strings.Contains(program, "/") {
		found := c.inPath(program)
		if found == "" {
			return []Lack{{program,
				fmt.Sprintf("is not in the PATH of %s (%s); add it to the archive, or use an image "+
					"that has it", p.Name, strings.Join(c.search, ":"))}}, nil
		}
		program = found
	}
	err := c.program(program, 0)
	for len(c.queue) > 0 { // breadth-first, like the loader
		at := c.queue[0]
		c.queue = c.queue[1:]
		err = errors.Join(err, c.loaded(at))
	}
	return c.lacks, errors.Join(err, c.err)
}

// loaded checks a library that will be loaded.
func (c *checker) loaded(at string) error {
	file, err := c.real(at)
	if err != nil {
		return err
	}
	f, err := limits.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	c.elf(at, f, false)
	return nil
}

func variable(env []string, name string) (dirs []string) {
	for _, kv := range env {
		if list, ok := strings.CutPrefix(kv, name+"="); ok {
			dirs = strings.FieldsFunc(list, func(r rune) bool { return r == ':' })
		}
	}
	return dirs
}

// checker is a check in progress.
type checker struct {
	Place
	seen      map[string]bool
	search    []string // folders in PATH
	preferred []string // folders in LD_LIBRARY_PATH
	standard  []string // standard library folders
	inherited []string // DT_RPATH of the program, which its libraries inherit
	queue     []string // libraries not yet checked
	lacks     []Lack
	err       error
}

func (c *checker) lack(program, format string, args ...any) {
	l := Lack{program, fmt.Sprintf(format, args...)}
	if !slices.Contains(c.lacks, l) {
		c.lacks = append(c.lacks, l)
	}
}

// real returns this machine's path for a path in the place. It follows links as a run would.
func (c *checker) real(name string) (string, error) {
	at, err := solver.FollowLinks("/", name,
		func(at string) (fs.FileInfo, error) { return os.Lstat(c.host(at)) },
		func(at string) (string, error) { return os.Readlink(c.host(at)) })
	if err != nil {
		return "", err
	}
	return c.host(at), nil
}

// host returns this machine's path for a path in the place that contains no links.
func (c *checker) host(name string) string {
	if rest, ok := strings.CutPrefix(name, c.Target); ok && c.Target != "" && (rest == "" || rest[0] == '/') {
		return filepath.Join(c.Folder, rest)
	}
	return filepath.Join(c.Root, name)
}

func (c *checker) inPath(name string) string {
	for _, dir := range c.search {
		if _, err := c.real(path.Join(dir, name)); err == nil {
			return path.Join(dir, name)
		}
	}
	return ""
}

const maxScripts = 5 // maximum nesting depth of interpreters that are scripts

// program checks a program or script.
func (c *checker) program(name string, depth int) error {
	if c.seen[name] || depth > maxScripts {
		return nil
	}
	c.seen[name] = true
	file, err := c.real(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f, err := limits.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := bufio.NewReader(io.NewSectionReader(f, 0, 4096)).ReadBytes('\n')
	if err != nil && err != io.EOF {
		return err
	}
	switch {
	case bytes.HasPrefix(head, []byte("#!")):
		c.script(name, strings.Fields(string(head[2:])), depth)
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		c.elf(name, f, true)
	}
	return nil
}

// script checks a script's interpreter, and the program that the script starts through env.
func (c *checker) script(name string, words []string, depth int) {
	if len(words) == 0 {
		return // the shell that starts it also executes it
	}
	if _, err := c.real(words[0]); err != nil {
		c.lack(name,
			"is a script for %s, which %s does not have; take an interpreter that it has, bring a program, or take "+
				"an image that has this one", words[0], c.Name)
		return
	}
	c.err = errors.Join(c.err, c.program(words[0], depth+1))
	w := solver.EnvProgram(words)
	if w == "" {
		return
	}
	found := c.inPath(w)
	if found == "" {
		c.lack(name,
			"is a script for %s, which is not in the PATH of %s; take an interpreter that it has, bring a "+
				"program, or take an image that has this one", w, c.Name)
		return
	}
	c.err = errors.Join(c.err, c.program(found, depth+1))
}

// elf checks a program or library.
func (c *checker) elf(name string, f *os.File, isProgram bool) {
	bin, err := elf.NewFile(f)
	if err != nil {
		c.lack(name, "is a damaged program: %v", err)
		return
	}
	loader := solver.Interpreter(bin)
	if _, err := c.real(loader); isProgram && loader != "" && err != nil {
		c.lack(name,
			"needs the interpreter %s, which %s does not have; it was built for another distribution: link it "+
				"statically, build it for this one, or take an image that has the interpreter", loader, c.Name)
		return
	}
	libs, err := bin.ImportedLibraries()
	if err != nil {
		return // a static program without a dynamic section
	}
	if loader != "" {
		c.seen[path.Base(loader)] = true
	}
	if isProgram {
		c.inherited, _ = solver.OwnFolders(bin, path.Dir(name), elf.DT_RPATH)
	}
	versions := map[string][]string{}
	if needs, err := bin.DynamicVersionNeeds(); err == nil {
		for _, n := range needs {
			for _, v := range n.Needs {
				if v.Flags&elf.VER_FLG_WEAK == 0 {
					versions[n.Name] = append(versions[n.Name], v.Dep)
				}
			}
		}
	}
	for _, lib := range libs {
		c.library(name, lib, bin, loader, versions[lib])
	}
}

// library checks a library that a file requires.
func (c *checker) library(of, lib string, bin *elf.File, loader string, versions []string) {
	if strings.Contains(loader, "/ld-musl-") && (lib == "libc.so" || strings.HasPrefix(lib, "libc.musl-")) {
		return // the interpreter itself is this library
	}
	dirs := c.folders(bin, path.Dir(of))
	if strings.Contains(lib, "/") {
		dirs = []string{""}
	}
	for _, dir := range dirs {
		at := path.Join(dir, lib)
		file, err := c.real(at)
		if err != nil {
			continue
		}
		f, err := limits.Open(file)
		if err != nil {
			continue
		}
		fits := c.found(of, at, f, bin, versions)
		f.Close()
		if fits {
			return
		}
	}
	if !c.seen[lib] {
		c.lack(of,
			"needs the library %s, which %s does not have; put it into the archive beside the program (with RUNPATH "+
				"$ORIGIN), link it statically, or take an image that has it", lib, c.Name)
	}
}

// found checks a file with the name of a required library. It reports whether the file is for the same machine.
func (c *checker) found(of, at string, f *os.File, bin *elf.File, versions []string) bool {
	lib, err := elf.NewFile(f)
	if err != nil || lib.Machine != bin.Machine || lib.Class != bin.Class {
		return false
	}
	if defined, err := lib.DynamicVersions(); err == nil {
		has := map[string]bool{}
		var all []string
		for _, d := range defined {
			has[d.Name] = true
			all = append(all, d.Name)
		}
		for _, v := range versions {
			if !has[v] {
				c.lack(of,
					"needs %s of %s, which %s does not have%s; build it on an older distribution, link it statically, or "+
						"take an image that has it", v, path.Base(at), c.Name, newest(all, v))
			}
		}
	}
	if !c.seen[at] {
		c.seen[at], c.seen[path.Base(at)] = true, true
		c.queue = append(c.queue, at)
	}
	return true
}

// newest describes the newest version of the same kind, such as " (it has up to GLIBC_2.36)".
func newest(all []string, of string) string {
	kind, _, _ := strings.Cut(of, "_")
	best, bestOf := "", []int(nil)
	for _, v := range all {
		k, number, ok := strings.Cut(v, "_")
		if !ok || k != kind {
			continue
		}
		var parts []int
		for p := range strings.SplitSeq(number, ".") {
			n := 0
			if _, err := fmt.Sscanf(p, "%d", &n); err != nil {
				parts = nil
				break
			}
			parts = append(parts, n)
		}
		if parts != nil && slices.Compare(parts, bestOf) > 0 {
			best, bestOf = v, parts
		}
	}
	if best == "" {
		return ""
	}
	return " (it has up to " + best + ")"
}

// folders returns the folders that the loader searches for the libraries of a file in dir, in order (ld.so(8)).
func (c *checker) folders(bin *elf.File, dir string) []string {
	dirs, _ := solver.OwnFolders(bin, dir, elf.DT_RPATH)
	runpath, named := solver.OwnFolders(bin, dir, elf.DT_RUNPATH)
	if named {
		dirs = nil // RUNPATH overrides RPATH
	} else {
		dirs = append(dirs, c.inherited...)
	}
	if c.standard == nil {
		multiarch := map[elf.Machine]string{elf.EM_X86_64: "x86_64-linux-gnu", elf.EM_AARCH64: "aarch64-linux-gnu",
			elf.EM_386: "i386-linux-gnu"}[bin.Machine]
		c.standard = append(solver.ConfFolders("/etc/ld.so.conf", c.real), "/lib/"+multiarch,
			"/usr/lib/"+multiarch, "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib", "/lib32", "/usr/lib32")
	}
	return slices.Concat(dirs, c.preferred, runpath, c.standard)
}

// Programs returns the programs in the solver's folder that the kernel can start: executable ELF files with an
// interpreter.
func (p Place) Programs() ([]string, error) {
	var all []string
	err := filepath.WalkDir(p.Folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Mode()&0o111 == 0 {
			return err
		}
		f, err := elf.Open(name)
		if err != nil {
			return nil // a script, or data
		}
		defer f.Close()
		if solver.Interpreter(f) != "" {
			rel, err := filepath.Rel(p.Folder, name)
			all = append(all, path.Join(p.Target, filepath.ToSlash(rel)))
			return err
		}
		return nil
	})
	return all, err
}

// LibraryFolders returns the solver's folders with libraries, formatted like LD_LIBRARY_PATH, which a script may set.
func (p Place) LibraryFolders() string {
	var dirs []string
	_ = filepath.WalkDir(p.Folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), ".so") {
			return err
		}
		rel, err := filepath.Rel(p.Folder, filepath.Dir(name))
		if dir := path.Join(p.Target, filepath.ToSlash(rel)); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
		return err
	})
	return strings.Join(dirs, ":")
}
