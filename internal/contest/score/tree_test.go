package score

import "testing"

// TestTree checks that every kind of expression in a rule set has a tree, and that trees omit text for people.
func TestTree(t *testing.T) {
	const src = `
rule_set { # this is left out
  year  = 2026
  title = "Test"
}
score "answers" {
  tracks = ["single_query", "parallel"]
  cite   = "§7"
  let {
    late = (r.wall_s > 0.1 * T)
    cite = !late && r.answer != "s\"t"
  }
  e = late ? true : null
  n = max(-1, r.n_checks % 2)
  c = "${r.cpu_s} s"
}
`
	const want = `{"format": "rules/1", "blocks": [
{"type":"rule_set","attributes":[["year",2026]]},
{"type":"score","labels":["answers"],"attributes":[["tracks",["list","single_query","parallel"]],` +
		`["e",["if",["get","late"],true,null]],["n",["call","max",["-",1],["%",["get","r","n_checks"],2]]],` +
		`["c",["hcl","\"${r.cpu_s} s\""]]],"blocks":[{"type":"let","attributes":[` +
		`["late",[">",["get","r","wall_s"],["*",0.1,["get","T"]]]],` +
		`["cite",["&&",["!",["get","late"]],["!=",["get","r","answer"],"s\"t"]]]]}]}
]}
`
	rs, diags := Decode([]byte(src), "test", nil)
	if rs.file == nil {
		t.Fatal(diags)
	}
	if got := string(rs.Tree()); got != want {
		t.Errorf("the tree is\n%s\nand should be\n%s", got, want)
	}
}
