package intake

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
)

// form identifies a file's format.
type form uint8

const (
	emptyFile form = iota
	parquetTable
	jsonObject // the organisers' form, one object for the entire file
	jsonLines  // one object per line
	xmlFile
	csvTable
	plainList
)

// peeked is the number of bytes at a file's start that determine its form.
const peeked = 64 << 10

// opened is a file whose format is known.
type opened struct {
	form   form
	header []byte // the file's first line
	io.Reader
	file io.Closer
}

func (o *opened) Close() error { return o.file.Close() }

func open(path string) (*opened, error) {
	file, err := compressed.Open(path)
	if err != nil {
		return nil, err
	}
	buffered := bufio.NewReaderSize(file, peeked)
	if buffered, err = inTar(buffered); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	head, err := buffered.Peek(peeked)
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	o := &opened{Reader: buffered, file: file}
	o.form, o.header = formOf(head)
	return o, nil
}

// inTar returns the only file of a tar archive, such as a StarExec table in a .tar.xz. It returns any other input
// unchanged.
func inTar(in *bufio.Reader) (*bufio.Reader, error) {
	const magic, at = "ustar", 257
	head, _ := in.Peek(at + len(magic)) // the error will recur when the content is read
	if len(head) < at+len(magic) || string(head[at:]) != magic {
		return in, nil
	}
	file := &onlyFile{archive: tar.NewReader(in)}
	if err := file.next(); err != nil {
		return nil, err
	}
	if file.name == "" {
		return nil, errors.New("there is no file in the archive")
	}
	return bufio.NewReaderSize(file, peeked), nil
}

// onlyFile reads an archive's only file. If there is a second file, it returns an error at the end.
type onlyFile struct {
	archive *tar.Reader
	name    string
}

func (o *onlyFile) Read(b []byte) (int, error) {
	n, err := o.archive.Read(b)
	if err == io.EOF {
		if err := o.next(); err != nil {
			return n, err
		}
	}
	return n, err
}

// next advances to the file, and later to the archive's end.
func (o *onlyFile) next() error {
	for {
		h, err := o.archive.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("read as tar: %w", err)
		case h.Typeflag != tar.TypeReg:
		case o.name != "":
			return fmt.Errorf("there are several files in the archive, %s and %s; unpack it and name one", o.name, h.Name)
		default:
			o.name = h.Name
			return nil
		}
	}
}

// officialObject matches the start of the organisers' files, which contain one of their lists.
var officialObject = pattern.Lazy(`^\{\s*"(incremental|non_incremental|results)"\s*:\s*\[`)

// formOf returns a file's form, according to its start, and the first line of a text file.
func formOf(head []byte) (form, []byte) {
	if bytes.HasPrefix(head, []byte("PAR1")) {
		return parquetTable, nil
	}
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	text := bytes.TrimLeft(head, " \t\r\n")
	line, _, _ := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		return emptyFile, nil
	case text[0] == '<':
		return xmlFile, line
	case officialObject().Match(text):
		return jsonObject, line
	case text[0] == '{':
		return jsonLines, line
	case bytes.IndexByte(line, ',') >= 0 && !bytes.HasSuffix(line, []byte(".smt2")):
		return csvTable, line
	case isColumn(string(line)):
		return csvTable, line
	}
	return plainList, line
}

// isColumn reports whether a line is the header of a table with only the column path.
func isColumn(line string) bool { return line == "path" || line == "benchmark" || line == "file" }

// eachParquet calls fn with each row of a table. It needs the entire file, because Parquet files are read from the end.
func eachParquet[Row any](path string, fn func(*Row) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	for row, err := range results.Rows[Row](file, info.Size()) {
		if err == nil {
			err = fn(&row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fourDigits matches the year in a file name.
var fourDigits = pattern.Lazy(`(?:^|[^0-9])((?:19|20)[0-9]{2})(?:[^0-9]|$)`)

// YearOf splits [YEAR=]FILE. If YEAR is missing, it uses the year in the file name.
func YearOf(arg string) (int, string, error) {
	if before, file, ok := strings.Cut(arg, "="); ok {
		if year, err := strconv.Atoi(before); err == nil {
			return year, file, nil
		}
	}
	if m := fourDigits().FindStringSubmatch(filepath.Base(arg)); m != nil {
		year, err := strconv.Atoi(m[1])
		return year, arg, err
	}
	return 0, "", fmt.Errorf("the file name %s contains no year; write --history YEAR=%s", arg, arg)
}
