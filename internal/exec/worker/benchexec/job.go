package benchexec

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/csv"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// Paths in a job folder.
const (
	resultsFolder = "results"
	unpackFolder  = "unpack"
	definitions   = "run_definitions"
	ownProgram    = "smtpipe" // copy of this program, which executes traces
	propertyFile  = "benchmarks/properties/SMT.prp"
)

//go:embed all:job
var fixed embed.FS

// job writes a job folder. It leaves existing files with the same content unchanged.
type job struct {
	folder string
	ledger ledger
	// requires makes the definitions state which machines may execute the runs: those with enough cores and memory for
	// a run. If processor is not empty, the processor's name must contain it.
	requires  bool
	processor string

	mu    sync.Mutex
	trees map[string]bool // trees already copied
	owner map[string]string
}

func newJob(folder string) *job {
	return &job{folder: folder, trees: map[string]bool{}, owner: map[string]string{}}
}

// write writes a task's script and definition.
func (j *job) write(t *task, w *worker.Work) error {
	script, err := content(w)
	if err != nil {
		return err
	}
	folder := path.Join("benchmarks", "files"+t.track.suffix, t.about.Logic)
	if err := j.put(path.Join(folder, t.script()), script, 0o644); err != nil {
		return err
	}
	var yml bytes.Buffer
	fmt.Fprintf(&yml, "format_version: '2.0'\n\ninput_files: '%s'\n\n# original_files: '%s'\n\nproperties:\n"+
		"  - property_file: '../../properties/SMT.prp'\n", t.script(), t.about.Benchmark)
	if status := comp.Status(t.about.Status); status.Known() {
		fmt.Fprintf(&yml, "    expected_verdict: %v\n", status == comp.StatusSat)
	}
	if err := j.put(path.Join(folder, t.file()), yml.Bytes(), 0o644); err != nil {
		return err
	}
	return j.copyTrees(t)
}

// put writes a file to the job. Several runs may write the same script concurrently.
func (j *job) put(name string, content []byte, mode os.FileMode) error {
	full := filepath.Join(j.folder, filepath.FromSlash(name))
	if old, err := os.ReadFile(full); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(full), filepath.Base(full)+".tmp*")
	if err != nil {
		return err
	}
	_, err = temp.Write(content)
	if err = errors.Join(err, temp.Chmod(mode), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), full)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// treeName returns the name of a solver tree's folder in the job.
func treeName(m worker.Mount) string {
	sum := sha256.Sum256([]byte(m.Source))
	return hex.EncodeToString(sum[:6])
}

// copyTrees copies each of the task's trees once.
func (j *job) copyTrees(t *task) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, m := range t.trees {
		to := filepath.Join(j.folder, unpackFolder, treeName(m))
		if j.trees[to] {
			continue
		}
		if err := worker.CopyTree(m.Source, to); err != nil {
			return fmt.Errorf("copy the solver %s: %w", t.about.Solver, err)
		}
		if m.Target == runner.ImageRoot {
			if err := mountPoints(to); err != nil {
				return err
			}
		}
		j.trees[to] = true
	}
	return nil
}

// mountPoints creates the folders in an image's copy where run.sh mounts something. They must not be links, because
// run.sh would follow them on the machine.
func mountPoints(image string) error {
	for _, name := range []string{"dev", "proc", "sys", "tmp", "job"} {
		at := filepath.Join(image, name)
		if info, err := os.Lstat(at); err == nil && !info.IsDir() {
			if err := os.Remove(at); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(at, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// finish writes the files about all tasks, and a benchmark definition for each solver. It returns the definitions'
// names. tasks must be sorted by solver.
func (j *job) finish(tasks []*task) ([]string, error) {
	if err := j.common(tasks); err != nil {
		return nil, err
	}
	var names []string
	for len(tasks) > 0 {
		n := 1
		for n < len(tasks) && tasks[n].definition() == tasks[0].definition() {
			n++
		}
		name, err := j.define(tasks[:n])
		if err != nil {
			return nil, err
		}
		names, tasks = append(names, name), tasks[n:]
	}
	return names, nil
}

// common writes the tool modules that all solvers share, the property, and the script numbers.
func (j *job) common(tasks []*task) error {
	err := fs.WalkDir(fixed, "job", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fixed.ReadFile(name)
		if err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if path.Ext(name) == ".sh" {
			mode = 0o755
		}
		return j.put(strings.TrimPrefix(name, "job/"), text, mode)
	})
	if err == nil {
		err = j.put(propertyFile, nil, 0o644)
	}
	if err != nil || len(tasks) == 0 {
		return err
	}
	if slices.ContainsFunc(tasks, func(t *task) bool { return t.trace }) {
		self, err := os.Executable()
		if err == nil {
			err = worker.CopyTree(self, filepath.Join(j.folder, ownProgram))
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(j.ledger.add(j, tasks), j.numbers(tasks),
		os.MkdirAll(filepath.Join(j.folder, resultsFolder), 0o755))
}

// numbers writes which script belongs to which benchmark: the organisers' original_id.csv, and a table of benchmarks by
// number.
func (j *job) numbers(tasks []*task) error {
	scripts, names := map[int]string{}, map[int]string{}
	for _, t := range tasks {
		scripts[t.about.Script] = strconv.Itoa(t.about.Number)
		names[t.about.Number] = t.about.Benchmark
	}
	folder := path.Join("benchmarks", "files"+tasks[0].track.suffix)
	return errors.Join(j.table(path.Join(folder, "original_id.csv"), []string{"scramble_id", "file"}, scripts),
		j.table(path.Join(folder, "benchmarks.csv"), []string{"file", "benchmark"}, names))
}

// table writes a table with two columns, the first of which is a number. It keeps existing rows with other numbers,
// because they belong to tasks that have results.
func (j *job) table(name string, header []string, rows map[int]string) error {
	if old, err := os.ReadFile(filepath.Join(j.folder, filepath.FromSlash(name))); err == nil {
		r := csv.NewReader(bytes.NewReader(old))
		r.FieldsPerRecord = len(header)
		known, err := r.ReadAll()
		if err != nil {
			return fmt.Errorf("%s in %s is not what smtpipe wrote; restore it: %w", name, j.folder, err)
		}
		for _, row := range known {
			n, err := strconv.Atoi(row[0])
			if _, again := rows[n]; err == nil && !again {
				rows[n] = row[1]
			}
		}
	}
	lines := [][]string{header}
	for _, n := range slices.Sorted(maps.Keys(rows)) {
		lines = append(lines, []string{strconv.Itoa(n), rows[n]})
	}
	return j.putCSV(name, lines)
}

func (j *job) putCSV(name string, lines [][]string) error {
	var b bytes.Buffer
	_ = csv.NewWriter(&b).WriteAll(lines) // writes to a buffer cannot fail
	return j.put(name, b.Bytes(), 0o644)
}

// define writes a solver's tool-info module, task list and benchmark definition.
func (j *job) define(tasks []*task) (string, error) {
	t := tasks[0]
	module, base, class := t.module()+t.track.suffix, "tool", "SMTCompTool"
	if other, taken := j.owner[module]; taken && other != t.definition() {
		return "", fmt.Errorf("the names of the solvers %q and %q result in the same file %s; give one of them another "+
			"name", other, t.definition(), module)
	}
	j.owner[module] = t.definition()
	if t.trace {
		base, class = "incremental_tool", "IncrementalSMTCompTool"
	}
	required := []string{"'tools/run.sh'"}
	for _, m := range t.trees {
		required = append(required, "'"+path.Join(unpackFolder, treeName(m))+"'")
	}
	if t.trace {
		required = append(required, "'"+ownProgram+"'")
	}
	python := fmt.Sprintf("from tools.%s import %s\n\n\nclass Tool(%s):\n    NAME = %s\n    REQUIRED_PATHS = [%s]\n",
		base, class, class, strconv.QuoteToASCII(t.about.Solver), strings.Join(required, ", "))
	var list bytes.Buffer
	for _, o := range tasks {
		fmt.Fprintf(&list, "../benchmarks/files%s/%s/%s\n", o.track.suffix, o.about.Logic, o.file())
	}
	name := path.Join(definitions, module+".xml")
	return name, errors.Join(
		j.put(path.Join("tools", module+".py"), []byte(python), 0o644),
		j.put(path.Join(definitions, module+".set"), list.Bytes(), 0o644),
		j.put(name, j.benchmarkXML(t, module), 0o644),
	)
}

// benchmarkXML returns a solver's benchmark definition for a track.
func (j *job) benchmarkXML(t *task, module string) []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<!DOCTYPE benchmark PUBLIC "+//IDN sosy-lab.org//DTD BenchExec benchmark 2.3//EN" ` +
		`"https://www.sosy-lab.org/benchexec/benchmark-2.3.dtd">` + "\n")
	fmt.Fprintf(&b, "<benchmark tool=\"tools.%s\" timelimit=\"%s\" walltimelimit=\"%s\" memlimit=\"%s\" cpuCores=\"%d\">\n",
		module, wholeSeconds(t.cpuLimit()), wholeSeconds(t.limits.WallTime),
		memory(t.limits.MemoryBytes), max(t.limits.Cores, 1))
	if t.about.Image != "" {
		fmt.Fprintf(&b, "  <!-- The root file system of runs is the image %s. -->\n",
			escape(strings.ReplaceAll(t.about.Image, "--", "- -")))
	}
	if j.requires {
		b.WriteString("  <require")
		if j.processor != "" {
			fmt.Fprintf(&b, " cpuModel=\"%s\"", escape(j.processor))
		}
		fmt.Fprintf(&b, " cpuCores=\"%d\" memory=\"%s\"/>\n", max(t.limits.Cores, 1), memory(t.limits.MemoryBytes))
	}
	fmt.Fprintf(&b, "  <rundefinition name=\"%s\">\n", escape(t.definition()))
	for _, o := range t.options {
		fmt.Fprintf(&b, "    <option>%s</option>\n", escape(o))
	}
	fmt.Fprintf(&b, "    <tasks name=\"task\">\n      <includesfile>%s.set</includesfile>\n    </tasks>\n  </rundefinition>\n"+
		"  <propertyfile>../%s</propertyfile>\n</benchmark>\n", module, propertyFile)
	return b.Bytes()
}

// wholeSeconds returns a time limit, rounded up to whole seconds as BenchExec requires.
func wholeSeconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10) + "s"
}

// memory formats a memory limit, in the organisers' unit if possible.
func memory(bytes int64) string {
	const mega = 1_000_000
	if bytes%mega == 0 {
		return strconv.FormatInt(bytes/mega, 10) + " MB"
	}
	return strconv.FormatInt(bytes, 10) + " B"
}

func escape(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // writes to a buffer cannot fail
	return b.String()
}
