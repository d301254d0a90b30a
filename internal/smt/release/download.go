package release

import (
	"cmp"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Wanted describes a file to download. Empty fields are not checked.
type Wanted struct {
	URL    string
	Size   int64  // in bytes; 0 if unknown
	MD5    string // hexadecimal
	SHA256 string // hexadecimal
}

// FileName returns the name of the file at an address. Zenodo's addresses end in NAME/content.
func FileName(address string) string {
	name := address
	if u, err := url.Parse(address); err == nil {
		name = u.Path
	}
	return path.Base(strings.TrimSuffix(name, "/content"))
}

// Client downloads files. It retries temporary failures: refused connections, server errors, and interrupted transfers,
// which it resumes.
type Client struct {
	http  *retryablehttp.Client
	stall time.Duration // time without data after which a transfer counts as interrupted
}

// NewClient returns a client that makes at most tries attempts per request and waits up to a few seconds between them.
func NewClient(tries int, log *slog.Logger) *Client {
	c := retryablehttp.NewClient()
	c.RetryMax = max(tries-1, 0)
	c.RetryWaitMin = 200 * time.Millisecond
	c.RetryWaitMax = 5 * time.Second
	c.Logger = nil
	c.ErrorHandler = retryablehttp.PassthroughErrorHandler
	c.RequestLogHook = func(_ retryablehttp.Logger, req *http.Request, attempt int) {
		if attempt > 0 {
			log.Debug("request again", "url", req.URL.Redacted(), "attempt", attempt+1)
		}
	}
	const patience = time.Minute
	if t, ok := c.HTTPClient.Transport.(*http.Transport); ok {
		t.ResponseHeaderTimeout = patience
	}
	return &Client{http: c, stall: patience}
}

// Get opens a small resource, such as a record.
func (c *Client) Get(ctx context.Context, url string) (io.ReadCloser, error) {
	resp, err := c.request(ctx, url, 0, "")
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, statusError(url, resp)
	}
	return resp.Body, nil
}

// Dead returns the reason why an address is dead: no server responds, or the server does not have the resource. A
// server that rejects automated requests does not count as dead.
func (c *Client) Dead(ctx context.Context, url string) error {
	resp, err := c.request(ctx, url, 0, "")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone {
		return fmt.Errorf("there is nothing at %s (%s)", url, resp.Status)
	}
	return nil
}

func (c *Client) request(ctx context.Context, url string, from int64, etag string) (*http.Response, error) {
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address: %w", url, err)
	}
	if from > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
		if etag != "" {
			req.Header.Set("If-Range", etag)
		}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", url, err)
	}
	return resp, nil
}

func statusError(url string, resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusNotFound, http.StatusGone:
		return fmt.Errorf("there is nothing at %s (%s); check the record number or address", url, resp.Status)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%s is not public (%s)", url, resp.Status)
	}
	return fmt.Errorf("get %s: the server returned %s", url, resp.Status)
}

// maxBreaks is the number of times that a download is resumed without progress.
const maxBreaks = 5

// Download fetches want into the file at partial and checks its size and checksums. The file may already contain the
// beginning from an earlier attempt. After an error it is kept for a later attempt, unless its content is wrong.
// progress receives the number of bytes already in the file, and then the numbers of bytes that arrive.
func (c *Client) Download(ctx context.Context, want Wanted, partial string, progress func(n int64)) error {
	f, err := os.OpenFile(partial, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	sums := newSums()
	have, err := io.Copy(sums, f)
	if err != nil {
		return err
	}
	progress(have)
	etag := readETag(partial)
	most := have
	for breaks := 0; want.Size == 0 || have < want.Size; {
		if have > 0 && etag == "" && want.MD5 == "" && want.SHA256 == "" {
			// Nothing could verify that the rest belongs to this beginning.
			if err := restart(f, sums); err != nil {
				return err
			}
			progress(-have)
			have = 0
		}
		n, complete, err := c.fetchRest(ctx, want, f, sums, have, &etag, progress)
		have += n
		if complete {
			break
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if have > most {
			most, breaks = have, 0
		}
		if breaks++; breaks > maxBreaks || errors.Is(err, errFinal) {
			return err
		}
	}
	os.Remove(partial + ".etag")
	if err := check(want, have, sums); err != nil {
		os.Remove(partial)
		return err
	}
	return f.Sync()
}

var errFinal = errors.New("final")

// fetchRest fetches the content from byte have on. complete means that the server has sent everything.
func (c *Client) fetchRest(ctx context.Context, want Wanted, f *os.File, sums *sums, have int64, etag *string,
	progress func(int64)) (n int64, complete bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	resp, err := c.request(ctx, want.URL, have, *etag)
	if err != nil { // after all attempts
		return 0, false, fmt.Errorf("%w%w", hidden{errFinal}, err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusPartialContent:
		if !strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)) {
			return 0, false, fmt.Errorf("get %s: the server returned the wrong range %q", want.URL,
				resp.Header.Get("Content-Range"))
		}
		if now := resp.Header.Get("ETag"); now != *etag && now != "" && *etag != "" { // the server ignores If-Range
			progress(-have)
			return -have, false, cmp.Or(restart(f, sums), fmt.Errorf("get %s: the content has changed", want.URL))
		}
	case http.StatusOK: // full content, because the server cannot resume or the content has changed
		if err := restart(f, sums); err != nil {
			return 0, false, err
		}
		progress(-have)
		n = -have
	case http.StatusRequestedRangeNotSatisfiable:
		return 0, true, nil // nothing is missing; the checks decide
	default:
		return 0, false, fmt.Errorf("%w%w", hidden{errFinal}, statusError(want.URL, resp))
	}
	if *etag, err = keepETag(f.Name(), resp.Header.Get("ETag")); err != nil {
		return n, false, err
	}
	alive := time.AfterFunc(c.stall, func() { cancel(fmt.Errorf("nothing came for %v", c.stall)) })
	defer alive.Stop()
	body := io.Reader(&progressReader{resp.Body, func(n int64) {
		alive.Reset(c.stall)
		progress(n)
	}})
	if want.Size > 0 {
		body = io.LimitReader(body, want.Size-have-n+1) // one extra byte reveals a file that is too long
	}
	k, err := io.Copy(io.MultiWriter(localWriter{f}, sums), body)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err != nil {
		return n + k, false, fmt.Errorf("get %s: %w", want.URL, err)
	}
	return n + k, resp.ContentLength < 0 || k == resp.ContentLength || want.Size > 0, nil
}

// hidden wraps an error for errors.Is without adding to the message.
type hidden struct{ error }

func (hidden) Error() string   { return "" }
func (h hidden) Unwrap() error { return h.error }

// restart empties a file whose content cannot be used.
func restart(f *os.File, sums *sums) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.Seek(0, io.SeekStart)
	sums.reset()
	return err
}

// localWriter marks errors of this machine, such as a full disk, which retrying does not solve.
type localWriter struct{ f *os.File }

func (w localWriter) Write(p []byte) (int, error) {
	n, err := w.f.Write(p)
	if err != nil {
		err = fmt.Errorf("%w%w", hidden{errFinal}, err)
	}
	return n, err
}

// keepETag stores the content's ETag next to the partial file before any content arrives, so that a later run cannot
// mix two versions. A weak ETag does not identify bytes (RFC 9110, 8.8.1) and is not stored.
func keepETag(partial, etag string) (string, error) {
	if etag == "" || strings.HasPrefix(etag, "W/") {
		if err := os.Remove(partial + ".etag"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		return "", nil
	}
	return etag, os.WriteFile(partial+".etag", []byte(etag), 0o666)
}

func readETag(partial string) string {
	b, err := os.ReadFile(partial + ".etag")
	if err != nil {
		return ""
	}
	return string(b)
}

type progressReader struct {
	r        io.Reader
	progress func(int64)
}

func (p *progressReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.progress(int64(n))
	return n, err
}

// sums computes both checksums in one pass.
type sums struct{ md5, sha hash.Hash }

func newSums() *sums { return &sums{md5.New(), sha256.New()} }

func (s *sums) Write(p []byte) (int, error) {
	s.md5.Write(p)
	return s.sha.Write(p)
}

func (s *sums) reset() {
	s.md5.Reset()
	s.sha.Reset()
}

// check checks the received data against want.
func check(want Wanted, size int64, s *sums) error {
	if want.Size > 0 && size != want.Size {
		return fmt.Errorf("%s has %d bytes, want %d", want.URL, size, want.Size)
	}
	if got := hex.EncodeToString(s.md5.Sum(nil)); want.MD5 != "" && !strings.EqualFold(got, want.MD5) {
		return fmt.Errorf("%s has the MD5 %s, want %s; the file or the record was changed", want.URL, got, want.MD5)
	}
	if got := hex.EncodeToString(s.sha.Sum(nil)); want.SHA256 != "" && !strings.EqualFold(got, want.SHA256) {
		return &DigestError{want.URL, got, want.SHA256}
	}
	return nil
}

// CheckFile checks a local file like a download. Errors contain want.URL.
func CheckFile(r io.Reader, want Wanted) error {
	s := newSums()
	n, err := io.Copy(s, r)
	if err != nil {
		return err
	}
	return check(want, n, s)
}

// DigestError reports that a complete download is not the wanted file.
type DigestError struct{ Name, Got, Want string }

func (e *DigestError) Error() string {
	return fmt.Sprintf("%s has the SHA-256 %s, want %s; the file was changed", e.Name, e.Got, e.Want)
}
