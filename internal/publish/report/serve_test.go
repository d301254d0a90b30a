package report

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

func partial(t *testing.T, done int64) *Pages {
	t.Helper()
	in := sample(false)
	in.Progress = partialProgress(done)
	pages, err := Prepare(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// partialProgress describes two concurrent runs: the rest of Arith would need 2 hours of run time, so one hour is left.
func partialProgress(done int64) *Progress {
	return &Progress{Done: done, Total: 480, AtOnce: 2, Divisions: []DivisionProgress{
		{Track: "single_query", Division: "Arith", Done: done - 100, Total: 160, LeftS: 7200},
		{Track: "single_query", Division: "QF_Bitvec", Done: 100, Total: 320, LeftS: 360}}}
}

// pagesOf returns pages with the given content.
func pagesOf(files map[string]string) *Pages {
	p := &Pages{files: map[string]func(io.Writer) error{}, made: map[string][]byte{}}
	for name, body := range files {
		p.files[name] = func(w io.Writer) error { _, err := io.WriteString(w, body); return err }
	}
	return p
}

// TestPreparedIsWritten compares a server's responses with the files that Write writes.
func TestPreparedIsWritten(t *testing.T) {
	written := write(t, sample(false))
	pages, err := Prepare(t.Context(), sample(false))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, want := range written {
		for range 2 {
			got, ok, err := pages.file(name)
			if !ok && strings.HasPrefix(name, "export/") {
				continue
			}
			if n++; err != nil || !ok || string(got) != string(want) && name != "downloads.html" {
				t.Errorf("%s differs (%v)", name, err)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d files are served", n/2)
	}
}

func TestServerIsReadOnly(t *testing.T) {
	s := &Server{Hosts: []string{"results.example", "Other.Example"}}
	s.Replace(pagesOf(map[string]string{"index.html": "<p>", "logs/a.txt": "<script>", "solvers/index.html": "s",
		"export/x.csv.gz": "\x01"}), "1")
	tests := []struct {
		name, method, host, path string
		status                   int
		kind                     string
	}{
		{"page", "GET", "127.0.0.1:8080", "/", 200, "text/html; charset=utf-8"},
		{"folder", "GET", "localhost", "/solvers/", 200, "text/html; charset=utf-8"},
		{"IPv6", "HEAD", "[::1]:80", "/index.html", 200, "text/html; charset=utf-8"},
		{"named host", "GET", "results.example:80", "/", 200, "text/html; charset=utf-8"},
		{"another case", "GET", "other.example", "/", 200, "text/html; charset=utf-8"},
		{"output of a solver", "GET", "localhost", "/logs/a.txt", 200, "text/plain; charset=utf-8"},
		{"archive", "GET", "localhost", "/export/x.csv.gz", 200, "application/octet-stream"},
		{"other host", "GET", "evil.example", "/", 421, ""},
		{"other address", "GET", "192.0.2.1", "/progress.json", 421, ""},
		{"write", "POST", "localhost", "/", 405, ""},
		{"delete", "DELETE", "localhost", "/index.html", 405, ""},
		{"unknown", "GET", "localhost", "/nothing", 404, ""},
		{"outside", "GET", "localhost", "/../../etc/passwd", 404, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(test.method, "http://x"+test.path, nil)
			r.Host = test.host
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != test.status || (test.kind != "" && w.Header().Get("Content-Type") != test.kind) {
				t.Errorf("status %d %s, want %d %s", w.Code, w.Header().Get("Content-Type"), test.status, test.kind)
			}
			for name, part := range map[string]string{"Content-Security-Policy": "default-src 'none'",
				"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY"} {
				if !strings.Contains(w.Header().Get(name), part) {
					t.Errorf("header %s is %q", name, w.Header().Get(name))
				}
			}
		})
	}
}

func TestServerTellsProgress(t *testing.T) {
	s := &Server{Progress: func() Progress {
		return Progress{Done: 3, Total: 9, Failed: 1, Failures: []string{"worker 2\x00 lost"}}
	}}
	s.Replace(pagesOf(map[string]string{"index.html": "1"}), "1")
	srv := httptest.NewServer(s)
	defer srv.Close()
	get := func() progressData {
		resp, err := http.Get(srv.URL + "/progress.json")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		var p progressData
		if err := json.Unmarshal(body, &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := get()
	if !first.Running || first.Done != 3 || first.Total != 9 || first.Failed != 1 ||
		first.Failures[0] != "worker 2\uFFFD lost" {
		t.Errorf("progress %+v", first)
	}
	s.Replace(pagesOf(map[string]string{"index.html": "2"}), "2")
	if second := get(); second.Site == first.Site {
		t.Error("a new report has the version of the old one")
	}
}

// TestServerInBrowser watches a competition in progress.
func TestServerInBrowser(t *testing.T) {
	var done atomic.Int64
	done.Store(120)
	s := &Server{Progress: func() Progress {
		p := partialProgress(done.Load())
		p.Failures = []string{"<b>host full</b>"}
		return *p
	}}
	s.Replace(partial(t, 120), "1")
	srv := httptest.NewServer(s)
	defer srv.Close()
	b := openBrowser(t)
	b.run(chromedp.Navigate(srv.URL + "/index.html"))
	cells := `Array.from(document.querySelectorAll("#progress tbody tr")).map((r) => Array.from(r.cells).map((c) => c.textContent).join("|")).join("; ")`
	if got, want := eval[string](b, cells), "Single Query|Arith|20|160|12.5|60.0 min; Single Query|QF_Bitvec|100|320|31.2|3.0 min"; got != want {
		t.Errorf("divisions %q, want %q", got, want)
	}
	done.Store(130)
	b.wait(`document.querySelector("#progress td:nth-child(3)").textContent === "30"`)
	b.wait(`document.getElementById("live").textContent.includes("about 63.0 min left")`)
	done.Store(120)
	b.run(chromedp.Navigate(srv.URL + "/divisions/single_query/Arith.html"))
	b.wait(`document.getElementById("live").textContent.includes("120 of 480 runs are done") && document.querySelector("#live li") !== null`)
	if got := eval[string](b, `document.querySelector("#live li").textContent`); got != "<b>host full</b>" {
		t.Errorf("failure %q", got)
	}
	done.Store(480)
	s.Replace(partial(t, 480), "2")
	b.wait(`document.getElementById("live").textContent.includes("All runs are done") && document.querySelector("#live a") !== null`)
	eval[any](b, `document.querySelector(".plots").scrollIntoView()`)
	b.wait(`document.querySelectorAll("figure[data-drawn=true]").length > 0`)
	b.quiet()
}
