package runner

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// commandSpec is a command that init clones.
type commandSpec struct {
	argv, env    []string
	uid, gid     int  // -1 keeps init's
	setGroups    bool // drop supplementary groups, which a user namespace does not let
	guard        bool
	soft, hard   uint64 // open files
	preferVictim bool   // die first when the whole machine runs out of memory
}

// addCommand adds what the command does between its clone and its execve, and the execve. It uses init's memory until
// then, with the streams in the first three registers. What is the same for all commands it has from the nursery, since what
// the command does itself is measured.
func (p *program) addCommand(s *commandSpec) {
	if s.preferVictim {
		p.preferVictim()
	}
	p.beginCommand()
	p.describe("start a session")
	p.call(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, p.bytes(make([]byte, sigSetSize)), 0, sigSetSize)
	p.call(unix.SYS_SCHED_SETSCHEDULER, 0, 0, p.bytes(make([]byte, 16))).tolerate() // SCHED_OTHER
	p.call(unix.SYS_SETSID)
	p.call(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, int(unix.SIGKILL), 0, 0, 0).tolerate()
	p.describe("connect the streams")
	for i := range 3 {
		p.call(unix.SYS_DUP3, register(i), i, 0)
	}
	p.describe("limit resources")
	p.limit(unix.RLIMIT_NOFILE, s.soft, s.hard)
	if s.guard {
		p.describe("make a namespace of cgroups")
		p.call(unix.SYS_UNSHARE, unix.CLONE_NEWCGROUP) // see isolationFlags
	}
	p.describe("change the user")
	if s.setGroups {
		p.call(unix.SYS_SETGROUPS, 0, 0)
	}
	if s.gid >= 0 {
		p.call(unix.SYS_SETRESGID, s.gid, s.gid, s.gid)
	}
	if s.uid >= 0 {
		p.call(unix.SYS_SETRESUID, s.uid, s.uid, s.uid)
	}
	if s.guard {
		p.addGuard()
	}
	p.addExecve(s.argv, s.env)
}

// preferVictim adds what makes init, and so the command that it clones, the first to die when the whole machine runs out of
// memory. Init goes back afterwards.
func (p *program) preferVictim() {
	at := len(p.ops)
	file := p.open(unix.SYS_OPENAT, unix.AT_FDCWD, "/proc/self/oom_score_adj", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	p.ops[at].tolerate()
	p.call(unix.SYS_WRITE, file, victimScore, len(victimScore)).tolerate()
	p.head[headScore] = uint64(file)
}

// limit adds a resource limit, below what this process has.
func (p *program) limit(which int, soft, hard uint64) {
	var have unix.Rlimit
	if unix.Getrlimit(which, &have) == nil {
		hard = min(hard, have.Max)
	}
	value := unix.Rlimit{Cur: min(soft, hard), Max: hard}
	at := p.bytes(unsafe.Slice((*byte)(unsafe.Pointer(&value)), unsafe.Sizeof(value)))
	p.call(unix.SYS_PRLIMIT64, 0, which, at, 0)
}

// addGuard drops all capabilities and installs the filter of system calls.
func (p *program) addGuard() {
	p.describe("drop capabilities")
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	at := p.bytes(unsafe.Slice((*byte)(unsafe.Pointer(&head)), unsafe.Sizeof(head)))
	p.call(unix.SYS_CAPSET, at, p.bytes(make([]byte, 2*unsafe.Sizeof(unix.CapUserData{}))))
	p.describe("filter system calls")
	filter := guardFilter()
	list := p.bytes(unsafe.Slice((*byte)(unsafe.Pointer(&filter[0])), len(filter)*int(unsafe.Sizeof(filter[0]))))
	prog := p.bytes(make([]byte, 16)) // struct sock_fprog
	p.block[prog], p.block[prog+1] = byte(len(filter)), byte(len(filter)>>8)
	p.pointer(prog+8, list)
	p.call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, prog)
}

// guardFilter is filterProgram, made once.
var guardFilter = sync.OnceValue(filterProgram)

// addExecve adds the execve, of a name without a slash in the folders of PATH as execvp does it.
func (p *program) addExecve(argv, env []string) {
	p.step = operationStep{name: "execute " + argv[0], execute: true}
	arguments, environment := p.list(argv), p.list(env)
	programs := []string{argv[0]}
	if !strings.Contains(argv[0], "/") {
		programs = searchPath(argv[0], env)
	}
	if len(programs) > 1 {
		for _, file := range programs {
			p.call(unix.SYS_EXECVE, file, arguments, environment).tolerate(unix.ENOENT, unix.ENOTDIR, unix.EACCES)
		}
		for _, file := range programs { // one that is there and cannot be executed gives the error
			p.call(unix.SYS_EXECVE, file, arguments, environment).tolerate(unix.ENOENT, unix.ENOTDIR)
		}
	}
	p.call(unix.SYS_EXECVE, programs[0], arguments, environment)
}

// searchPath gives the files that a program's name may mean, in the order of PATH; one at least.
func searchPath(name string, env []string) []string {
	var files []string
	for _, kv := range env {
		if list, ok := strings.CutPrefix(kv, "PATH="); ok {
			for dir := range strings.SplitSeq(list, ":") {
				files = append(files, filepath.Join("/", dir, name))
			}
		}
	}
	if files == nil {
		return []string{noPath + name}
	}
	return files
}

// lookProgram finds a program as execvp does, with the PATH of env.
func lookProgram(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	err := syscall.ENOENT
	for _, p := range searchPath(name, env) {
		info, statErr := os.Stat(p)
		if statErr != nil || info.IsDir() {
			continue
		}
		if info.Mode()&0o111 != 0 {
			return p, nil
		}
		err = syscall.EACCES
	}
	return "", step("look in the PATH of the run", err)
}
