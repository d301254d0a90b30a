package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

const lengthHeader = "Content-Length"

// stream reads and writes messages. It responds to a message beyond the limits with an error, without reading it.
type stream struct {
	in  *bufio.Reader
	mu  sync.Mutex // held while writing a message
	out io.Writer
}

func newStream(rw io.ReadWriter) *stream { return &stream{in: bufio.NewReader(rw), out: rw} }

// read returns the next message within the limits.
func (s *stream) read() (*message, error) {
	for {
		length, err := s.header()
		if err != nil {
			return nil, err
		}
		text, refused := limits.Message.Read(io.LimitReader(s.in, length), "it")
		switch {
		case refused != nil:
			if _, err := io.CopyN(io.Discard, s.in, length-limits.Message.Bytes-1); err != nil {
				return nil, err
			}
		case int64(len(text)) < length:
			return nil, io.ErrUnexpectedEOF
		default:
			refused = limits.Message.CheckJSON(text, "it")
		}
		m := &message{}
		if refused == nil {
			if refused = json.Unmarshal(text, m); refused == nil {
				return m, nil
			}
		}
		// The message was not decoded, so the response has no ID.
		if err := s.write(&message{ID: null, Error: &failure{invalidRequest,
			"the message is ignored: " + refused.Error()}}); err != nil {
			return nil, err
		}
	}
}

var null = json.RawMessage("null")

// header reads a message's header lines and returns the message's length.
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
			return 0, errors.New("a message has no " + lengthHeader)
		case found && strings.EqualFold(name, lengthHeader):
			if length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil {
				return 0, fmt.Errorf("%s of a message: %w", lengthHeader, err)
			}
		}
	}
}

func (s *stream) write(m *message) error {
	m.Version = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = fmt.Fprintf(s.out, "%s: %d\r\n\r\n%s", lengthHeader, len(text), text)
	return err
}

// notify sends a notification.
func (s *stream) notify(method string, params any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return s.write(&message{Method: method, Params: text})
}

// reply responds to a request. Notifications receive no response.
func (s *stream) reply(to *message, result any, err error) error {
	if to.ID == nil {
		return nil
	}
	m := &message{ID: to.ID}
	if m.Result, err = resultOf(result, err); err != nil {
		m.Result = nil
		if !errors.As(err, &m.Error) {
			m.Error = &failure{requestFailed, err.Error()}
		}
	}
	return s.write(m)
}

func resultOf(result any, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}
