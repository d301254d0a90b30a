package record

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/pattern"
)

// Material contains everything published about a year that was found on disk.
type Material struct {
	Year    int
	Pages   map[string][]*Page  // pages by track: each division, logic and recognition once
	Twins   [][2]*Page          // pages that exist in two forms, such as HTML and Markdown
	Results map[string][]Table  // StarExec and BenchExec tables, by track
	Lists   map[string][]string // lists of selected benchmarks, by track
	// Names maps IDs of solvers and configurations to solvers, according to lists of solvers; Listed contains these
	// solvers.
	Names   map[string]string
	Checks  string // table with numbers of check-sats; empty if there is none
	Decided string // table of statuses that the organisers decided for disputed benchmarks
	// Originals and Statuses are the tables of renamed benchmarks and of their statuses, by track. Pairs is like
	// Originals, with the solver in the first column.
	Originals, Pairs, Statuses map[string]string
	Spaces                     string // StarExec file that numbers benchmarks; empty if there is none
	Expected                   string // table of statuses by StarExec's numbers; empty if there is none
	Library                    string // archive with a table of statuses for the whole library; empty if there is none
	// Submitted contains the entries in the submissions, Drawn those in the submissions used for the draw; nil if
	// unknown.
	Submitted, Drawn Entered
	// Unread lists files that look like results, with the reason why they were not read.
	Unread   []string
	Excluded []string // lists of benchmarks that were removed from the competition
	Listed   map[string]bool
}

// Gather classifies a year's files. It ignores unknown files but returns an error for an unreadable page.
func Gather(files []string, year int) (*Material, error) {
	m := &Material{Year: year, Pages: map[string][]*Page{}, Results: map[string][]Table{},
		Lists:     map[string][]string{},
		Originals: map[string]string{}, Pairs: map[string]string{}, Statuses: map[string]string{},
		Names:  map[string]string{},
		Listed: map[string]bool{}}
	seen := map[[3]string]*Page{}
	var errs []error
	var archives []string
	for _, path := range files {
		slashed := filepath.ToSlash(path)
		base := filepath.Base(path)
		ext := filepath.Ext(path)
		_, place, ours := strings.Cut(slashed, "/"+strconv.Itoa(year)+"/")
		switch {
		case ext == ".md" || ext == ".html" && YearOf(path) == year:
			p, err := ReadPage(path)
			if err != nil {
				errs = append(errs, err)
			}
			if p == nil || p.Year != year {
				continue
			}
			key := [3]string{p.Track, p.Kind, p.Name}
			if p.Kind == Logic {
				key[1] = Division
			}
			if twin := seen[key]; twin != nil {
				m.Twins = append(m.Twins, [2]*Page{twin, p})
				continue
			}
			seen[key] = p
			m.Pages[p.Track] = append(m.Pages[p.Track], p)
		case !ours || ofYear().MatchString(base) && !strings.HasPrefix(base, strconv.Itoa(year)):
		case strings.HasPrefix(base, "solvers_divisions") && ext == ".csv":
			errs = append(errs, m.addNames(path))
		case strings.Contains(base, "scramble_map"):
			m.Originals[trackIn(place)] = path
		case strings.Contains(base, "-pairs."):
			m.Pairs[trackIn(place)] = path
		case strings.HasPrefix(base, "SMT-LIB_spaces."):
			m.Spaces = path
		case strings.HasPrefix(base, "SMT-LIB_benchmarks."):
			m.Library = path
		case base == "benchmarks.csv":
			m.Expected = path
		case strings.Contains(base, "instance-statuses"):
			m.Statuses[trackIn(place)] = path
		case base == "sq-disagreements-decision.csv":
			m.Decided = path
		case strings.HasSuffix(base, "-disagreements-decision.csv"): // belongs to another track
		case strings.Contains(base, "_excluded") || strings.HasPrefix(base, "blacklist"):
			m.Excluded = append(m.Excluded, path)
		case strings.HasPrefix(base, "benchmark_selection_"):
			if track := trackIn(base); track != "" {
				m.Lists[track] = append(m.Lists[track], path)
			}
		case strings.Contains(base, "_num_check_sat."):
			m.Checks = path
		case slices.Contains([]string{".csv", ".xz", ".gz", ".xml", ".bz2", ".zst"}, ext):
			if m.addResults(path, place) {
				archives = append(archives, path)
			}
		}
	}
	for _, path := range archives {
		errs = append(errs, m.addArchive(path))
	}
	return m, errors.Join(errs...)
}

// tracksInPaths lists the names of tracks in paths, split into words. A name precedes the names that it contains.
var tracksInPaths = []string{"challenge non incremental", "challenge incremental", "challenge track non incremental",
	"challenge track incremental", "single query", "unsat core", "model validation", "proof exhibition", "application",
	"incremental", "cloud", "parallel", "main track", "sq", "inc", "uc", "mv", "pe"}

// shortTracks maps other names of tracks in paths to the tracks.
var shortTracks = map[string]string{"main track": "main", "sq": "single query", "inc": "incremental",
	"uc": "unsat core", "mv": "model validation", "pe": "proof exhibition"}

// inResults matches files in results folders, except the organisers' JSON files.
var inResults = pattern.Lazy(`/(results|csv)/.*\.(csv|xml|xz|gz|bz2|zst)$`)

// ofYear matches file names that begin with a year.
var ofYear = pattern.Lazy(`^20[0-9]{2}-`)

// addResults adds a file if it contains a track's results. place is the path within the year's folder. It reports
// whether the file may contain results although place names no track.
func (m *Material) addResults(path, place string) bool {
	track := trackIn(place)
	is, err := isResults(path)
	switch {
	case err != nil && track != "":
		m.Unread = append(m.Unread, fmt.Sprintf("%s is not read: %v", path, err))
	case is && track != "":
		m.Results[track] = append(m.Results[track], Table{File: path})
	case track != "" && inResults().MatchString(filepath.ToSlash(path)):
		m.Unread = append(m.Unread, path+" is not read: it is not a table of results of StarExec or BenchExec")
	}
	return track == "" && (is || inResults().MatchString(filepath.ToSlash(path)))
}

// addArchive adds an archive's tables whose names state a track, except for tracks that already have results.
func (m *Material) addArchive(path string) error {
	found, tables := map[string][]Table{}, 0
	err := eachFile(path, func(member string, in *bufio.Reader) error {
		is, err := isTable(in)
		if is {
			tables++
		}
		if track := trackIn(member); is && member != path && track != "" {
			found[track] = append(found[track], Table{path, member})
		}
		return err
	})
	if tables > 0 && len(found) == 0 {
		m.Unread = append(m.Unread, path+" is not read: neither its path nor a table in it names a track")
	}
	for _, track := range slices.Sorted(maps.Keys(found)) {
		if m.Results[track] == nil {
			m.Results[track] = found[track]
			continue
		}
		m.Unread = append(m.Unread, fmt.Sprintf("%s in %s is not read: other results of the track %s are here",
			found[track][0].Member, path, track))
	}
	return err
}

// trackIn returns the track named in a path, or "".
func trackIn(path string) string {
	words := strings.NewReplacer("_", " ", "-", " ", "/", " ", ".", " ").Replace(strings.ToLower(path))
	for _, name := range tracksInPaths {
		if strings.Contains(" "+words+" ", " "+name+" ") {
			name = cmp.Or(shortTracks[name], strings.Replace(name, "track ", "", 1))
			return strings.ReplaceAll(name, " ", "-")
		}
	}
	return ""
}

// addNames reads a list of solvers, whose IDs are in columns with a heading that ends with ID or names a track.
func (m *Material) addNames(path string) error {
	file, err := limits.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	rows := limits.Table.CSV(file)
	head, err := rows.Read()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	at := slices.Index(head, "Solver Name")
	if at < 0 {
		return nil
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		m.Listed[row[at]] = true
		for i, name := range head {
			if strings.Contains(name, " ID") && row[i] != "" {
				m.Names[row[i]] = row[at]
			}
		}
	}
}
