package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Time limits after which a server counts as failed.
var (
	connectTimeout = 3 * time.Second
	headerTimeout  = 10 * time.Second // time from the end of a request to the start of its answer, mainly for uploads
	stallTimeout   = 5 * time.Second  // time without receiving a byte
)

// httpBackend implements Bazel's HTTP cache protocol.
type httpBackend struct {
	base   *url.URL
	client *http.Client
	auth   func(*http.Request)
}

func newHTTP(u *url.URL) (*httpBackend, error) {
	auth, err := authOf(u)
	if err != nil {
		return nil, err
	}
	base := *u
	base.User = nil
	base.Path = strings.TrimSuffix(base.Path, "/")
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout:   connectTimeout,
		ResponseHeaderTimeout: headerTimeout,
		MaxIdleConnsPerHost:   uploaders + 2,
		IdleConnTimeout:       time.Minute,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true,
	}
	client := &http.Client{Transport: transport, CheckRedirect: sameOrigin}
	return &httpBackend{base: &base, client: client, auth: auth}, nil
}

// sameOrigin follows redirects only to the scheme, host and port of the first request. Otherwise a store could redirect
// its readers to a server that the pipeline does not name.
func sameOrigin(next *http.Request, before []*http.Request) error {
	const most = 10
	if first := before[0].URL; next.URL.Scheme != first.Scheme || origin(next.URL) != origin(first) {
		return fmt.Errorf("the remote store redirects to %s://%s, which is another server; name that one if you mean it",
			next.URL.Scheme, next.URL.Host)
	}
	if len(before) >= most {
		return fmt.Errorf("the remote store redirects more than %d times", most)
	}
	return nil
}

// origin returns the host and port of an address.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// authOf returns a function that adds credentials to requests: the token in SMTPIPE_REMOTE_TOKEN, the user in the URL,
// or the host's entry in the netrc file.
func authOf(u *url.URL) (func(*http.Request), error) {
	if token := os.Getenv("SMTPIPE_REMOTE_TOKEN"); token != "" {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }, nil
	}
	if u.User != nil {
		password, _ := u.User.Password()
		return func(r *http.Request) { r.SetBasicAuth(u.User.Username(), password) }, nil
	}
	login, password, ok, err := netrcEntry(u.Hostname())
	if err != nil {
		return nil, err
	}
	if !ok {
		return func(*http.Request) {}, nil
	}
	return func(r *http.Request) { r.SetBasicAuth(login, password) }, nil
}

func (h *httpBackend) request(ctx context.Context, method string, kind Kind, name string,
	body io.Reader) (*http.Request, error) {
	u := *h.base
	u.Path += "/" + string(kind) + "/" + name
	r, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	h.auth(r)
	return r, nil
}

// Get implements Backend.
func (h *httpBackend) Get(ctx context.Context, kind Kind, name string, w io.Writer) error {
	ctx, watch := watchStall(ctx)
	defer watch.end()
	r, err := h.request(ctx, http.MethodGet, kind, name, nil)
	if err != nil {
		return err
	}
	resp, err := h.client.Do(r)
	if err != nil {
		return cause(ctx, err)
	}
	defer resp.Body.Close()
	if err := status(resp); err != nil {
		return err
	}
	n, err := io.Copy(w, &watchedReader{resp.Body, watch})
	if err == nil && resp.ContentLength >= 0 && n != resp.ContentLength {
		err = io.ErrUnexpectedEOF
	}
	return cause(ctx, err)
}

// Has implements Backend.
func (h *httpBackend) Has(ctx context.Context, kind Kind, name string) (bool, error) {
	r, err := h.request(ctx, http.MethodHead, kind, name, nil)
	if err != nil {
		return false, err
	}
	resp, err := h.client.Do(r)
	if err != nil {
		return false, err
	}
	resp.Body.Close()
	err = status(resp)
	if errors.Is(err, ErrAbsent) {
		return false, nil
	}
	return err == nil, err
}

// Put implements Backend.
func (h *httpBackend) Put(ctx context.Context, kind Kind, name string, body io.Reader, size int64) error {
	ctx, watch := watchStall(ctx)
	defer watch.end()
	r, err := h.request(ctx, http.MethodPut, kind, name, &watchedReader{body, watch})
	if err != nil {
		return err
	}
	r.ContentLength = size
	if size == 0 {
		r.Body = http.NoBody
	}
	resp, err := h.client.Do(r)
	if err != nil {
		return cause(ctx, err)
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, io.LimitReader(resp.Body, 4096)) // otherwise the connection could not be reused
	return status(resp)
}

// status returns an error for an unsuccessful answer.
func status(resp *http.Response) error {
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return ErrAbsent
	case resp.StatusCode/100 == 2:
		return nil
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		return fmt.Errorf("the remote store returned %s; set SMTPIPE_REMOTE_TOKEN, or add an entry to the netrc file",
			resp.Status)
	}
	return fmt.Errorf("the remote store returned %s", resp.Status)
}

// cause returns the cause of a cancelled context, or err if the context is not cancelled.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// stall cancels a transfer that makes no progress.
type stall struct {
	timer *time.Timer
	stop  context.CancelCauseFunc
}

var errStalled = errors.New("it stopped sending or receiving bytes")

func watchStall(ctx context.Context) (context.Context, *stall) {
	ctx, stop := context.WithCancelCause(ctx)
	s := &stall{stop: stop}
	s.timer = time.AfterFunc(stallTimeout, func() { stop(errStalled) })
	return ctx, s
}

func (s *stall) moved() { s.timer.Reset(stallTimeout) }

func (s *stall) end() {
	s.timer.Stop()
	s.stop(nil)
}

type watchedReader struct {
	io.Reader
	watch *stall
}

func (w *watchedReader) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	switch {
	case err == io.EOF:
		w.watch.timer.Stop() // nothing follows except the answer to an upload
	case n > 0:
		w.watch.moved()
	}
	return n, err
}
