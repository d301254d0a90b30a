// Package prove writes files that prove a single cell of a published table on their own. Each file contains the runs
// that determine the cell, the parts of the division's other runs that scoring needs, their paths to the root of the
// hash tree over all runs, and the lock, which contains the root. check.py in a frozen folder checks these files.
// docs/publish/runtree.md specifies the format.
package prove

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/runtree"
	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// proof contains the data about a cell while its file is being written.
type proof struct {
	folder *frozen.Folder
	name   Name
	stage  string        // address of the stage that scored the cell
	record *cache.Action // record of the stage
	row    results.ScoreRow

	rules    *score.RuleSet
	readings score.Readings
	kinds    comp.Kinds // the competition's own tracks
	verdicts [][]byte   // contents of the tables that were scored
	joined   []string   // names of the entrant tables joined with them

	cell    *score.Explanation
	judged  map[place][]string // values of judgedColumns for the division's runs
	logics  []string           // logics of the division's runs
	outputs []string           // names of all run tables, sorted
	schema  string             // schema of the run tables

	tree       *runtree.Tree
	known, own map[int]bool // leaves in the file, by number: the division's and their neighbours; the cell's
	spans      [][2]int     // ranges of known, sorted: first leaf and end (exclusive)
	// Rows of the file: known leaves have the values for scoring and the judgements; own leaves have all other values.
	scored, isJudged, rest [][]string
	benchmarks             []string // benchmarks of the cell's own runs

	entrants [][]string   // rows of the entrants that have runs in the division
	entered  map[int]bool // numbers of the entrants' leaves
	places   []int        // leaf numbers in the order of entrants
}

// place identifies a run in a verdict table.
type place struct{ benchmark, solver, key string }

// Cell returns the file that proves a cell of a frozen folder. stage is the address of the stage that scored the cell.
// If stage is empty, exactly one stage must have the cell.
func Cell(ctx context.Context, folder *frozen.Folder, name Name, stage string) ([]byte, error) {
	p := &proof{folder: folder, name: name, stage: stage, judged: map[place][]string{}}
	for _, step := range []func(context.Context) error{p.find, p.readRules, p.readVerdicts, p.explain, p.readRuns,
		p.readEntrants} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return p.encode()
}

// find finds the stage whose scores contain the cell.
func (p *proof) find(context.Context) error {
	var stages, near []string
	for _, addr := range slices.Sorted(maps.Keys(p.folder.Lock.Stages)) {
		if p.folder.Lock.Stages[addr][frozen.AttrKind] != "score" || (p.stage != "" && p.stage != addr) {
			continue
		}
		content, err := p.output(addr + ".scores")
		if err != nil {
			return err
		}
		rows, err := results.Read[results.ScoreRow](bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return fmt.Errorf("%s.scores: %w", addr, err)
		}
		has := false
		for _, r := range rows {
			table := r.Track == p.name.Track && (r.Division == p.name.Table || r.Logic == p.name.Table)
			switch {
			case table && r.View == p.name.View && r.Solver == p.name.Solver:
				if !has || r.Logic == "" { // a division may have the name of a logic
					p.row, has = r, true
				}
			case table:
				near = append(near, fmt.Sprintf("%s %s %s %s", p.name.Table, r.Track, r.View, r.Solver))
			}
		}
		if has {
			stages = append(stages, addr)
		}
	}
	switch {
	case len(stages) == 1:
		p.stage = stages[0]
		return nil
	case len(stages) > 1:
		return fmt.Errorf("%d stages contain this cell; name one with --stage: %s", len(stages),
			strings.Join(stages, ", "))
	case p.stage != "" && p.folder.Lock.Stages[p.stage][frozen.AttrKind] != "score":
		return fmt.Errorf("%s is not a scoring stage in the folder", p.stage)
	case len(near) > 0:
		slices.Sort(near)
		return fmt.Errorf("no table contains %s %s %s %s; the table for %s contains, for "+
			"example, %s", p.name.Table, p.name.Track,
			p.name.View, p.name.Solver, p.name.Table, near[0])
	}
	return fmt.Errorf("track %s has no table for a division or logic %s", p.name.Track, p.name.Table)
}

// output reads a stage's output and checks its digest.
func (p *proof) output(name string) ([]byte, error) {
	art, ok := p.folder.Lock.Outputs[name].Artifact()
	if !ok {
		return nil, fmt.Errorf("the lock has no table %s", name)
	}
	var b bytes.Buffer
	w := cache.NewDigestWriter(&b)
	if err := p.folder.Copy(art.Digest, w); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if got, _ := w.Sum(); got != art.Digest {
		return nil, fmt.Errorf("%s does not have the content in the lock; \"smtpipe verify\" reports what is damaged", name)
	}
	return b.Bytes(), nil
}

// unusual lists attributes of scoring stages that check.py does not support.
var unusual = []string{"practice", "removed", "divisions"}

// instead is the end of error messages about features that check.py does not support.
const instead = "; \"smtpipe verify\" recomputes its table from the whole folder, and the cells of a second stage " +
	"that scores by the rules alone can be proven"

// readRules finds the rule set and the readings that the stage used, and the tables that it scored.
func (p *proof) readRules(context.Context) (err error) {
	if p.record, err = p.folder.Record(p.stage); err != nil {
		return err
	}
	digest := cache.Digest{}
	p.readings.Values, p.kinds = map[string]string{}, comp.Kinds{}
	for _, c := range p.record.Components {
		name, part, _ := strings.Cut(strings.ReplaceAll(c.Name, "[", "."), ".")
		part, value := strings.Trim(part, `"]`), strings.Trim(c.Value, `"`)
		switch {
		case part == "count":
		case name == "readings":
			p.readings.Values[part] = value
		case name == "kinds":
			if p.kinds[part], err = comp.ParseTrack(value); err != nil {
				return fmt.Errorf("%s: track %q: %w", p.stage, part, err)
			}
		case c.Name == "rules":
			if digest, err = cache.ParseDigest(strings.TrimPrefix(c.Value, "sha256:")); err != nil {
				return fmt.Errorf("%s scores by the rules %q, which are not known: %w", p.stage, c.Value, err)
			}
		case slices.Contains(unusual, name) && c.Value != "0",
			c.Name == "reading" && !strings.Contains(c.Value, "rules"):
			return fmt.Errorf("%s scores with %s; only what follows from the unchanged rules of a year can be "+
				"proven%s", p.stage, c.Name, instead)
		case name == "verdicts":
			if err := p.addVerdicts(c.Value); err != nil {
				return err
			}
		}
	}
	return p.findRules(digest)
}

// findRules finds the rule set with a digest among the built-in ones and in the folder.
func (p *proof) findRules(digest cache.Digest) error {
	for _, name := range rules.Names() {
		rs, _, diags := rules.FindScoring(name, "")
		if diags.HasErrors() {
			return diags
		}
		if rs.Digest() == digest {
			p.rules = rs
			return nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.folder.Sums)) {
		if !strings.HasSuffix(name, ".hcl") || name == frozen.LockName {
			continue
		}
		src, err := limits.HCL.ReadFile(p.folder.Path(name))
		if err != nil || cache.DigestOf([]byte(hclsource.Canonical(src))) != digest {
			continue
		}
		rs, diags := score.Decode(src, name, p.kinds)
		if diags.HasErrors() {
			return diags
		}
		p.rules = rs
		return nil
	}
	return fmt.Errorf("%s scores by a rule set that is not in the folder (sha256:%s)", p.stage, digest)
}

// addVerdicts reads the table that a key component such as "verdicts/1 sha256:HEX" names.
func (p *proof) addVerdicts(component string) error {
	_, digest, _ := strings.Cut(component, " sha256:")
	known := ""
	for _, name := range slices.Sorted(maps.Keys(p.folder.Lock.Outputs)) {
		if p.folder.Lock.Outputs[name][frozen.AttrSHA256] != digest {
			continue
		}
		known = name
		table := strings.TrimSuffix(name, ".verdicts") + ".entrants"
		if art, ok := p.folder.Lock.Outputs[table].Artifact(); ok && art.Rows > 0 && runtree.HasEntrants(art.Schema) {
			p.joined = append(p.joined, table)
			break
		}
	}
	if known == "" {
		return fmt.Errorf("%s scored verdicts that the folder does not have (sha256:%s)", p.stage, digest)
	}
	content, err := p.output(known)
	p.verdicts = append(p.verdicts, content)
	return err
}

// judgedColumns are the columns of verdicts that scoring needs and that runs lack.
var judgedColumns = []string{"division", "status", "answer", "n_checks", "n_checks_correct", "n_checks_wrong",
	"last_wall_s", "last_cpu_s", "n_assertions", "core_size", "validation", "val_unsat", "val_sat"}

// readVerdicts reads the judgements of the division's runs.
func (p *proof) readVerdicts(context.Context) error {
	names := append([]string{"track", "logic", "benchmark", "solver", "run_key"}, judgedColumns...)
	for _, table := range p.verdicts {
		err := results.EachText(bytes.NewReader(table), int64(len(table)), names, func(v []string) {
			if v[0] != p.row.Track || v[5] != p.row.Division {
				return
			}
			own := cloned(v)
			p.judged[place{own[2], own[3], own[4]}] = own[5:]
			if !slices.Contains(p.logics, own[1]) {
				p.logics = append(p.logics, own[1])
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// cloned copies texts that are valid only while a row is visited.
func cloned(texts []string) []string {
	own := slices.Clone(texts)
	for i := range own {
		own[i] = strings.Clone(own[i])
	}
	return own
}

// explain recomputes the cell with each run's contribution.
func (p *proof) explain(ctx context.Context) error {
	divisions := map[[2]string]string{}
	var tables []*bytes.Reader
	for _, table := range p.verdicts {
		tables = append(tables, bytes.NewReader(table))
		err := results.EachText(bytes.NewReader(table), int64(len(table)), []string{"track", "logic",
			"division"}, func(v []string) {
			if _, ok := divisions[[2]string{v[0], v[1]}]; !ok {
				divisions[[2]string{strings.Clone(v[0]), strings.Clone(v[1])}] = strings.Clone(v[2])
			}
		})
		if err != nil {
			return err
		}
	}
	runs, err := scoreio.ReadVerdicts(&scoreio.Divide{Kinds: p.kinds, Of: func(track, logic string) string {
		return divisions[[2]string{track, logic}]
	}}, tables...)
	if err != nil {
		return err
	}
	p.cell, err = score.Explain(ctx, p.rules, runs, p.readings, score.Place{Track: p.row.Track,
		Division: p.row.Division, Logic: p.row.Logic, View: p.row.View, Solver: p.row.Solver})
	return err
}

// readRuns finds the runs in the hash tree together with their neighbours, which prove that no run is omitted.
func (p *proof) readRuns(context.Context) error {
	if err := p.readTree(); err != nil {
		return err
	}
	p.known, p.own = map[int]bool{}, map[int]bool{}
	wanted := map[string]int{} // leaf's position → its number
	for _, name := range p.outputs {
		for _, logic := range p.logics {
			from, lo, hi, to := p.tree.Span(name, p.row.Track, logic)
			for i := from; i < to && lo < hi; i++ {
				p.known[i], wanted[strings.Join(p.tree.Place(i), "\x00")] = true, i
			}
		}
	}
	rows := map[int]run{}
	for _, name := range p.outputs {
		content, err := p.output(name)
		if err != nil {
			return err
		}
		err = runtree.EachRun(p.schema, name, content, func(leaf, values []string) {
			if i, ok := wanted[strings.Join(leaf, "\x00")]; ok {
				rows[i] = run{name, cloned(values)}
			}
		})
		if err != nil {
			return err
		}
	}
	return p.match(rows)
}

// run is a leaf of the hash tree.
type run struct {
	table  string
	values []string
}

// readTree builds the hash tree. Its root must match the lock.
func (p *proof) readTree() error {
	p.tree = &runtree.Tree{}
	for _, name := range slices.Sorted(maps.Keys(p.folder.Lock.Outputs)) {
		schema := p.folder.Lock.Outputs[name][frozen.AttrSchema]
		runs := runtree.HasRuns(schema)
		if !runs && !runtree.HasEntrants(schema) {
			continue
		}
		content, err := p.output(name)
		if err != nil {
			return err
		}
		if err := p.tree.Add(schema, name, bytes.NewReader(content), int64(len(content))); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !runs {
			continue
		}
		if p.schema != "" && p.schema != schema {
			return fmt.Errorf("the folder contains runs of both %s and %s, so no cell of either can be "+
				"proven", p.schema, schema)
		}
		p.outputs, p.schema = append(p.outputs, name), schema
	}
	roots, err := p.tree.Roots()
	if err != nil {
		return err
	}
	if roots.Runs != p.folder.Lock.Runs || roots.Entrants != p.folder.Lock.Entrants {
		return errors.New("the runs or entrants do not match the roots in the lock; \"smtpipe verify\" reports what is " +
			"damaged")
	}
	return nil
}

// readEntrants finds the entrants joined with the division's runs.
func (p *proof) readEntrants(context.Context) error {
	p.entered, p.places = map[int]bool{}, []int{}
	solvers := map[string]bool{}
	for of := range p.judged {
		solvers[of.solver] = true
	}
	for _, name := range p.joined {
		content, err := p.output(name)
		if err != nil {
			return err
		}
		err = runtree.EachEntrant(name, bytes.NewReader(content), int64(len(content)), func(place, values []string) {
			i, found := p.tree.EntrantAt(place)
			if found && place[1] == p.row.Track && solvers[place[2]] && !p.entered[i] {
				p.entered[i] = true
				p.places, p.entrants = append(p.places, i), append(p.entrants, values)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// match adds each run's judgement and values to the file.
func (p *proof) match(rows map[int]run) error {
	columns := runtree.Columns(p.schema)
	left := maps.Clone(p.judged)
	for _, at := range slices.Sorted(maps.Keys(rows)) {
		r := rows[at]
		value := func(name string) string { return r.values[slices.Index(columns, name)] }
		of := place{value("benchmark"), value("solver"), value("run_key")}
		judged, ok := left[of]
		if !ok || value("track") != p.row.Track {
			judged = make([]string, len(judgedColumns)) // a neighbour of the division, or not judged
		} else {
			delete(left, of)
			if of.solver == p.row.Solver && (p.row.Logic == "" || p.row.Logic == value("logic")) {
				p.own[at] = true
				p.benchmarks = append(p.benchmarks, of.benchmark)
				p.rest = append(p.rest, runtree.Values(p.schema, runtree.Rest, r.table, r.values))
			}
		}
		p.scored = append(p.scored, runtree.Values(p.schema, runtree.Scored, r.table, r.values))
		p.isJudged = append(p.isJudged, judged)
		if last := len(p.spans) - 1; last >= 0 && p.spans[last][1] == at {
			p.spans[last][1]++
		} else {
			p.spans = append(p.spans, [2]int{at, at + 1})
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("%d of %d runs of %s are missing from the tables of runs, so their cells cannot be "+
			"proven", len(left),
			len(p.judged), p.row.Division)
	}
	return nil
}

// signature returns the lock's signature, or "" if the lock is not signed.
func (p *proof) signature() (string, error) {
	text, err := limits.Signature.ReadFile(p.folder.Path(frozen.SignatureName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}
