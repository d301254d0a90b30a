package signature_test

import (
	"bytes"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/smtpipe/smtpipe/internal/audit/signature"
)

var (
	text = []byte("what is signed\n")
	now  = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
)

// sshKeygen runs ssh-keygen and returns its output.
func sshKeygen(t *testing.T, stdin []byte, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("there is no ssh-keygen")
	}
	cmd := exec.Command("ssh-keygen", args...)
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// newKey creates a key like those of organisers and returns the path of its private half.
func newKey(t *testing.T, passphrase string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	args = append([]string{"-q", "-N", passphrase, "-C", "a comment", "-f", path}, args...)
	if out, err := sshKeygen(t, nil, args...); err != nil {
		t.Fatal(out)
	}
	return path
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func noQuestion(string) ([]byte, error) { return nil, errors.New("nobody answers") }

func sign(t *testing.T, path string, ask func(string) ([]byte, error)) []byte {
	t.Helper()
	key, err := signature.OpenKey(path, ask)
	if err != nil {
		t.Fatal(err)
	}
	defer key.Close()
	sig, err := signature.Sign(text, key)
	if err != nil {
		t.Fatal(err)
	}
	return sig
}

// who returns a text's signer.
func who(signers, sig, text []byte, now time.Time) (string, error) {
	all, err := signature.ParseSigners(signers)
	if err != nil {
		return "", err
	}
	s, err := signature.Parse(sig)
	if err != nil {
		return "", err
	}
	return all.Who(s, text, now)
}

// TestOpenSSH checks for each type of key that ssh-keygen accepts our signatures and that we accept its signatures.
func TestOpenSSH(t *testing.T) {
	for _, kind := range [][]string{{"-t", "ed25519"}, {"-t", "rsa", "-b", "2048"}, {"-t", "ecdsa", "-b", "256"},
		{"-t", "ecdsa", "-b", "521"}} {
		for _, passphrase := range []string{"", "correct horse"} {
			t.Run(strings.Join(kind, " ")+" "+passphrase, func(t *testing.T) {
				key := newKey(t, passphrase, kind...)
				public := read(t, key+".pub")
				allowed := append([]byte("chair@example.org "), public...)
				ours := write(t, sign(t, key, func(string) ([]byte, error) { return []byte(passphrase), nil }))
				check := func(text string) (string, error) {
					return sshKeygen(t, []byte(text), "-Y", "verify", "-f", write(t, allowed), "-I",
						"chair@example.org", "-n", "smtpipe", "-s", ours)
				}
				if out, err := check(string(text)); err != nil {
					t.Errorf("ssh-keygen says %s", out)
				}
				if out, err := check("another text"); err == nil {
					t.Errorf("of another text, ssh-keygen says %s", out)
				}
				if passphrase != "" {
					return // ssh-keygen prompts on the terminal
				}
				file := write(t, text)
				if out, err := sshKeygen(t, nil, "-Y", "sign", "-f", key, "-n", "smtpipe", file); err != nil {
					t.Fatal(out)
				}
				theirs := read(t, file+".sig")
				names := map[string]string{string(public): "a comment", string(allowed): "chair@example.org"}
				for signers, want := range names {
					if name, err := who([]byte(signers), theirs, text, now); err != nil || name != want {
						t.Errorf("the signature of ssh-keygen is of %q, %v, want %q", name, err, want)
					}
				}
				s, err := signature.Parse(theirs)
				if err != nil {
					t.Fatal(err)
				}
				_, fingerprint, _ := strings.Cut(s.Key(), " ")
				out, err := sshKeygen(t, nil, "-l", "-f", key)
				if err != nil || !strings.Contains(out, fingerprint+" ") {
					t.Errorf("the key is %s, and ssh-keygen says %s", s.Key(), out)
				}
			})
		}
	}
}

// TestRefused checks that the error for an unacceptable signature states the reason.
func TestRefused(t *testing.T) {
	key, other := newKey(t, "", "-t", "ed25519"), newKey(t, "", "-t", "ed25519")
	public := strings.TrimSpace(string(read(t, key+".pub")))
	sig := sign(t, key, noQuestion)
	block, _ := pem.Decode(sig)
	block.Bytes[len(block.Bytes)-1] ^= 1
	damaged := pem.EncodeToMemory(block)
	file := write(t, text)
	if out, err := sshKeygen(t, nil, "-Y", "sign", "-f", key, "-n", "file", file); err != nil {
		t.Fatal(out)
	}
	forFiles := read(t, file+".sig")

	tests := []struct {
		name, signers string
		sig           []byte
		text          string
		want          string // part of the error; empty if accepted
	}{
		{"as it should be", public, sig, string(text), ""},
		{"another text", public, sig, "another text", "it is not a signature of this text"},
		{"another key", string(read(t, other+".pub")), sig, string(text), "made with the key ssh-ed25519 SHA256:"},
		{"a changed bit", public, damaged, string(text), "it is not a signature of this text, or was changed"},
		{"no signature", public, []byte("hello"), string(text), "it is not a signature written by"},
		{"half of one", public, sig[:len(sig)/2], string(text), "it is not a signature written by"},
		{"of a file", public, forFiles, string(text), `it was made for "file", not for "smtpipe"`},
		{"one of two keys", string(read(t, other+".pub")) + "# and\n\n" + public, sig, string(text), ""},
		{"for everything", `a@b,c@d namespaces="git,smt*" ` + public, sig, string(text), ""},
		{"for other things", `a@b namespaces="git,file" ` + public, sig, string(text), "the key of a@b is for git, file, not"},
		{"valid", `a@b valid-after="20260701",valid-before="20260801" ` + public, sig, string(text), ""},
		{"valid to the second", `a@b valid-before="20260701120001Z" ` + public, sig, string(text), ""},
		{"not yet", `a@b valid-after="202607011201Z" ` + public, sig, string(text), "is not valid before 2026-07-01 12:01:00"},
		{"no more", `a@b valid-before="202607011200Z" ` + public, sig, string(text), "was valid until 2026-07-01 12:00:00"},
		{"no time", `a@b valid-before="tomorrow" ` + public, sig, string(text), `line 1: "tomorrow" is not a time`},
		{"an authority", `*@b cert-authority ` + public, sig, string(text), "certificates are not supported"},
		{"an option of the future", `a@b future ` + public, sig, string(text), `unknown option "future"`},
		{"a quoted name", `"a b" ` + public, sig, string(text), ""},
		{"no key", "# nothing\n", sig, string(text), "it contains no key"},
		{"the private key", string(read(t, key)), sig, string(text), "line 1: it is neither a public key nor"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := who([]byte(tt.signers), tt.sig, []byte(tt.text), now)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// TestKeys checks that the error for an unusable signing key states the reason.
func TestKeys(t *testing.T) {
	t.Setenv("SSH_AUTH_SOCK", "")
	protected := newKey(t, "correct horse", "-t", "ed25519")
	for name, tt := range map[string]struct {
		path, passphrase, want string
	}{
		"wrong passphrase": {protected, "battery staple", "cannot be opened with this passphrase"},
		"a public key":     {protected + ".pub", "", "there is no SSH agent"},
		"no key":           {write(t, text), "", "is neither a private nor a public SSH key"},
		"nothing":          {protected + ".not", "", "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := signature.OpenKey(tt.path, func(string) ([]byte, error) { return []byte(tt.passphrase), nil })
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
	if _, err := signature.OpenKey(protected, noQuestion); err == nil || err.Error() != "nobody answers" {
		t.Errorf("where nobody answers: %v", err)
	}
}

// TestAgent checks that the SSH agent signs if only the public key is given.
func TestAgent(t *testing.T) {
	path := newKey(t, "", "-t", "rsa", "-b", "2048")
	private, err := ssh.ParseRawPrivateKey(read(t, path))
	if err != nil {
		t.Fatal(err)
	}
	keyring := agent.NewKeyring()
	socket := filepath.Join(t.TempDir(), "agent")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = agent.ServeAgent(keyring, conn) // serves until the client closes the connection
		}
	}()
	t.Setenv("SSH_AUTH_SOCK", socket)
	if _, err := signature.OpenKey(path+".pub", noQuestion); err == nil ||
		!strings.Contains(err.Error(), "the SSH agent does not have the private key") {
		t.Errorf("an agent without keys: %v", err)
	}
	if err := keyring.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		t.Fatal(err)
	}
	if _, err := who(read(t, path+".pub"), sign(t, path+".pub", noQuestion), text, now); err != nil {
		t.Error(err)
	}
}

// FuzzParse checks that untrusted data is either rejected or parsed as a signature, but never as one that matches the
// text.
func FuzzParse(f *testing.F) {
	f.Add([]byte("-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----\n"))
	text := make([]byte, 32)
	if _, err := rand.Read(text); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, armored []byte) {
		if s, err := signature.Parse(armored); err == nil && s.Check(text) == nil {
			t.Error("it is a signature of a text that nobody has seen")
		}
	})
}
