package verify

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/signature"
	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// Signature describes who signed the lock.
type Signature struct {
	State  string `json:"state"`            // none, unchecked, good or bad
	Key    string `json:"key,omitempty"`    // type and fingerprint of the signing key
	Signer string `json:"signer,omitempty"` // the signer's name, if the signature is good and the key has one
	Why    string `json:"why,omitempty"`    // why the signature is bad
	Asked  bool   `json:"asked"`            // whether the caller requires a particular signer
}

// The states of signatures.
const (
	signedByNobody = "none"
	unchecked      = "unchecked" // the signature is valid, but the owner of its key is unknown
	good           = "good"
	bad            = "bad"
)

// signature checks the lock's signature.
func (v *verification) signature(context.Context) error {
	s := &v.report.Signature
	s.Asked = v.Signers != nil
	text, err := limits.Signature.ReadFile(v.folder.Path(frozen.SignatureName))
	if errors.Is(err, fs.ErrNotExist) {
		s.State = signedByNobody
		v.report.Unsure = v.report.Unsure || s.Asked
		return nil
	}
	if err != nil {
		return err
	}
	sig, err := signature.Parse(text)
	if err == nil {
		s.State, s.Key = unchecked, sig.Key()
		err = sig.Check(v.folder.Bytes)
	}
	if err == nil && s.Asked {
		s.State = good
		s.Signer, err = v.Signers.Who(sig, v.folder.Bytes, time.Now())
	}
	if err != nil {
		s.State, s.Why = bad, err.Error()
		v.report.differs(frozen.SignatureName, s.Why)
	}
	return nil
}

// text describes the signature in one line.
func (s *Signature) text() string {
	switch s.State {
	case good:
		return "good, by " + s.whose() + "."
	case bad:
		return "BAD: " + s.Why
	case unchecked:
		return "the lock is signed with " + s.Key + "; nobody's signature was checked. --key FILE checks whose it is, with a " +
			"key that does not come from this folder."
	}
	if s.Asked {
		return "there is NONE, so the key given proves nothing."
	}
	return "none."
}

func (s *Signature) whose() string {
	if s.Signer == "" {
		return s.Key
	}
	return s.Signer + " (" + s.Key + ")"
}

// vouches describes what the signature means for measurements that were not repeated.
func (s *Signature) vouches() string {
	const again = "only repeating the runs can confirm them."
	if s.State == good {
		return s.whose() + " vouches for them with a signature of the lock; " + again
	}
	return "Only a signature of the lock says who vouches for them, and nobody's was checked; " + again
}
