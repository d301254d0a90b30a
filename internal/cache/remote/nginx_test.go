package remote

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// nginxConfig makes nginx serve a folder with GET, HEAD and PUT.
const nginxConfig = `
daemon off;
master_process off;
pid %[1]s/nginx.pid;
error_log %[1]s/error.log;
events {}
http {
  access_log off;
  client_body_temp_path %[1]s/body;
  proxy_temp_path %[1]s/proxy;
  fastcgi_temp_path %[1]s/fastcgi;
  uwsgi_temp_path %[1]s/uwsgi;
  scgi_temp_path %[1]s/scgi;
  server {
    listen %[2]s;
    root %[1]s/data;
    client_max_body_size 0;
    location / {
      dav_methods PUT;
      create_full_put_path on;
    }
  }
}
`

// TestNginx runs a real nginx with its WebDAV module as the server.
func TestNginx(t *testing.T) {
	program := testkit.Program(t, "nginx")
	dir := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o777); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, nginxConfig, dir, address), 0o666); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(program, "-c", config, "-p", dir, "-e", filepath.Join(dir, "error.log"))
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	t.Cleanup(func() { cmd.Process.Kill(); <-ended })
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			break
		}
		select {
		case <-ended:
			t.Fatalf("nginx ended: %s", log.Bytes())
		default:
		}
		if time.Since(begun) > 60*time.Second {
			t.Fatal("nginx does not listen")
		}
	}
	where := "http://" + address + "/smtpipe"
	roundTrip(t, where)
	shareTrip(t, where)

	// A byte flipped on the server is detected, and the content is not used.
	content := bytes.Repeat([]byte("large"), 50_000)
	d := cache.DigestOf(content)
	path := filepath.Join(dir, "data", "smtpipe", "cas", d.String())
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[1000] ^= 1
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	s := openStore(t)
	c := NewClient(backend(t, where), s, nil)
	s.SetRemote(c)
	if _, err := s.ReadBytes(d); !errors.As(err, new(*cache.MissingError)) {
		t.Errorf("content with a flipped byte gives %v", err)
	}
	if notes := c.Close(time.Second); len(notes) != 1 {
		t.Errorf("notes %q", notes)
	}
}
