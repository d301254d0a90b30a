package preflight

import (
	"archive/tar"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// Trial is a submission to be tried.
type Trial struct {
	Year      int
	Logics    map[comp.Track][]comp.Logic // what it enters, generated benchmarks are made for each
	WallTime  string                      // of a run
	Memory    string
	Cores     int
	Isolation string
	Release   string // folder of a release, of which a sample is executed too; empty: none
	Sample    int    // benchmarks of a logic
}

// SubmissionName and ArchivesName are where Write expects the submission and the archives in its folder.
const (
	SubmissionName = "submission.json"
	ArchivesName   = "archives"
)

// Write writes the pipeline of a trial and its generated release into a folder.
func (t *Trial) Write(folder string) error {
	tracks := t.tracks()
	for _, track := range tracks {
		if err := t.writeRelease(filepath.Join(folder, "release", track.String()), track); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(folder, ArchivesName), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "pipeline.hcl"), []byte(t.pipeline(tracks)), 0o644)
}

// tracks lists the tracks in which there is a logic.
func (t *Trial) tracks() []comp.Track {
	var all []comp.Track
	for _, track := range comp.Tracks() {
		if len(t.Logics[track]) > 0 {
			all = append(all, track)
		}
	}
	return all
}

// writeRelease writes one archive for each logic.
func (t *Trial) writeRelease(folder string, track comp.Track) error {
	for _, logic := range t.Logics[track] {
		all := Benchmarks(track, logic)
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

func writeArchive(path string, all []Benchmark) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	w := tar.NewWriter(f)
	for _, b := range all {
		if err := w.WriteHeader(&tar.Header{Name: b.Path, Mode: 0o644, Size: int64(len(b.Text)), Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		if _, err := w.Write([]byte(b.Text)); err != nil {
			return err
		}
	}
	return w.Close()
}

// template is the pipeline; what is particular to a trial follows.
const template = `
stage "submissions" "entrants" {
  files = ["` + SubmissionName + `"]
  year  = competition.year
}

stage "solvers" "entrants" {
  solvers  = stage.submissions.entrants.solvers
  archives = "` + ArchivesName + `"
  tracks   = keys(local.releases)
}

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
    when = (contains(["unsat_core", "proof"], local.releases[each.key].track) && (b.status != "unsat" || b.asserts < 2)) || (local.releases[each.key].track == "model_validation" && b.status != "sat")
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
  track      = local.releases[each.key].track
  seed       = 1
}

stage "execute" "sample" {
  for_each = stage.scramble.sample
  scripts  = each.value.scripts
  solvers  = stage.solvers.entrants.solvers
  track    = local.releases[each.key].track
  executor = executor.local.here

  # Rules 2022 and 2026, 5.1: output and error channel are one.
  merge_stderr = competition.year >= 2022 && !contains(["incremental", "proof"], local.releases[each.key].track)

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
  rules      = tostring(competition.year)
}
`

// pipeline gives the text of the pipeline. Its verdicts are stage.validate.sample[TRACK], and [TRACK/release] for the
// sample of the release.
func (t *Trial) pipeline(tracks []comp.Track) string {
	var b strings.Builder
	fmt.Fprintf(&b, "competition {\n  name = \"Pre-flight\"\n  year = %d\n}\n\n", t.Year)
	fmt.Fprintf(&b, "executor \"local\" \"here\" {\n  isolation = %q\n}\n\n", t.Isolation)
	fmt.Fprintf(&b, "locals {\n  wall_time = %q\n  memory    = %q\n  cores     = %d\n\n  releases = {\n", t.WallTime, t.Memory, t.Cores)
	for _, track := range tracks {
		const all = 1000
		fmt.Fprintf(&b, "    %q = { track = %q, path = %q, only = null, take = %d }\n", track.String(), track.String(), "release/"+track.String(), all)
		if only := t.inRelease(track); len(only) > 0 {
			fmt.Fprintf(&b, "    %q = { track = %q, path = %q, only = [%s], take = %d }\n", track.String()+"/release", track.String(), t.Release, strings.Join(only, ", "), t.Sample)
		}
	}
	b.WriteString("  }\n}\n")
	return b.String() + strings.Replace(template, "keys(local.releases)", "distinct([for r in values(local.releases) : r.track])", 1)
}

// inRelease lists the archives of the release with logics of the track, quoted.
func (t *Trial) inRelease(track comp.Track) []string {
	if t.Release == "" {
		return nil
	}
	collection := "non-incremental"
	if track == comp.Incremental {
		collection = "incremental"
	}
	var names []string
	for _, logic := range t.Logics[track] {
		found, err := filepath.Glob(filepath.Join(t.Release, collection, string(logic)+".tar*"))
		if err == nil && len(found) > 0 {
			names = append(names, fmt.Sprintf("%q", collection+"/"+filepath.Base(found[0])))
		}
	}
	slices.Sort(names)
	return names
}
