package record

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// Material is everything published about a year that was found on disk.
type Material struct {
	Year    int
	Pages   map[string][]*Page  // by track; each division, logic and recognition once
	Twins   [][2]*Page          // pages that exist twice, such as in HTML and Markdown
	Results map[string][]string // StarExec and BenchExec tables, by track
	Lists   map[string][]string // lists of selected benchmarks, by track
	// Names maps the IDs of solvers and configurations to solvers, according to lists of solvers; Listed holds these
	// solvers.
	Names   map[string]string
	Checks  string // table with numbers of check-sats; empty: none
	Decided string // table with statuses that the organisers decided for disputed benchmarks
	// Originals are tables of renamed benchmarks, and Statuses are tables of their statuses, by track. Pairs are like
	// Originals, with the solver in the first column.
	Originals, Pairs, Statuses map[string]string
	Spaces                     string // StarExec's, with its numbers of benchmarks; empty: none
	Expected                   string // table of statuses by these numbers; empty: none
	Library                    string // archive with a table of the statuses of the whole library; empty: none
	// Submitted are the entries in the submissions, Drawn those in the submissions for the draw; nil: not known.
	Submitted, Drawn Entered
	// Unread lists files that look like results, with the reason why they are not read.
	Unread   []string
	Excluded []string // lists of benchmarks that were removed from the competition
	Listed   map[string]bool
}

// Gather sorts a year's files. It ignores unknown files; an unreadable page is an error.
func Gather(files []string, year int) (*Material, error) {
	m := &Material{Year: year, Pages: map[string][]*Page{}, Results: map[string][]string{},
		Lists:     map[string][]string{},
		Originals: map[string]string{}, Pairs: map[string]string{}, Statuses: map[string]string{},
		Names:  map[string]string{},
		Listed: map[string]bool{}}
	seen := map[[3]string]*Page{}
	var errs []error
	for _, path := range files {
		slashed := filepath.ToSlash(path)
		base := filepath.Base(path)
		ext := filepath.Ext(path)
		switch ours := strings.Contains(slashed, "/"+strconv.Itoa(year)+"/"); {
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
		case !ours:
		case strings.HasPrefix(base, "solvers_divisions") && ext == ".csv":
			errs = append(errs, m.addNames(path))
		case strings.Contains(base, "scramble_map"):
			m.Originals[trackIn(slashed)] = path
		case strings.Contains(base, "-pairs."):
			m.Pairs[trackIn(slashed)] = path
		case strings.HasPrefix(base, "SMT-LIB_spaces."):
			m.Spaces = path
		case strings.HasPrefix(base, "SMT-LIB_benchmarks."):
			m.Library = path
		case base == "benchmarks.csv":
			m.Expected = path
		case strings.Contains(base, "instance-statuses"):
			m.Statuses[trackIn(slashed)] = path
		case base == "sq-disagreements-decision.csv":
			m.Decided = path
		case strings.Contains(base, "_excluded") || strings.HasPrefix(base, "blacklist"):
			m.Excluded = append(m.Excluded, path)
		case strings.HasPrefix(base, "benchmark_selection_"):
			if track := trackIn(base); track != "" {
				m.Lists[track] = append(m.Lists[track], path)
			}
		case strings.Contains(base, "_num_check_sat."):
			m.Checks = path
		case slices.Contains([]string{".csv", ".xz", ".gz", ".xml", ".bz2", ".zst"}, ext):
			m.addResults(path)
		}
	}
	return m, errors.Join(errs...)
}

// tracksInPaths are the names of tracks in paths, split into words. Longer names come before names that they contain.
var tracksInPaths = []string{"challenge non incremental", "challenge incremental", "challenge track non incremental",
	"challenge track incremental", "single query", "unsat core", "model validation", "proof exhibition", "application",
	"incremental", "cloud", "parallel", "sq"}

// inResults matches files in folders of results, but those of the organisers' JSON.
var inResults = regexp.MustCompile(`/(results|csv)/.*\.(csv|xml|xz|gz|bz2|zst)$`)

// addResults adds a file if it has results of a track.
func (m *Material) addResults(path string) {
	track := trackIn(filepath.ToSlash(path))
	is, err := isResults(path)
	switch {
	case err != nil && track != "":
		m.Unread = append(m.Unread, fmt.Sprintf("%s is not read: %v", path, err))
	case is && track == "":
		m.Unread = append(m.Unread, path+" is not read: its path names no track")
	case is:
		m.Results[track] = append(m.Results[track], path)
	case track != "" && inResults.MatchString(filepath.ToSlash(path)):
		m.Unread = append(m.Unread, path+" is not read: it is not a table of results of StarExec or BenchExec")
	}
}

// trackIn returns the track that a path names, or "".
func trackIn(path string) string {
	words := strings.NewReplacer("_", " ", "-", " ", "/", " ", ".", " ").Replace(strings.ToLower(path))
	for _, name := range tracksInPaths {
		if strings.Contains(words, " "+name+" ") {
			if name == "sq" {
				name = "single query"
			}
			return strings.ReplaceAll(strings.Replace(name, "track ", "", 1), " ", "-")
		}
	}
	return ""
}

// addNames reads a list of solvers: columns whose heading ends with ID or names a track contain their IDs.
func (m *Material) addNames(path string) error {
	file, err := limits.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	rows := csv.NewReader(limits.Table.Reader(file))
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
