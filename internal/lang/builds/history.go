package builds

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
)

// chapter is the store's record of a build for its solver's history, one per list of benchmarks. Its runs are stored
// under their keys, like those of every comparison.
type chapter struct {
	Solver     string             `json:"solver"`
	Build      string             `json:"build"` // identity of the build; equal for equal builds
	Name       string             `json:"name"`
	Told       bool               `json:"told,omitempty"` // whether the user chose the name; otherwise it is the file's
	Conditions compare.Conditions `json:"conditions"`
	Machine    string             `json:"machine"`
	Measured   time.Time          `json:"measured"` // time of the first measurement
	List       string             `json:"list"`     // key of the benchmark list
	Runs       []byte             `json:"runs"`     // keys of the runs on the listed benchmarks
}

const historyItems = "history"

// self identifies a build: a program by its contents, and a script also by its path, because it finds files beside it.
func (b *Build) self() string {
	k := cache.NewKeyWriter("history-build/1")
	k.Digest("build", b.Digest)
	if beginsWith(b.place, "#!") {
		k.String("place", b.place)
	}
	for i, a := range b.entry.Argv {
		if i > 0 || b.place == "" {
			k.String("argument", strings.TrimPrefix(a, b.folder))
		}
	}
	k.String("environment", string(b.env))
	return k.Key().String()
}

// remember adds both builds' runs to the history.
func (m *pairing) remember(all []*wanted) error {
	if m.History == "" || len(all) == 0 {
		return nil
	}
	items, err := m.Store.Items(historyItems)
	if err != nil {
		return err
	}
	var list []compare.Benchmark
	for _, w := range all {
		b := w.benchmark
		b.SecondFirst = false
		list = append(list, b)
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	k := cache.NewKeyWriter("history-list/1")
	k.Digest("list", cache.DigestOf(text))
	listed := k.Key()
	if err := items.PutFirst(listed, text); err != nil {
		return err
	}
	c := chapter{Solver: m.History, List: listed.String(), Measured: time.Now().UTC().Truncate(time.Millisecond),
		Machine: fmt.Sprintf("%s, isolation %s", m.site.Hello().Hardware, m.site.Hello().Isolation),
		Conditions: compare.Conditions{WallTime: m.Limits.WallTime, MemoryBytes: m.Limits.MemoryBytes,
			Cores: m.Limits.Cores, SeedOption: m.SeedOption}}
	if len(m.Seeds) > 0 {
		c.Conditions.Shuffle = m.Shuffle
	}
	if m.site.Image != nil {
		c.Conditions.Image = m.site.Image.ID.String()
	}
	for i, b := range []*Build{m.a, m.b} {
		c.Build, c.Name, c.Told, c.Runs = b.self(), b.Name, b.Told, nil
		c.Measured = c.Measured.Add(time.Duration(i) * time.Millisecond) // A is the older build
		for _, w := range all {
			c.Runs = append(c.Runs, w.runs[i][:]...)
		}
		if err := c.keep(items); err != nil {
			return err
		}
	}
	return items.Sync()
}

// keep stores a chapter unless it already exists.
func (c chapter) keep(items *cache.Items) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	k := cache.NewKeyWriter("history/1")
	k.String("solver", c.Solver)
	k.String("build", c.Build)
	k.String("name", c.Name)
	k.Bool("told", c.Told)
	k.String("list", c.List)
	k.Digest("runs", cache.DigestOf(c.Runs))
	return items.PutFirst(k.Key(), text)
}

// Telling selects the history to print, and its order.
type Telling struct {
	Solver string
	// Wanted selects the conditions under which builds ran. If several match, the conditions with the most builds are
	// used.
	Wanted func(compare.Conditions) bool
	Order  string // version, measured, or the builds' names, one per line; empty: by version if all names contain one
}

// OpenHistory assembles a solver's history from the store alone.
func OpenHistory(store *cache.Store, runs *cache.Items, t Telling) (*compare.History, error) {
	items, err := store.Items(historyItems)
	if err != nil {
		return nil, err
	}
	of := map[compare.Conditions][]chapter{}
	solvers := map[string]bool{}
	err = items.Each(func(_ cache.Key, record []byte) error {
		var c chapter
		if record[0] != '{' { // a list of benchmarks, not a chapter
			return nil
		}
		if err := json.Unmarshal(record, &c); err != nil {
			return err
		}
		solvers[c.Solver] = true
		if c.Solver == t.Solver {
			of[c.Conditions] = append(of[c.Conditions], c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	h := compare.History{Solver: t.Solver}
	var found [][]chapter
	for conditions, chapters := range of {
		if t.Wanted(conditions) {
			found = append(found, chapters)
		}
	}
	if len(found) == 0 {
		return nil, usage(noHistory(t.Solver, slices.Sorted(maps.Keys(solvers)), len(of)))
	}
	chosen := slices.MaxFunc(found, func(x, y []chapter) int {
		return cmp.Or(cmp.Compare(count(x), count(y)), latest(x).Compare(latest(y)))
	})
	h.Conditions = chosen[0].Conditions
	for conditions := range of {
		if conditions != h.Conditions {
			h.Others = append(h.Others, conditions)
		}
	}
	slices.SortFunc(h.Others, func(x, y compare.Conditions) int { return strings.Compare(x.Text(), y.Text()) })
	past, err := pastOf(items, runs, chosen)
	if err != nil {
		return nil, err
	}
	past, h.Order, h.Unordered = order(past, t.Order)
	if len(past) == 0 {
		return nil, usage(fmt.Errorf("the order names no build of the history of %s, such as %s", t.Solver,
			h.Unordered[0]))
	}
	return compare.NewHistory(h, past), nil
}

func noHistory(solver string, others []string, conditions int) error {
	switch {
	case conditions > 0:
		return fmt.Errorf("no build of the history of %s was executed under these limits; leave --wall, --memory, --cores "+
			"and --seeds out", solver)
	case len(others) == 0:
		return fmt.Errorf("the store has no history; start one with \"smtpipe compare OLD NEW --history %s …\"", solver)
	}
	return fmt.Errorf("the store has no history of %s; it has one of %s", solver, strings.Join(others, ", "))
}

// count returns the number of builds in the chapters.
func count(chapters []chapter) int {
	builds := map[string]bool{}
	for _, c := range chapters {
		builds[c.Build] = true
	}
	return len(builds)
}

func latest(chapters []chapter) time.Time {
	return slices.MaxFunc(chapters, func(x, y chapter) int { return x.Measured.Compare(y.Measured) }).Measured
}

// pastOf reads the builds' runs. If a build ran on several machines, only the machine with the most runs counts or, in
// a tie, the last one.
func pastOf(items, runs *cache.Items, chapters []chapter) ([]compare.Past, error) {
	slices.SortFunc(chapters, func(x, y chapter) int {
		return cmp.Or(x.Measured.Compare(y.Measured), strings.Compare(x.Name, y.Name), strings.Compare(x.List, y.List))
	})
	type place struct{ build, machine string }
	by := map[place][]chapter{}
	named := map[string]string{}
	told := map[string]bool{}
	var places []place
	for _, c := range chapters {
		p := place{c.Build, c.Machine}
		if by[p] == nil {
			places = append(places, p)
		}
		by[p] = append(by[p], c)
		if named[c.Build] == "" || c.Told && !told[c.Build] {
			named[c.Build], told[c.Build] = c.Name, c.Told
		}
	}
	best := map[string]compare.Past{}
	var found []string
	for _, p := range places {
		all, err := runsOf(items, runs, by[p])
		if err != nil {
			return nil, err
		}
		old, known := best[p.build]
		past := compare.Past{Name: named[p.build], Machine: p.machine, Measured: by[p][0].Measured, Runs: all}
		if !known {
			found = append(found, p.build)
		} else {
			past.Measured = old.Measured
		}
		if len(all) >= len(old.Runs) {
			best[p.build] = past
		}
	}
	var out []compare.Past
	for _, b := range found {
		out = append(out, best[b])
	}
	distinguish(out, found, told)
	return out, nil
}

// distinguish sets the builds' names to the shortest distinct ones: without folders, as given, or with a prefix of
// their identity. It keeps names that the user chose.
func distinguish(past []compare.Past, ids []string, told map[string]bool) {
	full, short := map[string]int{}, map[string]int{}
	for _, p := range past {
		full[p.Name]++
		short[label(p.Name)]++
	}
	for i := range past {
		p := &past[i]
		switch {
		case full[p.Name] > 1:
			p.Name += " (" + ids[i][:6] + ")"
		case short[label(p.Name)] == 1 && !told[ids[i]]:
			p.Name = label(p.Name)
		}
	}
}

// runsOf reads the chapters' runs, which must be in order of measurement. If a benchmark has changed, its last run
// counts.
func runsOf(items, runs *cache.Items, chapters []chapter) (all []compare.PastRun, err error) {
	at := map[string]int{}
	for _, c := range chapters {
		listed, err := cache.ParseKey(c.List)
		if err != nil {
			return nil, err
		}
		text, _, err := items.Get(listed)
		if err != nil {
			return nil, err
		}
		var list []compare.Benchmark
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("the list of benchmarks %s of the history is damaged: %w", c.List, err)
		}
		for i, b := range list {
			var key cache.Key
			copy(key[:], c.Runs[i*len(key):])
			record, ok, err := runs.Get(key)
			if err != nil {
				return nil, err
			}
			if !ok { // the record is damaged
				continue
			}
			r := compare.PastRun{Benchmark: b}
			if err := json.Unmarshal(record, &r.Run); err != nil {
				return nil, err
			}
			if k, ok := at[b.ID()]; ok {
				all[k] = r
				continue
			}
			at[b.ID()] = len(all)
			all = append(all, r)
		}
	}
	return all, nil
}

// label returns a build's name without its folder, or a wheel's version from NAME-VERSION-….whl.
func label(name string) string {
	if parts := strings.Split(name, "-"); strings.HasSuffix(name, ".whl") && len(parts) >= 5 {
		return parts[1]
	}
	program, arguments, _ := strings.Cut(name, " ")
	return strings.TrimSpace(path.Base(program) + " " + arguments)
}

var version = pattern.Lazy(`\d+\.\d.*`)

// versionOf returns a name from its version on, or the whole name if it contains none.
func versionOf(name string) string { return cmp.Or(version().FindString(name), name) }

// order sorts builds. It omits builds that no line of the order names.
func order(past []compare.Past, by string) (_ []compare.Past, what string, left []string) {
	slices.SortStableFunc(past, func(x, y compare.Past) int { return x.Measured.Compare(y.Measured) })
	if by == "" && !slices.ContainsFunc(past, func(p compare.Past) bool { return !version().MatchString(p.Name) }) {
		by = compare.ByVersion
	}
	switch by {
	case "", compare.ByMeasured:
		return past, compare.ByMeasured, nil
	case compare.ByVersion:
		slices.SortStableFunc(past, func(x, y compare.Past) int {
			return compareVersions(versionOf(x.Name), versionOf(y.Name))
		})
		return past, compare.ByVersion, nil
	}
	var out []compare.Past
	for line := range strings.Lines(by) {
		i := slices.IndexFunc(past, func(p compare.Past) bool { return names(strings.TrimSpace(line), p.Name) })
		if i >= 0 {
			out = append(out, past[i])
			past = slices.Delete(past, i, i+1)
		}
	}
	for _, p := range past {
		left = append(left, p.Name)
	}
	return out, compare.ByTold, left
}

var commit = pattern.Lazy(`^[0-9a-f]{7,40}$`)

// names reports whether a line of an order names a build, by its name or its commit, either of which can be
// abbreviated.
func names(line, build string) bool {
	x, _, _ := strings.Cut(line, " ")
	y, _, _ := strings.Cut(build, " ")
	return line == build ||
		commit().MatchString(x) && commit().MatchString(y) && (strings.HasPrefix(x, y) || strings.HasPrefix(y, x))
}
