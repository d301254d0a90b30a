// Package signature signs texts with SSH keys and checks signatures, in the format of "ssh-keygen -Y sign" and
// "ssh-keygen -Y verify".
package signature

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// Namespace is the purpose of the signatures, which prevents a signature made for another purpose from being accepted.
const Namespace = "smtpipe"

// Sign signs a text. SSH signs the text's SHA-512 digest.
func Sign(text []byte, with *Key) ([]byte, error) {
	sig, err := sshsig.Sign(bytes.NewReader(text), with.signer, sshsig.HashSHA512, Namespace)
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	return sshsig.Armor(sig), nil
}

// Signature is a parsed signature. Only Signers can tell who made it.
type Signature struct{ sig *sshsig.Signature }

// Parse parses a signature.
func Parse(armored []byte) (*Signature, error) {
	sig, err := sshsig.Unarmor(armored)
	if err != nil {
		return nil, fmt.Errorf("it is not a signature written by \"ssh-keygen -Y sign\": %w", err)
	}
	return &Signature{sig}, nil
}

// Key returns the type and fingerprint of the signing key, as printed by ssh-keygen -l.
func (s *Signature) Key() string { return keyText(s.sig.PublicKey) }

func keyText(key ssh.PublicKey) string { return key.Type() + " " + ssh.FingerprintSHA256(key) }

// Check returns an error unless the signature's own key signed this text.
func (s *Signature) Check(text []byte) error {
	err := sshsig.Verify(bytes.NewReader(text), s.sig, s.sig.PublicKey, s.sig.HashAlgorithm, Namespace)
	switch {
	case errors.Is(err, sshsig.ErrNamespaceMismatch):
		return fmt.Errorf("it was made for %q, not for %q (ssh-keygen -Y sign -n %s)", s.sig.Namespace, Namespace,
			Namespace)
	case err != nil:
		return fmt.Errorf("it is not a signature of this text, or was changed: %w", err)
	}
	return nil
}
