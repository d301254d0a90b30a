package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"github.com/smtpipe/smtpipe/internal/limits"
)

// stream reads messages within limits, because the library's decoder of JSON has a stack frame for each bracket. It
// answers a message beyond them with an error, and goes on with the next.
type stream struct {
	jsonrpc2.Stream // writes

	out io.Writer
	in  *bufio.Reader
	mu  sync.Mutex // held while a message is written
}

func newStream(rwc io.ReadWriteCloser) *stream {
	return &stream{Stream: jsonrpc2.NewStream(rwc), out: rwc, in: bufio.NewReader(rwc)}
}

// Write implements jsonrpc2.Stream.
func (s *stream) Write(ctx context.Context, m jsonrpc2.Message) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Stream.Write(ctx, m)
}

// Read implements jsonrpc2.Stream.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		length, err := s.header()
		if err != nil {
			return nil, 0, err
		}
		text, tooLarge := limits.Message.Read(io.LimitReader(s.in, length), "it")
		if tooLarge == nil && int64(len(text)) < length {
			return nil, 0, io.ErrUnexpectedEOF
		}
		if tooLarge == nil {
			tooLarge = limits.Message.CheckJSON(text, "it")
		} else if _, err := io.CopyN(io.Discard, s.in, length-limits.Message.Bytes-1); err != nil {
			return nil, 0, err
		}
		if tooLarge == nil {
			m, err := jsonrpc2.DecodeMessage(text)
			return m, length, err
		}
		if err := s.refuse(tooLarge); err != nil {
			return nil, 0, err
		}
	}
}

// header reads the lines before a message, and returns its length.
func (s *stream) header() (length int64, err error) {
	for {
		line, err := s.in.ReadSlice('\n')
		if err != nil {
			return 0, fmt.Errorf("header of a message: %w", err)
		}
		name, value, found := strings.Cut(strings.TrimSpace(string(line)), ":")
		switch {
		case name == "" && length > 0:
			return length, nil
		case name == "":
			return 0, errors.New("a message has no Content-Length")
		case found && strings.EqualFold(name, jsonrpc2.HdrContentLength):
			if length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil {
				return 0, fmt.Errorf("Content-Length of a message: %w", err)
			}
		}
	}
}

// refuse answers a message whose number is not known, because it was not decoded.
func (s *stream) refuse(reason error) error {
	text, err := json.Marshal(map[string]any{"jsonrpc": jsonrpc2.Version, "id": nil, "error": map[string]any{
		"code": jsonrpc2.InvalidRequest, "message": "the message is ignored: " + reason.Error()}})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = fmt.Fprintf(s.out, "%s: %d\r\n\r\n%s", jsonrpc2.HdrContentLength, len(text), text)
	return err
}
