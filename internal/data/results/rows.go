package results

import (
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// The row types below define smtpipe's tables. A column's name, which includes its unit, is its parquet tag. Columns
// tagged key form the primary key, in field order; tables are sorted by it without duplicates. Columns tagged blob
// contain the SHA-256, in hex, of bytes in the store that the row refers to, or are empty.

// BenchmarkRow is a row of benchmarks/1: an SMT-LIB script in a release.
type BenchmarkRow struct {
	Path          string `parquet:"path,delta" role:"key" doc:"place in the release, such as non-incremental/QF_BV/family/name.smt2"`
	Logic         string `parquet:"logic,dict" doc:"the folder's logic"`
	Family        string `parquet:"family,dict" doc:"bottom-level folder below the logic"`
	Name          string `parquet:"name" doc:"file name"`
	Incremental   bool   `parquet:"incremental" doc:"belongs to the incremental collection"`
	New           bool   `parquet:"new" doc:"its family is new this year"`
	Status        string `parquet:"status,dict" words:"sat unsat unknown incremental" doc:"sat, unsat or unknown; of several check-sats: incremental"`
	Statuses      string `parquet:"statuses" doc:"declared statuses in order, run-length coded, such as sat*3,unsat"`
	Asserts       int64  `parquet:"asserts" doc:"number of assert commands"`
	CheckSats     int64  `parquet:"check_sats" doc:"number of check-sat commands"`
	Category      string `parquet:"category,dict" doc:"industrial, crafted, random or check, as declared"`
	MaxDepth      int64  `parquet:"max_depth" doc:"deepest nesting of parentheses"`
	SizeBytes     int64  `parquet:"size_bytes" doc:"size of the file"`
	SHA256        string `parquet:"sha256" doc:"digest of the file"`
	ArchiveSHA256 string `parquet:"archive_sha256,dict" role:"blob" doc:"digest of the archive that holds the file; empty: the file is a blob itself"`
	Problem       string `parquet:"problem,dict" doc:"why the file cannot be used; empty: it is usable"`
}

// HistoryRow is a row of history/1: a run in an earlier competition.
type HistoryRow struct {
	run.Identity
	run.Usage
	Year    int64  `parquet:"year" doc:"year of the competition"`
	Status  string `parquet:"status,dict" doc:"expected status at that time, if known"`
	Answer  string `parquet:"answer,dict" doc:"sat, unsat, unknown or empty"`
	Result  string `parquet:"result,dict" doc:"result as published, such as Timeout"`
	Answers int64  `parquet:"answers" doc:"answered check-sats, or size of the core; -1: not recorded"`
}

// SolverRow is a row of solvers/1: a solver's participation in a track.
type SolverRow struct {
	Solver        string   `parquet:"solver" role:"key" doc:"name"`
	Track         string   `parquet:"track,dict" role:"key" doc:"track"`
	Participation int64    `parquet:"participation" role:"key" doc:"number of the participation in the submission"`
	Team          string   `parquet:"team,dict" doc:"team; two solvers of one team count as one for competitiveness"`
	Competitive   bool     `parquet:"competitive" doc:"submitted by its authors to compete"`
	OpenSource    bool     `parquet:"open_source" doc:"its source code is open"`
	NewEntrant    bool     `parquet:"new_entrant" doc:"it competes for the first time"`
	Barred        string   `parquet:"barred,dict" doc:"why it cannot win in this track, such as being a portfolio solver; empty: it can"`
	Type          string   `parquet:"type,dict" doc:"standalone, portfolio, wrapped or derived"`
	BaseSolver    string   `parquet:"base_solver,dict" doc:"base solver of a derived solver"`
	Logics        []string `parquet:"logics,list" doc:"logics it enters, sorted; empty: every logic"`
	Divisions     []string `parquet:"divisions,list" doc:"divisions it enters, sorted"`
	Command       []string `parquet:"command,list" doc:"program and arguments; the benchmark's path follows"`
	Program       string   `parquet:"program" doc:"absolute path of the program, if it is installed on the machine"`
	ProgramSHA256 string   `parquet:"program_sha256" doc:"digest of the program and the libraries it loads, or of the unpacked archive"`
	ArchiveURL    string   `parquet:"archive_url" doc:"where the archive was submitted"`
	ArchiveSHA256 string   `parquet:"archive_sha256" role:"blob" doc:"digest of the archive, once fetched"`
	StarExec      bool     `parquet:"starexec" doc:"needs StarExec's environment"`
	Seed          int64    `parquet:"seed" doc:"number given for the competition seed; -1: none"`
	Authors       []string `parquet:"authors,list" doc:"contributors, by name"`
	Website       string   `parquet:"website" doc:"home page"`
	Description   string   `parquet:"system_description" doc:"address of the system description"`
	Problem       string   `parquet:"problem,dict" doc:"why the solver cannot win, such as a base solver that is not submitted; empty: no problem"`
	File          string   `parquet:"file,dict" doc:"name of the submission's file; empty: it was not submitted in one"`
	Trial         bool     `parquet:"experimental" doc:"the submission declares this participation experimental"`
}

// ProgramRow is a row of programs/1: how a participation's program is started, and for which logics. entrants/1
// describes its entrants.
type ProgramRow struct {
	Solver        string   `parquet:"solver" role:"key" doc:"name"`
	Track         string   `parquet:"track,dict" role:"key" doc:"track"`
	Participation int64    `parquet:"participation" role:"key" doc:"number of the participation in the submission"`
	Logics        []string `parquet:"logics,list" doc:"logics it enters, sorted; empty: every logic"`
	Command       []string `parquet:"command,list" doc:"program and arguments; the benchmark's path follows"`
	Program       string   `parquet:"program" doc:"absolute path of the program, if it is installed on the machine"`
	ProgramSHA256 string   `parquet:"program_sha256" doc:"digest of the program and the libraries it loads, or of the unpacked archive"`
	ArchiveSHA256 string   `parquet:"archive_sha256" role:"blob" doc:"digest of the archive"`
	StarExec      bool     `parquet:"starexec" doc:"needs StarExec's environment"`
}

// Start returns the columns that determine how the program is started.
func (r *SolverRow) Start() ProgramRow {
	return ProgramRow{Solver: r.Solver, Track: r.Track, Participation: r.Participation, Logics: r.Logics,
		Command: r.Command, Program: r.Program, ProgramSHA256: r.ProgramSHA256, ArchiveSHA256: r.ArchiveSHA256,
		StarExec: r.StarExec}
}

// EntrantRow is a row of entrants/1: an entrant that enters a track with a solver, and every reason against it. The
// lists about reasons contain one element per reason.
type EntrantRow struct {
	Track         string   `parquet:"track,dict" role:"key" doc:"track"`
	Solver        string   `parquet:"solver,dict" role:"key" doc:"name"`
	Participation int64    `parquet:"participation" role:"key" doc:"number of the participation in the submission"`
	Team          string   `parquet:"team,dict" doc:"team; solvers of one team count as one for competitiveness; empty: not published"`
	Type          string   `parquet:"type,dict" doc:"standalone, portfolio, wrapped or derived; empty: not published"`
	BaseSolver    string   `parquet:"base_solver,dict" doc:"base solver of a derived solver"`
	Logics        []string `parquet:"logics,list" doc:"logics it enters, sorted; empty: every logic"`
	Submitted     string   `parquet:"submitted,dict" words:"yes no" doc:"submitted by its authors to compete: yes or no; empty: not published"`
	OpenSource    string   `parquet:"open_source,dict" words:"yes no" doc:"its source code is open: yes or no; empty: not published"`
	NewEntrant    string   `parquet:"new_entrant,dict" words:"yes no" doc:"it competes for the first time: yes or no; empty: not published"`
	Barred        string   `parquet:"barred,dict" doc:"why it is not competitive in the whole track, whoever else enters, although it was submitted to compete; empty: it can be"`
	Seed          bool     `parquet:"seed" doc:"its number counts for the competition's seed"`
	Runs          bool     `parquet:"runs" doc:"it is executed"`
	Competes      bool     `parquet:"competes" doc:"it is competitive in at least one of its logics"`
	Ranked        bool     `parquet:"ranked" doc:"it has a rank"`
	Unranked      []string `parquet:"unranked_logics,list" doc:"logics in which it has no rank, although it has one in others"`
	Reasons       []string `parquet:"reasons,list" doc:"kinds of the reasons against it, such as comparison, portfolio, no_base, withdrawn"`
	Sections      []string `parquet:"sections,list" doc:"their sections in the rules of the year"`
	Texts         []string `parquet:"texts,list" doc:"the reasons"`
	ReasonLogics  []string `parquet:"reason_logics,list" doc:"logics for which they hold, separated by blanks; empty: all that it enters"`
}

// Add adds a reason against the entrant for the given logics, or for all of its logics if none are given.
func (r *EntrantRow) Add(kind, section, text string, logics ...string) {
	r.Reasons, r.Sections = append(r.Reasons, kind), append(r.Sections, section)
	r.Texts, r.ReasonLogics = append(r.Texts, text), append(r.ReasonLogics, strings.Join(logics, " "))
}

// YesNo returns the text for a boolean column that is empty if the value was not published.
func YesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// ScriptRow is a row of scripts/1: a benchmark as solvers receive it.
type ScriptRow struct {
	Benchmark    string `parquet:"benchmark" role:"key" doc:"place in the release"`
	Logic        string `parquet:"logic,dict" doc:"logic"`
	Family       string `parquet:"family,dict" doc:"family"`
	Track        string `parquet:"track,dict" doc:"track of the script"`
	Status       string `parquet:"status,dict" doc:"expected status"`
	Statuses     string `parquet:"statuses" doc:"declared statuses, run-length coded"`
	Asserts      int64  `parquet:"asserts" doc:"assert commands of the benchmark"`
	CheckSats    int64  `parquet:"check_sats" doc:"check-sat commands"`
	ScriptSHA256 string `parquet:"script_sha256" role:"blob" doc:"digest of the script; empty: there is no script"`
	SizeBytes    int64  `parquet:"size_bytes" doc:"size of the script"`
	Problem      string `parquet:"problem,dict" doc:"why there is no script; empty: there is one"`
}

// CoreName returns the name of an unsat core's script. It replaces a benchmark's name.
func CoreName(benchmark, scriptSHA256 string) string {
	const digits = 16
	return benchmark + "#" + scriptSHA256[:digits]
}

// RunRow is a row of runs/2: the record of a solver on a script under a set of limits. It contains the solver's output
// as bytes, never as an answer, so that a better parser needs no new run. entrants/1 describes the solver's entrants.
type RunRow struct {
	run.Identity
	Participation int64  `parquet:"participation" doc:"number of the participation in the submission"`
	Attempt       int64  `parquet:"attempt" doc:"0, increased by one for each fresh attempt"`
	RunKey        string `parquet:"run_key" doc:"key of the run in the store, hex"`
	ScriptSHA256  string `parquet:"script_sha256" role:"blob" doc:"digest of the script"`
	run.Measured
	Hardware string `parquet:"hardware,dict" doc:"hardware profile"`
	run.Limits
	Problem      string `parquet:"problem,dict" doc:"why the solver could not be started; empty: it started"`
	MeasuredAt   string `parquet:"measured_at" doc:"start of the run, UTC, such as 2026-05-01T12:00:00Z; empty: not known"`
	MeasuredWith string `parquet:"measured_with,dict" doc:"version of smtpipe that measured the run; empty: another program measured it"`
}

// LastAttempts returns each run's last attempt. The runs must be sorted by primary key.
func LastAttempts(runs []RunRow) []RunRow {
	last := make([]RunRow, 0, len(runs))
	for i := range runs {
		if n := len(last); n > 0 && last[n-1].Benchmark == runs[i].Benchmark && last[n-1].Solver == runs[i].Solver &&
			last[n-1].Participation == runs[i].Participation {
			last = last[:n-1]
		}
		last = append(last, runs[i])
	}
	return last
}

// VerdictRow is a row of verdicts/1: a run with its judgement, and everything that scoring needs.
type VerdictRow struct {
	run.Identity
	run.Subject
	run.Entrant
	run.Judged
	run.Measured        // only the columns that verdictOrder names
	run.Limits          // only the columns that verdictOrder names
	RunKey       string `parquet:"run_key" doc:"key of the run"`
	ScriptSHA256 string `parquet:"script_sha256" role:"blob" doc:"digest of the script"`
}

// The columns of the tables whose rows contain the parts of a run, in order. Columns before the bar form the primary
// key; a star stands for all remaining columns.
const (
	runOrder     = "benchmark solver participation attempt | *"
	historyOrder = "benchmark year track solver | logic status answer result cpu_time_s wall_time_s memory_bytes answers"
	verdictOrder = `track benchmark solver | division logic family new category team competitive open_source new_entrant
		barred base_solver status answer verdict reason ending wall_time_s cpu_time_s memory_bytes wall_limit_s cores
		n_checks n_checks_correct n_checks_wrong last_wall_s last_cpu_s n_assertions core_size validation val_unsat val_sat
		run_key stdout_sha256 stdout stderr_sha256 script_sha256 details`
)

// The descriptions of columns that the history and verdicts tables describe differently.
var (
	historyDocs = map[string]string{
		"solver": "published name", "logic": "logic of the benchmark", "memory_bytes": "peak memory",
		"cpu_time_s": "CPU time in seconds; below 0: not measured", "wall_time_s": "wall time in seconds",
	}
	verdictDocs = map[string]string{
		"ending": "ending of the run", "wall_time_s": "wall time, seconds", "cpu_time_s": "CPU time, seconds",
		"memory_bytes": "peak memory", "wall_limit_s": "wall time limit T, seconds", "cores": "cores m",
		"stdout_sha256": "digest of the output, if not short", "stdout": "output, if short",
		"stderr_sha256": "digest of standard error",
	}
)

// ScoreRow is a row of scores/1: a solver in a ranking. Logic is empty in the ranking of an entire division.
type ScoreRow struct {
	Track       string  `parquet:"track,dict" role:"key" doc:"track"`
	Division    string  `parquet:"division,dict" role:"key" doc:"division"`
	Logic       string  `parquet:"logic,dict" role:"key" doc:"logic; empty: the whole division"`
	View        string  `parquet:"view,dict" role:"key" doc:"view, such as par, seq, 24s, sat, unsat, par2"`
	Solver      string  `parquet:"solver,dict" role:"key" doc:"name"`
	Rank        int64   `parquet:"rank" doc:"1 + number of solvers strictly better, competing or not; 0: not ranked"`
	Winner      bool    `parquet:"winner" doc:"wins this ranking"`
	Competitive bool    `parquet:"competitive" doc:"the solver competes"`
	Eligible    bool    `parquet:"eligible" doc:"the solver may win (derived solvers: better than their base)"`
	BaseSolver  string  `parquet:"base_solver,dict" doc:"base solver of a derived solver"`
	Contested   bool    `parquet:"division_competitive" doc:"the division or logic is competitive: two teams or more"`
	Benchmarks  int64   `parquet:"n_benchmarks" doc:"benchmarks counted in the division or logic"`
	Errors      int64   `parquet:"e" doc:"erroneous results"`
	Correct     float64 `parquet:"n" doc:"correct results, or reduction"`
	Points      int64   `parquet:"points" doc:"points, in views that rank by them; elsewhere 0"`
	ActualWallS float64 `parquet:"aw_s" doc:"actual wall time, seconds"`
	WallS       float64 `parquet:"w_s" doc:"wall time score, seconds"`
	ActualCPUS  float64 `parquet:"ac_s" doc:"actual CPU time, seconds"`
	CPUS        float64 `parquet:"c_s" doc:"CPU time score, seconds"`
	Solved      int64   `parquet:"solved" doc:"benchmarks solved"`
	SolvedSat   int64   `parquet:"solved_sat" doc:"those answered sat"`
	SolvedUnsat int64   `parquet:"solved_unsat" doc:"those answered unsat"`
	Unsolved    int64   `parquet:"unsolved" doc:"benchmarks run but not solved; with missing_runs_count also those not run"`
	Abstained   int64   `parquet:"abstained" doc:"benchmarks of logics that the solver did not enter"`
	Answered    int64   `parquet:"answered" doc:"runs with an answer sat or unsat that counts, right or wrong"`
	AnsweredSat int64   `parquet:"answered_sat" doc:"those that answered sat"`
	Timeouts    int64   `parquet:"timeout" doc:"runs that a time limit ended"`
	Memouts     int64   `parquet:"memout" doc:"runs that the memory limit ended"`
	NoWinner    string  `parquet:"no_winner,dict" doc:"why this ranking has no winner; empty: it has one"`
	Barred      string  `parquet:"barred,dict" doc:"why a competing solver may not win, such as a missing base solver; empty: it may"`
	Trial       bool    `parquet:"experimental" doc:"the division is experimental by the rules of the year"`
}

// ConfidenceRow is a row of confidence/1: how certain a solver's place in the ranking of an entire division is. Unknown
// figures are -1.
type ConfidenceRow struct {
	Track        string  `parquet:"track,dict" role:"key" doc:"track"`
	Division     string  `parquet:"division,dict" role:"key" doc:"division"`
	View         string  `parquet:"view,dict" role:"key" doc:"view, such as par, seq, 24s, sat, unsat, par2"`
	Solver       string  `parquet:"solver,dict" role:"key" doc:"name"`
	Rank         int64   `parquet:"rank" doc:"as in scores/1"`
	Winner       bool    `parquet:"winner" doc:"wins this ranking"`
	Close        bool    `parquet:"close" doc:"it wins, and one benchmark decides that, or it wins in fewer than 95 of 100 resamples"`
	Benchmarks   int64   `parquet:"n_benchmarks" doc:"benchmarks that the view counts"`
	Families     int64   `parquet:"n_families" doc:"families of the division; with fewer than five nothing is resampled"`
	Correct      int64   `parquet:"n" doc:"as in scores/1"`
	CorrectLow   float64 `parquet:"n_low" doc:"lower end of the 95 % interval of n, for the same number of benchmarks; -1: not resampled"`
	CorrectHigh  float64 `parquet:"n_high" doc:"its upper end"`
	PlaceLow     int64   `parquet:"place_low" doc:"best end of the 95 % interval of the rank; -1: not resampled"`
	PlaceHigh    int64   `parquet:"place_high" doc:"its worst end"`
	WinShare     float64 `parquet:"win_share" doc:"share of the resamples in which it wins, 0 to 1; -1: not resampled, or it may not win"`
	RemovedLeast int64   `parquet:"removed_least" doc:"lower bound of the fewest benchmarks whose removal makes it as good as the winner, or for a winner, makes another as good; -1: none, or it may not win"`
	RemovedMost  int64   `parquet:"removed_most" doc:"upper bound of the same number"`
	LostLeast    int64   `parquet:"lost_least" doc:"lower bound of the fewest answers that the winner would have to lose for the same effect"`
	LostMost     int64   `parquet:"lost_most" doc:"upper bound of the same number"`
	WrongLeast   int64   `parquet:"wrong_least" doc:"lower bound of the fewest runs of the winner that would have to be wrong for the same effect"`
	WrongMost    int64   `parquet:"wrong_most" doc:"upper bound of the same number"`
	Slowdown     float64 `parquet:"slowdown" doc:"factor by which the winner could be slower in every run before the same happens; -1: no factor has that effect"`
}

// SensitivityRow is a row of sensitivity/1: a division ranking whose winners change with one reading or practice
// switch.
type SensitivityRow struct {
	Track    string   `parquet:"track,dict" role:"key" doc:"track"`
	Division string   `parquet:"division,dict" role:"key" doc:"division"`
	View     string   `parquet:"view,dict" role:"key" doc:"view, such as par, seq, 24s, sat, unsat, par2"`
	Switch   string   `parquet:"switch,dict" role:"key" doc:"the change, such as late_c=zero or D-ALL-7 wall_before_cpu"`
	Doc      string   `parquet:"doc,dict" doc:"what it is about, and its place in the rules or in the list of differences"`
	Winners  []string `parquet:"winners,list" doc:"winners of the unchanged ranking"`
	Instead  []string `parquet:"instead,list" doc:"winners with the change"`
	NoWinner string   `parquet:"no_winner,dict" doc:"why nobody wins with the change"`
}

// NoiseRow is a row of noise/1: the difference between a solver's times and the winner's in a division ranking, and how
// much another measurement may change it.
type NoiseRow struct {
	Track        string  `parquet:"track,dict" role:"key" doc:"track"`
	Division     string  `parquet:"division,dict" role:"key" doc:"division"`
	View         string  `parquet:"view,dict" role:"key" doc:"view, such as par, seq, 24s, sat, unsat, par2"`
	Solver       string  `parquet:"solver,dict" role:"key" doc:"name"`
	Winner       string  `parquet:"winner,dict" doc:"the first winner, to which the solver is compared"`
	Clock        string  `parquet:"clock,dict" doc:"time by which the view ranks first: w (wall) or c (CPU)"`
	Decides      bool    `parquet:"decides" doc:"the two are equal in everything that is compared before the time"`
	Again        int64   `parquet:"n_again" doc:"runs of the solver that were measured twice"`
	Spread       float64 `parquet:"spread" doc:"standard deviation of one measurement of the solver, as a fraction of the run's time"`
	WinnerAgain  int64   `parquet:"winner_n_again" doc:"runs of the winner that were measured twice"`
	WinnerSpread float64 `parquet:"winner_spread" doc:"standard deviation of one measurement of the winner, as a fraction of the run's time"`
	DifferenceS  float64 `parquet:"difference_s" doc:"sum of the solver's times minus the winner's, seconds"`
	NoiseS       float64 `parquet:"noise_s" doc:"half the width of the 95 % interval of the difference, seconds"`
	Exceeds      bool    `parquet:"exceeds" doc:"the difference is larger than the noise"`
}

// RecognitionRow is a row of recognitions/1: a place in a competition-wide ranking, or a removed benchmark.
type RecognitionRow struct {
	Track    string  `parquet:"track,dict" role:"key" doc:"track"`
	Kind     string  `parquet:"kind,dict" role:"key" doc:"best_overall, biggest_lead, top_open_source, new_entrants, disagreement, ..."`
	View     string  `parquet:"view,dict" role:"key" doc:"view"`
	Place    int64   `parquet:"place" role:"key" doc:"place, from 1"`
	Solver   string  `parquet:"solver,dict" role:"key" doc:"name; empty for disagreements and new benchmarks"`
	Division string  `parquet:"division,dict" role:"key" doc:"division, if the recognition names one"`
	Item     string  `parquet:"item" role:"key" doc:"benchmark of a disagreement; folder of new benchmarks"`
	Winner   bool    `parquet:"winner" doc:"is recognised"`
	Score    float64 `parquet:"score" doc:"the ranking's first key"`
	Time     float64 `parquet:"time_score" doc:"the ranking's second key"`
	Second   string  `parquet:"second,dict" doc:"the next solver (biggest lead); the beaten solver (new entrants)"`
	NoWinner string  `parquet:"no_winner,dict" doc:"why nobody is recognised in this view; empty: somebody is, or the kind recognises nobody"`
}

// SelectionRow is a row of selection/1: how many of a group's benchmarks passed each step.
type SelectionRow struct {
	Group       string `parquet:"group" role:"key" doc:"logic, or the value of group_by"`
	Eligible    int64  `parquet:"eligible" doc:"benchmarks that were drawn from"`
	Trivial     int64  `parquet:"trivial" doc:"benchmarks that were dropped earlier as trivial; also 0 if they were not counted"`
	NewFamilies int64  `parquet:"new_families" doc:"families with a guaranteed place"`
	Quota       int64  `parquet:"quota" doc:"places by the formula"`
	Selected    int64  `parquet:"selected" doc:"benchmarks selected"`
}

// ExclusionRow is a row of exclusions/1: how many of a logic's benchmarks were excluded for a reason.
type ExclusionRow struct {
	Logic  string `parquet:"logic,dict" role:"key" doc:"logic"`
	Reason string `parquet:"reason,dict" role:"key" doc:"name of the rule that dropped them; kept: they were kept"`
	Count  int64  `parquet:"count" doc:"benchmarks"`
	// Trivial marks benchmarks that the selection table counts as trivial. The rule that excludes them sets this.
	Trivial bool `parquet:"trivial" doc:"the reason is that they are trivial (easy)"`
}

// UnfitRow is a row of unfit/1: a benchmark that the organisers exclude.
type UnfitRow struct {
	Benchmark string `parquet:"benchmark,delta" role:"key" doc:"place in the release"`
	Logic     string `parquet:"logic,dict" doc:"logic"`
	Reason    string `parquet:"reason,dict" doc:"the reason, in the organisers' words"`
}

// ChoiceRow is a row of choices/1: why a benchmark was or was not selected.
type ChoiceRow struct {
	Benchmark string `parquet:"benchmark,delta" role:"key" doc:"place in the release"`
	Logic     string `parquet:"logic,dict" doc:"logic"`
	Selected  bool   `parquet:"selected" doc:"it is selected"`
	Reason    string `parquet:"reason,dict" doc:"the reason"`
}
