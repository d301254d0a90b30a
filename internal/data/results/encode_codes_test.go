package results

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// TestDictionaryBytes checks runs against the format's description, section "Run Length Encoding / Bit-Packing Hybrid"
// in Apache Parquet's Encodings.md: the header is 2 n for n equal codes, and 2 n + 1 for n packed groups of eight.
func TestDictionaryBytes(t *testing.T) {
	for _, c := range []struct {
		name  string
		codes []int32
		bytes []byte
	}{
		{"none", nil, []byte{0, 0}},
		{"zeros", make([]int32, 5), []byte{0, 10}},
		{"eight equal", slices.Repeat([]int32{1}, 8), []byte{1, 16, 1}},
		{"the format's example", []int32{0, 1, 2, 3, 4, 5, 6, 7}, []byte{3, 3, 0x88, 0xc6, 0xfa}},
		{"a rest of equal ones", []int32{0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 1}, []byte{3, 3, 0x88, 0xc6, 0xfa, 4, 7, 2, 1}},
		{"equal after packed", append([]int32{0, 1, 0, 1, 0, 1, 0, 1}, slices.Repeat([]int32{1}, 16)...),
			[]byte{1, 3, 0xaa, 32, 1}},
		{"halves", []int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1}, []byte{1, 3, 0xaa, 3, 0xf0}},
		{"two bytes a code", slices.Repeat([]int32{0x1ff}, 9), []byte{9, 16, 0xff, 1, 2, 0xff, 1}},
	} {
		if got := appendCodes([]byte("old"), c.codes); !bytes.Equal(got, c.bytes) {
			t.Errorf("%s: % x; want % x", c.name, got, c.bytes)
		}
	}
}

// FuzzDictionary reads codes of every width with the Parquet library, in long and short runs.
func FuzzDictionary(f *testing.F) {
	for width := range 32 {
		f.Add(uint64(width), byte(width), byte(3))
	}
	f.Fuzz(func(t *testing.T, seed uint64, width, spread byte) {
		random := rand.New(rand.NewPCG(seed, 1))
		codes := make([]int32, random.IntN(300))
		for i := range codes {
			if i > 0 && random.IntN(1+int(spread%16)) > 0 {
				codes[i] = codes[i-1]
			} else {
				codes[i] = int32(random.Uint32() >> (1 + width%31))
			}
		}
		back, err := parquet.RLEDictionary.DecodeInt32(nil, appendCodes(nil, codes))
		if err != nil || !slices.Equal(back, codes) {
			t.Fatalf("%v became %v, %v", codes, back, err)
		}
	})
}

// TestAnyProcessor compares tables written with this processor's instruction set extensions with tables written without
// them, including lists of texts.
func TestAnyProcessor(t *testing.T) {
	const child = "SMTPIPE_TEST_DIGESTS"
	if os.Getenv(child) != "" {
		fmt.Println(digests(t))
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestAnyProcessor$")
	c.Env = append(os.Environ(), child+"=1", "GODEBUG=cpu.all=off")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if want := digests(t); !strings.HasPrefix(string(out), want+"\n") {
		t.Errorf("without extensions of the processor:\n%s\nwith them:\n%s", out, want)
	}
}

func digests(t *testing.T) string {
	return strings.Join([]string{
		digestOf[BenchmarkRow](t), digestOf[RunRow](t), digestOf[ScoreRow](t),
		digestOf[SolverRow](t), digestOf[VerdictRow](t),
	}, "\n")
}

// digestOf returns the digest of a table of random rows whose columns have four or thousands of different words.
func digestOf[Row any](t *testing.T) string {
	schema := SchemaOf[Row]()
	rng := rand.New(rand.NewPCG(7, 11))
	rows := make([]Row, 4_000)
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		randomRow(rng, schema, row, i)
		for f, c := range schema.Columns {
			switch {
			case c.Kind == table.Strings:
				c.Field(row).Set(reflect.ValueOf([]string{fmt.Sprint(i / 4 % 3), fmt.Sprint(i % 7)}[:i%3]))
			case c.Kind == table.String && !c.Key && f%2 == 0:
				c.Field(row).SetString(fmt.Sprint(i / 4 % 5))
			case c.Kind == table.String && !c.Key && f%5 == 0:
				c.Field(row).SetString(fmt.Sprint(i / 1000))
			}
		}
	}
	sameBytes(t, schema.Name, rows, nil)
	var b bytes.Buffer
	if err := Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %x", schema.Name, sha256.Sum256(b.Bytes()))
}
