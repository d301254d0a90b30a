package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server serves a report that is replaced as results arrive. It is read-only: it accepts only GET and HEAD, and no
// request changes anything. The zero Server serves an empty site.
type Server struct {
	// Progress returns the progress of the runs for /progress.json. If it is nil, the runs are finished. It is called
	// for each request, possibly concurrently.
	Progress func() Progress
	// Hosts lists host names that requests may use in addition to loopback addresses. The server rejects requests for
	// other hosts, so that a foreign page cannot read results through a name that it points to this server.
	Hosts []string

	mu      sync.RWMutex
	pages   *Pages
	version string
}

// Replace replaces the report. Reports with different content must have different versions.
func (s *Server) Replace(pages *Pages, version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages, s.version = pages, version
}

// contentPolicy is the pages' policy, with directives that only a header can set.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src " +
	"'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this server is read-only; use GET", http.StatusMethodNotAllowed)
	case !s.knowsHost(r.Host):
		http.Error(w, "this server does not serve host "+path.Base(clean(r.Host)),
			http.StatusMisdirectedRequest)
	case r.URL.Path == "/progress.json":
		s.serveProgress(w)
	default:
		s.serveFile(w, r)
	}
}

// knowsHost reports whether the request is addressed to this server, by a loopback address or a name in Hosts.
func (s *Server) knowsHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(append([]string{"localhost"}, s.Hosts...), func(name string) bool {
		return strings.EqualFold(name, host)
	})
}

// progressData is the content of /progress.json.
type progressData struct {
	Running  bool     `json:"running"`
	Done     int64    `json:"done"`
	Total    int64    `json:"total"`
	Failed   int64    `json:"failed"`
	More     bool     `json:"more"` // there are more runs than the total
	Note     string   `json:"note"`
	Failures []string `json:"failures"`
	Site     string   `json:"site"` // changes whenever the report changes
	Left     string   `json:"left"` // remaining time for display; empty if unknown
	// Divisions are in the order of the overview table.
	Divisions []divisionData `json:"divisions"`
}

type divisionData struct {
	Done  string `json:"done"`
	Total string `json:"total"`
	Share string `json:"share"`
	Left  string `json:"left"`
}

func (s *Server) serveProgress(w http.ResponseWriter) {
	s.mu.RLock()
	data := progressData{Site: s.version, Failures: []string{}}
	s.mu.RUnlock()
	if s.Progress != nil {
		p := s.Progress()
		data.Running, data.More = p.More || p.Done < p.Total, p.More
		data.Done, data.Total, data.Failed, data.Note = p.Done, p.Total, p.Failed, clean(p.Note)
		data.Left = p.leftText()
		for i := range p.Divisions {
			d := p.cells(&p.Divisions[i])
			data.Divisions = append(data.Divisions, divisionData{d[0].Text, d[1].Text, d[2].Text, d[3].Text})
		}
		for _, f := range p.Failures {
			data.Failures = append(data.Failures, clean(f))
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(data); err != nil {
		return // the client has disconnected
	}
}

func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	s.mu.RLock()
	pages := s.pages
	s.mu.RUnlock()
	if pages == nil {
		pages = &Pages{}
	}
	body, ok, err := pages.file(name)
	if !ok {
		http.Error(w, "there is no such page in the report", http.StatusNotFound)
		return
	}
	if err != nil {
		http.Error(w, "the page cannot be made: "+clean(err.Error()), http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256(body)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:12])+`"`)
	w.Header().Set("Content-Type", contentType(name))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// contentType does not depend on the types that the machine knows. Solver outputs are plain text.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json":
		return "application/json"
	case ".csv", ".txt", ".md", ".tex":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}
