package runner

import (
	"encoding/binary"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOldRootIsGone searches a run for the host's mounts, for each way of building the run's root.
func TestOldRootIsGone(t *testing.T) {
	l := openBest(t)
	if !l.namespaces() {
		t.Skipf("isolation %s has no root of its own", l.host.isolation)
	}
	tests := []struct {
		name   string
		change func(*Command)
	}{
		{"without the host's programs", func(*Command) {}},
		{"with them", func(c *Command) { c.HostSystem = true }},
		{"with something among them", func(c *Command) {
			c.HostSystem = true
			c.Inputs = []Input{{Target: "/etc/of-the-command", Content: []byte("x")}}
		}},
		{"with an overlay", func(c *Command) {
			c.HostSystem = true
			c.Mounts = append(c.Mounts, Mount{Source: t.TempDir(), Target: "/over", Overlay: true})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := l.victim("ls", "/", ",", "print", "--", ",", "ls", "/..", ",", "print", "--", ",", "read",
				"/proc/self/mountinfo")
			tt.change(&c)
			rec := l.run(t, c)
			parts := strings.Split(string(rec.Stdout.Bytes()), "--\n")
			if len(parts) != 3 {
				t.Fatal(describe(rec))
			}
			if parts[0] != parts[1] {
				t.Errorf("above the root is %q, but in it %q", parts[1], parts[0])
			}
			seen := map[string]bool{}
			for line := range strings.Lines(parts[2]) {
				f := strings.Fields(line)
				if len(f) < 8 {
					continue
				}
				target := f[4]
				if seen[target] && (target == "/" || target == "/proc") {
					t.Errorf("two mounts lie at %s:\n%s", target, parts[2])
				}
				seen[target] = true
				dash := slices.Index(f, "-")
				kind := f[dash+1]
				if strings.HasPrefix(kind, "cgroup") || kind == "proc" && target != "/proc" || kind == "sysfs" &&
					!strings.HasPrefix(target, "/sys/devices/") {
					t.Errorf("%s has %s", target, kind)
				}
			}
			if !seen["/"] || !seen["/proc"] || !seen["/work"] {
				t.Errorf("the mounts are\n%s", parts[2])
			}
		})
	}
}

// TestImage checks that a run in an image sees the image's content, but has its own folders, users and devices, and
// sees nothing from the host, wherever links lead.
func TestImage(t *testing.T) {
	l := openBest(t)
	if !l.namespaces() {
		c := l.victim("ls", "/")
		c.Mounts = append(c.Mounts, Mount{Source: t.TempDir(), Target: ImageRoot})
		if _, err := l.host.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(),
			"a file system of its own") {
			t.Errorf("isolation %s: %v", l.host.isolation, err)
		}
		return
	}
	l.image = makeImage(t)
	secret := t.TempDir() + "/secret"
	if err := os.WriteFile(secret, []byte("secret of the host"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"read", "/top", ",", "read", "/out/usr/share/of-the-image/file"}, "of the image\nof the image\n"},
		{[]string{"ls", "/tmp", "/work", "/home/solver", "/var/tmp"}, ""},
		{[]string{"ls", "/solver", "/usr/out"}, "victim\nls: open /usr/out: no such file or directory\n"},
		{[]string{"read", "/etc/hosts"}, "127.0.0.1 localhost competition\n::1 localhost\n"},
		{[]string{"write", "/tmp/x", "1", ",", "write", "/var/tmp/x", "1", ",", "write", "/home/solver/x", "1"},
			"written\nwritten\nwritten\n"},
	}
	for _, tt := range tests {
		rec := l.run(t, l.victim(tt.args...))
		if got := string(rec.Stdout.Bytes()); got != tt.want {
			t.Errorf("%q: %q, want %q; %s", tt.args, got, tt.want, describe(rec))
		}
	}
	for _, dir := range []string{"/", "/out", "/up", "/old", "/proc/self/cwd/..", "/usr/out"} {
		rec := l.run(t, l.victim("read", dir+secret, ",", "write", dir+"/x", "1"))
		text := string(rec.Stdout.Bytes())
		if strings.Contains(text, "secret of") || strings.Contains(text, "written") {
			t.Errorf("%s leads to the host: %s", dir, text)
		}
	}
	c := l.victim("ls", "/solver")
	c.Mounts = c.Mounts[1:]
	c.Inputs = []Input{{Target: "/input/victim", Source: victimPath}}
	c.Argv[0] = "/input/victim"
	rec := l.run(t, c)
	if got := string(rec.Stdout.Bytes()); got != "of-the-image\n" {
		t.Errorf("the image's /solver has %q", got)
	}
	c = l.victim("ls", "/")
	c.HostSystem = true
	if _, err := l.host.Run(t.Context(), c); err == nil {
		t.Error("a run has the host's programs and an image")
	}
	entries, err := os.ReadDir(l.image + "/solver")
	if err != nil || len(entries) != 1 {
		t.Errorf("the image has changed: %v, %v", entries, err)
	}
	// A mount point need not exist in the image, and its neighbours stay visible. A mount point below a link in the
	// image is not on the host.
	shown := t.TempDir()
	if err := errors.Join(os.Chmod(shown, 0o755), os.WriteFile(shown+"/mark", nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	c = l.victim("ls", "/usr/share/deep/er", "/usr/share", ",", "write", "/usr/share/x", "1", ",", "read",
		"/usr/share/of-the-image/file", ",", "read", "/usr/of-host")
	c.Mounts = append(c.Mounts, Mount{Source: shown, Target: "/usr/share/deep/er"},
		Mount{Source: shown + "/mark", Target: "/usr/of-host"})
	rec = l.run(t, c)
	got := regexp.MustCompile(`(?m)^write: .*\n`).ReplaceAllString(string(rec.Stdout.Bytes()), "")
	if got != "mark\ndeep\nof-the-image\nof the image\n" {
		t.Errorf("beside mount points is %q; %s", got, describe(rec))
	}
	out, _ := os.Readlink(l.image + "/usr/out")
	c = l.victim("ls", "/")
	c.Mounts = append(c.Mounts, Mount{Source: shown, Target: "/usr/out/made/by/root"})
	_, _ = l.host.Run(t.Context(), c)
	if entries, err := os.ReadDir(out); err != nil || len(entries) > 0 {
		t.Errorf("a link of the image led the driver to the host: %v, %v", entries, err)
	}
}

// TestMountsOfToday changes the host's mounts while an init waits for its command: the run must see new mounts and must
// not see removed ones.
func TestMountsOfToday(t *testing.T) {
	l := openBest(t)
	if !l.namespaces() {
		t.Skipf("isolation %s has no root of its own", l.host.isolation)
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	look := func() string {
		c := l.victim("ls", "/shown")
		c.HostSystem = true
		c.Mounts = append(c.Mounts, Mount{Source: dir, Target: "/shown"})
		return strings.Join(out(l.run(t, c)), " ")
	}
	if got := look(); got != "" {
		t.Errorf("an empty folder has %q", got)
	}
	if err := unix.Mount("none", dir, "tmpfs", 0, "mode=755"); err != nil {
		if os.Getenv("SMTPIPE_REQUIRE_CGROUPS") == "1" {
			t.Fatalf("mount: %v", err)
		}
		t.Skipf("mount: %v", err)
	}
	mounted := true
	unmount := func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); mounted && err != nil {
			t.Error(err)
		}
		mounted = false
	}
	defer unmount()
	if err := os.WriteFile(dir+"/mark", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := look(); got != "mark" {
		t.Errorf("a new file system has %q", got)
	}
	unmount()
	if got := look(); got != "" {
		t.Errorf("the folder has %q again", got)
	}
}

// TestSetuidOnHost executes a program that is setuid root and has a file capability on the host. In a run, neither
// takes effect.
func TestSetuidOnHost(t *testing.T) {
	l := openBest(t)
	if !l.namespaces() || os.Geteuid() != 0 {
		t.Skip("only root can make such a program, and only a sandbox keeps it from what it asks for")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(victimPath)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"setuid", "capable"} {
		if err := os.WriteFile(dir+"/"+name, program, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir+"/setuid", 0o755|os.ModeSetuid|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	// struct vfs_cap_data from linux/capability.h: version 2 with the flag "effective", and CAP_SYS_ADMIN permitted
	capability := make([]byte, 20)
	binary.LittleEndian.PutUint32(capability, 0x02000001)
	binary.LittleEndian.PutUint32(capability[4:], 1<<unix.CAP_SYS_ADMIN)
	if err := unix.Setxattr(dir+"/capable", "security.capability", capability, 0); err != nil {
		t.Logf("without a file capability: %v", err)
	}
	for _, name := range []string{"setuid", "capable"} {
		c := Command{Argv: []string{"/programs/" + name, "read", "/proc/self/status"},
			Mounts: []Mount{{Source: dir, Target: "/programs"}}}
		rec := l.run(t, c)
		status := string(rec.Stdout.Bytes())
		for _, want := range []string{"Uid:\t65534\t65534\t65534\t65534\n", "Gid:\t65534\t65534\t65534\t65534\n",
			"CapPrm:\t0000000000000000\n", "CapEff:\t0000000000000000\n", "NoNewPrivs:\t1\n"} {
			if !strings.Contains(status, want) {
				t.Errorf("%s: the status lacks %q: %s%s", name, want, status, rec.Stderr.Bytes())
			}
		}
	}
}
