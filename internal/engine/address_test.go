package engine

import "testing"

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ addr, block, keys string }{
		{"stage.cap.x", "stage.cap.x", ""},
		{`stage.cap.x["a"]`, "stage.cap.x", `["a"]`},
		{`module.m["k"].stage.cap.x["a"]`, "module.m.stage.cap.x", `["k"]["a"]`},
		{`module.m.module.n["k"].stage.cap.x`, "module.m.module.n.stage.cap.x", `["k"]`},
		{`stage.cap.x["a.b"]`, "stage.cap.x", `["a.b"]`},
		{`module.m["a]b"].stage.cap.x["\"]\\"]`, "module.m.stage.cap.x", `["a]b"]["\"]\\"]`},
		{`stage.cap.x["a`, "stage.cap.x", `["a`},
		{`stage.cap.x["a"]::item`, "stage.cap.x.::item", `["a"]`},
		{"", "", ""},
	} {
		if got := blockOf(c.addr); got != c.block {
			t.Errorf("blockOf(%s) = %s, want %s", c.addr, got, c.block)
		}
		if got := keysOf(c.addr); got != c.keys {
			t.Errorf("keysOf(%s) = %s, want %s", c.addr, got, c.keys)
		}
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	const instance = `module.m["k"].stage.cap.x["a.b"]`
	for addr, want := range map[string]bool{
		instance:                            true,
		`module.m.stage.cap.x`:              true,
		`module.m["k"].stage.cap.x`:         true,
		`module.m.stage.cap.x["a.b"]`:       true,
		`module.m["l"].stage.cap.x`:         false,
		`module.m["k"].stage.cap.x["a"]`:    false,
		`module.m["k"].stage.cap.y`:         false,
		`module.m["k"]`:                     false,
		`stage.cap.x["a.b"]`:                false,
		`module.m["k"].stage.cap.x["a.b"].`: false,
	} {
		if got := Covers(addr, instance); got != want {
			t.Errorf("Covers(%s) = %v, want %v", addr, got, want)
		}
	}
}
