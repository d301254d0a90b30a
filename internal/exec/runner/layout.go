package runner

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// The cgroup layouts.
const (
	LayoutV2     = "v2"     // v2: one hierarchy with all controllers
	LayoutHybrid = "hybrid" // v2 for grouping, killing and CPU time; v1 for memory, pids and cpuset
	LayoutV1     = "v1"     // v1: one hierarchy per controller
	LayoutNone   = "none"   // no usable cgroups
)

// baseName is the name of the cgroup that contains all drivers of this program, in every hierarchy.
const baseName = "smtpipe"

// driverLeaf is the v2 cgroup into which a driver moves itself; see room.enable.
const driverLeaf = baseName + "-driver"

// hierarchy is a mounted cgroup hierarchy.
type hierarchy struct {
	mount string // mount point
	own   string // folder of this process's cgroup
}

// findHierarchies returns the mounted cgroup hierarchies with this process's cgroups. v2 is nil if it is not mounted;
// v1 is keyed by controller.
func findHierarchies() (v2 *hierarchy, v1 map[string]hierarchy, err error) {
	paths, err := ownCgroups()
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	v1 = map[string]hierarchy{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		m, ok := parseMount(lines.Text())
		if !ok {
			continue
		}
		switch m.fsType {
		case "cgroup2":
			if v2 == nil {
				v2 = &hierarchy{mount: m.target, own: below(m, paths[""])}
			}
		case "cgroup":
			for _, c := range v1Controllers {
				if slices.Contains(m.options, c) {
					v1[c] = hierarchy{mount: m.target, own: below(m, paths[c])}
				}
			}
		}
	}
	return v2, v1, lines.Err()
}

// below returns a cgroup's folder below a mount point, where only part of the hierarchy may be visible.
func below(m mountLine, cgroup string) string {
	if m.root != "/" {
		rest, ok := strings.CutPrefix(cgroup, m.root)
		if !ok {
			return m.target
		}
		cgroup = rest
	}
	return filepath.Join(m.target, cgroup)
}

// ownCgroups parses /proc/self/cgroup and returns the paths by v1 controller, and the v2 path under "".
func ownCgroups() (map[string]string, error) {
	data, err := os.ReadFile("/proc/self/cgroup")
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // a kernel without cgroups
	}
	if err != nil {
		return nil, err
	}
	paths := map[string]string{}
	for line := range strings.Lines(string(data)) {
		_, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, path, _ := strings.Cut(rest, ":")
		for c := range strings.SplitSeq(controllers, ",") {
			paths[c] = path
		}
	}
	return paths, nil
}

// mountLine holds the relevant fields of a mountinfo line.
type mountLine struct {
	root, target, fsType string
	options              []string // options of the file system
}

// parseMount parses a line of /proc/PID/mountinfo (proc_pid_mountinfo(5)).
func parseMount(line string) (mountLine, bool) {
	before, after, ok := strings.Cut(line, " - ")
	if !ok {
		return mountLine{}, false
	}
	left, right := strings.Fields(before), strings.Fields(after)
	if len(left) < 5 || len(right) < 3 {
		return mountLine{}, false
	}
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	return mountLine{
		root: unescape.Replace(left[3]), target: unescape.Replace(left[4]),
		fsType: right[0], options: strings.Split(right[2], ","),
	}, true
}

// layout describes where a driver creates its runs' cgroups.
type layout struct {
	kind string
	v2   string            // this program's folder in the v2 hierarchy, or ""
	have []string          // available v2 controllers
	v1   map[string]string // this program's v1 folders, by controller
	why  []string          // reasons why something is missing
	// intrudes is true if this program's folder is in a part of the hierarchy that systemd reserves for itself.
	intrudes bool
}

// has reports whether runs can use a controller in either version.
func (l *layout) has(controller string) bool {
	return l.v1[controller] != "" || slices.Contains(l.have, controller)
}

// chooseLayout creates this program's base cgroups where it can. A non-empty force allows only one kind of layout.
func chooseLayout(force string) (*layout, error) {
	l := &layout{kind: LayoutNone, v1: map[string]string{}}
	if force == LayoutNone {
		return l, nil
	}
	v2, v1, err := findHierarchies()
	if err != nil {
		return nil, fmt.Errorf("find cgroups: %w", err)
	}
	if v2 != nil && force != LayoutV1 {
		l.chooseV2(*v2)
	}
	if force != LayoutV2 && (v2 == nil || len(v1) > 0 || force != "") { // v1 is not needed otherwise
		l.chooseV1(v1)
	}
	switch {
	case l.v2 != "" && slices.Contains(l.have, "memory") && force != LayoutHybrid:
		l.kind = LayoutV2
	case l.v2 != "" && l.v1["memory"] != "":
		l.kind = LayoutHybrid
	case l.v1["memory"] != "" && l.v1["cpuacct"] != "" && l.v1["freezer"] != "":
		l.kind = LayoutV1
	default:
		l.leave()
		l.v2, l.v1, l.have = "", map[string]string{}, nil
	}
	if l.v2 != "" { // v2 replaces both controllers
		for _, c := range []string{"cpuacct", "freezer"} {
			_ = unix.Rmdir(l.v1[c])
			delete(l.v1, c)
		}
	}
	if force != "" && l.kind != force {
		return nil, fmt.Errorf("cgroup layout %q is not available here: %s", force, strings.Join(l.why, "; "))
	}
	return l, nil
}

// chooseV2 creates the base in the v2 hierarchy. If systemd delegated a cgroup to this process's unit, the base must be
// in that cgroup. Otherwise it is below the root of the hierarchy, where only root can create it, or below this
// process's cgroup.
func (l *layout) chooseV2(h hierarchy) {
	own := h.own
	if filepath.Base(own) == driverLeaf { // an earlier driver moved this process into its leaf
		own = filepath.Dir(own)
	}
	delegated := markedDelegated(own)
	units := fmt.Sprintf("/run/user/%d/systemd/transient", os.Geteuid())
	if !delegated && os.Geteuid() != 0 && lacksDelegate(filepath.Join(units, filepath.Base(own))) {
		l.why = append(l.why, fmt.Sprintf("cgroup v2: cgroup %s is not delegated to this user: its unit has no "+
			"Delegate=yes", own))
		return
	}
	parents := slices.Compact([]string{h.mount, own})
	if delegated || own != h.mount && (inJob(h) || memoryLimitV2(h.mount, own) < memInfo("MemTotal")) {
		parents = []string{own}
	}
	var missing error
	for _, parent := range parents {
		r := room{parent: parent, own: parent == own, delegated: delegated}
		base, have, err := r.makeBaseV2()
		if err != nil {
			missing = err // report the last error: this process's cgroup can be repaired
		}
		if base != "" && (l.v2 == "" || len(have) > len(l.have)) {
			base, l.v2, l.have = l.v2, base, have
		}
		_ = unix.Rmdir(base) // remove the unused base
		if len(l.have) == len(wantedV2) {
			break
		}
	}
	l.intrudes = l.v2 != "" && !delegated && os.Geteuid() == 0 && systemdRuns()
	if missing != nil && !slices.Contains(l.have, "memory") {
		l.why = append(l.why, "cgroup v2: "+missing.Error())
	}
}

// markedDelegated reports whether a cgroup belongs to a unit that systemd has marked as delegated. User managers do not
// mark their units.
func markedDelegated(dir string) bool {
	mark := make([]byte, 1)
	for _, name := range []string{"trusted.delegate", "user.delegate"} { // for root; for other users since systemd 251
		if n, err := unix.Getxattr(dir, name, mark); err == nil && n == 1 && mark[0] == '1' {
			return true
		}
	}
	return false
}

// lacksDelegate reports whether the file of a user manager's transient unit lacks Delegate. The user could still create
// cgroups there, but systemd would stop the unit when the first run exceeds its memory limit.
func lacksDelegate(file string) bool {
	data, err := os.ReadFile(file)
	if err != nil {
		return false // not a transient unit
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "Delegate="); ok {
			return value == "no"
		}
	}
	return true
}

// systemdRuns reports whether systemd manages this machine, like sd_booted(3).
func systemdRuns() bool {
	_, err := os.Lstat("/run/systemd/system")
	return err == nil
}

// wantedV2 lists the controllers that runs use in v2.
var wantedV2 = []string{"memory", "pids", "cpuset"}

// room is a v2 cgroup that may contain the base.
type room struct {
	parent    string
	own       bool // whether this process is in the cgroup, or was before it moved
	delegated bool // whether all processes in the cgroup may be moved
}

// makeBaseV2 creates the base and enables the available controllers. The error names the unavailable ones.
func (r room) makeBaseV2() (base string, have []string, err error) {
	base = filepath.Join(r.parent, baseName)
	if err := makeBase(base); err != nil {
		if errors.Is(err, os.ErrPermission) {
			err = fmt.Errorf("cgroup %s is not delegated to this user (%w)", r.parent, err)
		}
		return "", nil, err
	}
	offered := readWords(filepath.Join(r.parent, "cgroup.controllers"))
	for _, c := range wantedV2 {
		failed := fmt.Errorf("cgroup %s has no %s controller", r.parent, c)
		if slices.Contains(offered, c) {
			if failed = r.enable(c); failed == nil {
				failed = enableController(base, c)
			}
		}
		if failed == nil {
			have = append(have, c)
		} else if err == nil {
			err = failed
		}
	}
	return base, have, err
}

// enable enables a controller for the room's children. v2 requires that the room itself contains no processes.
func (r room) enable(controller string) error {
	err := enableController(r.parent, controller)
	if !errors.Is(err, errBusy) || !r.own {
		return err
	}
	pids := []string{"0"} // 0 stands for this process
	leaf := filepath.Join(r.parent, driverLeaf)
	for range 10 { // processes may fork while they are being moved
		if r.delegated {
			pids = readWords(filepath.Join(r.parent, "cgroup.procs"))
		}
		if err := moveTo(leaf, pids); err != nil {
			return err
		}
		if err = enableController(r.parent, controller); !errors.Is(err, errBusy) {
			break
		}
	}
	if errors.Is(err, errBusy) {
		err = fmt.Errorf("the cgroup %s contains other processes (%w)", r.parent, err)
	}
	return err
}

// makeBase creates the base. An existing one may belong to another user and be unusable.
func makeBase(base string) error {
	err := os.Mkdir(base, 0o755)
	if !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := unix.Faccessat(unix.AT_FDCWD, base, unix.W_OK, unix.AT_EACCESS); err != nil {
		return &os.PathError{Op: "make cgroups in", Path: base, Err: err}
	}
	return nil
}

// moveTo moves processes into a leaf cgroup. It ignores processes that have ended.
func moveTo(leaf string, pids []string) error {
	if err := os.Mkdir(leaf, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	for _, pid := range pids {
		if err := writeFile(filepath.Join(leaf, "cgroup.procs"), pid); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}

func enableController(dir, controller string) error {
	file := filepath.Join(dir, "cgroup.subtree_control")
	if slices.Contains(readWords(file), controller) {
		return nil
	}
	return writeFile(file, "+"+controller)
}
