package engine

import "strings"

// ChangeText briefly describes a change to a key component.
type ChangeText struct{ Name, Text string }

// Summarise describes changes. An object that was added or removed as a whole, such as a solver with all its
// attributes, takes one line; "smtpipe explain" lists every attribute. List elements are compared as a set, because
// removing one shifts the others.
func Summarise(changes []Change) []ChangeText {
	type list struct{ old, new []string }
	whole := map[string]string{} // descriptions of whole objects, by name prefix
	lists := map[string]*list{}
	for _, c := range changes {
		if parts, ok := strings.CutSuffix(c.Name, ".count"); ok && (c.Old == "") != (c.New == "") {
			whole[parts] = "is new"
			if c.New == "" {
				whole[parts] = "is gone"
			}
		}
		if root, ok := listOf(c.Name); ok {
			if lists[root] == nil {
				lists[root] = &list{}
			}
			lists[root].old, lists[root].new = append(lists[root].old, c.Old), append(lists[root].new, c.New)
		}
	}
	var all []ChangeText
	for _, c := range changes {
		of, root := outermost(whole, c.Name), ""
		parent, isCount := strings.CutSuffix(c.Name, ".count")
		if list, element := listOf(c.Name); element {
			root = list
		}
		switch {
		case of != "" && of+".count" == c.Name:
			all = append(all, ChangeText{of, of + " " + whole[of]})
		case of != "" || isCount && (lists[parent] != nil || hasPart(whole, parent)):
			// The elements already show that the count changed.
		case root == "":
			all = append(all, ChangeText{c.Name, c.String()})
		case lists[root] != nil:
			for _, text := range setChanges(lists[root].old, lists[root].new) {
				all = append(all, ChangeText{root, root + ": " + text})
			}
			lists[root].old, lists[root].new = nil, nil
		}
	}
	return all
}

// outermost returns the shortest prefix in whole that contains name, or "".
func outermost(whole map[string]string, name string) string {
	found := ""
	for of := range whole {
		if strings.HasPrefix(name, of+".") && (found == "" || len(of) < len(found)) {
			found = of
		}
	}
	return found
}

func hasPart(whole map[string]string, of string) bool {
	for name := range whole {
		if strings.HasPrefix(name, of+".") && !strings.Contains(name[len(of)+1:], ".") {
			return true
		}
	}
	return false
}

// listOf returns the list that contains a component.
func listOf(component string) (list string, ok bool) {
	i := strings.LastIndexByte(component, '[')
	if i < 0 || !strings.HasSuffix(component, "]") {
		return "", false
	}
	return component[:i], true
}

// setChanges describes the differences between two sets of elements. Files are identified by name.
func setChanges(old, new []string) []string {
	after := map[string]string{}
	for _, v := range new {
		name, digest, _ := strings.Cut(v, "sha256:")
		after[name] = digest
	}
	var texts []string
	before := map[string]bool{"": true}
	for _, v := range old {
		name, digest, _ := strings.Cut(v, "sha256:")
		now, found := after[name]
		switch {
		case name == "":
		case !found:
			texts = append(texts, shorten(strings.TrimSpace(name))+" is gone")
		case now != digest:
			texts = append(texts, shorten(strings.TrimSpace(name))+" changed")
		}
		before[name] = true
	}
	for _, v := range new {
		if name, _, _ := strings.Cut(v, "sha256:"); !before[name] {
			texts = append(texts, shorten(strings.TrimSpace(name))+" is new")
		}
	}
	if texts == nil {
		texts = []string{"in another order"}
	}
	return texts
}
