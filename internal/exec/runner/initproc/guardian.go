package initproc

import "syscall"

// GuardianName is argument zero of a process that waits for its driver to end and then kills the processes in the
// driver's cgroups.
const GuardianName = "smtpipe-run-guardian"

// A guardian's file descriptors.
const (
	guardianPipe = 3 // pipe that ends with the driver
	guardianKill = 4 // cgroup.kill in the driver's cgroup
)

// watchOver waits for the driver to end. It blocks all signals that can be blocked.
func watchOver() {
	var b [1]byte
	for {
		if _, err := syscall.Read(guardianPipe, b[:]); err != syscall.EINTR {
			break
		}
	}
	_, _ = syscall.Write(guardianKill, []byte{'1'}) // fails if the cgroup no longer exists
}
