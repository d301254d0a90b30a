package smtcompsite

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp/divisions"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Site is the input for the pages.
type Site struct {
	Year         int
	ResultDate   string // day such as 2025-08-11, shown unchanged
	Scores       []results.ScoreRow
	Recognitions []results.RecognitionRow
	Participants []Participant
	Divisions    divisions.Table       // the year's divisions
	Limits       map[string]run.Limits // limits by track
	// PartLimits are the limits of a division or logic, by track name and part name. A zero value means the track's
	// limit.
	PartLimits map[[2]string]run.Limits
	Options    Options
	Runs       iter.Seq[Run] // runs for charts; nil if unknown
	// Charts also writes a page with a chart for every division and logic, which requires Runs. Since version 0.168,
	// Hugo accepts such pages only if security.allowContent permits it.
	Charts bool
}

// limits returns the limits of a track's division or logic.
func (s *Site) limits(track, name string) run.Limits {
	part, all := s.PartLimits[[2]string{track, name}], s.Limits[track]
	return run.Limits{WallLimitS: cmp.Or(part.WallLimitS, all.WallLimitS),
		MemoryLimit: cmp.Or(part.MemoryLimit, all.MemoryLimit)}
}

// Options holds intended differences between the pages and the scores. The zero value follows the scores and writes all
// keys.
type Options struct {
	// ContestedByNames counts a division as competitive if the names of two of its solvers, competing or not, differ
	// before their first hyphen, ignoring case (D-ALL-8). Otherwise a division needs two competing teams, as in the
	// scores.
	ContestedByNames bool
	// UncontestedWinners names the first competing solver that solved something as the winner of a non-competitive
	// division (D-ALL-8). Certificates then include such divisions.
	UncontestedWinners bool
	// NoBases omits the base solvers and whether a division is competitive, as in 2024.
	NoBases bool
	// NoBestOverall omits the pages about the best overall solvers, as in 2024.
	NoBestOverall bool
}

// options maps each option's name to its field.
var options = map[string]func(*Options) *bool{
	"contested_by_names":  func(o *Options) *bool { return &o.ContestedByNames },
	"uncontested_winners": func(o *Options) *bool { return &o.UncontestedWinners },
	"no_bases":            func(o *Options) *bool { return &o.NoBases },
	"no_best_overall":     func(o *Options) *bool { return &o.NoBestOverall },
}

// OptionNames lists the names of all options.
func OptionNames() []string { return sorted(options) }

// ParseOptions turns on the named options.
func ParseOptions(names []string) (Options, error) {
	var o Options
	for _, name := range names {
		field := options[name]
		if field == nil {
			return o, fmt.Errorf("unknown option %q of the pages; the options are %s", name,
				strings.Join(OptionNames(), ", "))
		}
		*field(&o) = true
	}
	return o, nil
}

// Turn toggles an option, one of OptionNames.
func (o *Options) Turn(name string) {
	field := options[name](o)
	*field = !*field
}

// File is a file of the site. Its path is relative to the site's repository.
type File struct {
	Path string
	Data []byte
}

// The folders in the site's repository.
const (
	pagesFolder       = "web/content/results/"
	dataFolder        = "web/data/"
	certificatesInput = "data/latex-certificates/input_for_certificates.tex"
)

// Files returns all files, sorted by path. The error lists everything that prevents the site from being written.
func (s *Site) Files() ([]File, error) {
	b := builder{site: s, pages: map[string]any{}}
	if err := errors.Join(b.check()...); err != nil {
		return nil, err
	}
	b.build()
	var charts map[string][]byte
	if s.Charts {
		charts = b.charts()
	}
	if err := errors.Join(b.errs...); err != nil {
		return nil, err
	}
	var files []File
	var errs []error
	add := func(path string, data []byte, err error) {
		files = append(files, File{path, data})
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", path, err))
		}
	}
	for _, name := range sorted(b.pages) {
		data, err := pageJSON(b.pages[name])
		add(pagesFolder+name, data, err)
	}
	for name, data := range charts {
		add(pagesFolder+name, data, nil)
	}
	for name, v := range map[string]any{"participants.json": s.participants(), "tracks.json": s.tracks(),
		"division_tracks.json": s.divisionTracks()} {
		data, err := dataJSON(v)
		add(dataFolder+name, data, err)
	}
	add(certificatesInput, []byte(b.certificates()), nil)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, errors.Join(errs...)
}

// builder builds the pages.
type builder struct {
	site  *Site
	list  []*trackPages
	pages map[string]any // pages by file name
	errs  []error
}

// trackPages holds a track's pages, which are also the source of the certificates.
type trackPages struct {
	track        track
	divisions    []*divisionPage // pages of divisions, followed by pages of logics
	recognitions []*recognitionPage
}

func (b *builder) fail(format string, args ...any) {
	b.errs = append(b.errs, fmt.Errorf(format, args...))
}

// build builds every page of every track.
func (b *builder) build() {
	tables := b.index()
	for _, t := range tracks {
		if rows := tables[t.name]; rows != nil {
			p := &trackPages{track: t}
			b.divisionPages(p, rows)
			b.recognitionPages(p)
			b.list = append(b.list, p)
		}
	}
}

// add adds a page. It rejects a second page with the same name, for example of a division named like a logic, because
// it would overwrite the first.
func (b *builder) add(name, what string, page any) {
	if _, twice := b.pages[name]; twice {
		b.fail("%s would be on the page %s, which another division, logic or list has already; names must differ by "+
			"more than the case of letters and + for _", what, name)
	}
	b.pages[name] = page
}
