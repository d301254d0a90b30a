package signature

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// Signers is a list of people whose signatures are accepted.
type Signers []signer

type signer struct {
	name       string // the person's name; empty if the file does not state it
	key        ssh.PublicKey
	namespaces []string  // patterns of namespaces; empty means all
	after      time.Time // start of validity; zero means unlimited
	before     time.Time // end of validity; zero means unlimited
}

// ParseSigners parses public keys, one per line, or the lines of an allowed_signers file (ssh-keygen(1)).
func ParseSigners(text []byte) (Signers, error) {
	var all Signers
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		s, err := parseSigner(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, errors.New("it contains no key")
	}
	return all, nil
}

func parseSigner(line []byte) (signer, error) {
	const want = "it is neither a public key nor a line of an allowed_signers file"
	if key, comment, options, _, err := ssh.ParseAuthorizedKey(line); err == nil && len(options) == 0 {
		return signer{name: comment, key: key}, nil
	}
	name, rest := cutName(string(line))
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(rest))
	if err != nil {
		return signer{}, fmt.Errorf("%s: %w", want, err)
	}
	s := signer{name: name, key: key}
	for _, o := range options {
		if err := s.option(o); err != nil {
			return signer{}, err
		}
	}
	return s, nil
}

// cutName splits a line of an allowed_signers file into the names, which may be quoted, and the key.
func cutName(line string) (name, rest string) {
	if quoted, ok := strings.CutPrefix(line, `"`); ok {
		name, rest, _ = strings.Cut(quoted, `"`)
		return name, strings.TrimSpace(rest)
	}
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, ""
	}
	return line[:i], strings.TrimSpace(line[i:])
}

func (s *signer) option(text string) (err error) {
	name, value, _ := strings.Cut(text, "=")
	value = strings.Trim(value, `"`)
	switch strings.ToLower(name) {
	case "namespaces":
		s.namespaces = strings.Split(value, ",")
	case "valid-after":
		s.after, err = parseTime(value)
	case "valid-before":
		s.before, err = parseTime(value)
	case "cert-authority":
		err = errors.New("certificates are not supported; list the public keys instead")
	default:
		err = fmt.Errorf("unknown option %q", name)
	}
	return err
}

// parseTime parses YYYYMMDD, optionally followed by HHMM or HHMMSS. The time is local unless a Z follows.
func parseTime(text string) (time.Time, error) {
	zone := time.Local
	digits, utc := strings.CutSuffix(text, "Z")
	if utc {
		zone = time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if t, err := time.ParseInLocation(layout, digits, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time such as 20270131 or 202701312359Z", text)
}

// Who returns a text's signer. It returns an error if the signature was made by anyone else or does not match the text.
func (all Signers) Who(s *Signature, text []byte, now time.Time) (string, error) {
	if err := s.Check(text); err != nil {
		return "", err
	}
	var refused error
	for _, one := range all {
		if !bytes.Equal(one.key.Marshal(), s.sig.PublicKey.Marshal()) {
			continue
		}
		if refused = one.accepts(now); refused == nil {
			return one.name, nil
		}
	}
	if refused != nil {
		return "", refused
	}
	var keys []string
	for _, one := range all {
		keys = append(keys, strings.TrimSpace(keyText(one.key)+" "+one.name))
	}
	return "", fmt.Errorf("it was made with the key %s, not with %s", s.Key(), strings.Join(keys, ", or "))
}

// accepts returns an error if signatures by this key are not accepted at the given time.
func (s *signer) accepts(now time.Time) error {
	ours := func(pattern string) bool {
		ok, err := path.Match(pattern, Namespace)
		return ok && err == nil
	}
	who := strings.TrimSpace("the key of " + s.name)
	switch {
	case len(s.namespaces) > 0 && !slices.ContainsFunc(s.namespaces, ours):
		return fmt.Errorf("%s is for %s, not for %s", who, strings.Join(s.namespaces, ", "), Namespace)
	case !s.after.IsZero() && now.Before(s.after):
		return fmt.Errorf("%s is not valid before %s", who, s.after.Format(time.DateTime))
	case !s.before.IsZero() && !now.Before(s.before):
		return fmt.Errorf("%s was valid until %s", who, s.before.Format(time.DateTime))
	}
	return nil
}
