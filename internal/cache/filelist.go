package cache

import (
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// fileListHeader is the first line of the list of known files. A list with any other header is ignored, and the files
// are digested again.
const fileListHeader = "smtpfiles3\n"

// encode returns the list of known files, sorted by path. Each line contains digest, size, times, inode and quoted
// path. Sets follow: "set", quoted name, quoted paths. The last line is the CRC-32C of all lines before it, since a
// wrong digest would produce a wrong result. The list is text rather than JSON for speed: every command reads it, and a
// benchmark folder has 100,000 files.
func (x *FileIndex) encode() []byte {
	out := []byte(fileListHeader)
	for _, path := range slices.Sorted(maps.Keys(x.files)) {
		e := x.files[path]
		out = append(hex.AppendEncode(out, e.Digest[:]), ' ')
		for _, n := range []int64{e.Size, e.MTimeNS, e.CTimeNS, int64(e.Inode)} {
			out = append(strconv.AppendInt(out, n, 10), ' ')
		}
		out = append(strconv.AppendQuote(out, path), '\n')
	}
	for _, name := range slices.Sorted(maps.Keys(x.sets)) {
		out = strconv.AppendQuote(append(out, "set "...), name)
		for _, path := range x.sets[name] {
			out = strconv.AppendQuote(append(out, ' '), path)
		}
		out = append(out, '\n')
	}
	return append(out, sumLine(out)...)
}

// sumLine returns a list's last line.
func sumLine(list []byte) string { return fmt.Sprintf("sum %08x\n", crc32.Checksum(list, castagnoli)) }

// decode is the inverse of encode. It returns false if text is not a complete list.
func (x *FileIndex) decode(text string) bool {
	rest, ok := strings.CutPrefix(text, fileListHeader)
	end := len(rest) - len("sum 01234567\n")
	if !ok || end < 0 || rest[end:] != sumLine([]byte(text[:len(fileListHeader)+end])) {
		return false
	}
	rest = rest[:end]
	x.files, x.sets = make(map[string]fileEntry, strings.Count(rest, "\n")), map[string][]string{}
	for line := range strings.Lines(rest) {
		line, whole := strings.CutSuffix(line, "\n")
		if set, isSet := strings.CutPrefix(line, "set "); isSet {
			ok = x.decodeSet(set)
		} else {
			ok = x.decodeFile(line)
		}
		if !ok || !whole {
			return false
		}
	}
	return true
}

func (x *FileIndex) decodeFile(line string) bool {
	var e fileEntry
	digest, line, _ := strings.Cut(line, " ")
	if parseHex(e.Digest[:], digest) != nil {
		return false
	}
	var numbers [4]int64
	for i := range numbers {
		var field string
		var err error
		field, line, _ = strings.Cut(line, " ")
		if numbers[i], err = strconv.ParseInt(field, 10, 64); err != nil {
			return false
		}
	}
	e.Size, e.MTimeNS, e.CTimeNS, e.Inode = numbers[0], numbers[1], numbers[2], uint64(numbers[3])
	path, err := strconv.Unquote(line)
	x.files[path] = e
	return err == nil
}

func (x *FileIndex) decodeSet(line string) bool {
	var texts []string
	for line != "" {
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return false
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			return false
		}
		texts = append(texts, text)
		line = strings.TrimPrefix(line[len(quoted):], " ")
	}
	if len(texts) < 2 {
		return false
	}
	x.sets[texts[0]] = texts[1:]
	return true
}
