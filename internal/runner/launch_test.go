package runner

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestWaitByThread is what kernels without descriptors of processes need.
func TestWaitByThread(t *testing.T) {
	read, write, err := pipe()
	if err != nil {
		t.Fatal(err)
	}
	in := os.NewFile(uintptr(read), "stdin")
	defer in.Close()
	p, err := os.StartProcess("/bin/cat", []string{"cat"}, &os.ProcAttr{Files: []*os.File{in, os.Stderr, os.Stderr}})
	if err != nil {
		t.Fatal(err)
	}
	tool := directTool{pid: p.Pid, process: -1}
	if err := tool.waitByThread(); err != nil {
		t.Fatal(err)
	}
	if readable(tool.ready(), 20*time.Millisecond) {
		t.Error("the command has ended, it is said, while it reads")
	}
	_ = unix.Close(write)
	if !readable(tool.ready(), 20*time.Second*slow) {
		t.Fatal("the command's end is not seen")
	}
	end, err := tool.wait()
	if err != nil || !end.status.Exited() {
		t.Errorf("got %v and %v", end.status, err)
	}
	tool.leave()
}
