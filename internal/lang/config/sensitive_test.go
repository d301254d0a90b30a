package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

const secretPipeline = `
variable "token" {
  type      = string
  sensitive = true
}
variable "limit" {
  type      = number
  sensitive = true
}
locals { header = "Bearer ${var.token}" }
function "over" {
  params = [x, least]
  result = x > least && var.token != ""
}
function "listed" {
  params         = [first]
  variadic_param = logics
  result         = contains(logics, var.token) || first == var.token
}
stage "fetch" "x" {
  zenodo = local.header
  only   = ["open", var.token]
  env    = { TOKEN = var.token, OPEN = "plain" }
  days   = [var.limit, 31]
}
stage "index" "x" { source = stage.fetch.x.files }
stage "cap" "x" {
  benchmarks = stage.index.x.benchmarks
  take       = min(n, var.limit)
}
stage "filter" "x" {
  benchmarks = stage.index.x.benchmarks
  drop "inlined" { when = over(b.asserts, var.limit) }
  drop "called" { when = listed(b.logic, "LIA") }
  drop "compared" { when = b.logic == upper(var.token) }
}
`

// secretKeys loads the pipeline and returns the stages' keys, and all their key components as text.
func secretKeys(t *testing.T, token, limit string) (keys map[string]string, components string) {
	t.Helper()
	opt := options(write(t, map[string]string{"a.hcl": secretPipeline}))
	opt.Vars = map[string]string{"token": token, "limit": limit}
	p, diags := Load(opt)
	noErrors(t, p, diags)
	known := stages.Known{"stage.index.x": {
		"benchmarks": artifact("benchmarks/1", "x"), "count": cty.NumberIntVal(3),
		"logics": cty.SetValEmpty(cty.String),
	}}
	keys = map[string]string{}
	for _, n := range p.Nodes() {
		for _, in := range expand(t, p, n.Addr, known) {
			k := cache.NewKeyWriter(in.Kind.Name)
			in.Args.WriteKnown(k)
			keys[n.Addr] = k.Key().String()
			components += fmt.Sprintf("%s %q\n", n.Addr, k.Components())
		}
	}
	return keys, components
}

// TestSensitiveKeys checks that keys depend on sensitive values but reveal neither these values nor any computed from
// them.
func TestSensitiveKeys(t *testing.T) {
	t.Parallel()
	first, components := secretKeys(t, "swordfish", "98765")
	for _, secret := range []string{"swordfish", "SWORDFISH", "98765"} {
		if strings.Contains(components, secret) {
			t.Errorf("%s is in a key:\n%s", secret, components)
		}
	}
	for _, open := range []string{`"open"`, `plain`} {
		if !strings.Contains(strings.ReplaceAll(components, `\`, ""), open) {
			t.Errorf("%s, which is not sensitive, is not in the keys:\n%s", open, components)
		}
	}
	again, _ := secretKeys(t, "swordfish", "98765")
	token, _ := secretKeys(t, "swordfisk", "98765")
	limit, _ := secretKeys(t, "swordfish", "98766")
	for addr, key := range first {
		if again[addr] != key {
			t.Errorf("%s has another key with the same values", addr)
		}
		if addr == "stage.index.x" {
			continue // a stage that refers to neither
		}
		if addr != "stage.cap.x" && token[addr] == key {
			t.Errorf("%s has the same key with another token", addr)
		}
		if limit[addr] == key {
			t.Errorf("%s has the same key with another limit", addr)
		}
	}
}

// TestSensitiveArrives checks that a stage receives the actual value.
func TestSensitiveArrives(t *testing.T) {
	t.Parallel()
	opt := options(write(t, map[string]string{"a.hcl": secretPipeline}))
	opt.Vars = map[string]string{"token": "swordfish", "limit": "98765"}
	p, diags := Load(opt)
	noErrors(t, p, diags)
	args := expand(t, p, "stage.fetch.x", nil)[0].Args
	if got := args.String("zenodo") + fmt.Sprint(args.Strings("only")); got != "Bearer swordfish[open swordfish]" {
		t.Errorf("arguments %s", got)
	}
	if got := args.Value("env").AsValueMap()["TOKEN"].AsString(); got != "swordfish" {
		t.Errorf("environment %s", got)
	}
}

// TestRedact checks that the values of sensitive variables are removed from messages, longer ones first.
func TestRedact(t *testing.T) {
	t.Parallel()
	opt := options(write(t, map[string]string{"a.hcl": `
variable "a" {
  sensitive = true
  default   = "sword"
}
variable "b" {
  sensitive = true
  default   = { user = "swordfish", pin = 12345, short = "abc" }
}
`}))
	p, diags := Load(opt)
	noErrors(t, p, diags)
	got := p.Redact("get https://swordfish:12345@x/abc?sword: refused")
	if want := "get https://(sensitive):(sensitive)@x/abc?(sensitive): refused"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	d := &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "swordfish", Detail: "12345"}
	if p.redactAll(hcl.Diagnostics{d}); d.Summary+d.Detail != "(sensitive)(sensitive)" {
		t.Errorf("diagnostic %v", d)
	}
}
