package benchexec

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// client replaces the VerifierCloud's client. It executes the runs on this machine and pretends to be a node.
const client = `#!/usr/bin/env python3
import json, os, subprocess, sys
if "benchmark" not in sys.argv:
    sys.exit(0)  # ivy, which fetches the client
lines = sys.stdin.read().split("\n")
base, out, work = lines[1].split("\t")
open(os.environ["REQUIRED"], "w").write(lines[2])
for line in lines:
    if not line.startswith("["):
        continue
    cmd, log = line.split("\t")[:2]
    cmd = json.loads(cmd)
    r = subprocess.run(cmd, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    log = os.path.join(out, log)
    open(log, "w").write(" ".join(cmd) + "\n\n\n" + "-" * 80 + "\n\n\n" + r.stdout)
    open(log + ".data",
	"w").write("walltime=0.5s\ncputime=0.25s\nmemory=1000000B\nreturnvalue=%d\nhost=apollon7\n" % r.returncode)
open(os.path.join(out, "hostInformation.txt"), "w").write("name=apollon7\nos=Linux\nmemory=33000000000B\n"
    "cpu=Intel Xeon E3-1230 v5 @ 3.40 GHz\nfrequency=3.4GHz\ncores=8\n\n")
`

// TestVCloud checks that the organisers' cloud script accepts a job as handed over, and that its results are readable.
// The script is from the BenchExec checkout that SMTPIPE_BENCHEXEC_CHECKOUT names; only its client is replaced.
func TestVCloud(t *testing.T) {
	checkout := os.Getenv("SMTPIPE_BENCHEXEC_CHECKOUT")
	if checkout == "" {
		t.Skip("SMTPIPE_BENCHEXEC_CHECKOUT names no checkout of BenchExec")
	}
	dir, tree, copied, bin := t.TempDir(), solverTree(t), t.TempDir(), t.TempDir()
	required := filepath.Join(bin, "required")
	for _, folder := range []string{"benchexec", "contrib"} {
		if err := worker.CopyTree(filepath.Join(checkout, folder), filepath.Join(copied, folder)); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{filepath.Join(copied, "contrib/vcloud/lib/ivy-2.5.0.jar"): "",
		filepath.Join(bin, "java"): client} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	o := options(t, "hand-over", dir)
	o.Hardware = "Intel Xeon E3-1230 v5; 4 cores; 8 threads"
	x, err := open(o)
	if err != nil {
		t.Fatal(err)
	}
	w := work(t, tree, "x", 7, ";do echo sat; exit 3\n")
	r, err := order(t.Context(), x, w)
	if err != nil {
		t.Fatal(err)
	}
	message, _ := awaited(r[0])
	_, command, ok := strings.Cut(message, "on the VerifierCloud: ")
	if !ok {
		t.Fatalf("the message is %q", message)
	}
	command = strings.NewReplacer("BENCHEXEC", copied, "benchmark.py", "benchmark.py --no-container").Replace(command)
	cmd := exec.Command("sh", "-ec", command)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "REQUIRED="+required, "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, err := os.ReadFile(required); string(got) != "150\t1\tIntel Xeon E3-1230 v5" || err != nil {
		t.Errorf("the cloud is asked for %q, error %v", got, err)
	}
	for _, tt := range []struct{ hardware, want string }{
		{o.Hardware, ""}, {"", ""}, {"the cluster of 2026", ""}, {"Intel(R) Xeon(R) CPU E3-1230 v5 @ 3.40GHz; 4 cores",
			""},
		{"AMD EPYC; 2 cores", "was executed on Intel Xeon E3-1230 v5 @ 3.40 GHz (host apollon7)"},
	} {
		o.Hardware = tt.hardware
		if x, err = open(o); err != nil {
			t.Fatal(err)
		}
		r, err = order(t.Context(), x, w)
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: error %v, want %q", tt.hardware, err, tt.want)
			}
			continue
		}
		if err != nil || r[0].Record == nil || r[0].Host != "apollon7" || r[0].Record.Ending != comp.Exited ||
			r[0].Record.ExitCode != 3 || r[0].Record.WallTimeS != 0.5 || string(r[0].Record.Stdout.Head) != "sat\n" {
			t.Errorf("%s: %+v, error %v", tt.hardware, r[0], err)
		}
	}
}
