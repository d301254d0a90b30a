// Package rehearse executes and judges a pipeline's entrants on different benchmarks from those that the pipeline
// selects. It omits stages that choose benchmarks or make scripts, and supplies their outputs. Solvers, executors,
// limits and validation remain those of the pipeline.
package rehearse

import (
	"crypto/sha256"
	"errors"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Pipeline is the pipeline to rehearse. The engine executes the same interface, which a Rehearsal implements.
type Pipeline interface {
	Nodes() []stages.Node
	Expand(addr string, known stages.Known) ([]stages.Instance, hcl.Diagnostics)
}

// Set holds the benchmarks for rehearsing a track, with their scripts.
type Set struct{ Benchmarks, Scripts stages.Artifact }

// With returns both sets' benchmarks and scripts.
func (s Set) With(store *cache.Store, more Set) (both Set, err error) {
	if more.Scripts.Schema == "" {
		return s, nil
	}
	both.Benchmarks, err = joined[results.BenchmarkRow](store, s.Benchmarks, more.Benchmarks)
	if err == nil {
		both.Scripts, err = joined[results.ScriptRow](store, s.Scripts, more.Scripts)
	}
	return both, err
}

func joined[Row any](store *cache.Store, tables ...stages.Artifact) (all stages.Artifact, err error) {
	var rows []Row
	for _, t := range tables {
		more, err := artifact.ReadTable[Row](store, t)
		if err != nil {
			return all, err
		}
		rows = append(rows, more...)
	}
	return artifact.WriteTable(store, rows)
}

// Few returns the set's benchmarks and scripts in the given logics.
func (s Set) Few(store *cache.Store, logics []string) (few Set, err error) {
	few.Benchmarks, err = filtered(store, s.Benchmarks,
		func(b results.BenchmarkRow) bool { return slices.Contains(logics, b.Logic) })
	if err == nil {
		few.Scripts, err = filtered(store, s.Scripts,
			func(r results.ScriptRow) bool { return slices.Contains(logics, r.Logic) })
	}
	return few, err
}

// Logics returns a set's logics.
func (s Set) Logics(store *cache.Store) ([]string, error) {
	if s.Scripts.Schema == "" {
		return nil, nil
	}
	rows, err := artifact.ReadTable[results.ScriptRow](store, s.Scripts)
	logics := map[string]bool{}
	for i := range rows {
		logics[rows[i].Logic] = true
	}
	return slices.Sorted(maps.Keys(logics)), err
}

func filtered[Row any](store *cache.Store, table stages.Artifact, keep func(Row) bool) (stages.Artifact, error) {
	rows, err := artifact.ReadTable[Row](store, table)
	if err != nil {
		return table, err
	}
	return artifact.WriteTable(store, slices.DeleteFunc(rows, func(row Row) bool { return !keep(row) }))
}

// Entrant is a solver in a track.
type Entrant struct {
	Solver string `json:"solver"`
	Track  string `json:"track"`
}

// Part is a track, and the track that its scripts are made for. The two differ in the industry challenge.
type Part struct{ Track, Scripts string }

// Rehearsal is a pipeline with replaced benchmarks.
type Rehearsal struct {
	pipeline Pipeline
	store    *cache.Store
	nodes    []stages.Node
	absent   stages.Known            // stand-ins for the outputs of omitted stages
	scripts  map[cache.Digest]string // track that each stand-in for scripts is made for; empty: unknown

	Sets map[Part]Set
	// Most contains the largest limits of any run, by attribute of the block limits: nanoseconds, bytes, cores.
	Most map[string]int64
	Only []string         // solvers to execute; nil: all
	Skip map[Entrant]bool // entrants not to execute
	seen map[string]bool  // solvers that the pipeline executes, as known from calls of Only
}

// New prepares a pipeline for a rehearsal.
func New(p Pipeline, store *cache.Store) *Rehearsal {
	r := &Rehearsal{pipeline: p, store: store, absent: stages.Known{}, scripts: map[cache.Digest]string{},
		seen: map[string]bool{}}
	needed, nodes := map[string]bool{}, p.Nodes()
	for _, n := range nodes {
		needed[n.Addr] = n.Kind.Name == "execute" || n.Kind.Name == "validate"
	}
	for _, n := range slices.Backward(nodes) {
		if !needed[n.Addr] || replaced(n.Kind) {
			continue
		}
		for _, dep := range n.Deps {
			needed[dep] = true
		}
	}
	for _, n := range nodes {
		switch {
		case replaced(n.Kind):
			r.standIn(n)
		case needed[n.Addr]:
			n.Deps = slices.DeleteFunc(slices.Clone(n.Deps), func(addr string) bool { return r.isAbsent(addr, nodes) })
			r.nodes = append(r.nodes, n)
		}
	}
	return r
}

func (r *Rehearsal) isAbsent(addr string, nodes []stages.Node) bool {
	return slices.ContainsFunc(nodes, func(n stages.Node) bool { return n.Addr == addr && replaced(n.Kind) })
}

// replaced reports whether stages of a kind are omitted: those that fetch or choose benchmarks, and those that make
// scripts from anything except runs.
func replaced(k *stages.Kind) bool {
	makes := slices.ContainsFunc(k.Outputs, func(o stages.Output) bool {
		return o.Type.Equals(stages.TableType("benchmarks/1")) || o.Type.Equals(stages.TableType("scripts/1"))
	})
	return k.Name == "fetch" || makes && !slices.ContainsFunc(k.Attrs, func(a stages.Attr) bool {
		return a.Type.Equals(stages.TableType("runs/2"))
	})
}

// standIn creates stand-ins for the outputs of a block's instances. A block with instances that depend on the
// pipeline's results has none; blocks that need its outputs wait.
func (r *Rehearsal) standIn(n stages.Node) {
	instances, _ := r.pipeline.Expand(n.Addr, r.absent)
	for _, in := range instances {
		if in.Open {
			continue
		}
		outputs := map[string]cty.Value{}
		for _, o := range in.Kind.Outputs {
			outputs[o.Name] = cty.UnknownVal(o.Type)
			if stages.IsArtifact(o.Type) {
				ref := stages.Artifact{Schema: schemaOf(o.Type), Digest: sha256.Sum256([]byte(in.Addr + "\n" + o.Name))}
				outputs[o.Name] = stages.ArtifactVal(ref)
				r.scripts[ref.Digest] = ""
				if ref.Schema == "scripts/1" && stages.FindAttr(in.Kind.Attrs, "track") != nil {
					r.scripts[ref.Digest] = in.Args.Trial().String("track")
				}
			}
		}
		r.absent[in.Addr] = outputs
	}
}

func schemaOf(t cty.Type) string {
	if name, ok := stages.TableSchema(t); ok {
		return name
	}
	if t.Equals(stages.TreeType) {
		return "tree"
	}
	return "blob"
}

// Parts returns the parts that the pipeline is known to execute, without executing anything.
func (r *Rehearsal) Parts() []Part {
	found := map[Part]bool{}
	for _, n := range r.nodes {
		if n.Kind.Name != "execute" {
			continue
		}
		instances, _ := r.pipeline.Expand(n.Addr, r.absent)
		for _, in := range instances {
			if part, ok := r.partOf(in.Args.Trial()); ok && !in.Open {
				found[part] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b Part) int {
		return slices.Compare([]string{a.Track, a.Scripts}, []string{b.Track, b.Scripts})
	})
}

// partOf returns the part that an execute stage runs, if its scripts are replaced.
func (r *Rehearsal) partOf(a *stages.Args) (Part, bool) {
	scripts, _ := a.Artifact("scripts")
	made, ok := r.scripts[scripts.Digest]
	part := Part{a.String("track"), made}
	if made == "" {
		part.Scripts = part.Track
	}
	return part, ok
}

// Nodes returns the blocks to execute.
func (r *Rehearsal) Nodes() []stages.Node { return slices.Clone(r.nodes) }

// Expand evaluates a block in the pipeline and inserts the rehearsal's benchmarks into its arguments.
func (r *Rehearsal) Expand(addr string, known stages.Known) ([]stages.Instance, hcl.Diagnostics) {
	all := maps.Clone(r.absent)
	maps.Copy(all, known)
	instances, diags := r.pipeline.Expand(addr, all)
	for i := range instances {
		if in := &instances[i]; in.Action != nil {
			if err := r.replace(in, known); err != nil {
				diags = append(diags, stages.Diagnose(err, in.Range)...)
			}
		}
	}
	return instances, diags
}

// replace replaces stand-ins in an instance's arguments.
func (r *Rehearsal) replace(in *stages.Instance, known stages.Known) (err error) {
	part := r.partMeasured(in, known)
	if in.Kind.Name == "execute" {
		if ours, ok := r.partOf(in.Args); ok {
			part = ours
		}
		limits := in.Args.Block("limits")
		for name, most := range r.Most {
			if limits.Int(name) > most {
				limits.SetValue(name, cty.NumberIntVal(most), limits.RangeOf(name))
			}
		}
		if some, err := r.restrict(in.Args); err != nil {
			return err
		} else if !some {
			part = Part{} // this part has no scripts
		}
	}
	for _, attr := range in.Kind.Attrs {
		v := in.Args.Value(attr.Name)
		w, swapErr := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
			art, ok := stages.ArtifactOf(v)
			if _, stands := r.scripts[art.Digest]; !ok || !stands {
				return v, nil
			}
			art, err := r.instead(art.Schema, part)
			return stages.ArtifactVal(art), err
		})
		err = errors.Join(err, swapErr)
		if swapErr == nil && !v.RawEquals(w) {
			in.Args.SetValue(attr.Name, w, in.Args.RangeOf(attr.Name))
		}
	}
	if err != nil {
		return err
	}
	in.Action, err = in.Kind.New(in.Args)
	return err
}

// instead returns the artifact that replaces a stand-in.
func (r *Rehearsal) instead(schema string, part Part) (stages.Artifact, error) {
	set := r.Sets[part]
	switch {
	case schema == "benchmarks/1" && set.Benchmarks.Schema != "":
		return set.Benchmarks, nil
	case schema == "scripts/1" && set.Scripts.Schema != "":
		return set.Scripts, nil
	case schema == "tree", schema == "blob":
		return stages.Artifact{},
			errors.New("a folder or file of a stage that chooses benchmarks is needed; this cannot be rehearsed")
	}
	return artifact.EmptyTable(r.store, schema)
}

// partMeasured returns the part that an instance's input runs belong to.
func (r *Rehearsal) partMeasured(in *stages.Instance, known stages.Known) (part Part) {
	if stages.FindAttr(in.Kind.Attrs, "runs") == nil || in.Kind.Name == "execute" {
		return part
	}
	for _, runs := range in.Args.Artifacts("runs") {
		for _, n := range r.nodes {
			if n.Kind.Name != "execute" {
				continue
			}
			instances, _ := r.pipeline.Expand(n.Addr, r.absent)
			for _, x := range instances {
				made, ok := stages.ArtifactOf(known[x.Addr]["runs"])
				if p, ours := r.partOf(x.Args.Trial()); ok && ours && made.Digest == runs.Digest {
					part = p
				}
			}
		}
	}
	return part
}

// Solvers returns the names of the solvers that Only was called for.
func (r *Rehearsal) Solvers() []string { return slices.Sorted(maps.Keys(r.seen)) }

// wants reports whether a solver is executed in a track.
func (r *Rehearsal) wants(e Entrant) bool {
	r.seen[e.Solver] = true
	return (len(r.Only) == 0 || slices.Contains(r.Only, e.Solver)) && !r.Skip[e]
}

// restrict keeps only the wanted solvers. If none of them takes part in the track, it changes nothing and returns
// false.
func (r *Rehearsal) restrict(a *stages.Args) (some bool, err error) {
	if len(r.Only) == 0 && len(r.Skip) == 0 {
		return true, nil
	}
	track := a.String("track")
	var kept []cty.Value
	var failed error
	err = stages.EachSolver(a.Value("solvers"), func(v cty.Value) {
		if art, ok := stages.ArtifactOf(v); ok {
			few, err := r.few(art, track)
			failed = errors.Join(failed, err)
			if few.Rows > 0 {
				kept = append(kept, stages.ArtifactVal(few))
			}
			return
		}
		tracks := stages.Texts(v.GetAttr("tracks"))
		if r.wants(Entrant{stages.Text(v, "name"), track}) && (tracks == nil || slices.Contains(tracks, track)) {
			kept = append(kept, v)
		}
	})
	if err = errors.Join(err, failed); err == nil && len(kept) > 0 {
		a.SetValue("solvers", cty.TupleVal(kept), a.RangeOf("solvers"))
	}
	return len(kept) > 0, err
}

// few returns a table of solvers with only those wanted in a track.
func (r *Rehearsal) few(art stages.Artifact, track string) (stages.Artifact, error) {
	wanted := func(solver, of string) bool { return of == track && r.wants(Entrant{solver, track}) }
	if art.Schema == results.SchemaOf[results.SolverRow]().Name {
		return filtered(r.store, art, func(s results.SolverRow) bool { return wanted(s.Solver, s.Track) })
	}
	return filtered(r.store, art, func(s results.ProgramRow) bool { return wanted(s.Solver, s.Track) })
}
