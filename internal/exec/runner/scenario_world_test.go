package runner

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

func seesNothing(t *turn, l *lab) {
	l.needNamespaces(t)
	secret := filepath.Join(t.TempDir(), "secret-of-another-run")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := l.victim("ls", "/", "/tmp", "/work", "/home", "/root", "/proc", ",", "read", secret)
	c.HostSystem = l.image == ""
	c.Hide = []string{"/usr/bin/env", "/usr/share"}
	rec := l.run(t, c)
	text := string(rec.Stdout.Bytes())
	if strings.Contains(text, filepath.Base(os.Args[0])) || strings.Contains(text, "secret\n") {
		t.Errorf("it sees others; %s", describe(rec))
	}
	processes := 0
	for _, line := range out(rec) {
		if len(line) > 0 && line[0] >= '1' && line[0] <= '9' {
			processes++
		}
	}
	if processes != 2 { // init and the victim itself
		t.Errorf("it sees %d processes, want 2; %s", processes, describe(rec))
	}
	if l.image != "" {
		return
	}
	c = l.victim("ls", "/usr/share", ",", "read", "/usr/bin/env")
	c.HostSystem, c.Hide = true, []string{"/usr/bin/env", "/usr/share"}
	if rec = l.run(t, c); rec.Stdout.Total > 200 {
		t.Errorf("hidden paths are seen; %s", describe(rec))
	}
	rec = l.run(t, l.victim("ls", "/"))
	for _, dir := range []string{"usr", "lib", "root", "boot", "mnt"} {
		for _, line := range out(rec) {
			if line == dir {
				t.Errorf("the bare root has /%s", dir)
			}
		}
	}
}

func writesInputs(t *turn, l *lab) {
	l.needNamespaces(t)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "input.smt2")
	if err := os.WriteFile(file, []byte("original"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := l.victim("write", "/input/input.smt2", "1", ",", "write", "/solver-tree/new", "1", ",", "write", "/new", "1",
		",", "write", "/input/second", "1", ",", "write", "/work/mine", "1")
	c.Inputs = []Input{{Source: file, Target: "/input/input.smt2"}, {Content: []byte("x"), Target: "/input/second"}}
	c.Mounts = append(c.Mounts, Mount{Source: dir, Target: "/solver-tree"})
	rec := l.run(t, c)
	if got := strings.Count(string(rec.Stdout.Bytes()), "write:"); got != 4 {
		t.Errorf("%d writes were refused, want 4; %s", got, describe(rec))
	}
	wantOut(t, rec, "written")
	if data, _ := os.ReadFile(file); string(data) != "original" {
		t.Errorf("the input is now %q", data)
	}
	c = l.victim("write", "/solver-tree/new", "1", ",", "ls", "/solver-tree")
	c.Mounts = append(c.Mounts, Mount{Source: dir, Target: "/solver-tree", Overlay: true})
	rec, err := l.host.Run(context.Background(), c)
	if err != nil {
		t.Fatalf("overlay: %v", err)
	}
	wantOut(t, rec, "written", "new", "input.smt2")
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the overlay wrote through: %v", entries)
	}
}

// resultFiles covers BenchExec issue 975, plus every other kind of name and file that a file system supports.
func resultFiles(t *turn, l *lab) {
	into := t.TempDir()
	c := l.victim("leavefiles")
	if !l.namespaces() {
		c.Dir = t.TempDir()
	}
	c.Collect = &Collect{Into: into, Patterns: []string{"**"}, MaxBytes: 1e6}
	rec := l.run(t, c)
	wantOut(t, rec, "left")
	got := map[string]bool{}
	for _, f := range rec.Collected {
		got[f.Path] = true
		info, err := os.Lstat(filepath.Join(into, f.Path))
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o644 || info.Size() != f.Size {
			t.Errorf("%q was copied as %v, %v", f.Path, info, err)
		}
	}
	for _, want := range []string{"plain.txt", "dir/deep/file", "with space\tand\nnewline", "ünïcödé",
		"bad-\xff\xfe-name", "program"} {
		if !got[want] {
			t.Errorf("%q was not copied", want)
		}
	}
	for _, bad := range []string{"link-out", "link-in", "root", "fifo", "socket", "sparse", "root/etc/passwd"} {
		if got[bad] {
			t.Errorf("%q was copied", bad)
		}
	}
	if !rec.Flags.Has(FlagCollectPartly) {
		t.Errorf("flags %v do not say that files were refused", rec.Flags)
	}
	attachments(t, l)
}

// attachments checks, with the same files, that a regular file that fits is attached to the output and any other is
// not.
func attachments(t *turn, l *lab) {
	for name, want := range map[string]Flags{"plain.txt": 0, "nothing.txt": 0, "dir": FlagCollectPartly,
		"link-out": FlagCollectPartly, "link-in": FlagCollectPartly, "root/etc/passwd": FlagCollectPartly,
		"../../etc/passwd": FlagCollectPartly, "fifo": FlagCollectPartly,
		"sparse": FlagTruncated} {
		c := l.victim("leavefiles")
		if !l.namespaces() {
			c.Dir = t.TempDir()
		}
		c.Attach, c.Limits.OutputBytes = name, 1e6
		rec := l.run(t, c)
		printed, file, attached := strings.Cut(string(rec.Stdout.Bytes()), run.AttachedMark)
		if !strings.HasPrefix(printed, "left") || attached != (name == "plain.txt") || attached && file == "" {
			t.Errorf("%s: the output is %q", name, rec.Stdout.Bytes())
		}
		if got := rec.Flags & (FlagCollectPartly | FlagTruncated); got != want {
			t.Errorf("%s: flags %v, want %v", name, got, want)
		}
	}
}

// floods covers BenchExec issue 536: the disk was full before the output limit was checked.
func floods(t *turn, l *lab) {
	c := l.victim("print", "first", ",", "flood", "30", ",", "flood", "5", "stderr", ",", "print", "last")
	c.Limits.OutputBytes = 1e6
	rec := l.run(t, c)
	wantEnding(t, rec, comp.Exited)
	if rec.Stdout.Total != 30e6+6+5 || rec.Stderr.Total != 5e6 {
		t.Errorf("counted %d and %d bytes, want 30000011 and 5000000", rec.Stdout.Total, rec.Stderr.Total)
	}
	kept := len(rec.Stdout.Head) + len(rec.Stdout.Tail) + len(rec.Stderr.Head) + len(rec.Stderr.Tail)
	if kept > 1e6 || kept < 9e5 || !rec.Flags.Has(FlagTruncated) {
		t.Errorf("kept %d bytes, flags %v", kept, rec.Flags)
	}
	if !bytes.HasPrefix(rec.Stdout.Head, []byte("first\n")) || !bytes.HasSuffix(rec.Stdout.Tail, []byte("\nlast\n")) {
		t.Errorf("head %.20q and tail %.20q are not the ends of the output", rec.Stdout.Head, rec.Stdout.Tail)
	}
	if l.cgroups() && rec.MemoryBytes > 20e6 {
		t.Errorf("memory %d: the output is counted", rec.MemoryBytes)
	}
	c = l.victim("flood", "0")
	c.Limits.OutputBytes, c.StopOutputBytes = 1e6, 10e6
	wantEnding(t, l.run(t, c), comp.OutputLimit)
}

func longLineScenario(t *turn, l *lab) {
	c := l.victim("line", "3", ",", "print", "sat")
	c.TimestampLines = 5
	rec := l.run(t, c)
	want := append(bytes.Repeat([]byte{0, 0xff, 'x', 0xc3}, 750_000), "\nsat\n"...)
	if !bytes.Equal(rec.Stdout.Bytes(), want) {
		t.Errorf("%d bytes differ from the %d that were written", len(rec.Stdout.Bytes()), len(want))
	}
	if len(rec.Lines) != 2 || len(rec.Lines[0].Text) != maxLineText || rec.Lines[1].Text != "sat" {
		t.Errorf("recorded %d lines", len(rec.Lines))
	}
}

// truncates covers BenchExec issue 535.
func truncates(t *turn, l *lab) {
	rec := l.run(t, l.victim("print", "one", ",", "truncate"))
	wantOut(t, rec, "one", "two")
}

func closesOutput(t *turn, l *lab) {
	rec := l.run(t, l.victim("print", "before", ",", "closeout", ",", "sleep", "100ms"))
	wantEnding(t, rec, comp.Exited)
	wantOut(t, rec, "before")
	between(t, "wall time", rec.WallTimeS.Duration(), 100*time.Millisecond, time.Second)

	start := time.Now() // a daemon keeps the pipe open
	rec = l.run(t, l.victim("daemon", "sleep", "30s"))
	wantEnding(t, rec, comp.Exited)
	if took := time.Since(start); took > 3*time.Second*slow {
		t.Errorf("the driver waited %v for the daemon's pipe", took)
	}
}

func standardInput(t *turn, l *lab) {
	wantOut(t, l.run(t, l.victim("stdin")), "stdin: 0 bytes, error <nil>")

	c := l.victim("stdin")
	c.Stdin = strings.NewReader(strings.Repeat("x", 300_000))
	wantOut(t, l.run(t, c), "stdin: 300000 bytes, error <nil>")

	file := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(file, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	c = l.victim("stdin")
	c.StdinFile = file
	wantOut(t, l.run(t, c), "stdin: 5 bytes, error <nil>")

	c = l.victim("sleep", "50ms") // the victim does not read its input
	c.Stdin = strings.NewReader(strings.Repeat("x", 300_000))
	wantEnding(t, l.run(t, c), comp.Exited)
}

func networkAndIPC(t *turn, l *lab) {
	l.needNamespaces(t)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	name := fmt.Sprintf("@smtpipe-test-%d", os.Getpid())
	abstract, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	rec := l.run(t, l.victim("connect", tcp.Addr().String(), name))
	wantOut(t, rec, "interface lo up=true", "loopback true", "connected "+tcp.Addr().String()+" false", "connected "+
		name+" false")
	if strings.Count(string(rec.Stdout.Bytes()), "interface ") != 1 {
		t.Errorf("there are more interfaces than the loopback; %s", describe(rec))
	}
	for range 2 { // the second run must not find what the first leaves behind
		wantOut(t, l.run(t, l.victim("ipc", "4711")), "found false", "made true")
	}
}

func inheritsNothing(t *turn, l *lab) {
	t.Setenv("SMTPIPE_SECRET", "secret")
	signal.Ignore(syscall.SIGHUP, syscall.SIGUSR1) // as nohup does
	defer signal.Reset(syscall.SIGHUP, syscall.SIGUSR1)
	old := unix.Umask(0o077)
	defer unix.Umask(old)
	leak, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer leak.Close()
	if _, err := unix.FcntlInt(leak.Fd(), unix.F_SETFD, 0); err != nil { // like a careless library's descriptor
		t.Fatal(err)
	}
	c := l.victim("facts")
	c.Env = []string{"DECLARED=yes"}
	rec := l.run(t, c)
	f := facts(rec)
	wantOut(t, rec, "env DECLARED=yes")
	if strings.Contains(string(rec.Stdout.Bytes()), "secret") {
		t.Errorf("the driver's environment is inherited; %s", describe(rec))
	}
	if strings.Join(rec.Env, "\n") != strings.Join(envLines(rec), "\n") {
		t.Errorf("recorded environment %q is not the command's %q", rec.Env, envLines(rec))
	}
	want := map[string]string{"umask": "022", "nice": "0", "fds": "0,1,2", "session_leader": "true",
		"SigBlk": "0000000000000000",
		"SigIgn": "0000000000000000"}
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	soft, hard := uint64(defaultOpenFilesSoft), min(defaultOpenFilesHard, files.Max)
	if soft < hard {
		soft = hard - 1 // the victim's Go runtime raises its own soft limit
	}
	want["limit_nofile"] = fmt.Sprintf("%d,%d", min(soft, hard), hard)
	if l.namespaces() {
		want["cwd"], want["host"] = WorkDir, Hostname
	}
	for k, v := range want {
		if f[k] != v {
			t.Errorf("%s=%s, want %s", k, f[k], v)
		}
	}
}

// envLines returns the environment that the victim saw, in order.
func envLines(rec Record) []string {
	var env []string
	for _, line := range out(rec) {
		if e, ok := strings.CutPrefix(line, "env "); ok {
			env = append(env, e)
		}
	}
	return env
}

func argumentsAndPaths(t *turn, l *lab) {
	args := []string{"plain", "with space", "", "a\nb", "$HOME `id` ;&|<>*?", "ünïcödé", "\xff\xfe", "--",
		strings.Repeat("x", 100_000)}
	rec := l.run(t, l.victim(append([]string{"args"}, args...)...))
	var want []string
	for _, a := range args {
		want = append(want, fmt.Sprintf("%q", a))
	}
	if got := out(rec); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("arguments arrived as %.500q", got)
	}
	dir := filepath.Join(t.TempDir(), "a folder\nwith ünïcödé")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file, with=commas.smt2")
	if err := os.WriteFile(file, []byte("(check-sat)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	inside := file
	if l.namespaces() {
		inside = "/input/a folder\nwith ünïcödé/file, with=commas.smt2"
	}
	c := l.victim("read", inside)
	c.Inputs = []Input{{Source: file, Target: inside}}
	wantOut(t, l.run(t, c), "(check-sat)")
	c = l.victim("args", strings.Repeat("x", 200_000))
	if _, err := l.host.Run(context.Background(), c); err == nil {
		t.Error("an argument longer than Linux takes gave no error")
	}
}

func gainsNothing(t *turn, l *lab) {
	l.needNamespaces(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	rec := l.run(t, l.victim("attack", secret))
	wantEnding(t, rec, comp.Exited)
	for _, line := range out(rec) {
		if strings.HasSuffix(line, "SUCCEEDED") {
			t.Error(line)
		}
	}
	if n := len(out(rec)); n < 58 {
		t.Errorf("only %d attacks were tried; %s", n, describe(rec))
	}
	f := facts(l.run(t, l.victim("facts")))
	for k, want := range map[string]string{"CapPrm": "0000000000000000", "CapEff": "0000000000000000",
		"CapBnd":     "0000000000000000",
		"CapInh":     "0000000000000000",
		"CapAmb":     "0000000000000000",
		"NoNewPrivs": "1", "Seccomp": "2"} {
		if f[k] != want {
			t.Errorf("%s=%s, want %s", k, f[k], want)
		}
	}
	if f["uid"] == "0" {
		t.Error("the command is root")
	}
}

func priorityAndAffinity(t *turn, l *lab) {
	l.needNamespaces(t)
	rec := l.run(t, l.victim("raise"))
	wantOut(t, rec, "nice false", "realtime false")
	if l.host.pinned {
		wantOut(t, rec, "affinity true "+rec.CPUs) // the call succeeds, but the cpuset still applies
		if rec.CPUs != formatList(l.host.slots[0].plan.cpus) || rec.CPUs == "" {
			t.Errorf("recorded CPUs %q", rec.CPUs)
		}
	}
}

func homeFolders(t *turn, l *lab) {
	if !l.namespaces() {
		rec := l.run(t, l.victim("facts"))
		for _, name := range []string{"HOME=", "TMPDIR="} {
			i := slices.IndexFunc(rec.Env, func(kv string) bool { return strings.HasPrefix(kv, name) })
			if i < 0 || !strings.HasPrefix(rec.Env[i], name+os.TempDir()+"/smtpipe-run-") {
				t.Errorf("%s is not a folder of the run: %q", name, rec.Env)
			}
		}
		for range 200 { // the folder is removed in the background
			if _, err := os.Stat(facts(rec)["cwd"]); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%s is left", facts(rec)["cwd"])
		return
	}
	c := l.victim("write", HomeDir+"/.config", "1", ",", "write", "/tmp/x", "1", ",", "write", "/var/tmp/x", "1", ",",
		"write", "y", "1")
	rec := l.run(t, c)
	if got := strings.Count(string(rec.Stdout.Bytes()), "written"); got != 4 {
		t.Errorf("%d of 4 folders can be written; %s", got, describe(rec))
	}
	rec = l.run(t, l.victim("ls", HomeDir, "/tmp", "/var/tmp", "/work"))
	if rec.Stdout.Total != 0 {
		t.Errorf("the next run finds what the last one left; %s", describe(rec))
	}
}
