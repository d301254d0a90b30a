package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/signature"
	"github.com/smtpipe/smtpipe/internal/audit/verify"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
)

// sealing is what a forger repairs after a change.
type sealing int

const (
	sumsOnly  sealing = iota // everything that the lock's signature does not cover
	wholeLock                // also the lock, which nobody signed
	firstLock                // smtpipe 0.1's lock, which does not name files
)

// unnamed are the files that a lock does not name.
var unnamed = []string{frozen.LockName, frozen.SumsName, frozen.SignatureName}

// seal rewrites a folder's lock and list of digests to match its files.
func seal(t *testing.T, folder string, how sealing) {
	t.Helper()
	path := filepath.Join(folder, frozen.LockName)
	text, err := os.ReadFile(path)
	if err != nil {
		return // the lock was removed
	}
	lock, err := frozen.ParseLock(text)
	if err != nil {
		return // the lock was changed
	}
	files := map[string]frozen.File{}
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(folder, path)
		if err != nil || d.IsDir() || slices.Contains(unnamed, rel) {
			return err
		}
		content, err := os.ReadFile(path)
		files[filepath.ToSlash(rel)] = frozen.File{Digest: cache.DigestOf(content), Bytes: int64(len(content))}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	lock.Files = files
	sums := lock.Sums()
	switch how {
	case firstLock:
		lock.Files = nil
		text = lock.Encode()
	case wholeLock:
		text = lock.Encode()
	}
	sums[frozen.LockName] = cache.DigestOf(text)
	write := map[string][]byte{frozen.LockName: text, frozen.SumsName: sums.Encode()}
	for name, content := range write {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// tamperings are changes to a file after which the folder still looks intact.
var tamperings = map[string]func(path string) error{
	"change": func(path string) error {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		i := len(content) / 2
		if files := bytes.Index(content, []byte("\nfiles = {")); files > 0 {
			i = files / 2 // in the lock, change the part before the files, which the forger repairs
		}
		for j := range content { // decrement a letter or digit near the middle, which preserves the format
			k := (i + j) % len(content)
			if c := content[k]; 'a' < c && c <= 'z' || '1' <= c && c <= '9' {
				content[k]--
				break
			}
		}
		return os.WriteFile(path, content, 0o666)
	},
	"remove": os.Remove,
	"add": func(path string) error {
		return os.WriteFile(filepath.Join(filepath.Dir(path), "added"+filepath.Ext(path)), []byte("more\n"), 0o666)
	},
	"swap": func(path string) error { // swap the file with another one in its folder or the parent folder
		for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
			entries, err := os.ReadDir(dir)
			if err != nil {
				return err
			}
			for _, e := range entries {
				other := filepath.Join(dir, e.Name())
				if e.Type().IsRegular() && other != path && !strings.HasPrefix(e.Name(), frozen.SumsName) {
					return errors.Join(os.Rename(path, path+"~"), os.Rename(other, path), os.Rename(path+"~", other))
				}
			}
		}
	},
	"link": func(path string) error { // link to the same content elsewhere, which can be replaced later
		elsewhere := filepath.Join(filepath.Dir(filepath.Dir(path)), "..", filepath.Base(path)+".elsewhere")
		return errors.Join(os.Rename(path, elsewhere), os.Symlink(elsewhere, path))
	},
}

// ruleTree represents the rule set's tree, whose name is a digest.
const ruleTree = "rules/TREE.json"

// tampered lists files in a frozen folder, one of each kind. derived files follow from other files or are named by
// their digest, so a change is found even in an unsigned folder.
var tampered = []struct {
	path    string
	derived bool
}{
	{"stages/stage.report.site/files/index.html", true},
	{"stages/stage.report.site/files.manifest", true},
	{"stages/stage.score.main/scores.csv", true},
	{"stages/stage.score.main/scores.parquet", true},
	{"stages/stage.execute.main/runs.parquet", true},
	{"stages/stage.verdicts.main/entrants.csv", true},
	{"stages/stage.verdicts.main/entrants.parquet", true},
	{"stages/stage.score.main/record.json", true},
	{"stages/stage.execute.main/record.json", true},
	{"pipeline/competition.hcl", true},
	{"rules/2026/scoring.rules.hcl", true},
	{"rules/2026/year.rules.hcl", true},
	{ruleTree, true},
	{frozen.ScriptsName, true},
	{frozen.LockName, true},
	{"README.md", false},
	{"check.py", false},
	{"bin/smtpipe", false},
	{"ro-crate-metadata.json", false},
	{"schemas.json", false},
}

// undetected reports whether only a signature reveals a change. This applies to a file added outside the outputs, rules
// and parts of the pipeline.
func undetected(path, change string, how sealing) bool {
	top, _, _ := strings.Cut(path, "/")
	if path == ruleTree && how == firstLock && change == "remove" {
		return true // smtpipe 0.1 wrote no trees
	}
	return how != sumsOnly && change == "add" && !slices.Contains([]string{"stages", "rules", "pipeline"}, top)
}

// TestTamperings changes, removes, adds to, swaps and links every kind of file in a frozen folder, and repairs all
// digests that a forger can repair.
func TestTamperings(t *testing.T) {
	t.Parallel()
	project := smallProjectOf(t, smallPipeline+`
stage "report" "site" {
  scores   = [stage.score.main.scores]
  verdicts = [stage.verdicts.main.verdicts]
  runs     = [stage.execute.main.runs]
}
`)
	key, public := newKey(t)
	whole := filepath.Join(project, "frozen")
	execSmtpipe(t, exit.Done, "freeze", "-p", project, "--inputs", "-o", whole)
	// The program is only one of the folder's files, but a large one in tests.
	if err := os.WriteFile(filepath.Join(whole, "bin", "smtpipe"), []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	names := map[string]sealing{"signed": sumsOnly, "unsigned": wholeLock, "first": firstLock}
	for name, how := range names {
		from := filepath.Join(project, name)
		if err := os.CopyFS(from, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		seal(t, from, max(how, wholeLock))
		args := []string{"verify", "--json", from}
		if how == sumsOnly {
			signLock(t, from, key)
			args = append(args, "--key", public)
		}
		execSmtpipe(t, exit.Done, args...)
		for i, file := range tampered {
			for k, change := range slices.Sorted(maps.Keys(tamperings)) {
				if os.Getenv("SMTPIPE_LONG") == "" && (i%len(tamperings) != k || (i+k)%len(names) != int(how)) {
					continue // the gate tampers once with each file, only make test-long in all ways
				}
				apply := tamperings[change]
				t.Run(name+"/"+change+"/"+file.path, func(t *testing.T) {
					t.Parallel()
					folder := filepath.Join(t.TempDir(), "a", "frozen")
					if err := os.CopyFS(folder, os.DirFS(from)); err != nil {
						t.Fatal(err)
					}
					path := filepath.Join(folder, filepath.FromSlash(file.path))
					if file.path == ruleTree {
						path = treeIn(t, folder)
					}
					if err := apply(path); err != nil {
						t.Fatal(err)
					}
					seal(t, folder, how)
					args := slices.Clone(args)
					args[2] = folder
					checkTampered(t, args, file.path, change, how, file.derived)
				})
			}
		}
	}
}

// treeIn returns the only rule set tree in a folder.
func treeIn(t *testing.T, folder string) string {
	t.Helper()
	trees, err := filepath.Glob(filepath.Join(folder, "rules", "*.json"))
	if err != nil || len(trees) != 1 {
		t.Fatalf("trees of rule sets: %q, %v", trees, err)
	}
	return trees[0]
}

func checkTampered(t *testing.T, args []string, path, change string, how sealing, derived bool) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(args, strings.NewReader(""), &stdout, &stderr)
	var report verify.Report
	if code != exit.CannotVerify {
		if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
			t.Fatalf("%v\n%s%s", err, &stdout, &stderr)
		}
	}
	found := code == exit.Differs || code == exit.CannotVerify
	listed := slices.Contains(report.NotSigned, path)
	switch {
	case found, undetected(path, change, how):
	case how == firstLock && (listed || change == "remove") && !derived:
	case how == wholeLock && !derived && report.Signature.State == "none":
	default:
		t.Errorf("exit code %d; the signature is %+v, and %q are not covered", code, report.Signature, report.NotSigned)
	}
}

// signLock signs a folder's lock.
func signLock(t *testing.T, folder, key string) {
	t.Helper()
	with, err := signature.OpenKey(key, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, frozen.LockName)
	lock, err := os.ReadFile(path)
	if err == nil {
		var sig []byte
		if sig, err = signature.Sign(lock, with); err == nil {
			err = os.WriteFile(filepath.Join(folder, frozen.SignatureName), sig, 0o666)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
