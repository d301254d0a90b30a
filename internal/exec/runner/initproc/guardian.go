package initproc

import "syscall"

// GuardianName is argument zero of a process that waits until its driver is gone, and then kills the processes in the
// driver's cgroups.
const GuardianName = "smtpipe-run-guardian"

// The descriptors of a guardian.
const (
	guardianPipe = 3 // reaches its end when the driver is gone
	guardianKill = 4 // cgroup.kill of the driver's cgroup
)

// watchOver waits until the driver is gone. It blocks all signals that can be blocked.
func watchOver() {
	var b [1]byte
	for {
		if _, err := syscall.Read(guardianPipe, b[:]); err != syscall.EINTR {
			break
		}
	}
	_, _ = syscall.Write(guardianKill, []byte{'1'}) // fails if the cgroup is gone
}
