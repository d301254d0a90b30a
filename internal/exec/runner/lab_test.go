package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// victimPath is the helper program that all scenarios execute. TestMain builds it unless SMTPIPE_VICTIM names one, as
// in a guest without Go.
var victimPath = os.Getenv("SMTPIPE_VICTIM")

func TestMain(m *testing.M) {
	if os.Getenv("SMTPIPE_TEST_DRIVER") != "" {
		testDriver()
	}
	os.Exit(withVictim(m))
}

func withVictim(m *testing.M) int {
	unix.Umask(0o022) // the user of runs must be able to read the tests' output
	if victimPath != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "smtpipe-victim-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // the user that runs execute as needs access
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	victimPath = filepath.Join(dir, "victim")
	build := exec.Command("go", "build", "-trimpath", "-o", victimPath, "./runnertest/victim")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the victim: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// slow is how many times slower this machine is than a real one. A guest without hardware support sets SMTPIPE_SLOW.
var slow = func() time.Duration {
	if n, err := strconv.Atoi(os.Getenv("SMTPIPE_SLOW")); err == nil && n > 0 {
		return time.Duration(n)
	}
	return 1
}()

// mode is a configuration for executing all scenarios.
type mode struct {
	name   string
	config Config
	heavy  bool // executed only with SMTPIPE_RUNNER_MODES=all
	image  bool // whether an image is the commands' root
}

var modes = []mode{
	{name: "full", config: Config{Isolation: Full}},
	{name: "no_cgroups", config: Config{Isolation: NamespacesOnly}},
	{name: "image", config: Config{Isolation: Full}, image: true, heavy: true},
	{name: "image_no_cgroups", config: Config{Isolation: NamespacesOnly}, image: true, heavy: true},
	{name: "full_v1", config: Config{Isolation: Full, Layout: LayoutV1}, heavy: true},
	{name: "cgroup_only", config: Config{Isolation: CgroupOnly}, heavy: true},
	{name: "none", config: Config{Isolation: Unisolated}, heavy: true},
}

// lab is a host that runs in one mode.
type lab struct {
	mode  mode
	host  *Host
	image string // folder of the root; empty means the host's root
}

func openLab(t *testing.T, m mode) *lab {
	t.Helper()
	m.config.Jobs = 1
	m.config.NoLock = true
	h, err := Open(m.config)
	if err != nil {
		if os.Getenv("SMTPIPE_REQUIRE_CGROUPS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	l := &lab{mode: m, host: h}
	if m.image {
		l.image = makeImage(t)
	}
	return l
}

// makeImage creates an image tree like solver.UnpackRoot's, with links that lead out of it.
func makeImage(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for p := dir; p != "/"; p = filepath.Dir(p) {
		_ = os.Chmod(p, 0o755) // fails for other users' folders, which are already accessible
	}
	for _, sub := range []string{"home/solver", "var/tmp", "etc", "usr/share/of-the-image", "dev/of-the-image",
		"work/of-the-image", "solver/of-the-image", "root", "tmp/of-the-image"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"etc/passwd": "somebody:x:1:1::/:\n", "etc/hosts": "1.2.3.4 example\n",
		"usr/share/of-the-image/file": "of the image\n", "top": "of the image\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"lib": "usr/lib", "out": "/", "up": "../../../../..", "proc": "/etc",
		"etc/group": "/etc/shadow", "fds": "/proc/self/fd", "old": "/proc/1/root", "usr/out": t.TempDir()} {
		if err := os.Symlink(text, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (l *lab) namespaces() bool {
	return l.mode.config.Isolation == Full || l.mode.config.Isolation == NamespacesOnly
}

func (l *lab) cgroups() bool {
	return l.mode.config.Isolation == Full || l.mode.config.Isolation == CgroupOnly
}

// needNamespaces skips a scenario that requires namespaces.
func (l *lab) needNamespaces(t testing.TB) {
	t.Helper()
	if !l.namespaces() {
		t.Skipf("mode %s has no namespaces: the command sees the machine as the driver does", l.mode.name)
	}
}

// needCgroups skips a scenario that requires cgroups.
func (l *lab) needCgroups(t testing.TB, what string) {
	t.Helper()
	if !l.cgroups() {
		t.Skipf("mode %s has no cgroups: %s", l.mode.name, what)
	}
}

// victim returns a victim command with limits that no scenario should reach.
func (l *lab) victim(args ...string) Command {
	c := Command{Argv: append([]string{victimPath}, args...)}
	c.Limits = comp.Limits{WallTime: 20 * time.Second * slow, MemoryBytes: 2e9, Processes: 256}
	if l.namespaces() {
		c.Argv[0] = SolverDir + "/victim"
		c.Mounts = []Mount{{Source: victimPath, Target: SolverDir + "/victim", Warm: true}}
	}
	if l.image != "" {
		c.Mounts = append(c.Mounts, Mount{Source: l.image, Target: ImageRoot})
	}
	return c
}

func (l *lab) run(t testing.TB, c Command) Record {
	t.Helper()
	rec, err := l.host.Run(context.Background(), c)
	if err != nil {
		t.Fatalf("%q: %v", c.Argv, err)
	}
	return rec
}

// out returns the lines of stdout.
func out(rec Record) []string {
	return strings.Split(strings.TrimSpace(string(rec.Stdout.Bytes())), "\n")
}

// facts returns the key=value lines of stdout as a map.
func facts(rec Record) map[string]string {
	m := map[string]string{}
	for _, line := range out(rec) {
		if k, v, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "env ") {
			m[k] = v
		}
	}
	return m
}

func wantEnding(t testing.TB, rec Record, want comp.Ending) {
	t.Helper()
	if rec.Ending != want {
		t.Fatalf("ending %q, want %q; %s", rec.Ending, want, describe(rec))
	}
}

func describe(rec Record) string {
	return fmt.Sprintf("exit %d signal %d wall %v cpu %v memory %d flags %v\nstdout: %.1000s\nstderr: %.1000s",
		rec.ExitCode,
		rec.Signal, rec.WallTimeS.Duration(), rec.CPUTimeS.Duration(), rec.MemoryBytes, rec.Flags,
		rec.Stdout.Bytes(), rec.Stderr.Bytes())
}

func wantOut(t testing.TB, rec Record, want ...string) {
	t.Helper()
	have := out(rec)
	for _, w := range want {
		if !slices.Contains(have, w) {
			t.Errorf("stdout lacks the line %q; %s", w, describe(rec))
		}
	}
}

// between checks that a duration is within bounds. It raises the upper bound on slow machines.
func between(t testing.TB, what string, have, low, high time.Duration) {
	t.Helper()
	if have < low || have > high*slow {
		t.Errorf("%s %v is not between %v and %v", what, have, low, high*slow)
	}
}

// nobodyLeft checks that no victim with word on its command line is alive.
func nobodyLeft(t testing.TB, word string) {
	t.Helper()
	var left []string
	for range 250 {
		if left = processesWith(word); len(left) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("processes are left: %v", left)
}

// processesWith returns the processes that execute the victim with word on their command line. It also checks the
// executed file, because any process may have word on its command line.
func processesWith(word string) []string {
	victim, err := os.Stat(victimPath)
	if err != nil {
		return []string{err.Error()}
	}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	var found []string
	for _, dir := range folders {
		if exe, err := os.Stat(dir + "/exe"); err != nil || !os.SameFile(exe, victim) {
			continue
		}
		if data, err := os.ReadFile(dir + "/cmdline"); err == nil && strings.Contains(string(data), word) {
			found = append(found, dir+" "+strings.ReplaceAll(string(data), "\x00", " "))
		}
	}
	return found
}

// testDriver turns this test binary into a driver that the tests kill. It executes the victim with the arguments in
// SMTPIPE_TEST_DRIVER at the isolation level in SMTPIPE_TEST_ISOLATION, and prints the ending.
func testDriver() {
	l := &lab{mode: mode{config: Config{Isolation: Isolation(os.Getenv("SMTPIPE_TEST_ISOLATION")), Jobs: 1,
		NoLock: true}}}
	h, err := Open(l.mode.config)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	ctx, stop := signalContext()
	defer stop()
	rec, err := h.Run(ctx, l.victim(strings.Fields(os.Getenv("SMTPIPE_TEST_DRIVER"))...))
	fmt.Println("ending", rec.Ending, err)
	if err := errors.Join(err, h.Close()); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}
