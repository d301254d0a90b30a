package engine

import "strings"

// An address names a stage block, such as module.m.stage.cap.x, or one of its instances, such as
// module.m["k"].stage.cap.x["a"]. An address without some of the keys covers every instance that has the given ones.

// addressPart is a part of an address between dots.
type addressPart struct {
	name string
	key  string // with brackets and quotes, or empty
}

// addressParts splits an address. Keys are quoted strings, which may contain dots, brackets and escaped quotes.
func addressParts(addr string) []addressPart {
	var parts []addressPart
	for {
		end := strings.IndexAny(addr, ".[")
		if end < 0 {
			return append(parts, addressPart{name: addr})
		}
		p := addressPart{name: addr[:end]}
		rest := addr[end:]
		if rest[0] == '[' {
			end = keyEnd(rest)
			p.key, rest = rest[:end], rest[end:]
		}
		parts = append(parts, p)
		if rest == "" {
			return parts
		}
		addr = strings.TrimPrefix(rest, ".")
	}
}

// keyEnd returns the length of the key at the start of a text.
func keyEnd(s string) int {
	quoted := false
	for i := 1; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ']' && !quoted:
			return i + 1
		}
	}
	return len(s)
}

// blockOf returns the address of an instance's block: stage.cap.x for stage.cap.x["a"].
func blockOf(addr string) string {
	parts := addressParts(addr)
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.name
	}
	return strings.Join(names, ".")
}

// Covers reports whether an address names an instance or its block.
func Covers(addr, instance string) bool {
	if addr == instance {
		return true
	}
	a, b := addressParts(addr), addressParts(instance)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].name != b[i].name || a[i].key != "" && a[i].key != b[i].key {
			return false
		}
	}
	return true
}

// keysOf returns the keys of an address, such as ["k"]["a"].
func keysOf(addr string) string {
	keys := ""
	for _, p := range addressParts(addr) {
		keys += p.key
	}
	return keys
}
