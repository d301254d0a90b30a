package preflight

import (
	"archive/tar"
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Trial is a submission to try.
type Trial struct {
	Year      int
	Rules     string                  // known year, or the absolute path of a rules folder; empty: none
	Kinds     comp.Kinds              // kinds of the competition's own tracks
	Logics    map[string][]comp.Logic // entered logics by track; each one is tested with generated benchmarks
	WallTime  string                  // wall time limit of a run
	Memory    string
	Cores     int
	Isolation string
	Executor  string // HCL expression for an executor; empty: this machine, with Isolation
	Image     string // absolute path of the image in which the submission runs; empty: the machine's own programs
	Release   string // folder of a release to sample benchmarks from; empty: none
	Sample    int    // number of sampled benchmarks per logic

	LibraryOnly bool     // whether to only select and scramble benchmarks, without a submission
	Answers     []string // files with earlier years' results
	AnswersYear int
}

// Address returns the key of the pipeline's output for a part of a track: from generated benchmarks, or from a
// release's. scripts is the track that the scripts are made for: one of two in the industry challenge, otherwise the
// track itself. The benchmarks are in stage.cap.sample, the scripts in stage.scramble.sample.
func Address(track, scripts string, ofRelease bool) string {
	if scripts != track {
		track += "_" + scripts
	}
	if ofRelease {
		track += inReleaseSuffix
	}
	return fmt.Sprintf("[%q]", track)
}

const inReleaseSuffix = "/release"

// Generated reports whether a benchmark was generated rather than taken from a release.
func Generated(benchmark string) bool { return strings.Contains(benchmark, "/"+family+"/") }

func (t *Trial) rules() string {
	if t.Rules == "" {
		return "null"
	}
	return quoted(t.Rules)
}

// SubmissionName and ArchivesName are the names of the submission and the archives in the folder passed to Write.
const (
	SubmissionName = "submission.json"
	ArchivesName   = "archives"
)

// Write writes a trial's pipeline and its generated release to a folder.
func (t *Trial) Write(folder string) error {
	parts := t.parts()
	for _, p := range parts {
		if err := t.writeRelease(filepath.Join(folder, "release", p.name), p); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(folder, ArchivesName), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "pipeline.hcl"), []byte(t.pipeline(parts)), 0o644)
}

// part is the part of a track to try: all of it, or one half of the industry challenge (SMT-COMP 2019 rules, §5.4).
type part struct {
	name    string
	track   string
	scripts string     // track that the part's scripts follow
	like    comp.Track // the track's kind
}

// parts returns the parts to try, for every track with an entered logic.
func (t *Trial) parts() []part {
	var all []part
	for _, track := range t.Kinds.Names() {
		switch kind := t.Kinds.Of(track); {
		case len(t.Logics[track]) == 0:
		case kind == comp.IndustryChallenge:
			for _, half := range []comp.Track{comp.SingleQuery, comp.Incremental} {
				all = append(all, part{track + "_" + half.String(), track, half.String(), half})
			}
		default:
			all = append(all, part{track, track, track, kind})
		}
	}
	return all
}

// writeRelease writes one archive per logic.
func (t *Trial) writeRelease(folder string, p part) error {
	for _, logic := range t.Logics[p.track] {
		all := Benchmarks(p.like, logic)
		collection, _, _ := strings.Cut(all[0].Path, "/")
		dir := filepath.Join(folder, collection)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := writeArchive(filepath.Join(dir, string(logic)+".tar"), all); err != nil {
			return err
		}
	}
	return nil
}

func writeArchive(path string, all []Benchmark) error {
	var text bytes.Buffer
	w := tar.NewWriter(&text)
	for _, b := range all {
		if err := w.WriteHeader(&tar.Header{Name: b.Path, Mode: 0o644, Size: int64(len(b.Text)),
			Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		if _, err := w.Write([]byte(b.Text)); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// libraryText selects and scrambles a trial's benchmarks.
const libraryText = `
stage "fetch" "library" {
  for_each = local.releases
  path     = each.value.path
  only     = each.value.only
}

stage "index" "library" {
  for_each = stage.fetch.library
  source   = each.value.files
}

stage "filter" "usable" {
  for_each   = stage.index.library
  benchmarks = each.value.benchmarks
  drop "status" {
    when = (contains(["unsat_core", "proof"], local.releases[each.key].like) && (b.status != "unsat" ||
	b.asserts < 2)) || (local.releases[each.key].like == "model_validation" && b.status != "sat")
  }
}

stage "cap" "sample" {
  for_each   = stage.filter.usable
  benchmarks = each.value.benchmarks
  take       = min(n, local.releases[each.key].take)
  seed       = 1
}

stage "scramble" "sample" {
  for_each   = stage.cap.sample
  benchmarks = each.value.benchmarks
  track      = local.releases[each.key].scripts
  seed       = 1
}
`

// soloText executes and validates one submission on these benchmarks.
const soloText = `
stage "submissions" "entrants" {
  files = ["` + SubmissionName + `"]
}

stage "solvers" "entrants" {
  solvers  = stage.submissions.entrants.solvers
  archives = "` + ArchivesName + `"
  tracks   = distinct([for r in values(local.releases) : r.track])
}

stage "execute" "sample" {
  for_each = stage.scramble.sample
  scripts  = each.value.scripts
  solvers  = stage.solvers.entrants.solvers
  track    = local.releases[each.key].track
  dialogue = local.releases[each.key].like == "incremental"
  executor = local.executor

  merge_stderr = competition.rules.validation.stderr_is_output && !contains(["incremental", "proof"],
	local.releases[each.key].like)

  limits {
    wall_time = local.wall_time
    memory    = local.memory
    cores     = local.cores
  }
}

stage "validate" "sample" {
  for_each   = stage.execute.sample
  runs       = each.value.runs
  benchmarks = stage.cap.sample[each.key].benchmarks
}
`

// pipeline returns the pipeline's text. Its verdicts are in stage.validate.sample[PART], and in [PART/release] for the
// release's sample.
func (t *Trial) pipeline(parts []part) string {
	var b strings.Builder
	image := ""
	if t.Image != "" {
		image = "  image = " + quoted(t.Image) + "\n"
	}
	fmt.Fprintf(&b, "competition {\n  name  = \"Pre-flight\"\n  year  = %d\n  rules = %s\n%s}\n\n", t.Year, t.rules(),
		image)
	b.WriteString("locals {\n  releases = {\n")
	for _, p := range parts {
		release := func(name, path, only string, take int) {
			fmt.Fprintf(&b, "    %q = { track = %q, scripts = %q, like = %q, path = %s, only = %s, take = %d }\n",
				name, p.track, p.scripts, p.like.String(), quoted(path), only, take)
		}
		const all = 1000
		release(p.name, "release/"+p.name, "null", all)
		if only := t.inRelease(p); len(only) > 0 {
			release(p.name+inReleaseSuffix, t.Release, "["+strings.Join(only, ", ")+"]", t.Sample)
		}
	}
	b.WriteString("  }\n}\n")
	if len(t.Answers) > 0 {
		fmt.Fprintf(&b, "\nstage \"import\" \"answers\" {\n  year    = %d\n  results = [", t.AnswersYear)
		for _, file := range t.Answers {
			fmt.Fprintf(&b, "%s, ", quoted(file))
		}
		b.WriteString("]\n}\n")
	}
	b.WriteString(libraryText)
	if t.LibraryOnly {
		return b.String()
	}
	fmt.Fprintf(&b, "\nexecutor \"local\" \"here\" {\n  isolation = %q\n}\n", t.Isolation)
	fmt.Fprintf(&b, "\nlocals {\n  executor  = %s\n  wall_time = %q\n  memory    = %q\n  cores     = %d\n}\n",
		cmp.Or(t.Executor, "executor.local.here"), t.WallTime, t.Memory, t.Cores)
	return b.String() + soloText
}

// quoted returns a text as an HCL string.
func quoted(text string) string {
	return string(hclwrite.TokensForValue(cty.StringVal(text)).Bytes())
}

// inRelease returns the release's archives for the logics of a part, as HCL strings.
func (t *Trial) inRelease(p part) []string {
	if t.Release == "" {
		return nil
	}
	collection := "non-incremental"
	if p.like == comp.Incremental {
		collection = "incremental"
	}
	var names []string
	for _, logic := range t.Logics[p.track] {
		found, err := fs.Glob(os.DirFS(filepath.Join(t.Release, collection)), string(logic)+".tar*")
		if err == nil && len(found) > 0 {
			names = append(names, quoted(collection+"/"+found[0]))
		}
	}
	slices.Sort(names)
	return names
}
