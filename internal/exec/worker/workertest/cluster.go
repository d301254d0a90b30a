package workertest

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// Cluster is a real Slurm cluster with three nodes, n1 to n3, all on this machine. A node counts as lost when it has
// not answered for 10 s.
type Cluster struct {
	t   *testing.T
	dir string
}

// StartCluster starts a cluster and sets SLURM_CONF accordingly. It skips the test if the user may not start one or if
// Slurm is not installed. SMTPIPE_REQUIRE_SLURM=1, which "make unit" sets, turns the latter into a failure. config
// contains additional lines for slurm.conf.
func StartCluster(t *testing.T, config ...string) *Cluster {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("Slurm's daemons need root")
	}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol"} {
		if _, err := exec.LookPath(name); err != nil {
			testkit.Missing(t, "SMTPIPE_REQUIRE_SLURM", "Slurm is not installed: "+err.Error())
		}
	}
	dir, err := os.MkdirTemp("", "smtpipe-slurm-") // socket paths must be short
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, dir: dir}
	t.Cleanup(c.stop)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	key := make([]byte, 1024)
	_, _ = rand.Read(key) // never fails
	port := freePorts(t)
	text := strings.NewReplacer("DIR", dir, "HOST", host, "PORT0", strconv.Itoa(port), "PORT1", strconv.Itoa(port+1),
		"PORT3", strconv.Itoa(port+3)).Replace(clusterConfig + strings.Join(config, "\n") + "\n")
	for _, err := range []error{
		os.Chmod(dir, 0o755), os.Mkdir(filepath.Join(dir, "state"), 0o755),
		os.WriteFile(filepath.Join(dir, "munge.key"), key, 0o600),
		os.WriteFile(filepath.Join(dir, "slurm.conf"), []byte(text), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
	c.run("munged", "--force", "--socket="+dir+"/munge.socket", "--pid-file="+dir+"/munged.pid", "--log-file="+dir+
		"/munged.log", "--seed-file="+dir+"/munged.seed", "--key-file="+dir+"/munge.key")
	c.run("slurmctld", "-c")
	for n := 1; n <= 3; n++ {
		c.StartNode(n)
	}
	c.WaitIdle()
	return c
}

// WaitIdle waits until all nodes are up and idle.
func (c *Cluster) WaitIdle() {
	c.t.Helper()
	c.waitFor("three nodes that are idle", func() bool {
		out, err := exec.Command("sinfo", "-h", "-o", "%D %T").Output()
		return err == nil && strings.TrimSpace(string(out)) == "3 idle"
	})
}

const clusterConfig = `ClusterName=smtpipe
SlurmctldHost=HOST(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=DIR/munge.socket,cred_expire=5
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MinJobAge=10
ReturnToService=2
SlurmctldPort=PORT0
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd-%n.pid
SlurmctldLogFile=DIR/slurmctld.log
SlurmdLogFile=DIR/slurmd-%n.log
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool-%n
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
SlurmdTimeout=10
KillWait=2
InactiveLimit=0
NodeName=n[1-3] NodeHostname=HOST NodeAddr=127.0.0.1 Port=[PORT1-PORT3] CPUs=1 RealMemory=5000
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
`

// freePorts returns the first of four consecutive free ports.
func freePorts(t *testing.T) int {
	t.Helper()
	for port := 20000 + os.Getpid()%1000*10; port < 40000; port += 10 {
		free := true
		for i := range 4 {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+i))
			if err != nil {
				free = false
				break
			}
			l.Close()
		}
		if free {
			return port
		}
	}
	t.Fatal("there are no free ports")
	return 0
}

// run executes a Slurm program and returns its output.
func (c *Cluster) run(name string, args ...string) string {
	c.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return string(out)
}

func (c *Cluster) waitFor(what string, there func() bool) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); !there(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			log, _ := os.ReadFile(filepath.Join(c.dir, "slurmctld.log"))
			c.t.Fatalf("there is no %s; slurmctld says:\n%s", what, log[max(0, len(log)-3000):])
		}
	}
}

// StartNode starts a node's daemon.
func (c *Cluster) StartNode(n int) {
	c.t.Helper()
	if err := os.MkdirAll(fmt.Sprintf("%s/spool-n%d", c.dir, n), 0o755); err != nil {
		c.t.Fatal(err)
	}
	c.run("slurmd", "-N", fmt.Sprintf("n%d", n))
}

// Changed restarts a node after a shell command has changed the mounts of this node only.
func (c *Cluster) Changed(n int, setup string) {
	c.t.Helper()
	c.KillNode(n)
	c.run("unshare", "--mount", "--propagation=private", "sh", "-ec", fmt.Sprintf("%s\nexec slurmd -N n%d", setup, n))
}

// KillNode kills all of a node's processes simultaneously, like a power failure.
func (c *Cluster) KillNode(n int) {
	log := fmt.Sprintf("%s/slurmd-n%d.log", c.dir, n)
	killTrees(func(pid string) bool { return hasOpen(pid, log) })
}

// Job is a job that has not ended.
type Job struct{ ID, State, Node string }

// Jobs returns the jobs that have not ended.
func (c *Cluster) Jobs() []Job {
	var all []Job
	out, _ := exec.Command("squeue", "--noheader", "--array", "--format=%A|%T|%N").Output() // it may be busy
	for line := range strings.Lines(string(out)) {
		if f := strings.Split(strings.TrimSpace(line), "|"); len(f) == 3 {
			all = append(all, Job{f[0], f[1], f[2]})
		}
	}
	return all
}

// Running returns the running jobs.
func (c *Cluster) Running() []Job {
	return slices.DeleteFunc(c.Jobs(), func(j Job) bool { return j.State != "RUNNING" })
}

// stop kills all of the cluster's processes.
func (c *Cluster) stop() {
	if c.t.Failed() {
		log, _ := os.ReadFile(filepath.Join(c.dir, "slurmctld.log"))
		c.t.Logf("slurmctld says:\n%s", log[max(0, len(log)-5000):])
	}
	prefix := c.dir + "/"
	killTrees(func(pid string) bool {
		return hasOpen(pid, prefix+"slurmd-n1.log") || hasOpen(pid, prefix+"slurmd-n2.log") ||
			hasOpen(pid, prefix+"slurmd-n3.log") || hasOpen(pid, prefix+"slurmctld.log") ||
			hasOpen(pid, prefix+"munged.log")
	})
	if err := os.RemoveAll(c.dir); err != nil {
		c.t.Log(err)
	}
}

// hasOpen reports whether a process has a file open. The daemons of a node keep the node's log open.
func hasOpen(pid, path string) bool {
	entries, err := os.ReadDir("/proc/" + pid + "/fd")
	if err != nil {
		return false
	}
	for _, e := range entries {
		if target, err := os.Readlink("/proc/" + pid + "/fd/" + e.Name()); err == nil && target == path {
			return true
		}
	}
	return false
}

// killTrees kills the processes that meant selects and all their descendants.
func killTrees(meant func(pid string) bool) {
	children, doomed := map[string][]string{}, []string(nil)
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid := e.Name()
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || pid == "self" || pid == "thread-self" {
			continue
		}
		if i := bytes.LastIndexByte(stat, ')'); i > 0 {
			if f := strings.Fields(string(stat[i+1:])); len(f) > 1 {
				children[f[1]] = append(children[f[1]], pid)
			}
		}
		if meant(pid) {
			doomed = append(doomed, pid)
		}
	}
	for i := 0; i < len(doomed); i++ {
		doomed = append(doomed, children[doomed[i]]...)
	}
	for _, pid := range doomed {
		if n, err := strconv.Atoi(pid); err == nil && n > 1 && n != os.Getpid() {
			_ = syscall.Kill(n, syscall.SIGKILL) // ignored: the process may have ended
		}
	}
}
