package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/smt/release"
)

// Addresses of records on Zenodo and similar services.
var (
	ZenodoDOI  = pattern.Lazy(`^(?:https?://(?:dx\.)?doi\.org/|doi:)?10\.5281/zenodo\.([0-9]+)$`)
	recordPage = pattern.Lazy(`^(https?://[^/]+)/records?/([0-9]+)/?$`)
)

// download fetches the archive of a frozen folder.
type download struct {
	client   *release.Client
	folder   string // folder for downloads
	sha256   string // required digest; if empty, the record or folder provides it
	observer engine.Observer
	log      io.Writer
}

func NewDownload(folder, sha256 string, observer engine.Observer, log io.Writer) *download {
	const tries = 5
	return &download{release.NewClient(tries, slog.New(slog.DiscardHandler)), folder, sha256, observer, log}
}

// IsAddress reports whether a name is an address for downloading.
func IsAddress(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") || ZenodoDOI().MatchString(name)
}

// Get downloads the archive at an address or DOI and returns its path. It resumes partial downloads and does not repeat
// finished ones.
func (d *download) Get(ctx context.Context, address string) (string, error) {
	want, name, err := d.wanted(ctx, address)
	if err != nil {
		return "", err
	}
	file := filepath.Join(d.folder, name)
	if there, err := os.Open(file); err == nil {
		err = errors.Join(release.CheckFile(there, want), there.Close())
		if err != nil {
			return "", fmt.Errorf("%s already exists here and is another file; move it away: %w", file, err)
		}
		fmt.Fprintf(d.log, "%s already exists here and is used as it is.\n", file)
		return file, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	partial := file + ".partial"
	lock := flock.New(partial)
	defer lock.Close()
	if ok, err := lock.TryLock(); err != nil || !ok {
		return "", errors.Join(fmt.Errorf("another process is downloading %s", file), err)
	}
	const work = "download"
	d.observer.Observe(engine.ItemsStarted{Addr: work, Total: want.Size, Bytes: true})
	err = d.client.Download(ctx, want, partial, func(n int64) {
		d.observer.Observe(engine.ItemsDone{Addr: work, N: n})
	})
	if err != nil {
		return "", err
	}
	if err := os.Rename(partial, file); err != nil {
		return "", err
	}
	fmt.Fprintf(d.log, "Downloaded %s to %s.\n", want.URL, file)
	return file, nil
}

// wanted returns the file to download, and the name for storing it.
func (d *download) wanted(ctx context.Context, address string) (want release.Wanted, name string, err error) {
	service, id := "https://zenodo.org", ""
	if m := ZenodoDOI().FindStringSubmatch(address); m != nil {
		id = m[1]
	} else if m := recordPage().FindStringSubmatch(address); m != nil {
		service, id = m[1], m[2]
	}
	if id != "" {
		return d.fromRecord(ctx, service+"/api", id)
	}
	u, err := url.Parse(address)
	if err != nil {
		return want, "", err
	}
	name = path.Base(u.Path)
	if !isArchive(name) {
		return want, "", fmt.Errorf("%s is neither a record nor an archive that ends in .zip or .tar.zst", address)
	}
	return release.Wanted{URL: address, SHA256: d.sha256}, name, nil
}

// fromRecord finds the frozen folder's archive among a record's files.
func (d *download) fromRecord(ctx context.Context, api, id string) (want release.Wanted, name string, err error) {
	address, err := release.RecordURL(api, id)
	if err != nil {
		return want, "", err
	}
	reply, err := d.client.Get(ctx, address)
	if err != nil {
		return want, "", err
	}
	defer reply.Close()
	record, err := release.ReadRecord(reply)
	if err != nil {
		return want, "", fmt.Errorf("%s: %w", address, err)
	}
	var found []release.RecordFile
	var names []string
	for _, f := range record.Files {
		names = append(names, f.Key)
		if isArchive(f.Key) {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return want, "", fmt.Errorf("record %s has %d archives ending in .zip or .tar.zst; name the address of "+
			"one: %s", id,
			len(found), words.Some(names, 8))
	}
	f := found[0]
	return release.Wanted{URL: f.URL, Size: f.Size, MD5: f.MD5, SHA256: d.sha256}, path.Base(f.Key), nil
}

func isArchive(name string) bool {
	return strings.HasSuffix(name, ".zip") || strings.HasSuffix(name, ".tar.zst")
}
