package jobs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
)

// nfsDelay is how long a client may not see what another client has written.
const nfsDelay = 10 * time.Second

// mountNFS mounts the exported folder with separate caches, which are valid for 8 s.
func mountNFS(server, dir string) error {
	host, _, _ := strings.Cut(server, ":")
	return syscall.Mount(server, dir, "nfs4", 0, "vers=4.2,addr="+host+",clientaddr="+host+",nosharecache,actimeo=8")
}

// beNode makes the test binary act as a node: it mounts the folder with its own caches and executes a job's script.
func beNode(server, dir, script string) {
	err := mountNFS(server, dir)
	if err == nil {
		err = syscall.Exec("/bin/sh", []string{"sh", script}, os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// batch is a world with a real exchange folder over NFS and three nodes that share nothing else. It starts jobs like
// Slurm does.
type batch struct {
	*folder
	t      *testing.T
	server string
	dir    string // folder for job scripts

	mu     sync.Mutex
	jobs   []*batchJob
	serial int
	nodes  [3]*batchJob
	ended  sync.WaitGroup
}

type batchJob struct {
	Job
	script string
	cmd    *exec.Cmd
	over   bool
}

func (b *batch) Submit(_ context.Context, s *Submission) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.serial++
	job, script := strconv.Itoa(b.serial), filepath.Join(b.dir, fmt.Sprint("script-", b.serial))
	if err := os.WriteFile(script, []byte(s.Script("$SLURM_ARRAY_TASK_ID", "")), 0o755); err != nil {
		return err
	}
	for i := range s.Size {
		b.jobs = append(b.jobs, &batchJob{Job: Job{Name: s.Name, Index: i, ID: fmt.Sprintf("%s_%d", job, i)},
			script: script})
	}
	b.schedule()
	return nil
}

// schedule starts jobs on idle nodes.
func (b *batch) schedule() {
	for _, j := range b.jobs {
		for n := range b.nodes {
			if b.nodes[n] == nil && j.State == Queued && !j.over {
				b.start(j, n)
			}
		}
	}
}

func (b *batch) start(j *batchJob, n int) {
	j.State, j.Node, b.nodes[n] = Running, fmt.Sprint("n", n+1), j
	self, err := os.Executable()
	if err != nil {
		b.t.Error(err)
	}
	cmd := exec.Command(self, "node", b.server, b.exchange, j.script)
	cmd.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID="+strconv.Itoa(j.Index), "SLURMD_NODENAME="+j.Node)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Setpgid: true}
	var said bytes.Buffer
	cmd.Stderr = &said
	j.cmd = cmd
	if err := cmd.Start(); err != nil {
		b.t.Error(err)
		return
	}
	b.ended.Go(func() {
		err := cmd.Wait()
		if said.Len() > 0 {
			b.t.Logf("job %s on %s: %v: %s", j.ID, j.Node, err, &said)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.nodes[n] == j {
			b.nodes[n] = nil
		}
		if j.cmd == cmd {
			j.over = true
		}
		b.schedule()
	})
}

func (b *batch) List(context.Context) ([]Job, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []Job
	for _, j := range b.jobs {
		if !j.over {
			all = append(all, j.Job)
		}
	}
	return all, nil
}

func (b *batch) Cancel(_ context.Context, ids []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, j := range b.jobs {
		for _, id := range ids {
			if j.ID == id && !j.over {
				j.over = true
				if j.cmd != nil {
					_ = syscall.Kill(-j.cmd.Process.Pid, syscall.SIGKILL)
				}
			}
		}
	}
	return nil
}

// requeue puts a running job back into the queue. It kills the job's worker, or lets it continue unnoticed.
func (b *batch) requeue(kill bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n, j := range b.nodes {
		if j == nil || j.over {
			continue
		}
		if kill {
			_ = syscall.Kill(-j.cmd.Process.Pid, syscall.SIGKILL)
		}
		b.nodes[n], j.cmd, j.State, j.Node = nil, nil, Queued, ""
		b.schedule()
		return
	}
	b.t.Error("no job runs that could be put back")
}

// TestNFS executes 60 runs on three nodes that share only a folder over NFS, with separate client caches. During the
// runs, a node is lost, a job is requeued while its worker continues, the server is restarted, and the driver is
// replaced by one with a new mount. SMTPIPE_NFS names what to mount, as in the guest of scripts/guest-test --nfs.
func TestNFS(t *testing.T) {
	server := os.Getenv("SMTPIPE_NFS")
	if server == "" {
		t.Skip("SMTPIPE_NFS is not set; scripts/guest-test --nfs sets it")
	}
	dir := t.TempDir()
	b := &batch{t: t, server: server, dir: dir}
	b.folder = &folder{exchange: filepath.Join(dir, "exchange"), state: filepath.Join(dir, "state"),
		within: 10 * time.Minute, delay: nfsDelay}
	for _, err := range []error{os.Mkdir(b.exchange, 0o755), os.Mkdir(b.state, 0o755), mountNFS(server, b.exchange)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		b.ended.Wait()
		if err := syscall.Unmount(b.exchange, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	seesLate(t, server, b.exchange)

	o := newOrder(t, filepath.Join(dir, "executions"))
	faults := map[int]func(){
		10: func() { b.requeue(true) },
		20: func() { b.requeue(false) },
		40: func() { restartServer(t) },
	}
	const endDriver = 30
	for life := 0; len(o.records) < len(o.ids); life++ {
		if life == 5 {
			t.Fatalf("%d of %d runs are recorded after %d drivers", len(o.records), len(o.ids), life)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		order := o.rest(func() {
			n := len(o.records)
			if faults[n] != nil {
				t.Logf("fault at %d records", n)
				faults[n]()
			}
			if n == endDriver && life == 0 {
				cancel()
			}
		})
		err := b.driver(o, order).run(ctx, fmt.Sprint("life", life))
		cancel()
		t.Logf("driver %d: %d records, %v", life, len(o.records), err)
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		// The next driver starts with empty caches, like a restarted machine.
		err = errors.Join(syscall.Unmount(b.exchange, syscall.MNT_DETACH), mountNFS(server, b.exchange))
		if err != nil {
			t.Fatal(err)
		}
	}
	o.check()
	chunks, err := os.ReadDir(filepath.Join(b.exchange, exchange.ChunksFolder))
	if err != nil || len(chunks) > 0 {
		t.Errorf("%d chunks are left, error %v", len(chunks), err)
	}
}

// driver returns the driver for one lifetime.
func (b *batch) driver(o *nfsOrder, order *worker.Order) *driver {
	h := worker.Header{Isolation: runner.Unisolated, Cores: 1, MemoryBytes: 200e6, Jobs: 1}
	log := slog.New(slog.NewTextHandler(o.t.Output(), nil))
	x := &executor{log: log, blobs: exchange.NewBlobs(filepath.Join(b.exchange, exchange.BlobsFolder)),
		plan: plan{header: h, jobs: 3, time: 10 * time.Minute, slots: 1, poll: time.Second, delay: nfsDelay,
			most: mostJobs}}
	var err error
	if b.program, err = x.putProgram(); err != nil {
		o.t.Fatal(err)
	}
	x.world = b.folder
	if err := x.join(worker.Options{}, "batch"); err != nil {
		o.t.Fatal(err)
	}
	x.script = b.script
	return newDriver(x.plan, b, log, order, x.prepare)
}

// seesLate checks that the mounts have the property that this test needs: a file that one client creates is not
// immediately visible to another.
func seesLate(t *testing.T, server, dir string) {
	t.Helper()
	other := t.TempDir()
	if err := mountNFS(server, other); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Unmount(other, syscall.MNT_DETACH) }()
	if _, err := os.ReadDir(other); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(other, "late")); err == nil {
		t.Fatal("the folder is not empty")
	}
	if err := os.WriteFile(filepath.Join(dir, "late"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	for {
		if _, err := os.Stat(filepath.Join(other, "late")); err == nil {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("another client does not see a file after a minute")
		}
		time.Sleep(100 * time.Millisecond)
	}
	late := time.Since(begun)
	t.Logf("another client sees a file after %s", late)
	if late < time.Second || late > nfsDelay {
		t.Errorf("want between 1 s and %s", nfsDelay)
	}
	if err := os.Remove(filepath.Join(dir, "late")); err != nil {
		t.Fatal(err)
	}
}

// restartServer stops the guest's server and restarts it after 3 s.
func restartServer(t *testing.T) {
	if out, err := exec.Command("/begin", "restart").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// nfsOrder represents 60 runs of twelve scripts with their recorded results. Each run also records its start outside
// NFS.
type nfsOrder struct {
	t       *testing.T
	log     string
	ids     []string
	scripts map[string][]byte
	records map[string]time.Time
}

func newOrder(t *testing.T, log string) *nfsOrder {
	o := &nfsOrder{t: t, log: log, scripts: map[string][]byte{}, records: map[string]time.Time{}}
	for k := range 60 {
		id := fmt.Sprintf("%064x", k)
		o.ids = append(o.ids, id)
		o.scripts[id] = bytes.Repeat(fmt.Appendf(nil, "(assert %d)\n", k%12), 10_000)
	}
	return o
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// rest returns an order for all runs without a record. recorded is called after each new record.
func (o *nfsOrder) rest(recorded func()) *worker.Order {
	order := &worker.Order{Limit: 20 * time.Second}
	var ids []string
	for _, id := range o.ids {
		if _, there := o.records[id]; !there {
			ids = append(ids, id)
			const expected = 15 * time.Second // long enough that there are several chunks
			order.Tasks = append(order.Tasks, worker.Task{ID: id, Expected: expected})
		}
	}
	order.Works = func(k int) ([]*worker.Work, error) {
		c := workertest.Shell(fmt.Sprintf(`echo %s $(date +%%s) >>%s; sleep 2; sha256sum`, ids[k], o.log))
		w := workertest.MustWork(o.t, ids[k], c, []byte{})
		w.Stdin = &worker.File{SHA256: digest(o.scripts[ids[k]]), Source: worker.SourceOf(o.scripts[ids[k]])}
		return []*worker.Work{w}, nil
	}
	order.Take = func(k int, results []*worker.Result) (bool, error) {
		r := results[0]
		_, again := o.records[ids[k]]
		switch {
		case r.Failure != nil:
			return false, fmt.Errorf("run %s: %w", ids[k], r.Failure.Err())
		case again:
			return false, fmt.Errorf("run %s was recorded before", ids[k])
		case string(r.Record.Stdout.Head) != digest(o.scripts[ids[k]])+"  -\n":
			return false, fmt.Errorf("run %s has read another script: %s", ids[k], r.Record.Stdout.Head)
		}
		o.records[ids[k]] = time.Now()
		recorded()
		return false, nil
	}
	return order
}

// check verifies that no recorded run was executed again, and that only a few other runs were executed twice.
func (o *nfsOrder) check() {
	text, err := os.ReadFile(o.log)
	if err != nil {
		o.t.Fatal(err)
	}
	begun := 0
	for line := range strings.Lines(string(text)) {
		id, at, _ := strings.Cut(strings.TrimSpace(line), " ")
		seconds, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			o.t.Fatal(err)
		}
		begun++
		if late := time.Unix(seconds, 0).Sub(o.records[id]); late > nfsDelay {
			o.t.Errorf("run %s was begun %s after it was recorded", id, late)
		}
	}
	o.t.Logf("%d runs, %d begun", len(o.ids), begun)
	if lost := begun - len(o.ids); lost < 0 || lost > 8 {
		o.t.Errorf("%d runs were begun in vain, want those that were going on when something failed, at most 8", lost)
	}
}
