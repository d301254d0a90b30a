package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/lang/config/functions"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Competition describes a pipeline's competition.
type Competition struct {
	Name    string
	Year    int
	Edition string // edition, such as "21st"; may be empty
	// Tracks maps each track to its divisions, and each division to its logics. It comes from the rules unless the
	// block sets its own.
	Tracks      cty.Value    // map of map of list of string; null: none
	Rules       *rules.Rules // nil: no rules
	brokenRules bool         // whether the rules have errors
	Image       cty.Value    // root file system image for runs; null or cty.NilVal: the machine's own file system
	Range       hcl.Range    // range of the block's header; empty without a block
}

// competition decodes a block competition { name year edition rules tracks }. All attributes must be constants, because
// they identify the whole pipeline.
func (l *loader) competition(m *module, b *hclsyntax.Block) {
	c := &l.p.competition
	switch {
	case m.parent != nil:
		l.report(b.DefRange(), "Unexpected block", "Only the pipeline itself has a \"competition\" block; a module sees "+
			"that of the pipeline as competition.year and so on.")
		return
	case c.Range.Filename != "":
		l.report(b.DefRange(), "Declared twice", fmt.Sprintf("The \"competition\" block is already declared at %s.",
			place(c.Range)))
		return
	}
	c.Range = b.DefRange()
	l.schema(schemaOf("competition"), b, nil)
	c.Name, _ = l.text(b.Body, "name")
	c.Edition, _ = l.text(b.Body, "edition")
	if year, ok := l.constant(b.Body, "year", cty.Number); ok {
		n, exact := year.AsBigFloat().Int64()
		if exact != 0 || n < 1900 || n > 9999 {
			l.report(b.Body.Attributes["year"].Expr.Range(), "Invalid year",
				"The year is a whole number with four digits.")
			return
		}
		c.Year = int(n)
	}
	l.rules(b)
	if c.Rules != nil {
		c.Tracks = rules.TracksOf(c.Rules.Divisions)
	}
	if tracks, ok := l.constant(b.Body, "tracks", rules.TracksType); ok {
		if hasNull(tracks) {
			l.report(b.Body.Attributes["tracks"].Expr.Range(), "Missing value",
				"Tracks, divisions and logics cannot be null.")
			return
		}
		c.Tracks = tracks
	}
	if image, ok := l.text(b.Body, "image"); ok {
		l.image(image, b.Body.Attributes["image"].Expr.Range())
	}
}

// image reads the competition's image.
func (l *loader) image(path string, at hcl.Range) {
	f, err := l.p.file(path)
	if err != nil {
		l.report(at, "Invalid image", upperFirst(err.Error())+"."+stages.RegistryHint(cty.StringVal(path)))
		return
	}
	l.p.competition.Image = stages.FileVal(f)
}

// rules reads the rules named in the competition block or, by default, the built-in rules of its year, if any.
func (l *loader) rules(b *hclsyntax.Block) {
	c := &l.p.competition
	at := b.DefRange()
	name, ok := l.text(b.Body, "rules")
	switch a := b.Body.Attributes["rules"]; {
	case ok:
		at = a.Expr.Range()
	case a != nil || !rules.IsBuiltin(strconv.Itoa(c.Year)):
		return
	default:
		name = strconv.Itoa(c.Year)
	}
	if !rules.IsBuiltin(name) {
		if err := functions.CheckLinks(l.root, name); err != nil {
			l.report(at, "Cannot read rules", "The folder "+err.Error()+".")
			c.brokenRules = true
			return
		}
	}
	loaded, diags := rules.Load(name, l.root)
	for _, d := range diags {
		if d.Subject == nil {
			d.Subject = at.Ptr()
		}
	}
	l.diags = append(l.diags, diags...)
	if loaded != nil {
		maps.Copy(l.src.files, loaded.Files)
	}
	if c.brokenRules = diags.HasErrors(); !c.brokenRules {
		c.Rules = loaded
		l.p.noteFiles(loaded.FileNames())
	}
}

// hasNull reports whether a value or any of its parts is null.
func hasNull(v cty.Value) bool {
	found := false
	_ = cty.Walk(v, func(_ cty.Path, part cty.Value) (bool, error) {
		found = found || part.IsNull()
		return !found, nil
	})
	return found
}

// competitionValue returns the value of competition in expressions. It is constant after the pipeline is loaded.
func (p *Pipeline) competitionValue() cty.Value {
	if p.competitionVal == cty.NilVal {
		p.competitionVal = p.competition.value()
	}
	return p.competitionVal
}

func (c *Competition) value() cty.Value {
	text := func(s string) cty.Value {
		if s == "" {
			return cty.NullVal(cty.String)
		}
		return cty.StringVal(s)
	}
	tracks := c.Tracks
	if tracks == cty.NilVal {
		tracks = cty.NullVal(rules.TracksType)
	}
	image := c.Image
	if image == cty.NilVal {
		image = cty.NullVal(stages.FileType)
	}
	given := c.Rules.Value()
	if c.brokenRules {
		// The error has been reported; its consequences are not.
		given, tracks = cty.DynamicVal, cty.UnknownVal(rules.TracksType)
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name":    text(c.Name),
		"year":    cty.NumberIntVal(int64(c.Year)),
		"edition": text(c.Edition),
		"tracks":  tracks,
		"rules":   given,
		"image":   image,
	})
}

// smtpipe decodes a block smtpipe { required_version }.
func (l *loader) smtpipe(m *module, b *hclsyntax.Block) {
	l.schema(schemaOf("smtpipe"), b, nil)
	want, ok := l.text(b.Body, "required_version")
	if !ok {
		return
	}
	at := b.Body.Attributes["required_version"].Expr.Range()
	fits, err := versionFits(l.version, want)
	switch {
	case err != nil:
		l.report(at, "Invalid version constraint", upperFirst(err.Error())+`. Write for example ">= 0.2" or "~> 1.4".`)
	case !fits:
		l.report(at, "Other version required", fmt.Sprintf("This pipeline needs smtpipe %s, but this is version %s. "+
			"Install "+
			"a matching version, or change the constraint.", want, l.version))
	}
}

// versionFits reports whether a version satisfies a list of constraints, such as ">= 1.2, < 2". A version that is not
// of the form 1.2.3, such as that of a build from source, satisfies all of them.
func versionFits(version, constraints string) (bool, error) {
	have, _, err := parseVersion(strings.TrimPrefix(version, "v"))
	unversioned := err != nil
	fits := true
	for c := range strings.SplitSeq(constraints, ",") {
		c = strings.TrimSpace(c)
		digits := strings.TrimLeft(c, "<>=!~ ")
		op := strings.TrimSpace(strings.TrimSuffix(c, digits))
		want, numbers, err := parseVersion(digits)
		if err != nil {
			return false, err
		}
		order := slices.Compare(have[:], want[:])
		switch op {
		case "", "=":
			fits = fits && order == 0
		case "!=":
			fits = fits && order != 0
		case ">":
			fits = fits && order > 0
		case ">=":
			fits = fits && order >= 0
		case "<":
			fits = fits && order < 0
		case "<=":
			fits = fits && order <= 0
		case "~>": // all numbers in the constraint except the last must be equal
			same := max(numbers-1, 1)
			fits = fits && order >= 0 && slices.Equal(have[:same], want[:same])
		default:
			return false, fmt.Errorf("%q is not a comparison of versions", op)
		}
	}
	return fits || unversioned, nil
}

// parseVersion parses a version such as 1.2.3, with at least one number, and returns how many numbers it has. Missing
// numbers are zero. It ignores any text after a dash or plus.
func parseVersion(s string) (v [3]int, numbers int, err error) {
	core, _, _ := strings.Cut(s, "+")
	core, _, _ = strings.Cut(core, "-")
	for part := range strings.SplitSeq(core, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || numbers == len(v) {
			return v, 0, fmt.Errorf("%q is not a version", s)
		}
		v[numbers] = n
		numbers++
	}
	return v, numbers, nil
}
