package runner

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestParseMount(t *testing.T) {
	tests := []struct {
		name, line string
		want       mountLine
		ok         bool
	}{
		{
			name: "v1", line: "36 25 0:31 / /sys/fs/cgroup/memory rw,nosuid shared:15 - cgroup cgroup rw,memory",
			want: mountLine{root: "/", target: "/sys/fs/cgroup/memory", fsType: "cgroup",
				options: []string{"rw", "memory"}}, ok: true,
		},
		{
			name: "no optional fields", line: "29 23 0:26 /docker/ab /sys/fs/cgroup ro - cgroup2 cgroup2 rw",
			want: mountLine{root: "/docker/ab", target: "/sys/fs/cgroup", fsType: "cgroup2", options: []string{"rw"}},
			ok:   true,
		},
		{
			name: "escaped blank", line: `30 23 0:27 / /mnt/a\040b rw - cgroup2 none rw`,
			want: mountLine{root: "/", target: "/mnt/a b", fsType: "cgroup2", options: []string{"rw"}}, ok: true,
		},
		{name: "cut off", line: "30 23 0:27 / /mnt"},
		{name: "empty", line: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := parseMount(tt.line)
			if ok != tt.ok {
				t.Fatalf("ok %v", ok)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(mountLine{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBelow(t *testing.T) {
	tests := []struct {
		name         string
		root, cgroup string
		want         string
	}{
		{"whole hierarchy", "/", "/user.slice/a", "/cg/user.slice/a"},
		{"container", "/docker/ab", "/docker/ab/job", "/cg/job"},
		{"container's own root", "/docker/ab", "/docker/ab", "/cg"},
		{"outside", "/docker/ab", "/other", "/cg"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := below(mountLine{root: tt.root, target: "/cg"}, tt.cgroup); got != tt.want {
				t.Errorf("below gives %s, want %s", got, tt.want)
			}
		})
	}
}

func TestMarkedDelegated(t *testing.T) {
	dir := t.TempDir()
	for _, mark := range []string{"", "0", "1", "11"} {
		if mark != "" {
			if err := unix.Setxattr(dir, "user.delegate", []byte(mark), 0); err != nil {
				t.Skipf("the temporary folder takes no mark: %v", err)
			}
		}
		if got := markedDelegated(dir); got != (mark == "1") {
			t.Errorf("markedDelegated with the mark %q is %v", mark, got)
		}
	}
}

func TestLacksDelegate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run-1.scope")
	if lacksDelegate(file) {
		t.Error("a unit without a file lacks Delegate")
	}
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"# transient\n[Scope]\nDelegate=yes\n", false},
		{"[Service]\nDelegate=memory pids", false},
		{"[Scope]\nDelegate=no\n", true},
		{"[Scope]\nDescription=Delegate=yes\n", true},
		{"", true},
	} {
		if err := os.WriteFile(file, []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := lacksDelegate(file); got != tt.want {
			t.Errorf("lacksDelegate of %q is %v", tt.text, got)
		}
	}
}

func TestUserScope(t *testing.T) {
	tests := []struct {
		name        string
		runs, known bool
		want        string
	}{
		{"logged in", true, true,
			`Start smtpipe with "systemd-run --user --scope -p Delegate=yes smtpipe ...", or as root.`},
		{"a job of cron", true, false,
			`Start smtpipe with "XDG_RUNTIME_DIR=/run/user/7 systemd-run --user --scope -p Delegate=yes smtpipe ...", or as root.`},
		{"never logged in", false, false, `Have root execute "loginctl enable-linger 7", then start smtpipe with ` +
			`"XDG_RUNTIME_DIR=/run/user/7 systemd-run --user --scope -p Delegate=yes smtpipe ...", or as root.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := userScope(7, tt.runs, tt.known); got != tt.want {
				t.Errorf("userScope gives\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestDeadDriver(t *testing.T) {
	tests := []struct {
		name, driver string
		want         bool
	}{
		{"this process", driverName(), false},
		{"same pid, other start", "driver-1-999999999999-1", true},
		{"no such process", "driver-4194305-5-1", true}, // exceeds Linux's highest process ID
		{"not a driver", "slot-0", false},
		{"not a number", "driver-x-5-1", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := deadDriver(tt.driver); got != tt.want {
				t.Errorf("deadDriver(%q) = %v", tt.driver, got)
			}
		})
	}
}

func TestFindKey(t *testing.T) {
	stat := []byte("usage_usec 12\nuser_usec 7\nsystem_usec 5\nnr 1")
	for key, want := range map[string]int64{"usage_usec": 12, "user_usec": 7, "system_usec": 5, "nr": 1} {
		if got, ok := findKey(stat, key); !ok || got != want {
			t.Errorf("findKey(%q) = %d, %v", key, got, ok)
		}
	}
	if _, ok := findKey(stat, "usage"); ok {
		t.Error("a beginning of a key is found")
	}
}

// TestMakeBase checks that another user's inaccessible folder is rejected as a base. Root has access to every folder.
func TestMakeBase(t *testing.T) {
	base := filepath.Join(t.TempDir(), baseName)
	for range 2 { // first a new base, then an existing one
		if err := makeBase(base); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 {
		return
	}
	if err := os.Chmod(base, 0o555); err != nil {
		t.Fatal(err)
	}
	if err := makeBase(base); !errors.Is(err, os.ErrPermission) {
		t.Errorf("error %v, want one of permission", err)
	}
}
