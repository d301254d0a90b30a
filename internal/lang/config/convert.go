package config

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/lang/config/functions"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// attrError explains why a value is invalid for an attribute.
type attrError struct{ summary, detail string }

// convertAttr converts an evaluated, non-null value to an attribute's type: strings with units to numbers, paths to
// files, and all other values by HCL's conversions. Unknown values become unknown values of the attribute's type.
func (p *Pipeline) convertAttr(v cty.Value, attr *stages.Attr) (cty.Value, *attrError) {
	wrong := func(why string) (cty.Value, *attrError) {
		return cty.NilVal, &attrError{"Wrong type", fmt.Sprintf("%q must be %s: %s.", attr.Name, article(attr.Type),
			why)}
	}
	switch {
	case attr.Unit != stages.NoUnit:
		return withUnit(v, attr)
	case attr.Type == cty.DynamicPseudoType:
		return canonical(v), nil
	case attr.Bulk && v.Type() == cty.String && v.IsKnown() && p.files != nil && isFolder(p.folder, v.AsString()):
		// A release is large and often stored elsewhere, behind a link. Only its archives are read, never text files.
		f, err := p.files.File(v.AsString())
		if err != nil {
			return cty.NilVal, &attrError{"Invalid file", fmt.Sprintf("%q: %s.", attr.Name, err)}
		}
		p.noteFolder(f)
		return stages.FileVal(f), nil
	case holdsFiles(attr.Type):
		files, err := p.toFiles(v, attr.Type)
		if err != nil {
			return cty.NilVal, &attrError{"Invalid file", fmt.Sprintf("%q: %s.", attr.Name, err)}
		}
		return files, nil
	}
	v = listOfMap(v, attr.Type)
	converted, err := convert.Convert(v, attr.Type)
	if err != nil {
		return wrong(mismatch(v.Type(), attr.Type, err) + p.outputsOf(attr.Type))
	}
	if at := nullElement(converted); at != "" {
		return cty.NilVal, &attrError{"Null element", fmt.Sprintf("%q has no value at %s. Remove the element, or "+
			"set its value.", attr.Name, at)}
	}
	return canonical(converted), nil
}

// checkWhole reports a number that the attribute does not allow, and returns an allowed one, with which the other
// attributes can be checked.
func checkWhole(v cty.Value, attr *stages.Attr) (cty.Value, *attrError) {
	if attr.Whole == nil || !v.IsKnown() || v.IsNull() || attr.Whole.Allows(v) {
		return v, nil
	}
	err := &attrError{"Invalid number", fmt.Sprintf("%q is a %s.", attr.Name, attr.Whole)}
	return cty.NumberIntVal(attr.Whole.Min), err
}

// isFolder reports whether a path relative to the pipeline's folder is a folder or a link to a folder.
func isFolder(folder, path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// nullElement returns the position of the first null in a list, set or map, such as [2] or ["key"], or "".
func nullElement(v cty.Value) string {
	if !v.IsKnown() || v.IsNull() || !v.Type().IsCollectionType() {
		return ""
	}
	for it := v.ElementIterator(); it.Next(); {
		key, elem := it.Element()
		at := "[an element]" // elements of a set have no position
		switch {
		case v.Type().IsMapType():
			at = fmt.Sprintf("[%q]", key.AsString())
		case v.Type().IsListType():
			at = "[" + key.AsBigFloat().Text('f', 0) + "]"
		}
		if elem.IsKnown() && elem.IsNull() {
			return at
		}
		if inner := nullElement(elem); inner != "" {
			return at + inner
		}
	}
	return ""
}

// withUnit parses a string such as "20m" or "30GB".
func withUnit(v cty.Value, attr *stages.Attr) (cty.Value, *attrError) {
	example, what := `"20m"`, "duration"
	if attr.Unit == stages.Size {
		example, what = `"30GB"`, "size"
	}
	switch {
	case v.Type() == cty.Number:
		return cty.NilVal, &attrError{"Unit missing", fmt.Sprintf("%q is a %s, and a number without a unit says "+
			"nothing. Write for example %s = %s.", attr.Name, what, attr.Name, example)}
	case !v.IsKnown() && (v.Type() == cty.String || v.Type() == cty.DynamicPseudoType):
		return cty.UnknownVal(cty.Number), nil
	case v.Type() != cty.String:
		return cty.NilVal, &attrError{"Wrong type", fmt.Sprintf("%q must be a text with a unit, as %s.", attr.Name,
			example)}
	}
	var n int64
	var err error
	if attr.Unit == stages.Size {
		n, err = comp.ParseSize(v.AsString())
	} else {
		d, derr := comp.ParseDuration(v.AsString())
		n, err = int64(d), derr
	}
	if err != nil {
		return cty.NilVal, &attrError{"Invalid " + what, fmt.Sprintf("%q: %s.", attr.Name, err)}
	}
	return canonical(cty.NumberIntVal(n)), nil
}

// holdsFiles reports whether a type consists of files or collections of files.
func holdsFiles(t cty.Type) bool {
	if t.IsCollectionType() {
		return holdsFiles(t.ElementType())
	}
	return t.Equals(stages.FileType)
}

// toFiles converts paths to files in a value of the type want, which contains files.
func (p *Pipeline) toFiles(v cty.Value, want cty.Type) (cty.Value, error) {
	switch {
	case v.Type().Equals(want):
		return v, nil
	case !v.IsKnown():
		return cty.UnknownVal(want), nil
	case v.IsNull():
		return cty.NilVal, errors.New("null is not a file")
	case want.IsCollectionType():
		return p.toFileCollection(v, want)
	case v.Type() == cty.String:
		f, err := p.file(v.AsString())
		if err != nil {
			return cty.NilVal, err
		}
		return stages.FileVal(f), nil
	}
	return cty.NilVal, fmt.Errorf("a file must be a path or a fileset() value, but this is %s", article(v.Type()))
}

func (p *Pipeline) toFileCollection(v cty.Value, want cty.Type) (cty.Value, error) {
	t := v.Type()
	mapped := want.IsMapType()
	if mapped != (t.IsMapType() || t.IsObjectType()) || !t.IsCollectionType() && !t.IsTupleType() && !t.IsObjectType() {
		return cty.NilVal, fmt.Errorf("it must be %s, but this is %s", article(want), article(t))
	}
	var elems []cty.Value
	named := map[string]cty.Value{}
	for it := v.ElementIterator(); it.Next(); {
		k, elem := it.Element()
		f, err := p.toFiles(elem, want.ElementType())
		if err != nil {
			return cty.NilVal, err
		}
		if elems = append(elems, f); mapped {
			named[k.AsString()] = f
		}
	}
	if mapped {
		return convert.Convert(cty.ObjectVal(named), want)
	}
	return convert.Convert(cty.TupleVal(elems), want)
}

// file returns a file named in the pipeline.
func (p *Pipeline) file(path string) (stages.File, error) {
	if p.files == nil {
		return stages.File{}, fmt.Errorf("%q cannot be read here, where files are out of reach", path)
	}
	if path == "" {
		return stages.File{}, errors.New("the path of a file is empty")
	}
	if err := functions.CheckLinks(p.folder, path); err != nil {
		return stages.File{}, err
	}
	f, err := p.files.File(path)
	if err == nil {
		p.noteFolder(f)
	}
	return f, err
}

func (p *Pipeline) program(name string) (stages.File, error) {
	if p.files == nil {
		return stages.File{}, fmt.Errorf("%q cannot be looked up here, where files are out of reach", name)
	}
	if name == "" {
		return stages.File{}, errors.New("its name is empty")
	}
	if strings.Contains(name, "/") { // names without a slash are system programs
		if err := functions.CheckLinks(p.folder, name); err != nil {
			return stages.File{}, err
		}
	}
	return p.files.Program(name)
}

// listOfMap returns a map's elements in key order if a list is required, as in solvers = solver, and a single table as
// a list with one element.
func listOfMap(v cty.Value, want cty.Type) cty.Value {
	t := v.Type()
	if want.IsListType() && stages.IsArtifact(t) && t.Equals(want.ElementType()) {
		return cty.TupleVal([]cty.Value{v})
	}
	if !want.IsListType() || !t.IsMapType() && !t.IsObjectType() || t.IsObjectType() &&
		!want.ElementType().IsObjectType() && !want.ElementType().IsCapsuleType() {
		return v
	}
	if t.IsObjectType() && want.ElementType().IsObjectType() && !allObjects(t) {
		return v // a single object where a list of objects is required
	}
	if !v.IsKnown() {
		return cty.DynamicVal
	}
	if v.LengthInt() == 0 {
		return cty.EmptyTupleVal
	}
	var elems []cty.Value
	for it := v.ElementIterator(); it.Next(); {
		_, elem := it.Element()
		elems = append(elems, elem)
	}
	return cty.TupleVal(elems)
}

func allObjects(t cty.Type) bool {
	for _, a := range t.AttributeTypes() {
		if !a.IsObjectType() {
			return false
		}
	}
	return true
}

// precision is the precision of parsed numbers.
const precision = 512

// canonical returns a value in which equal numbers have the same precision, so their text in keys is independent of
// their origin.
func canonical(v cty.Value) cty.Value {
	out, err := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if v.Type() != cty.Number || !v.IsKnown() || v.IsNull() || v.IsMarked() {
			return v, nil
		}
		f := v.AsBigFloat()
		if f.Sign() == 0 {
			return cty.NumberVal(new(big.Float).SetPrec(precision)), nil // replace negative zero
		}
		return cty.NumberVal(new(big.Float).SetPrec(precision).Set(f)), nil
	})
	if err != nil {
		return v
	}
	return out
}

// mismatch explains why a value of type have cannot be converted to type want.
func mismatch(have, want cty.Type, err error) string {
	switch {
	case want.IsListType() && stages.IsArtifact(want.ElementType()) && stages.IsArtifact(have):
		return "this is " + article(have) + "; write it in brackets, [ ... ]"
	case holdsArtifacts(want) || holdsArtifacts(have):
		return "this is " + article(have)
	case want.IsListType() && !have.IsCollectionType() && !have.IsTupleType() && !have.IsObjectType():
		return "this is " + article(have) + "; write it in brackets, [ ... ]"
	case want == cty.Bool && have == cty.String:
		return "write true or false, without quotes"
	case want.Equals(stages.ExecutorType) && have == cty.String:
		return "write executor.KIND.NAME, without quotes"
	}
	return conversionText(err)
}

// outputsOf lists the pipeline's outputs of the wanted artifact type, as suggestions. It returns "" for other types.
func (p *Pipeline) outputsOf(want cty.Type) string {
	if !stages.IsArtifact(want) {
		return ""
	}
	var names []string
	for _, n := range p.nodes {
		for _, o := range n.Kind.Outputs {
			if o.Type.Equals(want) {
				names = append(names, n.Addr+"."+o.Name)
			}
		}
	}
	const most = 4
	switch {
	case len(names) == 0:
		return "; no stage of this pipeline produces one"
	case len(names) > most:
		return fmt.Sprintf("; write one as %s", strings.Join(names[:most], ", "))
	}
	return "; take " + strings.Join(names, " or ")
}

func holdsArtifacts(t cty.Type) bool {
	switch {
	case t.IsCollectionType():
		return holdsArtifacts(t.ElementType())
	case t.IsTupleType():
		return slices.ContainsFunc(t.TupleElementTypes(), holdsArtifacts)
	case t.IsObjectType():
		return slices.ContainsFunc(slices.Collect(maps.Values(t.AttributeTypes())), holdsArtifacts)
	}
	return stages.IsArtifact(t)
}

// typeName returns a type's human-readable name.
func typeName(t cty.Type) string {
	switch {
	case t == cty.DynamicPseudoType:
		return "value of any type"
	case t.Equals(stages.SolverType):
		return "solver"
	case t.Equals(stages.ExecutorType):
		return "executor"
	case t.IsObjectType() && len(t.AttributeTypes()) > 0 && holdsArtifacts(t):
		return "stage with the outputs " + words.OneOf(attrNames(t))
	case t.IsListType():
		return "list of " + plural(typeName(t.ElementType()))
	case t.IsSetType():
		return "set of " + plural(typeName(t.ElementType()))
	case t.IsMapType():
		return "map of " + plural(typeName(t.ElementType()))
	case t.IsTupleType():
		return "tuple"
	}
	return t.FriendlyNameForConstraint()
}

func plural(name string) string {
	if rest, ok := strings.CutPrefix(name, "table of "); ok {
		return "tables of " + rest
	}
	if rest, ok := strings.CutPrefix(name, "value of "); ok {
		return "values of " + rest
	}
	for _, collection := range []string{"list", "set", "map"} {
		if rest, ok := strings.CutPrefix(name, collection+" of "); ok {
			return collection + "s of " + rest
		}
	}
	return name + "s"
}

func article(t cty.Type) string {
	name := typeName(t)
	if strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

func attrNames(t cty.Type) []string {
	return slices.Sorted(maps.Keys(t.AttributeTypes()))
}

// conversionText describes a conversion error, including the path inside the value.
func conversionText(err error) string {
	var at cty.PathError
	if !errors.As(err, &at) || len(at.Path) == 0 {
		return err.Error()
	}
	var w strings.Builder
	for _, step := range at.Path {
		switch s := step.(type) {
		case cty.GetAttrStep:
			w.WriteString("." + s.Name)
		case cty.IndexStep:
			switch {
			case !s.Key.IsKnown():
				w.WriteString("[...]")
			case s.Key.Type() == cty.String:
				w.WriteString(keyText(s.Key.AsString()))
			case s.Key.Type() == cty.Number:
				w.WriteString("[" + s.Key.AsBigFloat().Text('f', 0) + "]")
			}
		}
	}
	return "at " + w.String() + ": " + at.Error()
}

func upperFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// localPath cleans a slash-separated path and reports whether it stays within its folder.
func localPath(s string) (string, bool) {
	clean := path.Clean(s)
	return clean, s != "" && clean != "." && filepath.IsLocal(filepath.FromSlash(clean)) && !strings.ContainsRune(s, 0)
}
