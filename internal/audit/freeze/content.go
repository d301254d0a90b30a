package freeze

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"

	"github.com/klauspost/compress/gzip"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// printed lists the columns with digests of runs' outputs. Other digest columns refer to runs' inputs.
var printed = []string{"stdout_sha256", "stderr_sha256"}

// addContent adds the artifacts of all stages, and the content that their tables refer to.
func (f *freezing) addContent() error {
	outputs, inputs, judged := map[cache.Digest]bool{}, map[cache.Digest]bool{}, map[cache.Digest]bool{}
	for i := range f.Steps {
		step := &f.Steps[i]
		for _, out := range step.Kind.Outputs {
			art, ok := stages.ArtifactOf(step.Outputs[out.Name])
			if !ok {
				continue
			}
			if err := f.addArtifact(step, out.Name, art); err != nil {
				return fmt.Errorf("output %s of %s: %w", out.Name, step.Addr, err)
			}
			err := f.references(art, outputs, inputs)
			if err == nil && f.Level == Outputs {
				err = f.scriptsOfJudges(art, judged)
			}
			if err != nil {
				return fmt.Errorf("output %s of %s: %w", out.Name, step.Addr, err)
			}
		}
	}
	f.outputs, f.inputs = f.needed(outputs, Outputs), f.needed(inputs, Inputs)
	if f.Level == Outputs {
		f.inputs = f.needed(judged, Outputs)
	}
	return nil
}

// scriptsOfJudges adds the scripts needed to judge outputs again: models are evaluated in scripts, and unsat cores are
// subsets of them.
func (f *freezing) scriptsOfJudges(art stages.Artifact, judged map[cache.Digest]bool) error {
	if art.Schema != results.SchemaOf[results.RunRow]().Name {
		return nil
	}
	var kinds comp.Kinds
	if r := f.Pipeline.Competition().Rules; r != nil {
		kinds = r.Kinds
	}
	return artifact.EachRow(f.Store, art, []string{"track", "script_sha256"},
		func(_ int64, columns []table.Column, i int) {
			kind := kinds.Of(columns[0].Text(i))
			d, err := cache.ParseDigest(columns[1].Text(i))
			if err == nil && (kind == comp.ModelValidation || kind == comp.UnsatCore) {
				judged[d] = true
			}
		})
}

// needed returns the contents for an archive of small content: everything that level requires and that is not a file in
// the folder.
func (f *freezing) needed(all map[cache.Digest]bool, level Level) []cache.Digest {
	if f.Level == Records || f.Level == Outputs && level == Inputs {
		return nil
	}
	maps.DeleteFunc(all, func(d cache.Digest, _ bool) bool { return f.plain[d] })
	return slices.SortedFunc(maps.Keys(all), func(a, b cache.Digest) int { return bytes.Compare(a[:], b[:]) })
}

// addArtifact adds a stage's output as files.
func (f *freezing) addArtifact(step *engine.SnapshotStep, name string, art stages.Artifact) error {
	base := frozen.StageDir(step.Addr) + "/" + name
	// a stage without inputs imports external content, such as benchmarks
	delivered := len(step.Args.AllArtifacts()) > 0 || f.Level == Inputs
	switch {
	case art.Schema == "tree":
		f.add(f.blobItem(base+".manifest", art.Digest, -1))
		if !delivered {
			return nil
		}
		m, err := artifact.ReadTree(f.Store, art)
		if err != nil {
			return err
		}
		for _, file := range m.Files {
			if f.plain[file.Digest] && len(step.Args.AllArtifacts()) == 0 {
				continue // already added as one of the pipeline's files
			}
			item := f.blobItem(base+"/"+file.Path, file.Digest, file.Size)
			if file.Executable {
				item.mode |= 0o111
				item.from = madeFrom(item.from, "executable")
			}
			f.add(item)
			if file.Path == report.EvidenceReader {
				f.add(evidenceItem(base+"/"+report.EvidenceName, func(w io.Writer) error {
					return report.WriteEvidence(w, f.Evidence)
				}))
			}
		}
	case art.Schema == "blob":
		if delivered {
			f.add(f.blobItem(base, art.Digest, art.SizeBytes))
		}
	default:
		f.add(f.blobItem(base+".parquet", art.Digest, art.SizeBytes))
		csv := item{path: base + ".csv", mode: 0o644, size: f.csvSize(art),
			write: func(w io.Writer) error { return artifact.ExportTable(w, f.Store, art, results.CSV) }}
		if art.Rows > plainRows {
			csv.path, csv.size, csv.write = base+".csv.gz", art.SizeBytes, zipped(csv.write)
		}
		csv.from = madeFrom(f.Version, path.Ext(csv.path), art.Digest)
		f.add(csv)
	}
	return nil
}

// plainRows is the maximum number of rows in an uncompressed CSV table, which any program can open. Tables of runs are
// larger and would make up nine tenths of the folder.
const plainRows = 20_000

// zipped compresses without storing a time or name: equal content produces equal bytes.
func zipped(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err != nil {
			return err
		}
		return cmp.Or(write(z), z.Close())
	}
}

// evidenceItem returns an item for a file derived from evidence. Every freeze rewrites it, because another freeze may
// have more evidence.
func evidenceItem(path string, write func(io.Writer) error) item {
	return item{path: path, mode: 0o644, size: -1, write: write}
}

// csvSize estimates a table's size as CSV from its first rows.
func (f *freezing) csvSize(art stages.Artifact) int64 {
	start := &beginning{}
	err := artifact.ExportTable(start, f.Store, art, results.CSV)
	if !errors.Is(err, errEnough) || start.lines == 0 { // writing an unreadable table reports the error
		return start.bytes
	}
	return start.bytes / start.lines * (art.Rows + 1)
}

// beginning counts written bytes and lines, and returns errEnough when there are enough.
type beginning struct{ bytes, lines int64 }

var errEnough = errors.New("enough")

func (b *beginning) Write(p []byte) (int, error) {
	const enough = 256 << 10
	if b.bytes > enough {
		return 0, errEnough
	}
	b.bytes += int64(len(p))
	b.lines += int64(bytes.Count(p, []byte("\n")))
	return len(p), nil
}

// references records the content that a table refers to.
func (f *freezing) references(art stages.Artifact, outputs, inputs map[cache.Digest]bool) error {
	schema, err := results.SchemaByName(art.Schema)
	if err != nil {
		return nil // not a table
	}
	var names []string
	for _, c := range schema.Columns {
		if c.Blob {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return artifact.EachRow(f.Store, art, names, func(_ int64, columns []table.Column, i int) {
		for k := range columns {
			text := columns[k].Text(i)
			if text == "" {
				continue
			}
			d, err := cache.ParseDigest(text)
			switch {
			case err != nil: // it is not a reference
			case slices.Contains(printed, names[k]):
				outputs[d] = true
			default:
				inputs[d] = true
			}
		}
	})
}
