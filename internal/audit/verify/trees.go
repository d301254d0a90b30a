package verify

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/publish/report"
)

// trees compares the files of output trees in the folder, such as pages, with the outputs named in the lock. The
// outputs were recomputed if their content is available.
func (v *verification) trees() {
	known := map[string]bool{}
	for addr := range v.folder.Lock.Stages {
		known[frozen.StageDir(addr)+"/"+frozen.RecordName] = true
	}
	for _, where := range slices.Sorted(maps.Keys(v.folder.Lock.Outputs)) {
		art, ok := v.folder.Lock.Outputs[where].Artifact()
		i := strings.LastIndexByte(where, '.')
		if !ok || i < 0 || v.folder.Lock.Stages[where[:i]] == nil {
			continue
		}
		base := frozen.StageDir(where[:i]) + "/" + where[i+1:]
		for _, ending := range []string{"", ".manifest", ".parquet", ".csv", ".csv.gz"} {
			known[base+ending] = (ending == "") == (art.Schema == "blob")
		}
		switch art.Schema {
		case "tree":
			v.tree(where, base, art, known)
		case "blob":
			if got, there := v.digestOf(base); there && got != art.Digest {
				v.report.differs(where, v.firstDifference(base, art.Digest))
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(v.below("stages/"))) {
		if !known["stages/"+path] {
			v.report.differs("stages/"+path, "it is part of no output of a stage")
		}
	}
}

// tree compares a tree's files with the tree's manifest.
func (v *verification) tree(where, base string, art artifact.Ref, known map[string]bool) {
	if got, there := v.digestOf(base + ".manifest"); !there || got != art.Digest {
		v.report.differs(base+".manifest", "it is not the list of files that the lock names")
	}
	files := v.below(base + "/")
	for path := range files {
		known[base+"/"+path] = true // compared below
	}
	manifest, err := artifact.ReadTree(v.store, art)
	if err != nil {
		return // already reported
	}
	delivered := len(files) > 0 || v.isDelivered(where)
	n := 0
	differs := func(what string) {
		if n++; n <= mostRows {
			v.report.differs(where, what)
		}
	}
	for i := range manifest.Files {
		f := &manifest.Files[i]
		got, there := files[f.Path]
		delete(files, f.Path)
		switch {
		case there && got != f.Digest:
			differs(f.Path + ": " + v.firstDifference(base+"/"+f.Path, f.Digest))
		case !there && delivered && !v.folder.Has(f.Digest):
			differs(f.Path + ": it is missing from the folder")
		}
	}
	if got, there := files[report.EvidenceName]; there {
		delete(files, report.EvidenceName)
		if why := v.evidenceDiffers(got); why != "" {
			differs(report.EvidenceName + ": " + why)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		differs(path + ": it is in the folder but is not part of the output")
	}
	if n > mostRows {
		v.report.differs(where, fmt.Sprintf("and %d more differences", n-mostRows))
	}
}

// evidenceDiffers compares a site's evidence data file, which is not part of any output, with the folder's evidence.
func (v *verification) evidenceDiffers(got cache.Digest) string {
	doc, err := evidence.ReadFile(v.folder.Path(evidence.Name))
	if err != nil {
		return "its evidence cannot be read: " + err.Error()
	}
	var b bytes.Buffer
	if err := report.WriteEvidence(&b, doc); err != nil {
		return err.Error()
	}
	if cache.DigestOf(b.Bytes()) != got {
		return "it is not the evidence in " + evidence.Name
	}
	return ""
}

// isDelivered reports whether the folder must contain an output's content. The content of stages without inputs, such
// as benchmarks, is external and omitted at most levels.
func (v *verification) isDelivered(where string) bool {
	record, err := v.folder.Record(where[:strings.LastIndexByte(where, '.')])
	return err == nil && (len(record.Inputs) > 0 || v.folder.Lock.Level == "inputs")
}

// digestOf returns the digest of a file in the folder; there is false if the folder does not have it.
func (v *verification) digestOf(name string) (d cache.Digest, there bool) {
	if d, there = v.changed[name]; there {
		return d, true
	}
	d, there = v.folder.Sums[name]
	return d, there
}

// below returns the digests of the files below a path in the folder, keyed by relative path.
func (v *verification) below(dir string) map[string]cache.Digest {
	files := map[string]cache.Digest{}
	for name := range v.folder.Sums {
		if path, ok := strings.CutPrefix(name, dir); ok {
			files[path], _ = v.digestOf(name)
		}
	}
	return files
}

// compared limits the size of files whose first difference is located.
var compared = limits.Of{What: "a file that is compared line by line", Bytes: 64 << 20}

// firstDifference describes where a file differs from the content that follows from its inputs.
func (v *verification) firstDifference(name string, want cache.Digest) string {
	const plain = "it differs from what its inputs produce"
	is, err := compared.ReadFile(v.folder.Path(name))
	if err != nil || !v.store.Has(want) {
		return plain
	}
	should, err := v.store.ReadBytes(want)
	if err != nil {
		return plain
	}
	return plain + lineDifference(is, should)
}

// lineDifference describes the first line that differs between two texts.
func lineDifference(is, should []byte) string {
	for n := 1; ; n++ {
		a, restA, moreA := bytes.Cut(is, []byte("\n"))
		b, restB, moreB := bytes.Cut(should, []byte("\n"))
		if !bytes.Equal(a, b) {
			at := 0
			for at < min(len(a), len(b)) && a[at] == b[at] {
				at++
			}
			return fmt.Sprintf("; in line %d it has %q, and should have %q", n, around(a, at), around(b, at))
		}
		if !moreA || !moreB {
			return fmt.Sprintf("; it has %d bytes but should have %d", len(is), len(should))
		}
		is, should = restA, restB
	}
}

// around returns the part of a line around an offset.
func around(line []byte, at int) string {
	const before, after = 20, 40
	return strings.ToValidUTF8(string(line[max(0, at-before):min(len(line), at+after)]), "?")
}

// ruleTrees compares the trees of rule sets, which check.py evaluates, with the rule sets that the stages use for
// scoring, and removes the trees from files. Folders of smtpipe 0.1 contain no trees.
func (v *verification) ruleTrees(again *engine.Rechecked, files map[string]cache.Digest) {
	trees := map[string][]byte{}
	for i := range again.Steps {
		if rs := score.RuleSetOf(again.Steps[i].Action); rs != nil {
			trees[frozen.TreeName(rs.Digest())] = rs.Tree()
		}
	}
	same := v.sameRules()
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		is, there := v.digestOf(name)
		delete(files, strings.TrimPrefix(name, "rules/"))
		switch {
		case there && is == cache.DigestOf(trees[name]):
		case !there && same:
			v.report.differs(name, "it is missing, but a stage scores by its rule set")
		case same:
			what := "it is not the tree of the rule set by which a stage scores"
			if theirs, err := limits.HCL.ReadFile(v.folder.Path(name)); err == nil {
				what += lineDifference(theirs, trees[name])
			}
			v.report.differs(name, what)
		case there:
			v.otherRules(name)
		}
	}
}

// sameRules reports whether this program wrote the folder, whose rules are then this program's. Smtpipe 0.1, whose
// locks do not name files, is another program.
func (v *verification) sameRules() bool {
	return v.folder.Lock.Version == v.Version && v.folder.Lock.Files != nil
}

// otherRules reports a rules file that this version of smtpipe cannot compare.
func (v *verification) otherRules(name string) {
	v.report.Unsure = true
	v.report.Stages = append(v.report.Stages, Stage{Addr: name, State: NotChecked, Rows: -1,
		Why: fmt.Sprintf("smtpipe %s has other rules; use the program in the folder bin", v.Version)})
}

// rules compares the folder's rule files with those used to recompute the stages.
func (v *verification) rules(pipeline *config.Pipeline, again *engine.Rechecked) error {
	used, err := pipeline.ProgramFiles()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if _, there := v.folder.Sums["rules/"+name]; !there {
			v.report.differs("rules/"+name, "it is missing, but the pipeline uses it")
		}
	}
	files := v.below("rules/")
	v.ruleTrees(again, files)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		ours, err := rules.ReadFile(rules.Builtin + name)
		if err == nil && cache.DigestOf(ours) == files[name] {
			continue
		}
		theirs, readErr := limits.HCL.ReadFile(v.folder.Path("rules/" + name))
		if readErr != nil {
			v.report.differs("rules/"+name, readErr.Error())
			continue
		}
		same := v.sameRules()
		switch {
		case same && err != nil:
			v.report.differs("rules/"+name, "no stage uses it")
		case same:
			v.report.differs("rules/"+name, "it is not what the stages were computed from"+lineDifference(theirs, ours))
		case err != nil || hclsource.Canonical(theirs) != hclsource.Canonical(ours):
			v.otherRules("rules/" + name)
		}
	}
	return nil
}
