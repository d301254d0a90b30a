package lsp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
)

// TestBoundedMessages checks that brackets nested deeply enough to overflow the decoder's stack, and messages too large
// for memory, are rejected, and that the server continues.
func TestBoundedMessages(t *testing.T) {
	here, there := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(context.Background(), there, options()) }()
	const deep = 20_000_000
	send := func(texts ...string) {
		n := 0
		for _, s := range texts {
			n += len(s)
		}
		go func() {
			fmt.Fprintf(here, "Content-Length: %d\r\n\r\n", n)
			for _, s := range texts {
				io.WriteString(here, s)
			}
		}()
	}
	in := bufio.NewReader(here)
	answer := func() string {
		head, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(head.Get("Content-Length"))
		if err != nil {
			t.Fatal(err)
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(in, text); err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const initialize = `{"jsonrpc":"2.0","id":7,"method":"initialize","params":`
	for _, row := range []struct {
		texts []string
		want  string
	}{
		{[]string{initialize, strings.Repeat("[", deep), strings.Repeat("]", deep), "}"},
			"it has brackets nested 20000001 deep, and a message of an editor has at most 200"},
		{[]string{strings.Repeat(" ", 70<<20)}, "it has more than 67108864 bytes"},
		{[]string{initialize, "{}}"}, `"documentFormattingProvider":true`},
		{[]string{`{"jsonrpc":"2.0","id":8,"method":"shutdown"}`}, `"id":8`},
	} {
		send(row.texts...)
		if got := answer(); !strings.Contains(got, row.want) {
			t.Errorf("got %.300s, want %s", got, row.want)
		}
	}
	here.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
