package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// architectures lists a release's architectures.
var architectures = []string{"amd64", "arm64"}

// texts matches the names of files with licences and notices in a module's or package's folder.
var texts = regexp.MustCompile(`^(?i)(LICEN[SC]E|COPYING|NOTICE|PATENTS|UNLICENSE)([-_.].*)?$`)

// part is a component of the program, code or data, with its own licence.
type part struct {
	name  string
	files []string
}

// licences prints the licence texts of all the program's components, starting with its own.
func licences(o options, _ []string) error {
	parts, err := modules()
	if err != nil {
		return err
	}
	goText, err := goLicence()
	if err != nil {
		return err
	}
	own := []part{{"smtpipe", []string{"LICENSE"}}, {"Go's standard library and runtime", []string{goText}},
		{"uPlot, in the pages of the report", []string{"internal/publish/report/assets/uPlot.LICENSE.txt"}}}
	var b strings.Builder
	b.WriteString("smtpipe has code and data of the parts below. This file has the texts of their licences.\n")
	for _, p := range slices.Concat(own, parts) {
		for _, file := range p.files {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "\n%s\n%s (%s)\n%[1]s\n\n%[4]s\n", strings.Repeat("=", 78), p.name, filepath.Base(file),
				strings.TrimSpace(string(text)))
		}
	}
	_, err = io.WriteString(os.Stdout, b.String())
	return err
}

// goLicence returns the path of Go's licence, which Debian stores with Go's documentation.
func goLicence() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	root := strings.TrimSpace(string(out))
	version := strings.Join(strings.SplitN(strings.TrimPrefix(runtime.Version(), "go"), ".", 3)[:2], ".")
	for _, file := range []string{filepath.Join(root, "LICENSE"),
		"/usr/share/doc/golang-" + version + "-go/copyright"} {
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("the licence of Go is not in %s; use a toolchain from the Go project", root)
}

// modules returns the modules with packages in the program, on any architecture, with the licences of the modules and
// of the folders in use. A module without a licence is an error.
func modules() ([]part, error) {
	files := map[string][]string{}
	for _, arch := range architectures {
		cmd := exec.Command("go", "list", "-deps", "-json=Dir,Module", "./cmd/smtpipe")
		cmd.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0", "GOARCH="+arch)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
			var p struct {
				Dir    string
				Module *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := dec.Decode(&p); err != nil {
				return nil, err
			}
			if p.Module == nil || p.Module.Main {
				continue
			}
			name := p.Module.Path + " " + p.Module.Version
			found, err := upTo(p.Module.Dir, p.Dir)
			if err != nil {
				return nil, err
			}
			files[name] = append(files[name], found...)
		}
	}
	var parts []part
	var missing []error
	for name, found := range files {
		slices.Sort(found)
		if len(found) == 0 {
			missing = append(missing, fmt.Errorf("%s has no licence; ask its authors, or remove it", name))
		}
		parts = append(parts, part{name, slices.Compact(found)})
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.name, b.name) })
	return parts, errors.Join(missing...)
}

// upTo returns the licences in a folder and in its parents, up to root.
func upTo(root, dir string) (found []string, err error) {
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && texts.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
				found = append(found, filepath.Join(dir, e.Name()))
			}
		}
		if dir == root || len(dir) <= len(root) {
			return found, nil
		}
		dir = filepath.Dir(dir)
	}
}
