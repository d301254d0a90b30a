package ui

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/term"
)

// Pager displays text on a terminal, through a program such as less if the text does not fit.
type Pager struct {
	dst     io.Writer
	columns int // terminal width; 0: not a terminal, pass everything on
	lines   int // terminal height
	command string

	begun bytes.Buffer // text written so far, while it may still fit on the terminal
	child *exec.Cmd
	pipe  io.WriteCloser
	gone  bool // whether the reader has left the pager
}

// NewPager returns a pager on dst. It runs $PAGER, or less if $PAGER is not set; an empty $PAGER or "cat" disables
// paging. If dst is not a terminal, the pager passes everything on unchanged.
func NewPager(dst io.Writer) *Pager {
	p := &Pager{dst: dst, command: "less"}
	if c, set := os.LookupEnv("PAGER"); set {
		p.command = c
	}
	if f, ok := dst.(*os.File); ok && IsTerminal(dst) {
		p.columns, p.lines, _ = term.GetSize(int(f.Fd()))
	}
	return p
}

// Write writes text. Once the reader has left the pager, it drops the rest.
func (p *Pager) Write(b []byte) (int, error) {
	switch {
	case p.gone:
		return len(b), nil
	case p.child != nil:
		return len(b), p.send(b)
	case p.columns == 0 || p.command == "" || p.command == "cat":
		return p.dst.Write(b)
	}
	p.begun.Write(b)
	if bytes.Count(p.begun.Bytes(), []byte("\n")) < p.lines {
		return len(b), nil
	}
	if err := p.start(); err != nil { // if the pager cannot start, show the text anyway
		p.command = ""
		_, err := p.dst.Write(p.begun.Bytes())
		p.begun.Reset()
		return len(b), err
	}
	err := p.send(p.begun.Bytes())
	p.begun.Reset()
	return len(b), err
}

func (p *Pager) start() error {
	cmd := exec.Command("sh", "-c", p.command)
	cmd.Stdout, cmd.Stderr, cmd.Env = p.dst, os.Stderr, os.Environ()
	if _, set := os.LookupEnv("LESS"); !set {
		cmd.Env = append(cmd.Env, "LESS=FRX")
	}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.child, p.pipe = cmd, pipe
	return nil
}

func (p *Pager) send(b []byte) error {
	_, err := p.pipe.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		p.gone = true
		return nil
	}
	return err
}

// Close writes the rest and waits until the reader leaves the pager.
func (p *Pager) Close() error {
	if p.child != nil {
		p.pipe.Close()
		err := p.child.Wait()
		if _, exited := errors.AsType[*exec.ExitError](err); exited {
			return nil // less exits with an error if it is interrupted
		}
		return err
	}
	_, err := p.dst.Write(p.begun.Bytes())
	p.begun.Reset()
	return err
}

// lineWidth returns the maximum line width on w, or 0 for unlimited.
func lineWidth(w io.Writer) int {
	switch w := w.(type) {
	case *Pager:
		return w.columns
	case *os.File:
		if IsTerminal(w) {
			columns, _, _ := term.GetSize(int(w.Fd()))
			return columns
		}
	}
	return 0
}
