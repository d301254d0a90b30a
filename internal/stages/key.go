package stages

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// WriteKey writes every argument by name. It writes values, never source text, so that comments, formatting, renames
// and the order of attributes do not change keys. Artifacts and files are written as content digests.
func (a *Args) WriteKey(k *cache.KeyWriter) {
	attrs := slices.Clone(a.attrs)
	slices.SortFunc(attrs, func(x, y Attr) int { return cmpString(x.Name, y.Name) })
	for i := range attrs {
		if !attrs[i].NotInKey {
			a.writeAttr(k, &attrs[i])
		}
	}
	a.writeBlocks(k, (*Args).WriteKey)
}

// WriteKnown writes known arguments as WriteKey does, and Unknown for each unknown argument. It is for instances whose
// key cannot be computed yet.
func (a *Args) WriteKnown(k *cache.KeyWriter) {
	attrs := slices.Clone(a.attrs)
	slices.SortFunc(attrs, func(x, y Attr) int { return cmpString(x.Name, y.Name) })
	for i := range attrs {
		name := attrs[i].Name
		v, plain := a.values[name]
		row := a.rows[name]
		switch {
		case attrs[i].NotInKey:
		case row != nil && !row.Known(), row == nil && plain && !v.IsWhollyKnown():
			k.String(name, Unknown)
		default:
			a.writeAttr(k, &attrs[i])
		}
	}
	a.writeBlocks(k, (*Args).WriteKnown)
}

// Unknown stands for an argument whose value is not known yet.
const Unknown = "(known later)"

func (a *Args) writeAttr(k *cache.KeyWriter, attr *Attr) {
	switch {
	case a.rows[attr.Name] != nil:
		k.String(attr.Name, a.rows[attr.Name].Canonical())
	case !a.Has(attr.Name):
	case a.forKey(attr.Name).IsMarked():
		k.String(attr.Name, secretText(a.forKey(attr.Name)))
	case attr.KeyText != nil:
		k.String(attr.Name, attr.KeyText(a.values[attr.Name]))
	case attr.Unit == Duration:
		k.String(attr.Name, a.Duration(attr.Name).String())
	case attr.Unit == Size:
		k.String(attr.Name, numberText(a.values[attr.Name])+" B")
	case attr.InKey != nil:
		writeValue(k, attr.Name, attr.InKey(a.forKey(attr.Name)))
	default:
		writeValue(k, attr.Name, a.forKey(attr.Name))
	}
}

// writeBlocks writes the nested blocks, calling write for each.
func (a *Args) writeBlocks(k *cache.KeyWriter, write func(*Args, *cache.KeyWriter)) {
	for _, name := range slices.Sorted(maps.Keys(a.blocks)) {
		for i, b := range a.blocks[name] {
			k.Within(name+"["+strconv.Itoa(i)+"]", func() {
				if b.Label != "" {
					k.String("label", b.Label)
				}
				write(b, k)
			})
		}
	}
}

// writeValue writes a known value, with one component per leaf. A sensitive part is written as its digest.
func writeValue(k *cache.KeyWriter, name string, v cty.Value) {
	t := v.Type()
	switch {
	case v.IsMarked():
		k.String(name, secretText(v))
	case v.IsNull():
		k.String(name, "null")
	case t == cty.String:
		k.String(name, strconv.Quote(v.AsString()))
	case t == cty.Number:
		k.String(name, numberText(v))
	case t == cty.Bool:
		k.Bool(name, v.True())
	case IsArtifact(t):
		art, _ := ArtifactOf(v)
		k.String(name, art.Schema+" sha256:"+art.Digest.String())
	case t.Equals(FileType):
		f, _ := FileOf(v)
		k.String(name, f.Name+" sha256:"+f.Digest.String())
	case t.IsSetType():
		k.Int(name+".count", int64(v.LengthInt()))
		for i, e := range sortedSet(v) {
			writeValue(k, fmt.Sprintf("%s[%d]", name, i), e)
		}
	case t.IsListType(), t.IsTupleType():
		k.Int(name+".count", int64(v.LengthInt()))
		for i, e := range v.AsValueSlice() {
			writeValue(k, fmt.Sprintf("%s[%d]", name, i), e)
		}
	case t.IsMapType(), t.IsObjectType():
		m := v.AsValueMap()
		inKey(m, t)
		names := slices.Sorted(maps.Keys(m))
		k.Int(name+".count", int64(len(names)))
		for _, n := range names {
			writeValue(k, name+"."+n, m[n])
		}
	default:
		panic(fmt.Sprintf("stages: a value of type %s cannot be part of a key", t.FriendlyName()))
	}
}

// numberText writes whole numbers with all digits and other numbers in the shortest form that parses to the same value.
func numberText(v cty.Value) string {
	f := v.AsBigFloat()
	if f.IsInt() {
		return f.Text('f', 0)
	}
	return f.Text('g', -1)
}

// sortedSet returns a set's elements sorted by their text, which does not depend on how cty stores sets.
func sortedSet(v cty.Value) []cty.Value {
	elems := v.AsValueSlice()
	slices.SortFunc(elems, func(x, y cty.Value) int { return cmpString(elementText(x), elementText(y)) })
	return elems
}

func elementText(v cty.Value) string {
	k := cache.NewKeyWriter("element")
	writeValue(k, "v", v)
	text := ""
	for _, c := range k.Components() {
		text += c.Value + "\x00"
	}
	return text
}

func cmpString(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
