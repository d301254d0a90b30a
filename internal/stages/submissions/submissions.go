// Package submissions provides the "submissions" stage: it reads the participations from the official submission files.
// internal/contest/submission models these files.
package submissions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/divisions"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "submissions",
	Version: 14,
	Summary: "Reads the official submission files",
	Doc: `Reads submission files as the organisers of 2024 and later collect them, and checks them against all rules about
their form. It lists who enters which tracks, divisions and logics, which logics are competitive, and which numbers the
entrants gave for the competition's seed. A file that is not a valid submission is left out with a warning, and smtpipe run ends
with exit code 7. Its number is missing from the seed until its authors correct it. If no file is valid, the stage fails.

A derived solver whose base solver is not submitted for the same track and logics (SMT-COMP 2026 rules, §4) is executed like
any other. It cannot win and makes no logic competitive; the column problem gives the reason. The same holds for a portfolio
solver in a track that the rules do not open to them (2022 and 2026 rules, §4). A number that is larger than the rules allow is an error. Warnings are: several
configurations of a solver if the rules allow one, teams with more solvers in a track than the rules encourage, and
submissions that are not final.

A participation that is declared experimental is executed and scored like others, since the rules attach no consequence to it.
It is named in a warning and in the column experimental.

The files do not contain the date on which they were received, nor what happened since. The register does (received): CSV
with the header file,date,event,reason,by and a line for each event, which is entered, updated, withdrawn, disqualified, late,
comparison (added for comparison) or team. All but the first two need a reason and who decided; the reason of team is the name
of the team. The older form file,entered,updated has only dates. What follows from an event is in the rules of the year (blocks
reason). A submission that was withdrawn by the final deadline counts as never entered, and its file may be gone. Any other file
of the register that is gone is an error.

A submission that was entered or updated after the deadlines of the rules (§4, "Deadlines") is an error if it is to compete,
unless the register says late or comparison, and otherwise a warning. Without a register, and for files that are not in it,
deadlines are not checked, which is also a warning.

With drawn, the numbers for the seed are those of the record, and an error names every submission that would change them. The
number of a file that is no valid submission stays.

The files also do not show who is open source and who competes for the first time. The organisers name these solvers (SMT-COMP
2008 rules, §5; 2015, §7.5; 2019 to 2026, §7.4).`,
	Example: `stage "submissions" "entrants" {
  files = fileset("submissions/*.json")
}`,
	Attrs: []stages.Attr{
		{Name: "files", Type: cty.List(stages.FileType), Private: true, Doc: "the submission files"},
		{Name: "folder", Type: stages.FileType, Private: true,
			Doc: "a folder whose *.json are the submission files, instead of files"},
		{Name: "tracks", Type: rules.TracksType, Inherit: []string{"tracks"},
			Doc: "logics that can be entered, by track and division"},
		{Name: "rules", Type: rules.EntrantsType, Inherit: []string{"rules", "entrants"},
			Doc: "the rules about entrants"},
		stages.KindsAttr,
		{Name: "earlier_form", Type: cty.Bool, Default: cty.False, Doc: "accept the form of 2024 and 2025 as well: a " +
			"cloud image may replace archive and command, a derived solver may have any name, and several files " +
			"may submit the same name, which the table of solvers then shows with the file, as NAME (FILE)"},
		{Name: "teams", Type: cty.Map(cty.String), Doc: "team by solver; default: the register's team; otherwise, " +
			"solvers whose first contacts have the same name and address form one team, which is named after one of them"},
		{Name: "received", Type: stages.FileType, Doc: "the register: when the files were received, and later events" +
			"; null: deadlines are not checked"},
		{Name: "drawn", Type: stages.FileType, Doc: "the seed record written by \"smtpipe seed --record\"; " +
			"null: the seed is not drawn yet"},
		{Name: "opening", Type: cty.Number, Whole: stages.WholeFrom(0), NotInKey: true,
			Doc: "the stock index number that is " +
				"added to the entrants' numbers, for \"smtpipe seed\" and the comparison with drawn"},
		{Name: "open_source", Type: cty.List(cty.String), Doc: "names of the solvers whose source code is open"},
		{Name: "new_entrants", Type: cty.List(cty.String), Doc: "names of the solvers that compete for the first time"},
		{Name: "competitive", Type: cty.String, Default: cty.StringVal("teams"), Doc: "a logic is competitive if two " +
			"teams enter it to compete (teams), or if it has any two participations that compete (entries)"},
	},
	Outputs: []stages.Output{
		{Name: "solvers", Type: stages.TableType("solvers/1"), Doc: "one row for each participation in a track " +
			"that is executed, with its executed logics"},
		{Name: "entrants", Type: stages.TableType("entrants/1"),
			Doc: "who enters each track, with every reason against it by the rules and what follows"},
		{Name: "seeds", Type: cty.List(cty.Number), Doc: "numbers of the competitive entrants"},
		{Name: "competitive_logics", Type: cty.Map(cty.List(cty.String)), Doc: "competitive logics by track"},
		{Name: "count", Type: cty.Number, Doc: "number of submissions"},
	},
	New:   newAction,
	Quick: stages.Always,
}

type action struct {
	attr    string // name of the attribute that names the files
	files   []stages.File
	earlier bool
	table   divisions.Table
	kinds   comp.Kinds
	rules   submission.Rules
	teams   map[string]string
	by      submission.Counting // how logics are determined to be competitive

	openSource, newEntrants []string // solver names

	register submission.Register // nil if not given
	drawn    *submission.Drawn   // the seed's record; nil if the seed has not been drawn
	opening  *int64              // the value added to the numbers' sum; nil if not given
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{attr: "files", files: a.Files("files"), earlier: a.Bool("earlier_form"), teams: a.TextMap("teams"),
		rules:      rules.Entrants(),
		openSource: a.Strings("open_source"), newEntrants: a.Strings("new_entrants")}
	var errs []error
	switch by := a.String("competitive"); by {
	case "teams":
		act.by = submission.Teams
	case "entries":
		act.by = submission.Entries
	default:
		errs = append(errs, a.Invalid("competitive", "Unknown way of counting",
			fmt.Sprintf("%q is neither teams nor entries.", by)))
	}
	folderErr := act.listFolder(a)
	var kindsErr error
	act.kinds, kindsErr = a.Kinds()
	if err := rules.Into(a.Value("rules"), &act.rules); err != nil {
		errs = append(errs, a.Invalid("rules", "Missing value", err.Error()+"."))
	}
	errs = append(errs, folderErr, kindsErr, act.readRegister(a), act.readDrawn(a))
	act.table = rules.TableOf(a.Value("tracks"))
	if len(act.table.Tracks()) == 0 {
		errs = append(errs, a.Invalid("tracks", "No tracks",
			"The competition has no tracks, so nobody can enter them. "+
				"Give the \"competition\" block rules or tracks."))
	}
	if folder, _ := a.File("folder"); len(act.files) == 0 && folderErr == nil && !folder.Absent {
		errs = append(errs, a.Invalid("files", "No submissions", "No file was found; check the pattern of fileset, "+
			"or the folder."))
	}
	return act, errors.Join(errs...)
}

// listFolder adds the folder's submission files.
func (act *action) listFolder(a *stages.Args) error {
	folder, ok := a.File("folder")
	if !ok {
		return nil
	}
	if a.Has("files") {
		return a.Invalid("folder", "Files and a folder", "Give either files or folder.")
	}
	if folder.Absent {
		return nil // the stage is known only from evidence
	}
	files, err := filesOf(folder.Path)
	if err != nil || !folder.IsDir {
		return a.Invalid("folder", "Not a folder", folder.Name+" must be a folder with submission files.")
	}
	act.attr, act.files = "folder", append(act.files, files...)
	all, err := fs.Glob(os.DirFS(folder.Path), "*")
	for _, name := range all {
		lower := strings.ToLower(name)
		if filepath.Ext(lower) == ".json" && filepath.Ext(name) != ".json" || strings.HasSuffix(lower, ".json.txt") {
			return a.Invalid("folder", "Submission that is not read", fmt.Sprintf("Only the files *.json of %s are "+
				"submissions, so that %s does not take part. Rename it, or move it elsewhere.", folder.Name, name))
		}
	}
	return err
}

// filesOf lists a folder's submission files.
func filesOf(folder string) ([]stages.File, error) {
	names, err := fs.Glob(os.DirFS(folder), "*.json")
	files := make([]stages.File, len(names))
	for i, name := range names {
		files[i] = stages.File{Path: filepath.Join(folder, name), Name: name}
	}
	return files, err
}

// ReadFolder reads all submissions in a folder and their entries in the divisions of a table. The year may be in the
// past. All errors are reported together. Files with the same solver name are accepted, but their results cannot be
// distinguished.
func ReadFolder(folder string, table divisions.Table) (all []*submission.Submission,
	entries []submission.Entry, err error) {
	files, err := filesOf(folder)
	if err != nil {
		return nil, nil, err
	}
	if len(files) == 0 {
		return nil, nil, fmt.Errorf("%s has no submission files, *.json", folder)
	}
	catalog, err := Catalog(table, nil)
	if err != nil {
		return nil, nil, err
	}
	all, entries, invalid := readFiles(files, catalog, submission.ParseEarlier, func() {})
	var errs []error
	for _, u := range invalid {
		errs = append(errs, u.problem("folder"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	return all, entries, nil
}

type parser func(file string, data []byte) (*submission.Submission, error)

func (act *action) parser() parser {
	if act.earlier {
		return submission.ParseEarlier
	}
	return submission.Parse
}

// mendFile tells the user what to do about a submission with an error.
const mendFile = "Fix the file, or ask its authors to; \"smtpipe check-submission FILE\" checks it alone."

// unread is a file that does not contain a valid submission.
type unread struct {
	file stages.File
	err  error
}

// problem returns the stage's error about a file.
func (u unread) problem(attr string) error {
	err := u.err
	if problems, ok := errors.AsType[submission.Problems](err); ok {
		err = problems.Errors()
	}
	return stages.InFile(attr, u.file, err, mendFile)
}

// readFiles reads submissions and their entries. It calls done after each file.
func readFiles(files []stages.File, catalog *submission.Catalog, parse parser,
	done func()) (all []*submission.Submission, entries []submission.Entry, invalid []unread) {
	for _, f := range files {
		s, more, err := read(f, catalog, parse)
		done()
		if err != nil {
			invalid = append(invalid, unread{f, err})
			continue
		}
		all, entries = append(all, s), append(entries, more...)
	}
	return all, entries, invalid
}

// exclude excludes the files that are not valid submissions. It returns an error if none is valid, or if this machine
// cannot read a file.
func (act *action) exclude(env *stages.Env, invalid []unread, valid int) error {
	var errs []error
	for _, u := range invalid {
		if _, machine := errors.AsType[*fs.PathError](u.err); machine || valid == 0 {
			errs = append(errs, u.problem(act.attr))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	for _, u := range invalid {
		env.Exclude(u.file.Name, errors.New(strings.ReplaceAll(u.err.Error(), "\n", "; ")))
	}
	return nil
}

// Execute implements stages.Action.
func (act *action) Execute(_ context.Context, env *stages.Env) error {
	catalog, err := Catalog(act.table, act.kinds)
	if err != nil {
		return err
	}
	env.Progress.Start(int64(len(act.files)), "submissions", false)
	all, entries, invalid := readFiles(act.files, catalog, act.parser(), func() { env.Progress.Add(1, "") })
	all, entries, err = act.registered(all, entries, invalid)
	err = errors.Join(err, act.exclude(env, invalid, len(all)))
	if err == nil && !act.earlier {
		if twice := submission.CheckNames(entries); twice != nil {
			err = &stages.DataError{Attr: act.attr, Err: twice, Remedy: "Remove one of the files, or ask its " +
				"authors for another name; with earlier_form = true the table names both by their files."}
		}
	}
	if err != nil {
		return err
	}
	err = errors.Join(act.checkRules(env, all, entries), act.checkDeadlines(env, all),
		checkNamed(all, "open_source", act.openSource),
		checkNamed(all, "new_entrants", act.newEntrants))
	if err != nil {
		return err
	}
	seeds, err := act.seedValues(all, entries, invalid)
	if err != nil {
		return err
	}
	act.warn(env, all, entries)
	solvers, entrants := act.rows(all, entries)
	return errors.Join(
		stages.SetTable(env, "solvers", solvers),
		stages.SetTable(env, "entrants", entrants),
		env.Set("seeds", seeds),
		env.Set("competitive_logics", competitiveLogics(act.rules.Competitive(entries, act.by, act.teams))),
		env.Set("count", cty.NumberIntVal(int64(len(all)))),
	)
}

// checkRules rejects numbers that cannot enter the competition's seed, and warns about other violations of the rules,
// such as several configurations of a solver. It ignores solver types, because the rows record that a portfolio solver
// cannot win.
func (act *action) checkRules(env *stages.Env, all []*submission.Submission, entries []submission.Entry) error {
	var errs []error
	for _, s := range all {
		own := slices.DeleteFunc(slices.Clone(entries), func(e submission.Entry) bool { return e.Submission != s })
		problems, _ := errors.AsType[submission.Problems](act.rules.Check(s, own))
		for _, p := range problems {
			switch {
			case p.Pointer == "/seed":
				errs = append(errs, p)
			case p.Pointer != "/solver_type":
				env.Log.Warn(p.Error())
			}
		}
	}
	return errors.Join(errs...)
}

// warn reports what the rules allow but the organisers should know about.
func (act *action) warn(env *stages.Env, all []*submission.Submission, entries []submission.Entry) {
	for _, text := range append(submission.TeamQuestions(all, act.teams), act.rules.Crowds(entries, act.teams)...) {
		env.Log.Warn(text)
	}
	var trials, unchecked []string
	for _, e := range entries {
		if a, name := e.Archive, e.Submission.Name; a != nil && a.SHA256 == "" && a.SHA512 != "" &&
			!slices.Contains(unchecked, name) {
			unchecked = append(unchecked, name)
		}
		if e.Experimental {
			trials = append(trials, fmt.Sprintf("%s in track %s", e.Submission.Name, e.Track))
		}
	}
	if len(trials) > 0 {
		env.Log.Warn("participations declared experimental are executed and scored like all others: " +
			strings.Join(trials, ", "))
	}
	if len(unchecked) > 0 {
		env.Log.Warn("archives are not checked against their submissions, which give a SHA-512 but no SHA-256: " +
			strings.Join(unchecked, ", "))
	}
	var drafts []string
	for _, s := range all {
		if !s.Final {
			drafts = append(drafts, s.Name)
		}
	}
	if len(drafts) > 0 {
		due := ""
		if act.rules.Final != "" {
			due = ", which is due until " + act.rules.Final
		}
		env.Log.Warn(fmt.Sprintf("%d of %d submissions are not marked final%s: %s", len(drafts), len(all),
			due, strings.Join(drafts, ", ")))
	}
}

// read reads a submission and its entries.
func read(f stages.File, catalog *submission.Catalog, parse parser) (*submission.Submission, []submission.Entry,
	error) {
	data, err := limits.Submission.ReadFile(f.Path)
	if err != nil {
		return nil, nil, err
	}
	s, err := parse(f.Name, data)
	if err != nil {
		return nil, nil, err
	}
	entries, err := s.Expand(catalog)
	return s, entries, err
}

// checkNamed reports names in an attribute that no submission has.
func checkNamed(all []*submission.Submission, attr string, names []string) error {
	var errs []error
	for _, name := range names {
		if !slices.ContainsFunc(all, func(s *submission.Submission) bool { return s.Name == name }) {
			errs = append(errs, &stages.DataError{Attr: attr, Err: fmt.Errorf("no submission is of a solver %q", name),
				Remedy: "Write the name as in its file."})
		}
	}
	return errors.Join(errs...)
}

// Catalog returns the catalog of a competition's tracks. kinds are the tracks that the competition defines itself.
func Catalog(table divisions.Table, kinds comp.Kinds) (*submission.Catalog, error) {
	var parts []submission.Part
	for _, name := range table.Tracks() {
		track, _, err := kinds.Parse(name)
		if err != nil {
			continue // solvers do not enter this track, such as one half of the industry challenge of 2019
		}
		for _, d := range table.Divisions(name) {
			parts = append(parts, submission.Part{Track: track, Division: d.Name, Logics: d.Logics,
				Experimental: table.Experimental(name, d.Name)})
		}
	}
	return submission.NewCatalog(parts, kinds)
}

// rows returns a row for each executed entry and a row for each entrant, to which it adds the stage's attributes.
func (act *action) rows(all []*submission.Submission, entries []submission.Entry) (executed []results.SolverRow,
	entrants []results.EntrantRow) {
	rows, entrants := Rows(all, entries, act.teams, act.rules)
	several := map[string]bool{}
	if act.earlier {
		several = sharedNames(all)
	}
	for i, e := range entries {
		s, row, entrant := e.Submission, &rows[i], &entrants[i]
		if several[s.Name] {
			row.Solver = fmt.Sprintf("%s (%s)", s.Name, strings.TrimSuffix(s.File, ".json"))
		}
		row.OpenSource = slices.Contains(act.openSource, s.Name)
		row.NewEntrant = slices.Contains(act.newEntrants, s.Name)
		entrant.Solver = row.Solver
		if act.openSource != nil {
			entrant.OpenSource = results.YesNo(row.OpenSource)
		}
		if act.newEntrants != nil {
			entrant.NewEntrant = results.YesNo(row.NewEntrant)
		}
		if entrant.Runs {
			executed = append(executed, *row)
		}
	}
	return executed, entrants
}

// Rows returns two rows for each entry in the submissions. given maps solvers to teams, as in TeamNames. said contains
// the year's rules.
func Rows(all []*submission.Submission, entries []submission.Entry, given map[string]string,
	said submission.Rules) ([]results.SolverRow, []results.EntrantRow) {
	rows, teams := make([]results.SolverRow, len(entries)), submission.TeamNames(all, given)
	entrants, admitted := make([]results.EntrantRow, len(entries)), said.Admit(entries, all)
	for i, e := range entries {
		s := e.Submission
		row := results.SolverRow{
			Solver: s.Name, Track: e.Track, Participation: int64(e.Participation),
			Team: teams[s], Competitive: s.Competitive, Trial: e.Experimental,
			Type: strings.ToLower(string(s.Type)), File: s.File,
			Seed: -1, Website: s.Website, Description: s.SystemDescription,
		}
		row.BaseSolver = submission.BaseName(s, all)
		row.Barred, row.Problem = admitted[i].Refused(), admitted[i].Problem()
		if s.Seed != nil {
			row.Seed = *s.Seed
		}
		if e.Archive != nil {
			row.ArchiveURL, row.ArchiveSHA256 = e.Archive.URL, e.Archive.SHA256
		}
		if e.Command != nil {
			row.Command = append([]string{e.Command.Binary}, e.Command.Arguments...)
			row.StarExec = e.Command.StarExec
		}
		for _, c := range s.Contributors {
			row.Authors = append(row.Authors, c.Name)
		}
		for _, p := range e.Places {
			row.Logics = append(row.Logics, string(p.Logic))
			row.Divisions = append(row.Divisions, string(p.Division))
		}
		slices.Sort(row.Logics)
		row.Logics = slices.Compact(row.Logics)
		slices.Sort(row.Divisions)
		row.Divisions = slices.Compact(row.Divisions)
		entrants[i] = entrantRow(&row, &admitted[i])
		row.Logics = slices.DeleteFunc(slices.Clone(row.Logics), func(l string) bool {
			return slices.Contains(admitted[i].Idle, comp.Logic(l))
		})
		rows[i] = row
	}
	return rows, entrants
}

func entrantRow(s *results.SolverRow, a *submission.Admission) results.EntrantRow {
	row := results.EntrantRow{Track: s.Track, Solver: s.Solver, Participation: s.Participation, Team: s.Team,
		Type: s.Type, BaseSolver: s.BaseSolver, Logics: s.Logics, Submitted: results.YesNo(s.Competitive),
		Barred: s.Barred, Seed: a.Seed, Runs: a.Runs, Competes: a.Competes, Ranked: a.Ranked}
	for _, r := range a.Reasons {
		row.Add(string(r.Kind), r.Section, r.Text, names(r.Logics)...)
	}
	if a.Ranked {
		row.Unranked = names(a.Unranked)
	}
	return row
}

func names(logics []comp.Logic) (all []string) {
	for _, l := range logics {
		all = append(all, string(l))
	}
	slices.Sort(all)
	return all
}

// sharedNames returns the names that several files submit to the same track.
func sharedNames(all []*submission.Submission) map[string]bool {
	type entry struct{ name, track string }
	first, shared := map[entry]*submission.Submission{}, map[string]bool{}
	for _, s := range all {
		for _, p := range s.Participations {
			for _, track := range p.Tracks {
				e := entry{s.Name, track}
				if other, ok := first[e]; ok && other != s {
					shared[s.Name] = true
				}
				first[e] = s
			}
		}
	}
	return shared
}

func (act *action) seedValues(all []*submission.Submission, entries []submission.Entry, invalid []unread) (cty.Value,
	error) {
	numbers, err := act.numbers(all, entries, invalid)
	if err != nil {
		return cty.NilVal, err
	}
	seeds := submission.Values(numbers)
	if len(seeds) == 0 {
		return cty.ListValEmpty(cty.Number), nil
	}
	values := make([]cty.Value, len(seeds))
	for i, s := range seeds {
		values[i] = cty.NumberIntVal(s)
	}
	return cty.ListVal(values), nil
}

func competitiveLogics(places map[string][]submission.Place) cty.Value {
	all := map[string][]string{}
	for track, ps := range places {
		for _, p := range ps {
			all[track] = append(all[track], string(p.Logic))
		}
		slices.Sort(all[track])
	}
	return stages.TextLists(all)
}
