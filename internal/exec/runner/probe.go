package runner

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

// sandboxCan describes the namespaces available to runs on this machine.
type sandboxCan struct {
	ok     bool
	userNS bool // whether privileges come from the run's user namespace
	why    string
}

// capabilities describes what the machine supports, as determined by trial.
type capabilities struct {
	layout    *layout
	layoutErr error
	sandbox   sandboxCan
}

// probe determines what this process may do on this machine. It takes a few milliseconds.
func probe(cfg Config) *capabilities {
	c := &capabilities{}
	c.layout, c.layoutErr = chooseLayout(cfg.Layout)
	if c.layoutErr != nil {
		c.layout = &layout{kind: LayoutNone}
	}
	if cfg.Isolation != CgroupOnly && cfg.Isolation != Unisolated {
		c.sandbox = probeSandbox()
	}
	return c
}

// cgroups reports whether cgroups provide limits and measurements.
func (c *capabilities) cgroups() bool {
	return c.layout.kind != LayoutNone && c.layout.has("memory") && c.layout.has("pids")
}

// has reports whether an isolation level works.
func (c *capabilities) has(level Isolation) bool {
	switch level {
	case Full:
		return c.sandbox.ok && c.cgroups()
	case CgroupOnly:
		return c.cgroups()
	case NamespacesOnly:
		return c.sandbox.ok
	}
	return level == Unisolated
}

// choose returns the isolation level for runs, or an error that contains a remedy.
func (c *capabilities) choose(want Isolation) (Isolation, error) {
	if want == BestEffort {
		for _, level := range []Isolation{Full, NamespacesOnly, CgroupOnly} {
			if c.has(level) {
				return level, nil
			}
		}
		return Unisolated, nil
	}
	if c.has(want) {
		return want, nil
	}
	return "", fmt.Errorf(
		"%w: %q is impossible here: %s. %s To use the isolation that is available, declare isolation = "+
			"\"best_effort\" (docs/start/faq.md)",
		ErrIsolation, want, c.reason(want), c.remedy(want))
}

// reason describes what an isolation level lacks.
func (c *capabilities) reason(level Isolation) string {
	var lacks []string
	if (level == Full || level == CgroupOnly) && !c.cgroups() {
		switch {
		case c.layoutErr != nil:
			lacks = append(lacks, c.layoutErr.Error())
		case len(c.layout.why) > 0:
			lacks = append(lacks, strings.Join(c.layout.why, "; "))
		default:
			lacks = append(lacks, "the memory or pids controller of cgroups is not delegated to this user")
		}
	}
	if (level == Full || level == NamespacesOnly) && !c.sandbox.ok {
		lacks = append(lacks, c.sandbox.why)
	}
	return strings.Join(lacks, "; ")
}

// remedy returns the command that enables an isolation level for this user.
func (c *capabilities) remedy(level Isolation) string {
	var needs []string
	if level != NamespacesOnly && !c.cgroups() {
		needs = append(needs, cgroupRemedy())
	}
	if level != CgroupOnly && !c.sandbox.ok {
		needs = append(needs, usernsRemedy("/"))
	}
	return strings.Join(needs, " ")
}

// isolationFlags are the namespaces created together with an isolated run's init. The command itself creates the cgroup
// namespace: if cgroups are mounted with nsdelegate, as systemd does, an init in its own cgroup namespace could not
// clone the command into a cgroup outside it.
const isolationFlags = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS

// probeSandbox starts an init that prepares a run but executes no command.
func probeSandbox() sandboxCan {
	users := []bool{true}
	if os.Geteuid() == 0 {
		users = []bool{false, true}
	}
	var why string
	for _, user := range users {
		err := tryInit(user)
		if err == nil {
			return sandboxCan{ok: true, userNS: user}
		}
		if why == "" {
			why = "namespaces: " + err.Error()
		}
	}
	return sandboxCan{why: why}
}

func tryInit(user bool) error {
	n, err := openInits(true, user, nil)
	if err != nil {
		return err
	}
	defer n.close()
	p, err := n.start()
	if err != nil {
		return err
	}
	defer p.end()
	root := bareRoot(-1, -1, 1<<20)
	system := systemRoot()
	root.Binds, root.Links = append(root.Binds, system.Binds...), append(root.Links, system.Links...)
	if err := p.send(&initproc.Request{Root: root, Dir: "/"}, toolFiles{}); err != nil {
		return err
	}
	_, err = p.receive()
	return err
}
