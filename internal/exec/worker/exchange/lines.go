package exchange

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
)

// A results file has two kinds of lines: records, which start with a checksum of the rest, and any other text, such as
// messages from the worker and from the programs that start it.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumDigits is the length of a hexadecimal checksum. A space follows the checksum.
const sumDigits = 8

// AppendLine appends a record as a line. The record must not contain line breaks.
func AppendLine(b, record []byte) []byte {
	sum := crc32.Checksum(record, castagnoli)
	b = hex.AppendEncode(b, binary.BigEndian.AppendUint32(nil, sum))
	b = append(append(b, ' '), record...)
	return append(b, '\n')
}

// Line returns the record in a line, which must exclude the line break. It returns false if the line is not an intact
// record.
func Line(line []byte) (record []byte, ok bool) {
	if len(line) <= sumDigits || line[sumDigits] != ' ' {
		return nil, false
	}
	var want [sumDigits / 2]byte
	if _, err := hex.Decode(want[:], line[:sumDigits]); err != nil {
		return nil, false
	}
	record = line[sumDigits+1:]
	return record, binary.BigEndian.Uint32(want[:]) == crc32.Checksum(record, castagnoli)
}

// Lines calls visit for each complete line at the start of data and returns the total size of these lines in bytes. The
// part after the last line break must be read again once more has been written.
func Lines(data []byte, visit func(line []byte) error) (size int, err error) {
	for {
		n := bytes.IndexByte(data[size:], '\n')
		if n < 0 {
			return size, nil
		}
		if err := visit(data[size : size+n]); err != nil {
			return size, err
		}
		size += n + 1
	}
}
