package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/verify"
	"github.com/smtpipe/smtpipe/internal/base/exit"
)

// newKey writes an SSH key and returns the paths of the private and the public half.
func newKey(t *testing.T) (private, public string) {
	t.Helper()
	open, secret, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(open)
	if err != nil {
		t.Fatal(err)
	}
	private = filepath.Join(t.TempDir(), "key")
	public = private + ".pub"
	halves := map[string][]byte{private: pem.EncodeToMemory(block), public: ssh.MarshalAuthorizedKey(key)}
	for path, content := range halves {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return private, public
}

// TestSignedFolders forges outputs, verdicts, scores, lock and digests together. Only the signature can reveal this.
// For an unsigned folder, the report must state that no signature was checked.
func TestSignedFolders(t *testing.T) {
	t.Parallel()
	project := smallProject(t)
	ours, ourPublic := newKey(t)
	theirs, theirPublic := newKey(t)
	freezeAs := func(name, key string) string {
		folder := filepath.Join(project, name)
		args := []string{"freeze", "-p", project, "-o", folder}
		if key != "" {
			args = append(args, "--sign", key)
		}
		execSmtpipe(t, exit.Done, args...)
		return folder
	}
	signed, unsigned := freezeAs("signed", ours), freezeAs("unsigned", "")
	inventUnknown(t, project)
	forged := freezeAs("forged", theirs)
	stale := freezeAs("stale", "")
	copySignature(t, signed, stale, func(b []byte) []byte { return b })
	damaged := freezeAs("damaged", ours)
	copySignature(t, damaged, damaged, func(b []byte) []byte { return bytes.Replace(b, []byte("A"), []byte("B"), 1) })
	cut := freezeAs("cut", ours)
	copySignature(t, cut, cut, func(b []byte) []byte { return b[:len(b)/2] })

	tests := []struct {
		name, folder, key string
		exit              int
		state, want       string // state of the signature, and text in the report
	}{
		{"ours", signed, ourPublic, exit.Done, "good", "vouches for them with a signature of the lock; only repeating the runs"},
		{"nobody asks", signed, "", exit.Done, "unchecked", "nobody's signature was checked"},
		{"not signed", unsigned, "", exit.Done, "none", "Only a signature of the lock says who vouches"},
		{"not signed, as it should be", unsigned, ourPublic, exit.CannotVerify, "none", "there is NONE"},
		{"of another key", signed, theirPublic, exit.Differs, "bad", "the key ssh-ed25519 SHA256:"},
		{"forged, and signed by the forger", forged, ourPublic, exit.Differs, "bad", "it was made with the key "},
		{"forged, and nobody asks", forged, "", exit.Done, "unchecked", "whoever invents outputs of runs and computes"},
		{"forged, with the old signature", stale, ourPublic, exit.Differs, "bad", "it is not a signature of this text"},
		{"the same, and nobody asks", stale, "", exit.Differs, "bad", "it is not a signature of this text"},
		{"damaged", damaged, ourPublic, exit.Differs, "bad", "BAD: "},
		{"half of it is gone", cut, "", exit.Differs, "bad", "it is not a signature written by \"ssh-keygen"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := []string{"verify", tt.folder}
			if tt.key != "" {
				args = append(args, "--key", tt.key)
			}
			if text := execSmtpipe(t, tt.exit, args...); !strings.Contains(text, tt.want) {
				t.Errorf("verify does not say %q:\n%s", tt.want, text)
			}
			var report verify.Report
			if err := json.Unmarshal([]byte(execSmtpipe(t, tt.exit, append(args, "--json")...)), &report); err != nil {
				t.Fatal(err)
			}
			isBad := slices.ContainsFunc(report.Differences, func(d verify.Finding) bool {
				return d.Where == frozen.SignatureName
			})
			if s := report.Signature; s.State != tt.state || isBad != (tt.state == "bad") || s.Asked != (tt.key != "") {
				t.Errorf("the signature is %+v, the differences are %+v", s, report.Differences)
			}
			if len(report.Unlisted) > 0 {
				t.Errorf("not part of the folder are %q", report.Unlisted)
			}
		})
	}
	execSmtpipe(t, exit.Usage, "verify", signed, "--key", ours)
	execSmtpipe(t, exit.Usage, "verify", signed, "--key", signed)
	execSmtpipe(t, exit.Usage, "freeze", "-p", project, "-o", filepath.Join(project, "x"), "--sign", ourPublic)
	if _, err := os.Stat(filepath.Join(project, "x")); err == nil {
		t.Error("a folder was written without the signature that was asked for")
	}
}

// copySignature writes a changed copy of a folder's signature to another folder.
func copySignature(t *testing.T, from, to string, change func([]byte) []byte) {
	t.Helper()
	sig, err := os.ReadFile(filepath.Join(from, frozen.SignatureName))
	if err == nil {
		err = os.WriteFile(filepath.Join(to, frozen.SignatureName), change(sig), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
