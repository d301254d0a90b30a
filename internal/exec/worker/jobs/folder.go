package jobs

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
	"slices"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// folder implements world for a real batch system.
type folder struct {
	System
	exchange string // path of the exchange folder
	state    string // folder in the store for the notes
	program  string // path of the workers' program
	pool     string
	header   string // header of the driver's chunks, as JSON
	within   time.Duration
	delay    time.Duration
}

const notesFile = "notes.jsonl"

// script is a job's shell script. Every worker has its own file, which also receives the shell's messages. Before that
// file exists, only the exit code can report an error. A new folder may not be visible immediately.
const script = `#!/bin/sh
export LC_ALL=C
exchange=%[1]s pool=%[2]s program=%[3]s
[ -d "$exchange/workers/$pool" ] || sleep %[4]d
cd "$exchange/workers/$pool" || exit %[5]d
[ -x "$program" ] || exit %[6]d
file=$(mktemp "$PWD/%[7]s-XXXXXXXX" 2>&1) || case $file in
	*"No space"* | *uota*) exit %[8]d ;;
	*) exit %[9]d ;;
esac
cd / && exec 2>>"$file"
exec "$program" tool worker --exchange "$exchange" --pool "$pool" --name "${file##*/}" --header %[10]s --within %[11]s \
	--delay %[12]s%[13]s
`

// script returns a job's script. again is a command that starts the job again, or "".
func (w *folder) script(worker, again string) string {
	if again != "" {
		again = ` --again "` + again + `"`
	}
	return fmt.Sprintf(script, Quote(w.exchange), w.pool, Quote(w.program), int(math.Ceil(w.delay.Seconds())),
		exchange.ExitNoFolder, exchange.ExitNoProgram, worker, exchange.ExitFull, exchange.ExitReadOnly,
		Quote(w.header), w.within, w.delay, again)
}

// Quote quotes a word for a shell.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Call runs a batch system program and returns its output.
func Call(ctx context.Context, stdin string, env []string, args ...string) (string, error) {
	const timeout = 2 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env, cmd.Stdin = append(os.Environ(), env...), strings.NewReader(stdin)
	cmd.WaitDelay = time.Second // for children that keep its streams open
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

// CancelWith calls a program with job IDs, in groups of limited size.
func CancelWith(ctx context.Context, ids []string, args ...string) error {
	const most = 500
	for part := range slices.Chunk(ids, most) {
		if _, err := Call(ctx, "", nil, slices.Concat(args, part)...); err != nil {
			return err
		}
	}
	return nil
}

func (w *folder) path(name string) string { return filepath.Join(w.exchange, filepath.FromSlash(name)) }

func (w *folder) put(name string, content []byte) error {
	return exchange.WriteFile(w.path(name), content)
}

func (w *folder) names(folder string) ([]string, error) { return exchange.Names(w.path(folder)) }

// read opens the file at each call: only then does a network file system check for new data.
func (w *folder) read(name string, at int64, most int) ([]byte, error) {
	f, err := exchange.Open(w.path(name))
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

func (w *folder) remove(name string) error { return os.RemoveAll(w.path(name)) }

func (w *folder) notes() ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(w.state, notesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

func (w *folder) renote(content []byte) error {
	return exchange.WriteFile(filepath.Join(w.state, notesFile), content)
}

func (w *folder) note(line []byte) error {
	f, err := os.OpenFile(filepath.Join(w.state, notesFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Sync(), f.Close())
}

func (w *folder) now() time.Time { return time.Now() }

func (w *folder) sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
