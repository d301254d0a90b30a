package initproc

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestNumbers checks that the numbers written by hand match those in golang.org/x/sys/unix, which are from the Linux
// headers.
func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, want int
	}{
		{"open_tree", sysOpenTree, unix.SYS_OPEN_TREE},
		{"move_mount", sysMoveMount, unix.SYS_MOVE_MOUNT},
		{"fsopen", sysFsopen, unix.SYS_FSOPEN},
		{"fsconfig", sysFsconfig, unix.SYS_FSCONFIG},
		{"fsmount", sysFsmount, unix.SYS_FSMOUNT},
		{"close_range", sysCloseRange, unix.SYS_CLOSE_RANGE},
		{"mount_setattr", sysMountSetattr, unix.SYS_MOUNT_SETATTR},
		{"seccomp", sysSeccomp, unix.SYS_SECCOMP},
		{"AT_FDCWD", atFdcwd, unix.AT_FDCWD},
		{"AT_SYMLINK_NOFOLLOW", atSymlinkNofollow, unix.AT_SYMLINK_NOFOLLOW},
		{"AT_EMPTY_PATH", atEmptyPath, unix.AT_EMPTY_PATH},
		{"AT_RECURSIVE", atRecursive, unix.AT_RECURSIVE},
		{"OPEN_TREE_CLONE", openTreeClone, unix.OPEN_TREE_CLONE},
		{"MOVE_MOUNT_F_EMPTY_PATH", moveMountFromEmpty, unix.MOVE_MOUNT_F_EMPTY_PATH},
		{"MOVE_MOUNT_T_SYMLINKS", moveMountToLinks, unix.MOVE_MOUNT_T_SYMLINKS},
		{"MOVE_MOUNT_T_EMPTY_PATH", moveMountToEmpty, unix.MOVE_MOUNT_T_EMPTY_PATH},
		{"FSOPEN_CLOEXEC", fsopenCloexec, unix.FSOPEN_CLOEXEC},
		{"FSCONFIG_SET_STRING", fsconfigSetString, unix.FSCONFIG_SET_STRING},
		{"FSCONFIG_CMD_CREATE", fsconfigCreate, unix.FSCONFIG_CMD_CREATE},
		{"FSMOUNT_CLOEXEC", fsmountCloexec, unix.FSMOUNT_CLOEXEC},
		{"MOUNT_ATTR_RDONLY", mountReadOnly, unix.MOUNT_ATTR_RDONLY},
		{"MOUNT_ATTR_NOSUID", mountNosuid, unix.MOUNT_ATTR_NOSUID},
		{"MOUNT_ATTR_NODEV", mountNodev, unix.MOUNT_ATTR_NODEV},
		{"MOUNT_ATTR_NOEXEC", mountNoexec, unix.MOUNT_ATTR_NOEXEC},
		{"O_PATH", openPath, unix.O_PATH},
		{"CLOSE_RANGE_CLOEXEC", closeRangeCloexec, unix.CLOSE_RANGE_CLOEXEC},
		{"PR_SET_NO_NEW_PRIVS", prSetNoNewPrivs, unix.PR_SET_NO_NEW_PRIVS},
		{"PR_SET_CHILD_SUBREAPER", prSetSubreaper, unix.PR_SET_CHILD_SUBREAPER},
		{"PR_CAP_AMBIENT", prCapAmbient, unix.PR_CAP_AMBIENT},
		{"PR_CAP_AMBIENT_CLEAR_ALL", prCapAmbientClear, unix.PR_CAP_AMBIENT_CLEAR_ALL},
		{"LINUX_CAPABILITY_VERSION_3", capabilityVersion3, unix.LINUX_CAPABILITY_VERSION_3},
		{"SECCOMP_SET_MODE_FILTER", seccompSetModeFilter, unix.SECCOMP_SET_MODE_FILTER},
		{"SECCOMP_FILTER_FLAG_NEW_LISTENER", seccompNewListener, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER},
		{"SECCOMP_IOCTL_NOTIF_RECV", seccompNotifRecv, unix.SECCOMP_IOCTL_NOTIF_RECV},
		{"SECCOMP_IOCTL_NOTIF_SEND", seccompNotifSend, unix.SECCOMP_IOCTL_NOTIF_SEND},
		{"SECCOMP_USER_NOTIF_FLAG_CONTINUE", seccompContinue, unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE},
		{"SIG_SETMASK", sigSetmask, unix.SIG_SETMASK},
		{"CLOCK_MONOTONIC", clockMonotonic, unix.CLOCK_MONOTONIC},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is %#x, want %#x", tt.name, tt.got, tt.want)
		}
	}
}
