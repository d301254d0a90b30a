package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// netrcEntry returns the credentials for a host from the file that NETRC names, or from ~/.netrc. The "default" entry
// applies to all hosts.
func netrcEntry(host string) (login, password string, ok bool, err error) {
	path := os.Getenv("NETRC")
	if path == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", "", false, nil // a user without a home folder has no netrc file
		}
		path = filepath.Join(home, ".netrc")
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return "", "", false, nil
	}
	if err != nil {
		return "", "", false, fmt.Errorf("netrc file: %w", err)
	}
	login, password, ok = parseNetrc(string(text), host)
	return login, password, ok, nil
}

// parseNetrc returns the credentials for host in a netrc file. It skips macros, which end with an empty line.
func parseNetrc(text, host string) (login, password string, ok bool) {
	var words []string
	inMacro, takesValue := false, false
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case inMacro:
			inMacro = len(fields) > 0
			continue
		case len(fields) > 0 && fields[0] == "macdef":
			inMacro = true
			continue
		}
		for _, f := range fields {
			if strings.HasPrefix(f, "#") && !takesValue { // a password may begin with it
				break
			}
			words = append(words, f)
			takesValue = !takesValue && slices.Contains([]string{"machine", "login", "password", "account"}, f)
		}
	}
	here := false
	for i := 0; i < len(words); i++ {
		value := ""
		if i+1 < len(words) {
			value = words[i+1]
		}
		switch words[i] {
		case "default", "machine":
			if ok {
				return login, password, true
			}
			here = words[i] == "default" || value == host
			if words[i] == "machine" {
				i++
			}
		case "login", "password", "account":
			i++
			if here && words[i-1] == "login" {
				login, ok = value, true
			} else if here && words[i-1] == "password" {
				password, ok = value, true
			}
		}
	}
	return login, password, ok
}
