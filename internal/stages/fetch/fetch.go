// Package fetch provides the "fetch" stage: it obtains a release's files from a folder, from addresses or from a Zenodo
// record, and verifies their checksums. internal/smt/release reads and downloads the files.
package fetch

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp/language"
	"github.com/smtpipe/smtpipe/internal/smt/release"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "fetch",
	Version: 1,
	Summary: "Fetches the benchmarks of a release",
	Doc: `Provides the files of a release as a tree. Exactly one of zenodo, url and path gives their location. A release has
archives. With path and a language of the competition's own, it may also have plain benchmarks.

With zenodo, the record's file list is read and every file is checked against the size and MD5 in the record. With path, a
record.json in the folder (or in folders below it) is used in the same way. Interrupted downloads continue where they stopped,
also in a later run.`,
	Example: `stage "fetch" "library" {
  zenodo = "15493090"
  only   = ["QF_BV", "QF_LIA"]
}`,
	Attrs: []stages.Attr{
		{Name: "zenodo", Type: cty.String, Doc: "number of a Zenodo record"},
		{Name: "url", Type: cty.List(cty.String), Secret: true, Doc: "addresses of files"},
		{Name: "path", Type: stages.FileType, Bulk: true, Doc: "a folder with archives or benchmarks, or one archive"},
		stages.LanguageAttr(language.Files),
		{Name: "only", Type: cty.List(cty.String), Doc: "files to fetch: patterns such as non-incremental/QF_* or " +
			"logics such as QF_BV; a pattern that matches nothing is an error"},
		{Name: "sha256", Type: cty.Map(cty.String), Doc: "expected SHA-256 by file name; with url, files without one " +
			"are accepted unchecked"},
		{Name: "api", Type: cty.String, Default: cty.StringVal("https://zenodo.org/api"),
			Doc: "address of the record's API"},
	},
	Outputs: []stages.Output{
		{Name: "files", Type: stages.TreeType, Doc: "the files by their names in the release"},
	},
	New: newAction,
	Quick: func(in *stages.Instance) bool {
		_, local := in.Args.File("path")
		return local
	},
}

type action struct {
	zenodo, api string
	urls        []string
	local       *stages.File
	only        []string
	sha256      map[string]string
	language    *language.Reader // nil means SMT-LIB
}

func newAction(a *stages.Args) (stages.Action, error) {
	lang, err := a.Language()
	if err != nil {
		return nil, err
	}
	act := &action{language: lang,
		zenodo: a.String("zenodo"), api: a.String("api"), urls: a.Strings("url"), only: a.Strings("only"),
		sha256: a.TextMap("sha256")}
	if f, ok := a.File("path"); ok {
		act.local = &f
	}
	if given := countGiven(a, "zenodo", "url", "path"); given != 1 {
		return nil, fmt.Errorf("a \"fetch\" stage needs exactly one of zenodo, url and path; this stage has %d", given)
	}
	var errs []error
	if a.Has("zenodo") {
		if _, err := release.RecordURL(act.api, act.zenodo); err != nil {
			errs = append(errs, a.Invalid("zenodo", "Invalid record", err.Error()+"."))
		}
	}
	for _, u := range act.urls {
		if p, err := url.Parse(u); err != nil || (p.Scheme != "https" && p.Scheme != "http") || p.Host == "" ||
			!filepath.IsLocal(release.FileName(u)) || release.FileName(u) == "." {
			errs = append(errs, a.Invalid("url", "Invalid address", fmt.Sprintf("%q is not the http(s) address of a "+
				"file.", u)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(act.sha256)) {
		if b, err := hex.DecodeString(act.sha256[name]); err != nil || len(b) != 32 {
			errs = append(errs, a.Invalid("sha256", "Invalid digest", fmt.Sprintf("The SHA-256 of %q must have "+
				"64 hexadecimal digits.", name)))
		}
	}
	if act.local != nil && len(errs) == 0 {
		errs = append(errs, act.checkLocal(a))
	}
	return act, errors.Join(errs...)
}

// checkLocal lists the archives of a folder before anything executes, so that a missing logic is reported early. A
// missing folder is not an error, since the stage's outputs may come from evidence.
func (act *action) checkLocal(a *stages.Args) error {
	_, err := act.listLocal()
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	at := "path"
	if len(act.only) > 0 {
		at = "only"
	}
	return a.Invalid(at, "Unsuitable release", fmt.Sprintf("In %s: %s.", act.local.Name, err))
}

func countGiven(a *stages.Args, names ...string) int {
	n := 0
	for _, name := range names {
		if a.Has(name) {
			n++
		}
	}
	return n
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	var m *cache.Manifest
	var err error
	if act.local != nil {
		m, err = act.copyLocal(ctx, env)
	} else {
		m, err = act.download(ctx, env)
	}
	if err != nil {
		return err
	}
	m.Sort()
	art, err := artifact.WriteTree(env.Store, m)
	if err != nil {
		return err
	}
	return env.Set("files", stages.ArtifactVal(art))
}

// localFile is a release's file on this machine.
type localFile struct {
	name string
	path string
	want release.Wanted
}

// copyLocal stores the archives below a folder, or a single file.
func (act *action) copyLocal(ctx context.Context, env *stages.Env) (*cache.Manifest, error) {
	files, err := act.listLocal()
	if err != nil {
		return nil, err
	}
	var total int64
	for _, f := range files {
		info, err := os.Stat(f.path)
		if err != nil {
			return nil, err
		}
		total += info.Size()
	}
	env.Progress.Start(total, "", true)
	m := &cache.Manifest{Files: make([]cache.ManifestFile, len(files))}
	err = env.Each(ctx, len(files), func(_ context.Context, i int) error {
		f := files[i]
		d, size, err := checkedCopy(env.Store, f)
		if err != nil {
			return err
		}
		env.Progress.Add(size, "")
		m.Files[i] = cache.ManifestFile{Path: f.name, Size: size, Digest: d}
		return nil
	})
	return m, err
}

// checkedCopy stores a local file after checking it against its record.
func checkedCopy(store *cache.Store, f localFile) (cache.Digest, int64, error) {
	if f.want.MD5 != "" || f.want.SHA256 != "" || f.want.Size > 0 {
		r, err := os.Open(f.path)
		if err != nil {
			return cache.Digest{}, 0, err
		}
		err = release.CheckFile(r, f.want)
		r.Close()
		if err != nil {
			return cache.Digest{}, 0, fmt.Errorf("%w\nThe expected size and digests come from record.json beside the "+
				"file, or from sha256. Download the file again, or correct them", err)
		}
	}
	return store.PutFile(f.path)
}

// archiveNames describes the names that an archive may have.
const archiveNames = ".tar.zst, .tar.gz, .tar.xz, .tar.bz2 or .tar"

// checkSums rejects a checksum for a file that the release does not contain, since the checksum would have no effect.
func (act *action) checkSums(names []string) error {
	for _, name := range slices.Sorted(maps.Keys(act.sha256)) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("sha256 names the file %q, which the release does not have; it has %s", name,
				words.Some(names, 8))
		}
	}
	return nil
}

func (act *action) listLocal() ([]localFile, error) {
	if !act.local.IsDir {
		name := filepath.Base(act.local.Path)
		if !release.IsArchive(name) {
			return nil, fmt.Errorf("%s is not an archive; archive names must end in %s", act.local.Name, archiveNames)
		}
		if _, err := release.Select([]string{name}, act.only); err != nil {
			return nil, err
		}
		if err := act.checkSums([]string{name}); err != nil {
			return nil, err
		}
		return []localFile{{name: name, path: act.local.Path, want: act.wanted(name, release.RecordFile{})}}, nil
	}
	root := act.local.Path
	records, names, err := act.scanFolder(root)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		if act.language != nil {
			return nil, fmt.Errorf("there is neither a benchmark (%s) nor an archive (%s) in %s",
				strings.Join(act.language.Files, ", "), archiveNames, act.local.Name)
		}
		return nil, fmt.Errorf("there is no archive in %s; an archive is named %s", act.local.Name, archiveNames)
	}
	if err := act.checkSums(names); err != nil {
		return nil, err
	}
	if names, err = release.Select(names, act.only); err != nil {
		return nil, err
	}
	var files []localFile
	for _, name := range names {
		rec := records[name]
		files = append(files, localFile{name: name, path: filepath.Join(root, filepath.FromSlash(name)),
			want: act.wanted(name, rec)})
	}
	return files, nil
}

func (act *action) wanted(name string, rec release.RecordFile) release.Wanted {
	return release.Wanted{URL: name, Size: rec.Size, MD5: rec.MD5, SHA256: act.sha256[name]}
}

// scanFolder finds the archives and the benchmarks of another language below root, sorted, and their entries in
// record.json files in the same folders. It returns an error if an archive listed in a record is missing.
func (act *action) scanFolder(root string) (map[string]release.RecordFile, []string, error) {
	records := map[string]release.RecordFile{}
	var names []string
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case release.IsArchive(name), act.language != nil && act.language.IsBenchmark(name):
			names = append(names, name)
		case e.Name() == "record.json":
			return readLocalRecord(p, path.Dir(name), records)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(names)
	for _, name := range slices.Sorted(maps.Keys(records)) {
		if _, there := slices.BinarySearch(names, name); !there && release.IsArchive(name) {
			return nil, nil, fmt.Errorf("the record lists %s, which is not in the folder", name)
		}
	}
	return records, names, nil
}

func readLocalRecord(p, dir string, records map[string]release.RecordFile) error {
	f, err := os.Open(p)
	if err != nil {
		return err
	}
	defer f.Close()
	rec, err := release.ReadRecord(f)
	if err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	for _, file := range rec.Files {
		records[path.Join(dir, file.Key)] = file
	}
	return nil
}

// download fetches the files of a record or from addresses.
func (act *action) download(ctx context.Context, env *stages.Env) (*cache.Manifest, error) {
	const tries = 6
	client := release.NewClient(tries, env.Log)
	wanted, names, err := act.listRemote(ctx, client)
	if err != nil {
		return nil, err
	}
	env.Progress.Start(totalSize(wanted), "", true)
	m := &cache.Manifest{}
	for i, want := range wanted {
		d, size, err := stages.Download(ctx, env.Store, client, want, func(n int64) { env.Progress.Add(n, "") })
		if err != nil {
			return nil, err
		}
		m.Files = append(m.Files, cache.ManifestFile{Path: names[i], Size: size, Digest: d})
	}
	return m, nil
}

func (act *action) listRemote(ctx context.Context, client *release.Client) ([]release.Wanted, []string, error) {
	byName := map[string]release.Wanted{}
	var names []string
	add := func(name string, w release.Wanted) error {
		if _, twice := byName[name]; twice {
			return fmt.Errorf("two files are named %s", name)
		}
		w.SHA256 = act.sha256[name]
		byName[name] = w
		names = append(names, name)
		return nil
	}
	if act.zenodo != "" {
		rec, err := act.readRecord(ctx, client)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range rec.Files {
			if f.URL == "" {
				return nil, nil, fmt.Errorf("record %s has no address for file %s", act.zenodo, f.Key)
			}
			if err := add(f.Key, release.Wanted{URL: f.URL, Size: f.Size, MD5: f.MD5}); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, u := range act.urls {
		if err := add(release.FileName(u), release.Wanted{URL: u}); err != nil {
			return nil, nil, err
		}
	}
	if err := act.checkSums(names); err != nil {
		return nil, nil, err
	}
	names, err := release.Select(names, act.only)
	if err != nil {
		return nil, nil, err
	}
	var wanted []release.Wanted
	for _, n := range names {
		wanted = append(wanted, byName[n])
	}
	return wanted, names, nil
}

func (act *action) readRecord(ctx context.Context, client *release.Client) (*release.Record, error) {
	address, err := release.RecordURL(act.api, act.zenodo)
	if err != nil {
		return nil, err
	}
	body, err := client.Get(ctx, address)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	rec, err := release.ReadRecord(body)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", act.zenodo, err)
	}
	return rec, nil
}

func totalSize(wanted []release.Wanted) int64 {
	var total int64
	for _, w := range wanted {
		if w.Size == 0 {
			return -1
		}
		total += w.Size
	}
	return total
}
