package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// maxInstances limits the instances of a block: in its for_each, and in total over all instances of its module.
const maxInstances = 10_000

// expansion holds a block's instances.
type expansion struct {
	single bool        // whether the block has no for_each
	keys   []string    // sorted instance keys
	values []cty.Value // each.value for each key
	waits  []string    // if not empty, the keys are unknown
	failed bool
}

// keyText returns an instance's key as written in addresses.
func keyText(key string) string {
	q := strconv.Quote(key)
	q = strings.ReplaceAll(q, "${", "$${")
	return "[" + strings.ReplaceAll(q, "%{", "%%{") + "]"
}

// expand evaluates a block's for_each.
func (e *evaluator) expand(d *decl, forEach hclsyntax.Expression, at *instance) *expansion {
	if forEach == nil {
		return &expansion{single: true}
	}
	mem, key := e.memoryOf(d), memoryKey{d.id, at.addr}
	if x, ok := mem.expansions[key]; ok {
		return x
	}
	x := e.expandOnce(forEach, at)
	mem.expansions[key] = x
	return x
}

func (e *evaluator) expandOnce(forEach hclsyntax.Expression, at *instance) *expansion {
	r := e.expr(forEach, at, blockScope{})
	v, marks := r.val.Unmark()
	t := v.Type()
	if _, secret := marks[stages.Sensitive{}]; secret {
		e.refuseSensitive(r.val, forEach.Range(), "for_each")
		return &expansion{failed: true}
	}
	fail := func(detail string) *expansion {
		e.errorAt(forEach.Range(), "Invalid for_each", detail)
		return &expansion{failed: true}
	}
	switch {
	case v.IsKnown() && v.IsNull():
		return fail("for_each must be a map, an object or a set of strings, but this is null.")
	case t == cty.DynamicPseudoType:
	case t.IsMapType(), t.IsObjectType(), t.IsSetType() && t.ElementType() == cty.String, t.IsSetType() &&
		t.ElementType() == cty.DynamicPseudoType:
	case t.IsListType(), t.IsTupleType():
		return fail("for_each must be a map, an object or a set of strings, but this is a list, whose elements have " +
			"no keys. Write toset([...]).")
	default:
		return fail(fmt.Sprintf("for_each must be a map, an object or a set of strings, but this is a %s.",
			typeName(t)))
	}
	if !v.IsKnown() || t.IsSetType() && !v.IsWhollyKnown() {
		if len(r.waits) == 0 {
			return &expansion{failed: true} // the error is reported elsewhere
		}
		return &expansion{waits: r.waits}
	}
	if v.LengthInt() > maxInstances {
		return fail(fmt.Sprintf("for_each has %d elements; at most %d are possible. Whatever is numerous, such as "+
			"benchmarks and runs, belongs in rows of tables, not in stages.", v.LengthInt(), maxInstances))
	}
	x := &expansion{}
	for it := v.ElementIterator(); it.Next(); {
		k, elem := it.Element()
		if t.IsSetType() {
			k, _ = elem.Unmark()
			if k.IsNull() {
				return fail("A for_each set must not contain null.")
			}
		}
		x.keys = append(x.keys, k.AsString())
		x.values = append(x.values, elem)
	}
	return x // maps, objects and sets of strings iterate in key order
}

// tooMany reports a block with too many instances.
func (e *evaluator) tooMany(n int, d *decl) bool {
	if n > maxInstances {
		e.errorAt(d.rng, "Too many instances", fmt.Sprintf("Across all instances of its module, the block has more "+
			"than %d "+
			"instances. Put large numbers of items, such as benchmarks and runs, in table rows instead of stages.",
			maxInstances))
	}
	return n > maxInstances
}

// scopes returns the scope and address of each of a block's instances. A block whose instances are not known yet has a
// single scope, with unknown each, that stands for all of them.
func (x *expansion) scopes(addr string, self cty.Value) (addrs []string, scopes []blockScope) {
	switch {
	case x.failed:
		return nil, nil
	case x.single:
		return []string{addr}, []blockScope{{self: self}}
	case len(x.waits) > 0:
		return []string{addr}, []blockScope{{key: cty.UnknownVal(cty.String).RefineNotNull(), value: cty.DynamicVal,
			self: self, waits: x.waits}}
	}
	for i, key := range x.keys {
		addrs = append(addrs, addr+keyText(key))
		scopes = append(scopes, blockScope{key: cty.StringVal(key), value: x.values[i], self: self})
	}
	return addrs, scopes
}

func selfValue(name string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(name)})
}

// each evaluates a block in every instance and returns its value for references: the value itself, or a map if the
// block has for_each. typ is the type of a single value; if it is dynamic, the result is an object instead of a map.
func (e *evaluator) each(x *expansion, addr string, self cty.Value, typ cty.Type,
	one func(addr string, sc blockScope) result) result {
	if x.failed {
		return unknown
	}
	addrs, scopes := x.scopes(addr, self)
	switch {
	case x.single:
		return one(addrs[0], scopes[0])
	case len(x.waits) > 0:
		if typ.HasDynamicTypes() {
			return result{cty.DynamicVal, x.waits}
		}
		return result{cty.UnknownVal(cty.Map(typ)).RefineNotNull(), x.waits}
	case len(addrs) == 0 && !typ.HasDynamicTypes():
		return result{val: cty.MapValEmpty(typ)}
	}
	values, waits := map[string]cty.Value{}, []string(nil)
	same := true
	for i, key := range x.keys {
		r := one(addrs[i], scopes[i])
		values[key] = waiting(r.val, r.waits)
		waits = append(waits, r.waits...)
		same = same && r.val.Type().Equals(typ)
	}
	slices.Sort(waits)
	waits = slices.Compact(waits)
	if same {
		return result{cty.MapVal(values), waits}
	}
	return result{cty.ObjectVal(values), waits}
}
