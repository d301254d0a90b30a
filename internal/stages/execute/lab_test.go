package execute_test

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/execute"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestMain(m *testing.M) {
	serveWorker()
	workertest.Main(m)
}

func TestStage(t *testing.T) {
	needRunner(t)
	stagetest.Run(t, execute.Kind, stagetest.Case{Kinds: []*stages.Kind{texts}})
}

// needRunner skips a test if this machine cannot execute runs.
func needRunner(t *testing.T) {
	t.Helper()
	h, err := runner.Open(runner.Config{Isolation: runner.BestEffort, Jobs: 1, NoLock: true})
	if err != nil {
		t.Skip(err)
	}
	h.Close()
}

// texts is the test stage "texts", which returns scripts by benchmark path.
var texts = &stages.Kind{
	Name: "texts", Version: 1, Summary: "Makes scripts", Doc: "For tests.", Example: "-",
	Attrs: []stages.Attr{
		{Name: "scripts", Type: cty.Map(cty.String), Required: true, Doc: "text by path"},
	},
	Outputs: []stages.Output{{Name: "scripts", Type: stages.TableType("scripts/1"), Doc: "the scripts"}},
	New: func(a *stages.Args) (stages.Action, error) {
		return textsAction(a.Value("scripts").AsValueMap()), nil
	},
}

type textsAction map[string]cty.Value

func (act textsAction) Execute(_ context.Context, env *stages.Env) error {
	var rows []results.ScriptRow
	for path, text := range act {
		d, err := env.Store.PutBytes([]byte(text.AsString()))
		if err != nil {
			return err
		}
		rows = append(rows, results.ScriptRow{Benchmark: path, Logic: filepath.Base(filepath.Dir(path)),
			ScriptSHA256: d.String()})
	}
	return stages.SetTable(env, "scripts", rows)
}

// lab is a folder with a pipeline, fake solvers and a store.
type lab struct {
	dir     string
	store   *cache.Store
	machine *stages.Machine // nil means a new machine for each run
	absent  []cache.Absent  // excluded entrants of the last run
	found   bool            // the last run found the stage in the store
}

func newLab(t *testing.T, solvers map[string]string) *lab {
	t.Helper()
	needRunner(t)
	l := &lab{dir: t.TempDir()}
	for name, text := range solvers {
		l.write(t, name, text, 0o755)
	}
	store, err := cache.Open(filepath.Join(t.TempDir(), "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	l.store = store
	return l
}

func (l *lab) write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	target := filepath.Join(l.dir, name)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(target, mode); err != nil { // independent of the umask
		t.Fatal(err)
	}
}

// zip returns a zip archive of programs.
func (l *lab) zip(t *testing.T, name string, programs map[string]string) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for path, text := range programs {
		h := &zip.FileHeader{Name: path}
		h.SetMode(0o755)
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l.write(t, name, b.String(), 0o644)
}

// files provides the files of the lab's pipelines.
type files struct {
	dir   string
	index *cache.FileIndex
}

func (f files) File(path string) (stages.File, error) {
	full := filepath.Join(f.dir, path)
	info, err := os.Stat(full)
	if err != nil {
		return stages.File{}, err
	}
	file := stages.File{Path: full, Name: path, IsDir: info.IsDir()}
	if file.IsDir {
		file.Digest, _, err = f.index.DigestTree(full)
	} else {
		file.Digest, _, err = f.index.Digest(full)
	}
	return file, err
}

func (f files) Program(name string) (stages.File, error) { return f.File(name) }

// executed counts the items that an execution did not find in the store.
type executed struct {
	mu   sync.Mutex
	new  int64
	runs bool // the execution executed a stage that lists runs
}

func (e *executed) Observe(ev engine.Event) {
	if s, ok := ev.(engine.ItemsStarted); ok && s.Unit == "runs" {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.new, e.runs = e.new+s.Total-s.Reused, true
	}
}

// run executes a pipeline and returns the rows of stage.execute.x and the number of executed runs.
func (l *lab) run(t *testing.T, pipeline string) (rows []results.RunRow, made int64, err error) {
	t.Helper()
	return l.runWith(t.Context(), t, pipeline, nil)
}

func (l *lab) runWith(ctx context.Context, t *testing.T, pipeline string, fresh []string) (rows []results.RunRow,
	made int64, err error) {
	t.Helper()
	l.write(t, "pipeline.hcl", pipeline+`
executor "local" "here" {
  isolation = "best_effort"
  jobs      = 1
}
`, 0o644)
	p, diags := config.Load(config.Options{
		Path: l.dir, Files: files{l.dir, l.store.FileIndex(false)}, Version: "0.0.0",
		Kinds: []*stages.Kind{execute.Kind, texts, stagetest.Rows},
	})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var seen executed
	e, err := engine.New(p, engine.Options{Store: l.store, Name: "test", Folder: l.dir, Jobs: 1, Observer: &seen,
		Fresh: fresh, Machine: l.machine})
	if err != nil {
		t.Fatal(err)
	}
	r, diags, err := e.Run(ctx)
	l.found = !seen.runs
	l.absent = e.Absent()["stage.execute.x"]
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if art, ok := stages.ArtifactOf(r.Known["stage.execute.x"]["runs"]); ok {
		rows, readErr := artifact.ReadTable[results.RunRow](l.store, art)
		if readErr != nil {
			t.Fatal(readErr)
		}
		return rows, seen.new, err
	}
	return nil, seen.new, err
}
