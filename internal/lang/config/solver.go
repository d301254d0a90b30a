package config

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// solver decodes a block solver "name".
func (l *loader) solver(m *module, b *hclsyntax.Block) {
	d := &solver{name: b.Labels[0], forEach: exprOf(b.Body, forEachName), attrs: b.Body.Attributes}
	d.addr = m.address("solver." + d.name)
	l.schema(schemaOf("solver"), b, &d.decl)
	d.uses = repeated(b.Body.Attributes, namesOf(solverAttrs, func(a stages.Attr) string { return a.Name })...)
	for _, o := range m.solvers.all() {
		if o.name != d.name && strings.EqualFold(o.name, d.name) {
			l.report(b.DefRange(), "Names too similar", fmt.Sprintf("The names %q and %q (%s) differ only in capital "+
				"letters, which readers of tables and file systems do not tell apart. Give one of them another name.",
				d.name, o.name, place(o.rng)))
		}
	}
	declare(l, m, &m.solvers, d.name, d, b.DefRange())
}

// solver evaluates a solver block.
func (e *evaluator) solver(s *solver, at *instance) result {
	return e.once(&s.decl, at, func() result {
		x := e.expand(&s.decl, s.forEach, at)
		return e.each(x, at.address(&s.decl), selfValue(s.name), stages.SolverType,
			func(_ string, sc blockScope) result {
				return e.solverOnce(s, at, sc)
			})
	})
}

// allSolvers returns all solvers in a module as a map by name.
func (e *evaluator) allSolvers(at *instance) result {
	mem := &e.p.static
	for _, s := range at.mod.solvers.all() {
		if e.p.dynamic[s.id] {
			mem = &e.mem
		}
	}
	if r, ok := mem.solvers[at.addr]; ok {
		return r
	}
	r := e.allSolversOnce(at)
	mem.solvers[at.addr] = r
	return r
}

func (e *evaluator) allSolversOnce(at *instance) result {
	values, waits := map[string]cty.Value{}, []string(nil)
	names, logics, bases := map[string]*solver{}, map[string]cty.Value{}, []basedOn(nil)
	complete, keysKnown := true, true
	keys := map[string]*solver{}
	enter := func(s *solver, key string, v cty.Value) {
		if before := keys[key]; before != nil {
			e.errorAt(s.rng, "Solver declared twice", fmt.Sprintf("The map of all solvers has the key %q already, for "+
				"a solver at %s. Rename a block or a key of its for_each.", key, place(before.rng)))
		}
		keys[key], values[key] = s, v
		plain, _ := v.UnmarkDeep()
		if !plain.Type().Equals(stages.SolverType) {
			complete = false
			return
		}
		name := plain.GetAttr("name")
		if !plain.IsKnown() || !known(name) {
			return
		}
		if before := names[name.AsString()]; before != nil {
			e.errorAt(s.rng, "Solver declared twice", fmt.Sprintf("The solver at %s has the name %q as well. Runs "+
				"and scores are told apart by the name.", place(before.rng), name.AsString()))
		}
		names[name.AsString()] = s
		logics[name.AsString()] = plain.GetAttr("logics")
		if base := plain.GetAttr("base_solver"); known(base) {
			bases = append(bases, basedOn{s, name.AsString(), base.AsString()})
		}
	}
	for _, s := range at.mod.solvers.all() {
		r := e.solver(s, at)
		waits = union(waits, r.waits)
		v, _ := r.val.Unmark()
		switch {
		case s.forEach == nil:
			enter(s, s.name, r.val)
		case !v.IsKnown():
			keysKnown = false // evaluate the other solvers anyway, for their errors and waits
		default:
			x := e.expand(&s.decl, s.forEach, at)
			for _, key := range x.keys {
				enter(s, s.name+"-"+key, v.Index(cty.StringVal(key)))
			}
		}
	}
	if !keysKnown {
		return result{cty.UnknownVal(cty.Map(stages.SolverType)), waits}
	}
	if !complete {
		return unknown
	}
	e.checkBases(names, bases)
	e.checkBaseLogics(logics, bases)
	if len(values) == 0 {
		return result{val: cty.MapValEmpty(stages.SolverType)}
	}
	return result{cty.MapVal(values), waits}
}

// basedOn is a solver with the name of its base solver.
type basedOn struct {
	solver *solver
	name   string
	base   string
}

// checkBaseLogics reports wrapper tools that enter logics that the wrapped tool does not enter (SMT-COMP 2008 rules,
// §2). A pattern counts as entered if the wrapped tool uses the same pattern or one that matches it.
func (e *evaluator) checkBaseLogics(logics map[string]cty.Value, bases []basedOn) {
	if r := e.p.competition.Rules; r == nil || !r.Entrants.WrappedAreBases {
		return
	}
	for _, x := range bases {
		own, base := logics[x.name], logics[x.base]
		if !known(base) || !own.IsWhollyKnown() || !base.IsWhollyKnown() {
			continue // the base is missing, or enters every logic
		}
		enters := func(logic cty.Value) bool {
			return slices.ContainsFunc(base.AsValueSlice(), func(p cty.Value) bool {
				ok, err := path.Match(p.AsString(), logic.AsString())
				return p.RawEquals(logic) || ok && err == nil
			})
		}
		missing := "every logic"
		if !own.IsNull() {
			i := slices.IndexFunc(own.AsValueSlice(), func(l cty.Value) bool { return !enters(l) })
			if i < 0 {
				continue
			}
			missing = own.AsValueSlice()[i].AsString()
		}
		e.errorAt(x.solver.rng, "Base solver without these logics", fmt.Sprintf("The solver %q enters %s, and its "+
			"base solver %q does not. By the rules a wrapped tool enters every division that its wrapper enters.",
			x.name,
			missing, x.base))
	}
}

// checkBases reports base solvers that are not declared if the year's rules require them to enter. In a pipeline
// without a year, they must also be declared.
func (e *evaluator) checkBases(names map[string]*solver, bases []basedOn) {
	if r := e.p.competition.Rules; r != nil && !r.Entrants.BaseMustEnter {
		return
	}
	for _, x := range bases {
		if names[x.base] == nil {
			e.errorAt(x.solver.attrs["base_solver"].Expr.Range(), "Unknown base solver", fmt.Sprintf("No solver has "+
				"the name %q.%s The base solver must also enter, so that both are measured on the "+
				"same benchmarks; declare it, with competitive = false if it does not compete.", x.base,
				nearest.Question(x.base, slices.Sorted(maps.Keys(names)))))
		}
	}
}

// solverOnce evaluates one of a solver block's instances.
func (e *evaluator) solverOnce(s *solver, at *instance, sc blockScope) result {
	values, waits := map[string]cty.Value{}, []string(nil)
	for _, a := range solverAttrs {
		r := e.plain(s.attrs[a.Name], a.Type, at, sc)
		values[a.Name] = r.val
		waits = union(waits, r.waits)
	}
	if s.bad {
		return unknown
	}
	e.solverDefaults(s, sc, values)
	e.checkSolver(s, values)
	e.solverFiles(s, values)
	v := cty.ObjectVal(values)
	if !v.Type().Equals(stages.SolverType) {
		return unknown
	}
	return result{waiting(v, waits), waits}
}

func (e *evaluator) solverDefaults(s *solver, sc blockScope, values map[string]cty.Value) {
	if values["name"].IsNull() {
		values["name"] = cty.StringVal(s.name)
		if sc.key != cty.NilVal {
			values["name"] = cty.UnknownVal(cty.String)
			if sc.key.IsKnown() {
				values["name"] = cty.StringVal(s.name + "-" + sc.key.AsString())
			}
		}
	}
	if values["team"].IsNull() {
		values["team"] = values["name"]
	}
	if values["competitive"].IsNull() {
		values["competitive"] = cty.True
	}
	for _, name := range []string{"open_source", "new_entrant"} {
		if values[name].IsNull() {
			values[name] = cty.False
		}
	}
}

var solverTypes = []string{"standalone", "portfolio", "wrapped", "derived"}

// checkSolver reports values that are out of range or violate the rules, and converts track names to their current
// form.
func (e *evaluator) checkSolver(s *solver, values map[string]cty.Value) {
	at := func(name string) hclsyntax.Expression { return s.attrs[name].Expr }
	if v := values["type"]; known(v) && !slices.Contains(solverTypes, v.AsString()) {
		e.errorAt(at("type").Range(), "Invalid type of solver", fmt.Sprintf("There is no type %q.%s It is %s.",
			v.AsString(), nearest.Question(v.AsString(), solverTypes), words.OneOf(solverTypes)))
	}
	e.checkBase(s, values)
	if v := values["seed"]; known(v) && !wholeFrom(v, 0) {
		e.errorAt(at("seed").Range(), "Invalid seed", "A seed must be a whole number of at least 0.")
	} else if r := e.p.competition.Rules; known(v) && r != nil && r.Entrants.SeedBits > 0 &&
		v.AsBigFloat().MantExp(nil) > r.Entrants.SeedBits {
		e.errorAt(at("seed").Range(), "Invalid seed", fmt.Sprintf("The rules ask for an unsigned integer of %d bits.",
			r.Entrants.SeedBits))
	}
	if v := values["command"]; known(v) && v.LengthInt() == 0 || v.IsKnown() && v.IsNull() {
		e.errorAt(at("command").Range(), "Empty command",
			"The command of a solver is a list: the program, then its arguments.")
	}
	if v := values["version_command"]; known(v) && v.LengthInt() == 0 {
		e.errorAt(at("version_command").Range(), "Empty command",
			"The command that asks for the version is a list: the program, then its arguments.")
	}
	e.checkCommand(s, values)
	e.checkTracks(s, values)
	e.checkPortfolio(s, values)
}

var (
	placeholder = pattern.Lazy(`^(\{[A-Za-z_]*\}|%s|\$[@*0-9]|\$\{?[A-Za-z_]+\}?)$`)
	shellSyntax = pattern.Lazy(`^([|;&]{1,2}|[0-9&]?[<>].*)$`)
)

// checkCommand reports arguments that only a shell or another tool would interpret, and a program outside its archive.
func (e *evaluator) checkCommand(s *solver, values map[string]cty.Value) {
	v := values["command"]
	if !known(v) || !v.IsWhollyKnown() || v.LengthInt() == 0 {
		return
	}
	words := stages.Texts(v)
	at := s.attrs["command"].Expr.Range()
	for _, w := range words[1:] {
		switch {
		case placeholder().MatchString(w) && w != stages.BenchmarkWord && w != stages.ProofWord:
			e.errorAt(at, "Placeholder in a command", fmt.Sprintf(
				"Nothing replaces %q. The script is the last argument of the command, or replaces %s, or is its standard "+
					"input (input = \"stdin\" of the stage). %s is a file for its proof or model.", w, stages.BenchmarkWord,
				stages.ProofWord))
		case shellSyntax().MatchString(w):
			e.errorAt(at, "Shell syntax in a command", fmt.Sprintf(
				"No shell reads the command, so the program gets %q as an "+
					"argument. Write a script that calls the solver, and name the script.", w))
		case path.Ext(w) != "" && !path.IsAbs(w) && values["archive"].IsNull() && e.isFile(w):
			e.diags = append(e.diags, &hcl.Diagnostic{Severity: hcl.DiagWarning, Subject: &at,
				Summary: "Argument that runs cannot open", Detail: fmt.Sprintf("%q is a file of the pipeline, and "+
					"runs do not see the pipeline's folder. Make the file executable and name it first, as in "+
					"[%q], or put the solver's files into an archive.", w, "./"+path.Clean(w))})
		}
	}
	if path.IsAbs(words[0]) && !values["archive"].IsNull() {
		e.errorAt(at, "Program outside of the archive", fmt.Sprintf(
			"With an archive, the program is a path inside it, and "+
				"%q begins at the root of this machine. Write the path as the archive has it, such as \"bin/%s\".", words[0],
			path.Base(words[0])))
	}
}

// isFile reports whether a path is a file of the pipeline.
func (e *evaluator) isFile(name string) bool {
	f, err := e.p.files.File(name)
	return err == nil && !f.IsDir
}

// instead suggests a program to use instead of a nonexistent one, and a remedy.
func instead(program string) string {
	fields := strings.Fields(program)
	switch name, _, isVariable := strings.Cut(program, "="); {
	case len(fields) > 1:
		quoted := make([]string, len(fields))
		for i, f := range fields {
			quoted[i] = strconv.Quote(f)
		}
		return fmt.Sprintf("The program and each argument must be separate strings. Did you mean "+
			"[%s]?", strings.Join(quoted, ", "))
	case strings.HasPrefix(program, "-"):
		return "The program comes first, then its arguments."
	case strings.HasPrefix(program, "~"):
		return "No shell replaces ~, so write the whole path."
	case isVariable && !strings.Contains(name, "/"):
		return fmt.Sprintf("A variable of the environment is set by env: [\"env\", %q, ...].", program)
	}
	return "Install it, give its path, or give the archive that holds it."
}

// checkTracks replaces older track names and reports unknown ones.
func (e *evaluator) checkTracks(s *solver, values map[string]cty.Value) {
	v := values["tracks"]
	if !known(v) || !v.IsWhollyKnown() || v.LengthInt() == 0 {
		return
	}
	var kinds comp.Kinds
	if r := e.p.competition.Rules; r != nil {
		kinds = r.Kinds
	}
	var tracks []cty.Value
	for _, t := range v.AsValueSlice() {
		if t.IsNull() {
			continue
		}
		track, _, err := kinds.Parse(t.AsString())
		if err != nil {
			e.errorAt(s.attrs["tracks"].Expr.Range(), "Unknown track", fmt.Sprintf("There is no track %q.%s The "+
				"tracks are %s.", t.AsString(), nearest.Question(t.AsString(), kinds.Names()),
				words.OneOf(kinds.Names())))
			continue
		}
		tracks = append(tracks, cty.StringVal(track))
	}
	if len(tracks) > 0 {
		values["tracks"] = cty.ListVal(tracks)
	}
}

// checkPortfolio reports a portfolio solver that competes in tracks that the year's rules do not open to portfolio
// solvers (SMT-COMP 2022 and 2026 rules, §4).
func (e *evaluator) checkPortfolio(s *solver, values map[string]cty.Value) {
	kind, competes, tracks := values["type"], values["competitive"], values["tracks"]
	r := e.p.competition.Rules
	if r == nil || r.Entrants.PortfolioTracks == nil || !known(kind) || kind.AsString() != "portfolio" ||
		!known(competes) || competes.False() || !tracks.IsWhollyKnown() {
		return
	}
	open := r.Entrants.PortfolioTracks
	closed := func(t cty.Value) bool { return !t.IsNull() && !slices.Contains(open, t.AsString()) }
	if tracks.IsNull() || slices.ContainsFunc(tracks.AsValueSlice(), closed) {
		e.errorAt(s.attrs["type"].Expr.Range(), "Portfolio solver in a closed track", fmt.Sprintf("The rules "+
			"open only these tracks to portfolio solvers: %s. Remove all other tracks, or write competitive = false.",
			strings.Join(open, ", ")))
	}
}

// checkBase reports a base solver that is missing, is the solver itself, or is not allowed.
func (e *evaluator) checkBase(s *solver, values map[string]cty.Value) {
	kind, base := "", values["base_solver"]
	if v := values["type"]; known(v) {
		kind = v.AsString()
	}
	if !base.IsKnown() {
		return
	}
	r := e.p.competition.Rules
	needs := kind == "derived" || kind == "wrapped" && r != nil && r.Entrants.WrappedAreBases
	if r != nil && r.Entrants.WrappedAreBases && kind == "wrapped" && known(values["name"]) {
		if _, tool, ok := strings.Cut(values["name"].AsString(), "+"); !ok || tool == "" {
			e.errorAt(s.attrs["type"].Expr.Range(), "Name of a wrapper tool", fmt.Sprintf("The name of a wrapper tool "+
				"ends with \"+\" and the name of the tool that it wraps; %q does not. Give it as name.",
				values["name"].AsString()))
		}
	}
	switch {
	case base.IsNull() && needs:
		e.errorAt(s.attrs["type"].Expr.Range(), "Missing base solver", fmt.Sprintf("A solver that is %s wins only if "+
			"it does better than its base solver. Give base_solver, the name of that solver.", kind))
	case base.IsNull():
	case kind == "standalone" || kind == "portfolio":
		e.errorAt(s.attrs["base_solver"].Expr.Range(), "Unexpected base solver",
			fmt.Sprintf("A solver of type %q has no base solver. Leave base_solver out, or write type = \"derived\".",
				kind))
	case known(values["name"]) && base.AsString() == values["name"].AsString():
		e.errorAt(s.attrs["base_solver"].Expr.Range(), "Unknown base solver",
			"A solver cannot be its own base solver. Name the solver that it is derived from.")
	}
}

// solverFiles finds a solver's program or archive.
func (e *evaluator) solverFiles(s *solver, values map[string]cty.Value) {
	values["program"] = cty.NullVal(stages.FileType)
	hasImage := !values["image"].IsKnown() || !values["image"].IsNull()
	values["image"] = e.image(s.attrs["image"], values["image"])
	if archive := values["archive"]; !archive.IsNull() || !archive.IsKnown() {
		v, err := e.p.toFiles(archive, stages.FileType)
		if err != nil {
			e.errorAt(s.attrs["archive"].Expr.Range(), "Invalid archive", upperFirst(err.Error())+".")
			v = cty.UnknownVal(stages.FileType)
		}
		values["archive"] = v
		return
	}
	values["archive"] = cty.NullVal(stages.FileType)
	command := values["command"]
	if !command.IsKnown() {
		values["program"] = cty.UnknownVal(stages.FileType)
		return
	}
	if command.IsNull() || command.LengthInt() == 0 {
		return
	}
	first := command.Index(cty.NumberIntVal(0))
	if !known(first) {
		values["program"] = cty.UnknownVal(stages.FileType)
		return
	}
	if name := first.AsString(); hasImage && (path.IsAbs(name) || !strings.Contains(name, "/")) {
		return // the program is inside the image
	}
	f, err := e.p.program(first.AsString())
	if err != nil {
		e.errorAt(s.attrs["command"].Expr.Range(), "Solver not found", fmt.Sprintf("The program of the solver %q "+
			"cannot be used: %s. %s", s.name, err, instead(first.AsString())))
		values["program"] = cty.UnknownVal(stages.FileType)
		return
	}
	values["program"] = stages.FileVal(f)
}
