package initproc

import "syscall"

// GuardianName is the argument zero of a process that waits until its driver is gone, and then kills the processes in
// the driver's cgroups.
const GuardianName = "smtpipe-run-guardian"

// The descriptors of a guardian.
const (
	guardianPipe = 3 // at its end when the driver is gone
	guardianKill = 4 // cgroup.kill of the driver's cgroup
)

// watchOver waits for the driver's end. All signals that can be blocked are blocked.
func watchOver() {
	var b [1]byte
	for {
		if _, err := syscall.Read(guardianPipe, b[:]); err != syscall.EINTR {
			break
		}
	}
	_, _ = syscall.Write(guardianKill, []byte{'1'}) // fails if the cgroup is gone
}
