package signature

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// OpenKey opens the signing key in a file. For a protected private key, it calls ask to obtain the passphrase. For a
// public key, it uses the private key held by the SSH agent. The caller must close the key.
func OpenKey(path string, ask func(question string) ([]byte, error)) (*Key, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if public, _, _, _, err := ssh.ParseAuthorizedKey(text); err == nil {
		return agentKey(path, public)
	}
	key, err := ssh.ParsePrivateKey(text)
	if _, ok := errors.AsType[*ssh.PassphraseMissingError](err); ok {
		passphrase, failed := ask("Passphrase of " + path + ": ")
		if failed != nil {
			return nil, failed
		}
		if key, err = ssh.ParsePrivateKeyWithPassphrase(text, passphrase); err != nil {
			return nil, fmt.Errorf("%s cannot be opened with this passphrase: %w", path, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s is neither a private nor a public SSH key: %w", path, err)
	}
	return &Key{signer: key}, nil
}

// Key is a signing key.
type Key struct {
	signer ssh.Signer
	agent  net.Conn // connection to the agent; nil if this process holds the private key
}

// Close closes the connection to the agent, if any.
func (k *Key) Close() error {
	if k.agent == nil {
		return nil
	}
	return k.agent.Close()
}

// agentKey finds a public key's private key in the agent.
func agentKey(path string, public ssh.PublicKey) (*Key, error) {
	const socket = "SSH_AUTH_SOCK"
	if os.Getenv(socket) == "" {
		return nil, fmt.Errorf("%s is a public key, and there is no SSH agent (%s) that has the private one", path,
			socket)
	}
	conn, err := net.Dial("unix", os.Getenv(socket))
	if err != nil {
		return nil, fmt.Errorf("the SSH agent does not answer: %w", err)
	}
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the SSH agent does not list its keys: %w", err), conn.Close())
	}
	for _, s := range signers {
		if bytes.Equal(s.PublicKey().Marshal(), public.Marshal()) {
			return &Key{s, conn}, nil
		}
	}
	err = fmt.Errorf("the SSH agent does not have the private key of %s; add it with \"ssh-add\"", path)
	return nil, errors.Join(err, conn.Close())
}
