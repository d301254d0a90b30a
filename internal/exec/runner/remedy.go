package runner

import (
	"fmt"
	"os"
)

// rootScope tells root how to start smtpipe in a separate part of the cgroup hierarchy.
const rootScope = `Start smtpipe with "systemd-run --scope -p Delegate=yes smtpipe ...".`

// cgroupRemedy explains how this user obtains cgroups with the memory and pids controllers.
func cgroupRemedy() string {
	switch {
	case os.Getenv("SLURM_JOB_ID") != "" && os.Geteuid() != 0:
		return "Have the administrator start workers as root, or set isolation = \"namespaces\" in the executor " +
			"block " +
			"(docs/run/clusters.md)."
	case os.Geteuid() == 0 && systemdRuns():
		return rootScope
	case os.Geteuid() == 0:
		return `Mount cgroups with "mount -t cgroup2 none /sys/fs/cgroup", or start the container with them writable.`
	case !systemdRuns():
		return "Start smtpipe as root, or in a cgroup that root delegated to this user."
	}
	folder := fmt.Sprintf("/run/user/%d", os.Geteuid())
	_, err := os.Lstat(folder + "/systemd/private")
	return userScope(os.Geteuid(), err == nil, os.Getenv("XDG_RUNTIME_DIR") == folder ||
		os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "")
}

// userScope returns the equivalent of rootScope for an ordinary user under systemd, whose user manager creates the
// cgroup. The manager may not be running, for example if the user has not logged in, and its socket may be unknown, for
// example in a cron job.
func userScope(uid int, runs, known bool) string {
	command := "systemd-run --user --scope -p Delegate=yes smtpipe ..."
	if !known {
		command = fmt.Sprintf("XDG_RUNTIME_DIR=/run/user/%d %s", uid, command)
	}
	if !runs {
		return fmt.Sprintf(`Have root execute "loginctl enable-linger %d", then start smtpipe with "%s", or as root.`,
			uid, command)
	}
	return fmt.Sprintf(`Start smtpipe with "%s", or as root.`, command)
}

// coresRemedy explains how this user obtains the controller that binds runs to cores. By default, systemd does not
// delegate it to user managers.
func coresRemedy() string {
	if os.Geteuid() == 0 || !systemdRuns() {
		return cgroupRemedy()
	}
	return `Have root execute "mkdir -p /etc/systemd/system/user@.service.d && ` +
		`printf '[Service]\nDelegate=cpu cpuset io memory pids\n' >/etc/systemd/system/user@.service.d/delegate.conf && ` +
		`systemctl daemon-reload", then log in again.`
}
