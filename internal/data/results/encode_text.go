package results

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// words writes a column with a dictionary, whose words are in order of first occurrence.
func (c *chunk) words(v *table.Column, from, to int) {
	words, codes := c.number(v, from, to)
	c.plain = c.plain[:0]
	for _, w := range words {
		c.plain = append(binary.LittleEndian.AppendUint32(c.plain, uint32(len(w))), w...)
	}
	header := format.PageHeader{Type: format.DictionaryPage}
	header.DictionaryPageHeader.Valid = true
	header.DictionaryPageHeader.V = format.DictionaryPageHeader{NumValues: int32(len(words)), Encoding: format.Plain}
	c.meta.DictionaryPageOffset = c.offset
	c.put(&header)
	c.count(format.DictionaryPage, format.Plain)

	seen := make([]int, len(words)) // last page that contains each word, starting at 1
	page := 0
	c.eachPage(0, to-from, pageRows(4), func(i, j int) {
		page++
		least, most := words[codes[i]], words[codes[i]]
		for _, k := range codes[i:j] {
			if seen[k] != page {
				seen[k] = page
				least, most = min(least, words[k]), max(most, words[k])
			}
		}
		c.plain = appendCodes(c.plain[:0], codes[i:j])
		c.page(j-i, textValue(least), textValue(most))
	})
}

// number returns a column's words in order of first occurrence, and each row's code.
func (c *chunk) number(v *table.Column, from, to int) (words []string, codes []int32) {
	rows := make([]int32, to-from)
	for i := range rows {
		rows[i] = int32(from + i)
	}
	part := v.Where(rows)
	d := part.Dictionary()
	place := make([]int32, len(d.Words)) // position of each word in words, starting at 1
	c.codes = c.codes[:0]
	for _, k := range d.Codes {
		if place[k] == 0 {
			words = append(words, d.Words[k])
			place[k] = int32(len(words))
		}
		c.codes = append(c.codes, place[k]-1)
	}
	return words, c.codes
}

// texts writes a column with many different texts: their lengths and then their bytes, or only the bytes after the
// prefix shared with the previous text.
func (c *chunk) texts(v *table.Column, from, to int) {
	delta := c.encoding() == format.DeltaByteArray
	for from < to && c.err == nil {
		size := 0
		c.strings = c.strings[:0]
		for from < to && size+4*len(c.strings) < pageSize {
			limit := min(from+rowsPerCheck, to)
			for ; from < limit; from++ {
				text := v.StringAt(from)
				size += len(text)
				c.strings = append(c.strings, text)
			}
		}
		c.meta.SizeStatistics.UnencodedByteArrayDataBytes += int64(size)
		if delta {
			c.deltas()
		} else {
			c.lengths()
		}
		least, most := c.strings[0], c.strings[len(c.strings)-1]
		if !v.Ascending {
			least, most = bounds(c.strings)
		}
		c.page(len(c.strings), textValue(least), textValue(most))
	}
}

// bounds returns the smallest and the largest text. Usually the first bytes show that a text is neither.
func bounds(texts []string) (least, most string) {
	least, most = texts[0], texts[0]
	low, high := head(least), head(most)
	for _, text := range texts {
		k := head(text)
		if k > low && k < high {
			continue
		}
		if text < least {
			least, low = text, k
		} else if text > most {
			most, high = text, k
		}
	}
	return least, most
}

// head returns a text's first bytes as a number. Numbers sort like the texts.
func head(s string) uint64 {
	if len(s) >= 8 {
		return bits.ReverseBytes64(word(s, 0))
	}
	var k uint64
	for i := range 8 {
		k <<= 8
		if i < len(s) {
			k |= uint64(s[i])
		}
	}
	return k
}

// lengths encodes a page as DELTA_LENGTH_BYTE_ARRAY.
func (c *chunk) lengths() {
	c.suffix = c.suffix[:0]
	for _, text := range c.strings {
		c.suffix = append(c.suffix, int32(len(text)))
	}
	c.plain = appendDeltas(c.plain[:0], c.suffix)
	for _, text := range c.strings {
		c.plain = append(c.plain, text...)
	}
}

// deltas encodes a page as DELTA_BYTE_ARRAY.
func (c *chunk) deltas() {
	c.prefix, c.suffix = c.prefix[:0], c.suffix[:0]
	last := ""
	for _, text := range c.strings {
		k := common(last, text)
		c.prefix, c.suffix = append(c.prefix, int32(k)), append(c.suffix, int32(len(text)-k))
		last = text
	}
	c.plain = appendDeltas(c.plain[:0], c.prefix)
	c.plain = appendDeltas(c.plain, c.suffix)
	for i, text := range c.strings {
		c.plain = append(c.plain, text[c.prefix[i]:]...)
	}
}

// appendDeltas appends integers encoded as DELTA_BINARY_PACKED.
func appendDeltas(dst []byte, numbers []int32) []byte {
	b, _ := parquet.DeltaBinaryPacked.EncodeInt32(dst[len(dst):], numbers) // cannot fail
	if len(b) > 0 && cap(dst) > len(dst) && &b[0] == &dst[:len(dst)+1][len(dst)] {
		return dst[:len(dst)+len(b)] // the encoder appended in place
	}
	return append(dst, b...)
}

// common returns the length of two texts' longest common prefix.
func common(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		x := word(a, i) ^ word(b, i)
		if x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// word returns eight bytes of a text as a little-endian number. The compiler turns it into a single load.
func word(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func textValue(s string) parquet.Value { return parquet.ByteArrayValue([]byte(s)) }
