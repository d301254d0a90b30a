// Package freeze writes frozen folders. A frozen folder is an executed pipeline with its inputs and outputs as files in
// open formats, which require neither the store nor the machine. Package frozen reads them.
package freeze

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/runtree"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Level is how much of the content a folder includes. Each level includes all previous ones.
type Level string

// The levels.
const (
	Records Level = "records" // tables, small files and the site
	Outputs Level = "outputs" // adds runs' outputs, and the scripts of models and cores
	Inputs  Level = "inputs"  // adds benchmarks, scripts, and solvers' archives and programs
)

// Input describes the pipeline to freeze.
type Input struct {
	Store    *cache.Store
	Pipeline *config.Pipeline
	Path     string                 // absolute path of the pipeline's folder
	Files    map[string]stages.File // files that the pipeline requested (frozen.Recorder)
	Steps    []engine.SnapshotStep
	Version  string // version of smtpipe
	Level    Level
	Contacts bool     // whether to publish mail addresses in submissions
	Date     string   // date such as 2026-05-01; if empty, the day of the last measurement is used
	Binary   string   // path of this program
	Source   string   // path of an archive of this program's source code; may be empty
	Machines []string // paths of "smtpipe doctor --json" reports from machines that executed measured stages
	About    About
	Evidence *evidence.Document                              // evidence that no key covers
	Solvers  map[string][]evidence.Version                   // version answers in Evidence, by solver name
	Sign     func(lock []byte) (signature []byte, err error) // signs the lock; nil leaves it unsigned

	// Announce receives the number of files and archive members, the approximate size of the files, and the
	// uncompressed size of the archives' contents before anything is written. Resume receives the number of files that
	// a killed freeze left; Progress receives the number of further files finished.
	Announce func(files int, bytes, packed int64)
	Scripts  func(scripts int, bytes int64) // receives number and size of the scripts that are included to judge again
	Resume   func(files int)
	Progress func(files int)
}

// About contains facts that only a folder's authors know. All fields are optional.
type About struct {
	Title    string
	Creators []string
	License  License
}

// IncompleteError reports that the pipeline has not been executed completely.
type IncompleteError struct{ Addrs []string }

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("%s cannot be frozen before it is complete: execute the pipeline with \"smtpipe run\", or name the "+
		"stages to freeze", words.Some(e.Addrs, 5))
}

// Write writes a frozen folder, or an archive of the folder if target ends with .zip or .tar.zst. It writes the target
// completely or not at all, and returns an error if the target exists. After a killed or cancelled call, the next call
// reuses the files already written.
func Write(ctx context.Context, in *Input, target string) error {
	f := &freezing{Input: in, lock: &frozen.Lock{
		Version: in.Version, Level: string(in.Level), Date: in.Date,
		Inputs: map[string]frozen.Entry{}, Variables: map[string]frozen.Entry{},
		Stages: map[string]frozen.Entry{}, Outputs: map[string]frozen.Entry{},
	}, taken: map[string]bool{}, plain: map[cache.Digest]bool{}}
	for _, step := range []func() error{f.checkComplete, f.addStages, f.addRoots, f.addPipeline, f.addVariables,
		f.addContent, f.addProgram, f.addDocuments} {
		if err := step(); err != nil {
			return err
		}
	}
	return f.write(ctx, target)
}

// freezing is the state of one call of Write.
type freezing struct {
	*Input
	lock  *frozen.Lock
	main  string // path of the pipeline's main file
	items []item
	taken map[string]bool // paths of all items so far

	plain   map[cache.Digest]bool // digests of content that is a file in the folder
	outputs []cache.Digest        // digests of the contents of outputs.zip, sorted
	inputs  []cache.Digest        // digests of the contents of inputs.zip, sorted
}

func (f *freezing) checkComplete() error {
	var waiting []string
	for i := range f.Steps {
		if !f.Steps[i].Complete {
			waiting = append(waiting, f.Steps[i].Addr)
		}
	}
	if len(waiting) > 0 {
		return &IncompleteError{waiting}
	}
	if len(f.Steps) == 0 {
		return errors.New("the pipeline has no stages")
	}
	return nil
}

// addStages adds the records and outputs of all stages.
func (f *freezing) addStages() error {
	last := ""
	for i := range f.Steps {
		step := &f.Steps[i]
		record, err := f.recordOf(step)
		if err != nil {
			return err
		}
		entry := frozen.Entry{frozen.AttrKind: step.Kind.Name, frozen.AttrKey: step.Key}
		for _, c := range record.Components {
			if slices.Contains(frozen.Recorded, c.Name) {
				entry[c.Name] = c.Value
			}
		}
		if step.Kind.Measured {
			entry[frozen.AttrFinished] = record.Finished.Format("2006-01-02T15:04:05Z")
			entry[frozen.AttrVersion] = record.Version
			last = max(last, record.Finished.Format("2006-01-02"))
		}
		f.lock.Stages[step.Addr] = entry
		for name, o := range record.Outputs {
			f.lock.Outputs[step.Addr+"."+name] = frozen.OutputEntry(o)
		}
		text, err := cache.EncodeAction(record)
		if err != nil {
			return err
		}
		f.add(bytesItem(frozen.StageDir(step.Addr)+"/"+frozen.RecordName, text))
	}
	if f.lock.Date != "" && f.lock.Date < last {
		return fmt.Errorf("the date %s is before the last runs, which were measured on %s; give a later --date, or none",
			f.lock.Date, last)
	}
	if f.lock.Date == "" {
		f.lock.Date = last
	}
	if f.lock.Date == "" {
		return errors.New("no stage is measured, so there is no date for the folder; give one with " +
			"--date")
	}
	return nil
}

// addRoots adds the roots of the hash tree to the lock.
func (f *freezing) addRoots() error {
	roots, err := Roots(f.Store, f.Steps)
	f.lock.Runs, f.lock.Entrants = roots.Runs, roots.Entrants
	return err
}

// Roots returns the roots of the hash tree over a pipeline's runs and entrants, as in a lock. All measured stages must
// have finished; the stages computed from them need not. There is no root of the entrants until the stages that define
// the participants have finished.
func Roots(store *cache.Store, steps []engine.SnapshotStep) (runtree.Roots, error) {
	var tree runtree.Tree
	var waiting []string
	told := true
	for i := range steps {
		for _, out := range steps[i].Kind.Outputs {
			schema, _ := stages.TableSchema(out.Type)
			told = told && (steps[i].Complete || !runtree.HasEntrants(schema))
		}
		if steps[i].Kind.Measured && !steps[i].Complete {
			waiting = append(waiting, steps[i].Addr)
		}
		for name, value := range steps[i].Outputs {
			art, ok := stages.ArtifactOf(value)
			if !ok || !runtree.HasRuns(art.Schema) && !runtree.HasEntrants(art.Schema) {
				continue
			}
			content, err := store.ReadBytes(art.Digest)
			if err == nil {
				err = tree.Add(art.Schema, steps[i].Addr+"."+name, bytes.NewReader(content), int64(len(content)))
			}
			if err != nil {
				return runtree.Roots{}, fmt.Errorf("output %s of %s: %w", name, steps[i].Addr, err)
			}
		}
	}
	if len(waiting) > 0 {
		return runtree.Roots{}, fmt.Errorf("the runs have not ended: %s; execute them with \"smtpipe run\"",
			strings.Join(waiting, ", "))
	}
	roots, err := tree.Roots()
	if !told {
		roots.Entrants = ""
	}
	return roots, err
}

// recordOf returns a stage's record. For a deterministic stage, it omits the time and duration of the execution: equal
// content produces equal bytes.
func (f *freezing) recordOf(step *engine.SnapshotStep) (*cache.Action, error) {
	key, err := cache.ParseKey(step.Key)
	if err != nil {
		return nil, err
	}
	stored, err := f.Store.GetAction(key)
	if err != nil {
		return nil, err
	}
	if stored == nil {
		return nil, fmt.Errorf("the record of %s is no longer in the store; run the pipeline again", step.Addr)
	}
	record := *stored
	record.Address = step.Addr // the store finds records by key, even under another address
	if !step.Kind.Measured {
		record = cache.Action{Address: step.Addr, Kind: record.Kind, Components: record.Components,
			Outputs: record.Outputs, Inputs: record.Inputs, Absent: record.Absent}
	} else {
		record.Finished = record.Finished.UTC()
	}
	return &record, nil
}

func (f *freezing) addVariables() error {
	for _, v := range f.Pipeline.GivenVariables() {
		e := frozen.Entry{frozen.AttrValue: v.Text}
		if v.Sensitive {
			e = frozen.Entry{frozen.AttrSHA256: v.Text}
		}
		f.lock.Variables[v.Name] = e
	}
	return nil
}

// addPipeline adds the pipeline's own files and the files that they read.
func (f *freezing) addPipeline() error {
	root, sources, err := f.sourceRoot()
	if err != nil {
		return err
	}
	place := func(file string) (string, bool) {
		rel, err := filepath.Rel(root, file)
		return "pipeline/" + filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
	}
	for _, source := range sources {
		name, _ := place(source)
		f.add(fileItem(name, source, 0o644))
	}
	embedded, err := f.Pipeline.ProgramFiles()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(embedded)) {
		f.add(bytesItem("rules/"+name, embedded[name]))
	}
	f.addTrees()
	name, _ := place(f.Path)
	f.lock.Pipeline = path.Clean(name)
	f.main, _ = place(sources[0])
	return f.addInputs(place)
}

// addTrees adds the rule sets of scoring stages as trees, which check.py evaluates.
func (f *freezing) addTrees() {
	for i := range f.Steps {
		if rs := score.RuleSetOf(f.Steps[i].Action); rs != nil {
			if name := frozen.TreeName(rs.Digest()); !f.taken[name] {
				f.add(bytesItem(name, rs.Tree()))
			}
		}
	}
}

// sourceRoot returns the smallest folder that contains all files of the pipeline and its modules, and the paths of
// these files.
func (f *freezing) sourceRoot() (root string, sources []string, err error) {
	if root, err = filepath.Abs(f.Pipeline.Folder()); err != nil {
		return "", nil, err
	}
	for _, name := range f.Pipeline.SourceFiles() {
		source, err := filepath.Abs(name)
		if err != nil {
			return "", nil, err
		}
		sources = append(sources, source)
		for !strings.HasPrefix(source, strings.TrimSuffix(root, "/")+"/") {
			root = filepath.Dir(root)
		}
	}
	return root, sources, nil
}
