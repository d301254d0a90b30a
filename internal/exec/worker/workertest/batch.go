package workertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// startGridEngine starts a GridEngine cell in dir: a master with this machine as its only node, which has three slots.
// GridEngine's programs find the cell through environment variables.
const startGridEngine = `set -eu
programs=/usr/lib/gridengine share=/usr/share/gridengine host=$(hostname)
common=$SGE_ROOT/$SGE_CELL/common
mkdir -p $common $SGE_ROOT/bin $SGE_ROOT/utilbin $DIR/master/job_scripts $DIR/node
arch=$($share/util/arch)
ln -s $programs $SGE_ROOT/bin/$arch
ln -s $programs $SGE_ROOT/utilbin/$arch
ln -s $share/util $SGE_ROOT/util
echo $host >$common/act_qmaster
echo "$host localhost" >$common/host_aliases
cat >$common/bootstrap <<END
admin_user root
default_domain none
ignore_fqdn true
spooling_method classic
spooling_lib libspoolc
spooling_params $common;$DIR/master
binary_path $programs
qmaster_spool_dir $DIR/master
security_mode none
listener_threads 2
worker_threads 2
scheduler_threads 1
END
cd $programs
./spoolinit classic libspoolc "$common;$DIR/master" init
sed "s|^execd_spool_dir.*|execd_spool_dir $DIR/node|; s/^min_\(.\)id.*/min_\1id 0/; s/^load_report_time.*/load_report_time 0:0:1/
	s/^mailer.*/mailer none/" $share/default-configuration >$DIR/configuration
./spooldefaults configuration $DIR/configuration
./spooldefaults complexes $share/util/resources/centry
./spooldefaults usersets $share/util/resources/usersets
./spooldefaults managers root
./sge_qmaster
until ./qconf -as $host; do sleep 0.1; done
echo "hostname $host
load_scaling NONE
complex_values NONE
user_lists NONE
xuser_lists NONE
projects NONE
xprojects NONE
usage_scaling NONE
report_variables NONE" >$DIR/host
./qconf -Ae $DIR/host
./sge_execd
./qconf -sq | sed "s/^qname.*/qname main/; s/^hostlist.*/hostlist $host/; s/^slots.*/slots 3/; s/^shell .*/shell \/bin\/sh/
	s/^load_thresholds.*/load_thresholds NONE/; s/^pe_list.*/pe_list NONE/" >$DIR/queue
./qconf -Aq $DIR/queue
./qconf -ssconf | sed 's/^schedule_interval.*/schedule_interval 0:0:1/; s/^flush_submit_sec.*/flush_submit_sec 1/
	s/^flush_finish_sec.*/flush_finish_sec 1/' >$DIR/schedule
./qconf -Msconf $DIR/schedule
until ./qstat -f | grep -q "main@.*0/0/3 *[0-9]"; do sleep 0.1; done
`

// StartGridEngine starts a real GridEngine whose only node, this machine, executes three jobs concurrently. It skips
// the test if the user may not start one or if GridEngine is not installed. SMTPIPE_REQUIRE_SLURM turns the latter into
// a failure.
func StartGridEngine(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("GridEngine's daemons need root")
	}
	for _, name := range []string{"sge_qmaster", "sge_execd", "qsub", "qstat", "qdel"} {
		if _, err := exec.LookPath(name); err != nil {
			testkit.Missing(t, "SMTPIPE_REQUIRE_SLURM", "GridEngine is not installed: "+err.Error())
		}
	}
	dir, port := t.TempDir(), freePorts(t)
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"DIR": dir, "SGE_ROOT": filepath.Join(dir, "root"),
		"SGE_CELL": "default", "SGE_QMASTER_PORT": strconv.Itoa(port), "SGE_EXECD_PORT": strconv.Itoa(port + 1)} {
		t.Setenv(name, value)
	}
	t.Cleanup(func() {
		files, _ := filepath.Glob(filepath.Join(dir, "node/*/execd.pid"))
		for _, name := range append(files, filepath.Join(dir, "master/qmaster.pid")) {
			text, _ := os.ReadFile(name)
			pid := strings.TrimSpace(string(text))
			killTrees(func(p string) bool { return p == pid })
		}
		time.Sleep(100 * time.Millisecond) // they write until they have exited
	})
	out, err := exec.Command("timeout", "60", "sh", "-c", startGridEngine).CombinedOutput()
	if err != nil {
		t.Fatalf("start GridEngine: %v: %s", err, out)
	}
}

// StartHyperQueue starts a real HyperQueue with a server and three single-core workers on this machine. It skips the
// test if the program hq is missing, which no package registry contains.
func StartHyperQueue(t *testing.T) {
	t.Helper()
	hq, err := exec.LookPath("hq")
	if err != nil {
		t.Skip("HyperQueue is not installed: " + err.Error())
	}
	t.Setenv("HQ_SERVER_DIR", t.TempDir())
	start := func(args ...string) {
		cmd := exec.Command(hq, args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			killTrees(func(pid string) bool { return pid == strconv.Itoa(cmd.Process.Pid) })
			_ = cmd.Wait() // it was killed on purpose
		})
	}
	wait := func(what string, there func() bool) {
		for end := time.Now().Add(20 * time.Second); !there(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("HyperQueue has no %s", what)
			}
		}
	}
	start("server", "start")
	wait("server", func() bool { return exec.Command(hq, "server", "info").Run() == nil })
	for n := range 3 {
		start("worker", "start", "--cpus", "1", "--hostname", fmt.Sprint("n", n+1))
	}
	wait("three workers", func() bool {
		out, err := exec.Command(hq, "worker", "list").Output()
		return err == nil && strings.Count(string(out), "RUNNING") == 3
	})
}
