package shadow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/record"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/pattern"
)

// Material contains the published files found in folders.
type Material struct {
	Results    map[int][]string          // paths of results-TRACK-YEAR.json, by year
	Benchmarks map[int]string            // path of benchmarks-YEAR.json, by year
	Tables     map[int][]string          // folders YEAR-TRACK that contain runs and published.json, by year
	Scripts    map[int][]string          // folders YEAR-TRACK that contain the draw's all.txt and params.json
	Pages      map[int]map[string]string // the official site's pages, by year and name
	// Data contains the site's data files and the input of its certificates, by the year of their folder (0 if there is
	// none) and by name.
	Data  map[int]map[string]string
	Files []string // all other files in the folders of years, and pages
}

var (
	yearFile   = pattern.Lazy(`^(results-[a-z_]+|benchmarks)-([0-9]{4})\.json(?:\.gz)?$`)
	yearFolder = pattern.Lazy(`/([0-9]{4})/`)
	official   = pattern.Lazy(`^([0-9]{4})-[a-z]+(?:[-_][a-z]+)*$`)
)

// siteData lists the names of the site's data files and of the input of certificates.
var siteData = []string{"division_tracks.json", "participants.json", "tracks.json", "input_for_certificates.tex"}

// Find searches folders recursively for published files, ignoring the output of comparisons. It returns an error for a
// duplicate of a file that may exist only once. All errors are returned together.
func Find(folders []string) (*Material, error) {
	m := &Material{Results: map[int][]string{}, Benchmarks: map[int]string{}, Tables: map[int][]string{},
		Scripts: map[int][]string{}, Pages: map[int]map[string]string{}, Data: map[int]map[string]string{}}
	var errs []error
	for _, folder := range folders {
		root := folder
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			root = real // WalkDir does not follow a link
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				errs = append(errs, err)
			case d.IsDir() && isOutput(path):
				return fs.SkipDir
			case d.IsDir():
				if err := m.addTables(path); err != nil {
					errs = append(errs, err)
				}
			default:
				if err := m.add(path); err != nil {
					errs = append(errs, err)
				}
			}
			return nil
		})
		errs = append(errs, err)
	}
	return m, errors.Join(errs...)
}

// isOutput reports whether a folder is the output of a comparison, whose content was not published.
func isOutput(dir string) bool {
	data, err := limits.Document.ReadFile(filepath.Join(dir, ReportFile))
	return err == nil && bytes.Contains(data, []byte(`"schema": "`+Schema+`"`))
}

// addTables records a folder with runs and tables or with a draw, which it identifies by its name or by the content of
// its tables.
func (m *Material) addTables(dir string) error {
	published, err := limits.Document.ReadFile(filepath.Join(dir, "published.json"))
	var said struct{ Year int }
	if err == nil {
		_ = json.Unmarshal(published, &said) // errors are reported when the tables are read
	}
	if abs, err := filepath.Abs(dir); err == nil && said.Year == 0 {
		if name := official().FindStringSubmatch(filepath.Base(abs)); name != nil {
			said.Year, _ = strconv.Atoi(name[1])
		}
	}
	runs, _ := fs.Glob(os.DirFS(dir), "runs.*")
	for _, of := range []struct {
		folders map[int][]string
		has     bool
	}{
		{m.Tables, err == nil || len(runs) > 0},
		{m.Scripts, isThere(filepath.Join(dir, "params.json")) && First(dir, "all.txt") != ""},
	} {
		if said.Year == 0 || !of.has {
			continue
		}
		for _, before := range of.folders[said.Year] {
			if filepath.Base(before) == filepath.Base(dir) {
				return fmt.Errorf("%s and %s both exist; remove one of them", before, dir)
			}
		}
		of.folders[said.Year] = append(of.folders[said.Year], dir)
	}
	return nil
}

// First returns the path of a file in a folder, plain or compressed, or "" if there is neither.
func First(dir, name string) string {
	for _, ending := range []string{"", ".gz"} {
		if path := filepath.Join(dir, name+ending); isThere(path) {
			return path
		}
	}
	return ""
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// add classifies and records a file.
func (m *Material) add(path string) error {
	name := filepath.Base(path)
	once := func(before string) error {
		if before != "" {
			return fmt.Errorf("%s and %s both exist; remove one of them", before, path)
		}
		return nil
	}
	m.Files = append(m.Files, path)
	switch said := yearFile().FindStringSubmatch(name); {
	case said != nil:
		year, _ := strconv.Atoi(said[2]) // the pattern allows only digits
		if said[1] == "benchmarks" {
			before := m.Benchmarks[year]
			m.Benchmarks[year] = path
			return once(before)
		}
		for _, before := range m.Results[year] {
			if filepath.Base(before) == name {
				return once(before)
			}
		}
		m.Results[year] = append(m.Results[year], path)
	case slices.Contains(siteData, name) && !strings.Contains(path, "/slides/"): // copies are allowed
		year := 0
		if in := yearFolder().FindStringSubmatch(path); in != nil {
			year, _ = strconv.Atoi(in[1]) // the pattern allows only digits
		}
		if m.Data[year] == nil {
			m.Data[year] = map[string]string{}
		}
		before := m.Data[year][name]
		m.Data[year][name] = path
		return once(before)
	case filepath.Ext(name) == ".md":
		year, err := pageYear(path)
		if err != nil || year == 0 {
			return err
		}
		if m.Pages[year] == nil {
			m.Pages[year] = map[string]string{}
		}
		before := m.Pages[year][name]
		m.Pages[year][name] = path
		return once(before)
	}
	return nil
}

// pageYear returns the year of a results page, or 0 if the file is not a results page.
func pageYear(path string) (int, error) {
	data, err := limits.Document.ReadFile(path)
	if err != nil || !bytes.HasPrefix(data, []byte("{")) {
		return 0, err
	}
	var page map[string]any
	if err := json.Unmarshal(data, &page); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	if list, _ := page["divisions"].([]any); len(list) > 0 && isLines(list) && word(page, "track") != "" {
		page = list[0].(map[string]any) // a track's overview
	}
	if year, ok := page["year"].(float64); ok && word(page, "track") != "" {
		return int(year), nil
	}
	return 0, nil
}

// Years returns the years with more published files than a benchmark list.
func (m *Material) Years() []int {
	years := map[int]bool{}
	for _, files := range []map[int][]string{m.Results, m.Tables, m.Scripts} {
		for y := range files {
			years[y] = true
		}
	}
	for y := range m.Pages {
		years[y] = true
	}
	for _, path := range m.Files {
		if y := record.YearOf(path); y != 0 && filepath.Ext(path) == ".html" {
			years[y] = true
		}
	}
	return slices.Sorted(maps.Keys(years))
}

// SingleQuery returns the files with the single-query results of the given years, and the years that have none.
func (m *Material) SingleQuery(years []int) (files []string, missing []int) {
	for _, y := range years {
		i := slices.IndexFunc(m.Results[y], func(path string) bool {
			return strings.HasPrefix(filepath.Base(path), "results-sq-")
		})
		if i < 0 {
			missing = append(missing, y)
		} else {
			files = append(files, m.Results[y][i])
		}
	}
	return files, missing
}
