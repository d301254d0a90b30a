package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// useEvidence takes measurements from a frozen folder, with its programs and machines instead of this machine's.
func (p *project) useEvidence(dir string, opt *config.Options) error {
	folder, err := frozen.Open(dir)
	if errors.Is(err, frozen.ErrNotFrozen) {
		return exit.With(exit.Usage, err)
	}
	if err != nil {
		return err
	}
	p.evidence, p.evidenceName = folder, dir
	p.store.SetRemote(folder.NewRemote(p.store, all.Kinds()))
	p.named.Finder = folder.Files(p.files)
	opt.Evidence, opt.Locked = folder, folder.Values()
	return nil
}

func (p *project) closeEvidence() error {
	if p.evidence == nil {
		return nil
	}
	return p.evidence.Close()
}

// evidenceText describes the evidence in use and who measured it; empty if none.
func (p *project) evidenceText() string {
	if p.evidence == nil {
		return ""
	}
	lock := cache.DigestOf(p.evidence.Bytes)
	return fmt.Sprintf("%s (lock sha256:%s), measured on %s", p.evidenceName, lock.String()[:12],
		strings.Join(p.evidence.Hardware(), "; and on "))
}

// noteEvidence tells the user that evidence is used.
func (p *project) noteEvidence(w io.Writer) {
	if text := p.evidenceText(); text != "" {
		fmt.Fprintf(w, "Evidence: %s. Nothing is measured here.\n", text)
	}
}
