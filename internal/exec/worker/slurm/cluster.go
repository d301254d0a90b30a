package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// cluster is the world of a real Slurm. No more is used of it than sbatch, squeue and scancel.
type cluster struct {
	folder  string   // the exchange folder
	state   string   // the folder of the notes, in the store
	program string   // of the workers
	options []string // of sbatch
	within  time.Duration
	delay   time.Duration
}

const notesFile = "notes.jsonl"

// script is what a job executes: every attempt has its own file, which also contains the messages of the shell and the
// worker. Before there is one, only the exit code can say what is wrong. A new chunk may not be seen at once.
const script = `#!/bin/sh
export LC_ALL=C
chunk=%[2]s$SLURM_ARRAY_TASK_ID
[ -d %[1]s ] || exit %[7]d
[ -x %[3]s ] || exit %[8]d
[ -d %[1]s/$chunk ] || sleep %[11]d
[ -d %[1]s/$chunk ] || exit 0
name=$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}
file=$(mktemp %[1]s/$chunk/$name-XXXXXXXX 2>&1) || case $file in
	*"No space"* | *uota*) exit %[10]d ;;
	*) exit %[9]d ;;
esac
exec 2>>"$file"
exec %[3]s tool worker --exchange %[4]s --chunk "$chunk" --attempt "${file##*/}" --within %[5]s --delay %[6]s
`

func (c *cluster) script(chunks string) string {
	return fmt.Sprintf(script, quote(filepath.Join(c.folder, exchange.ChunksFolder)), chunks, quote(c.program),
		quote(c.folder), c.within, c.delay, exchange.ExitNoFolder, exchange.ExitNoProgram, exchange.ExitReadOnly,
		exchange.ExitFull,
		int(math.Ceil(c.delay.Seconds())))
}

// quote quotes a word for the shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// try returns the error with which a submission would be refused.
func (c *cluster) try(ctx context.Context) error {
	_, err := c.call(ctx, c.script("0-"), append([]string{"sbatch", "--test-only"}, c.options...)...)
	if err != nil {
		return fmt.Errorf("jobs of this executor are refused: %w", err)
	}
	return nil
}

func (c *cluster) submit(ctx context.Context, s *submission) (job string, err error) {
	args := append([]string{"sbatch", "--parsable", "--job-name=" + s.name, fmt.Sprintf("--array=0-%d", s.size-1),
		"--requeue", "--output=/dev/null", "--chdir=/"}, c.options...)
	if len(s.exclude) > 0 {
		args = append(args, "--exclude="+strings.Join(s.exclude, ","))
	}
	out, err := c.call(ctx, c.script(s.chunks), args...)
	if err != nil && strings.Contains(err.Error(), "Requested node configuration is not available") {
		err = fmt.Errorf("%w: %w", errNoNode, err)
	}
	job, _, _ = strings.Cut(strings.TrimSpace(out), ";") // a cluster's name may follow
	return job, err
}

func (c *cluster) list(ctx context.Context) ([]element, error) {
	out, err := c.call(ctx, "", "squeue", "--noheader", "--array", "--states=all",
		"--users="+strconv.Itoa(os.Getuid()), "--Format=Name:|,ArrayJobID:|,ArrayTaskID:|,State:|,NodeList:|,exit_code:|,Reason:|")
	if err != nil {
		return nil, err
	}
	return readList(out), nil
}

// readList parses the output of squeue: name, id of the array, number of the element, state, node, wait status, reason.
func readList(out string) []element {
	var all []element
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) < 7 {
			continue
		}
		index, err := strconv.Atoi(f[2])
		if err != nil {
			continue // not of an array
		}
		e := element{name: f[0], index: index, id: f[1] + "_" + f[2], node: f[4], state: running}
		switch f[3] {
		case "PENDING":
			e.state, e.text = queued, f[6]
		case "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
			"TIMEOUT":
			status, _ := strconv.Atoi(f[5]) // 0 for what is no number
			e.state, e.exit, e.cancelled = ended, status>>8&0xff, f[3] == "CANCELLED"
			e.text = fmt.Sprintf("%s, exit code %d", f[3], e.exit)
			if n := status & 0x7f; n != 0 {
				e.text = fmt.Sprintf("%s, signal %d", f[3], n)
			}
		}
		all = append(all, e)
	}
	return all
}

func (c *cluster) cancel(ctx context.Context, ids []string) error {
	const most = 500
	for len(ids) > 0 {
		n := min(len(ids), most)
		if _, err := c.call(ctx, "", append([]string{"scancel", "--quiet"}, ids[:n]...)...); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// call calls a program of Slurm.
func (c *cluster) call(ctx context.Context, stdin string, args ...string) (string, error) {
	const timeout = 2 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(said.String()); text != "" {
			return "", fmt.Errorf("%s: %w: %s", args[0], err, text)
		}
		return "", fmt.Errorf("%s: %w", args[0], err)
	}
	return out.String(), nil
}

func (c *cluster) path(name string) string { return filepath.Join(c.folder, filepath.FromSlash(name)) }

func (c *cluster) put(name string, content []byte) error {
	return exchange.WriteFile(c.path(name), content)
}

func (c *cluster) names(folder string) ([]string, error) {
	f, err := os.Open(c.path(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// read opens the file every time, so that a network file system checks for new data.
func (c *cluster) read(name string, at int64, most int) ([]byte, error) {
	f, err := exchange.Open(c.path(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() <= at {
		return nil, err
	}
	b := make([]byte, min(int64(most), info.Size()-at))
	n, err := f.ReadAt(b, at)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:n], err
}

func (c *cluster) remove(folder string) error { return os.RemoveAll(c.path(folder)) }

func (c *cluster) notes() ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(c.state, notesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

func (c *cluster) renote(content []byte) error {
	return exchange.WriteFile(filepath.Join(c.state, notesFile), content)
}

func (c *cluster) note(line []byte) error {
	f, err := os.OpenFile(filepath.Join(c.state, notesFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Sync(), f.Close())
}

func (c *cluster) now() time.Time { return time.Now() }

func (c *cluster) sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
