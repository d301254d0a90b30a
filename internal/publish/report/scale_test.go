package report

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

// TestScale writes the site of the 2022 single-query track within the budget: 20 s and 220 MB. It needs
// SMTPIPE_SCALE=1. SMTPIPE_REPORT_DIR keeps the site.
func TestScale(t *testing.T) {
	if os.Getenv("SMTPIPE_SCALE") != "1" {
		t.Skip("takes half a minute; set SMTPIPE_SCALE=1")
	}
	in := official2022(t)
	if os.Getenv("SMTPIPE_SCALE_KEYS") == "1" { // digests like those of smtpipe's runs do not compress
		withKeys(in)
	}
	dir := os.Getenv("SMTPIPE_REPORT_DIR")
	if dir == "" {
		dir = t.TempDir()
	}
	start, before := time.Now(), cpuTime(t)
	sink, err := openDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	if err := Write(context.Background(), sink, in); err != nil {
		t.Fatal(err)
	}
	took, cpu := time.Since(start), cpuTime(t)-before
	var size, files int64
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size, files = size+info.Size(), files+1
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %.1f MB in %v, %v of CPU time", files, float64(size)/1e6, took.Round(time.Millisecond),
		cpu.Round(time.Millisecond))
	// The budget is wall time on two otherwise idle cores. Measure CPU time, which does not depend on other work.
	if cpu > 2*20*time.Second || size > 220e6 {
		t.Errorf("the site has %d bytes and took %v of CPU time; the budget is 220 MB and 20 s on two cores", size, cpu)
	}
}

func cpuTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// withKeys adds to every run the digests that a run of smtpipe has.
func withKeys(in *Input) {
	var rows []results.VerdictRow
	digest := func(parts ...string) string {
		sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
		return hex.EncodeToString(sum[:])
	}
	script, last := "", ""
	for v := range in.Verdicts {
		if v.Benchmark != last {
			last, script = v.Benchmark, digest(v.Benchmark)
		}
		v.RunKey, v.ScriptSHA256, v.StderrSHA256, v.Stdout = digest(v.Benchmark, v.Solver), script, digest(v.Solver),
			v.Answer+"\n"
		v.MemoryBytes = int64(1e6 * (1 + v.WallTimeS))
		rows = append(rows, v)
	}
	in.Verdicts = Rows(rows)
}
