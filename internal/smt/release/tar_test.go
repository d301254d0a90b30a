package release

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// seen is what a reader reports about a member.
type seen struct {
	kind    byte
	name    string
	size    int64
	content string
}

// ourMembers reads an archive with tarReader. If skip is set, it leaves the content of every other member unread.
func ourMembers(r io.Reader, skip bool) (all []seen, err error) {
	t := newTarReader(r)
	for {
		h, err := t.Next()
		if err != nil {
			return all, err
		}
		if h.Typeflag == tar.TypeGNUSparse {
			return all, errSparse
		}
		m := seen{kind: h.Typeflag, name: h.Name, size: h.Size}
		if err := m.read(t, skip && len(all)%2 == 1); err != nil {
			return append(all, m), err
		}
		all = append(all, m)
	}
}

// theirMembers is like ourMembers, but uses archive/tar alone.
func theirMembers(r io.Reader, skip bool) (all []seen, err error) {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if err != nil {
			return all, err
		}
		if h.Typeflag == tar.TypeGNUSparse || slices.ContainsFunc(slices.Collect(maps.Keys(h.PAXRecords)),
			isSparseKey) {
			return all, errSparse
		}
		m := seen{kind: h.Typeflag, name: h.Name, size: h.Size}
		if err := m.read(t, skip && len(all)%2 == 1); err != nil {
			return append(all, m), err
		}
		all = append(all, m)
	}
}

// errSparse marks a sparse file, at which both readers stop.
var errSparse = errors.New("a sparse file")

func isSparseKey(key string) bool { return strings.HasPrefix(key, "GNU.sparse.") }

func (m *seen) read(r io.Reader, skip bool) error {
	if skip {
		return nil
	}
	content, err := io.ReadAll(r)
	m.content = string(content)
	return err
}

// compareReaders compares tarReader with archive/tar. tarReader rejects additional archives: those without an end mark
// or with data after it, and those with a header whose member is missing.
func compareReaders(t *testing.T, data []byte, skip bool) {
	t.Helper()
	got, err := ourMembers(bytes.NewReader(data), skip)
	want, wantErr := theirMembers(bytes.NewReader(data), skip)
	if err == io.EOF && wantErr != io.EOF {
		t.Fatalf("no error, archive/tar has %v", wantErr)
	}
	if stricter := []error{io.EOF, errNoMark, errAfterEnd, io.ErrUnexpectedEOF, tar.ErrHeader}; wantErr == io.EOF &&
		(!slices.Contains(stricter, err) || len(got) != len(want)) {
		t.Fatalf("error %v, archive/tar has none", err)
	}
	if !slices.Equal(got, want) && (!skip || len(got) > len(want) || !slices.Equal(got, want[:len(got)])) {
		t.Fatalf("got %.300q (%v)\nwant %.300q (%v)", fmt.Sprint(got), err, fmt.Sprint(want), wantErr)
	}
	if again, errAgain := ourMembers(iotest.OneByteReader(bytes.NewReader(data)), skip); !slices.Equal(got, again) ||
		fmt.Sprint(errAgain) != fmt.Sprint(err) {
		t.Fatalf("byte by byte: got %.300q (%v)\nwant %.300q (%v)", fmt.Sprint(again), errAgain, fmt.Sprint(got), err)
	}
}

// sampleArchives returns archives in all formats with many kinds of members.
func sampleArchives(t testing.TB) map[string][]byte {
	long := strings.Repeat("folder/", 30) + "a.smt2"
	split := strings.Repeat("x", 90) + "/" + strings.Repeat("y", 90)
	at := time.Unix(1_700_000_000, 0)
	plain := []tar.Header{
		{Typeflag: tar.TypeDir, Name: "d/", Mode: 0o755, ModTime: at},
		{Typeflag: tar.TypeReg, Name: "d/a.smt2", Size: 5, Mode: 0o644, ModTime: at, Uname: "user", Gname: "group",
			Uid: 1000, Gid: 1000},
		{Typeflag: tar.TypeReg, Name: "d/empty", Mode: 0o644},
		{Typeflag: tar.TypeReg, Name: "d/block", Size: tarBlock},
		{Typeflag: tar.TypeReg, Name: "d/more", Size: tarBlock + 1},
		{Typeflag: tar.TypeReg, Name: strings.Repeat("n", 100), Size: 1},
	}
	odd := []tar.Header{
		{Typeflag: tar.TypeSymlink, Name: "l", Linkname: "d/a.smt2"},
		{Typeflag: tar.TypeLink, Name: "h", Linkname: "d/a.smt2"},
		{Typeflag: tar.TypeChar, Name: "c", Devmajor: 1, Devminor: 3},
		{Typeflag: tar.TypeReg, Name: "after", Size: 3},
	}
	samples := map[string][]byte{}
	for _, s := range []struct {
		name    string
		format  tar.Format
		headers []tar.Header
	}{
		{"none", tar.FormatUSTAR, nil},
		{"ustar", tar.FormatUSTAR, append([]tar.Header{{Typeflag: tar.TypeReg, Name: split, Size: 2}}, plain...)},
		{"gnu", tar.FormatGNU, plain},
		{"pax", tar.FormatPAX, plain},
		{"gnu, long names", tar.FormatGNU, append([]tar.Header{{Typeflag: tar.TypeReg, Name: long, Size: 7},
			{Typeflag: tar.TypeReg, Name: "ü", Size: 7}}, plain...)},
		{"gnu, times", tar.FormatGNU, append([]tar.Header{{Typeflag: tar.TypeReg, Name: "t", Size: 7, AccessTime: at,
			ChangeTime: at}}, plain...)},
		{"gnu, large numbers", tar.FormatGNU,
			append([]tar.Header{{Typeflag: tar.TypeReg, Name: "n", Size: 7, Uid: 1 << 30, ModTime: time.Unix(1<<40,
				0)}}, plain...)},
		{"pax, extensions", tar.FormatPAX, append([]tar.Header{
			{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "c"}},
			{Typeflag: tar.TypeReg, Name: long, Size: 7, ModTime: time.Unix(5, 7),
				PAXRecords: map[string]string{"SMT.x": strings.Repeat("y", 700)}},
			{Typeflag: tar.TypeReg, Name: "ü", Size: 7},
			{Typeflag: tar.TypeDir, Name: long + "/"},
		}, plain...)},
		{"pax, times and names", tar.FormatPAX, append([]tar.Header{
			{Typeflag: tar.TypeReg, Name: long, Size: 7, ModTime: time.Unix(5, 7), AccessTime: at, ChangeTime: at},
			{Typeflag: tar.TypeDir, Name: long + "/", ModTime: time.Unix(5, 7)},
			{Typeflag: tar.TypeReg, Name: "ü", Size: tarBlock},
			{Typeflag: tar.TypeReg, Name: "before 1970", Size: 7, ModTime: time.Unix(-5, 7)},
			{Typeflag: tar.TypeReg, Name: strings.Repeat("very/", 2000) + "long", Size: 1},
		}, plain...)},
		{"odd members", tar.FormatUSTAR, append(odd, plain...)},
	} {
		var buf bytes.Buffer
		w := tar.NewWriter(&buf)
		for i, h := range s.headers {
			h.Format = s.format
			if err := w.WriteHeader(&h); err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			if _, err := w.Write(bytes.Repeat([]byte{byte('a' + i)}, int(h.Size))); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		samples[s.name] = buf.Bytes()
	}
	samples["sparse"] = sparseArchive(t)
	return samples
}

// sparseArchive returns an archive with a file in the PAX sparse format 1.0. The file's content begins with its map: 4
// bytes of 1000, at 996.
func sparseArchive(t testing.TB) []byte {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	records := "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n25 GNU.sparse.name=holes\n28 GNU.sparse.realsize=1000\n"
	content := append([]byte("1\n996\n4\n"), make([]byte, tarBlock-8)...)
	content = append(content, "abcd"...)
	for _, m := range []struct {
		name, content string
	}{{"PaxHeaders/holes", records}, {"GNUSparseFile/holes", string(content)}, {"after", "12345"}} {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: m.name, Size: int64(len(m.content)),
			Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, m.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data := buf.Bytes()
	data[156] = tar.TypeXHeader // archive/tar cannot write this header
	sign(data[:tarBlock])
	return data
}

// sign writes a header's correct checksum.
func sign(header []byte) {
	copy(header[148:156], "        ")
	sum := 0
	for _, c := range header {
		sum += int(c)
	}
	copy(header[148:156], fmt.Sprintf("%06o\x00 ", sum))
}

func TestTarSamples(t *testing.T) {
	for name, data := range sampleArchives(t) {
		t.Run(name, func(t *testing.T) {
			for _, skip := range []bool{false, true} {
				compareReaders(t, data, skip)
				if _, err := ourMembers(bytes.NewReader(data), skip); err != io.EOF && name != "sparse" {
					t.Errorf("error %v", err)
				}
			}
			for n := 0; n < len(data); n += 1 + n%509 { // truncated archives
				compareReaders(t, data[:n], false)
				if _, err := ourMembers(bytes.NewReader(data[:n]), false); err == io.EOF && n < len(data)-tarBlock {
					t.Errorf("cut after %d of %d bytes: no error", n, len(data))
				}
			}
		})
	}
}

// TestTarDamage changes headers at random, with and without updating their checksums.
func TestTarDamage(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for name, data := range sampleArchives(t) {
		t.Run(name, func(t *testing.T) {
			for range 100 {
				broken := bytes.Clone(data)
				header := broken[random.IntN(len(broken)/tarBlock)*tarBlock:][:tarBlock]
				for range 1 + random.IntN(3) {
					header[damagePlace(random)] = damageByte(random)
				}
				if random.IntN(3) > 0 {
					sign(header)
				}
				compareReaders(t, broken, random.IntN(2) == 0)
			}
		})
	}
}

// damagePlace returns a random position in a header, preferably in a used field.
func damagePlace(random *rand.Rand) int {
	fields := []int{0, 99, 100, 107, 108, 116, 124, 134, 135, 136, 147, 148, 154, 155, 156, 157, 257, 262, 263, 264,
		329, 337, 345, 357, 482, 499, 508}
	if random.IntN(2) == 0 {
		return random.IntN(tarBlock)
	}
	return fields[random.IntN(len(fields))]
}

func damageByte(random *rand.Rand) byte {
	const likely = "\x00 07859/xgLKS\x80\xff\xe4"
	if random.IntN(4) == 0 {
		return byte(random.IntN(256))
	}
	return likely[random.IntN(len(likely))]
}

// FuzzTar compares the readers on arbitrary bytes. It corrects checksums, which would otherwise cause most inputs to be
// rejected.
func FuzzTar(f *testing.F) {
	for _, data := range sampleArchives(f) {
		f.Add(data, uint64(0))
		f.Add(data, ^uint64(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, signed uint64) {
		if len(data) > 64*tarBlock {
			return
		}
		data = bytes.Clone(data)
		for i := 0; i+tarBlock <= len(data); i += tarBlock {
			if signed>>(i/tarBlock)&1 == 1 && binary.LittleEndian.Uint64(data[i:]) != 0 {
				sign(data[i : i+tarBlock])
			}
		}
		compareReaders(t, data, false)
		compareReaders(t, data, true)
	})
}
