package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
)

// TestVariableSources checks that flags override files, later files override earlier ones, files override the
// environment, and all override the default.
func TestVariableSources(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"a.hcl": `
variable "n" { default = 1 }
variable "s" {
  type    = string
  default = "none"
}
variable "l" {
  type    = list(number)
  default = []
}
variable "o" {
  type    = object({ a = number, b = optional(string, "b") })
  default = { a = 1 }
}
locals { all = "${var.n} ${var.s} ${jsonencode(var.l)} ${var.o.a}${var.o.b}" }
`,
		"vars/one.hcl": "n = 2\ns = \"file\"\n",
		"vars/two.hcl": "n = 3\nl = [1, 2]\n",
	})
	one, two := filepath.Join(dir, "vars/one.hcl"), filepath.Join(dir, "vars/two.hcl")
	tests := []struct {
		name  string
		env   []string
		files []string
		vars  map[string]string
		want  string
	}{
		{name: "defaults", want: "1 none [] 1b"},
		{name: "environment", env: []string{"SMTPIPE_VAR_s=env", "SMTPIPE_VAR_l=[7]", "SMTPIPE_VAR_other=1", "HOME=/"},
			want: "1 env [7] 1b"},
		{name: "file over environment", env: []string{"SMTPIPE_VAR_s=env"}, files: []string{one}, want: "2 file [] 1b"},
		{name: "later file", files: []string{one, two}, want: "3 file [1,2] 1b"},
		{name: "other order", files: []string{two, one}, want: "2 file [1,2] 1b"},
		{name: "flag", files: []string{one, two}, vars: map[string]string{"n": "4", "s": "[not an expression",
			"o": `{ a = 2, b = "c" }`}, want: "4 [not an expression [1,2] 2c"},
		{name: "a bare word where any type goes", vars: map[string]string{"n": "word"}, want: "word none [] 1b"},
		{name: "an empty text", vars: map[string]string{"s": ""}, want: "1  [] 1b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opt := options(dir)
			opt.Env, opt.VarFiles, opt.Vars = tt.env, tt.files, tt.vars
			p, diags := Load(opt)
			noErrors(t, p, diags)
			v, diags := p.Eval("local.all", nil)
			noErrors(t, p, diags)
			if got := v.AsString(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestSharedVariables checks that a variable shared by a module can be set from outside like any other, has the
// module's default, and is passed on.
func TestSharedVariables(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"main.hcl": `
module "m" {
  source    = "./m"
  variables = ["n", "o"]
}
locals { all = "${var.n} ${var.o.b} ${module.m.twice}" }
`,
		"m/m.hcl": `
variable "n" {
  type    = number
  default = 3
}
variable "o" {
  type    = object({ a = number, b = optional(string, "b") })
  default = { a = 1 }
}
output "twice" { value = 2 * var.n }
`})
	for given, want := range map[string]string{"": "3 b 6", "5": "5 b 10"} {
		opt := options(dir)
		if given != "" {
			opt.Vars = map[string]string{"n": given}
		}
		p, diags := Load(opt)
		noErrors(t, p, diags)
		v, diags := p.Eval("local.all", nil)
		noErrors(t, p, diags)
		if got := v.AsString(); got != want {
			t.Errorf("with n = %q: %q, want %q", given, got, want)
		}
	}
	opt := options(dir)
	opt.Vars = map[string]string{"n": "[]"}
	if _, diags := Load(opt); !strings.Contains(diags.Error(), "does not have its type number") {
		t.Errorf("a wrong type: %v", diags)
	}
}

func TestVarFileErrors(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"a.hcl":      "variable \"opening\" { type = number }\n",
		"vars/x.hcl": "openning = 1\nopening = \"x\"\nblock {}\n",
	})
	opt := options(dir)
	opt.VarFiles = []string{filepath.Join(dir, "vars/x.hcl"), filepath.Join(dir, "vars/none.hcl")}
	p, diags := Load(opt)
	got := strings.Join(strings.Fields(text(p, diags)), " ")
	for _, want := range []string{
		`declares no variable "openning". Did you mean "opening"?`, "does not have its type",
		"only lines of the form name = value", "There is no file or folder",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
}

// TestSensitive checks that a sensitive value works like any other and reaches arguments, but is not shown.
func TestSensitive(t *testing.T) {
	t.Parallel()
	opt := options(write(t, map[string]string{"a.hcl": `
variable "token" {
  type      = string
  sensitive = true
}
locals {
  url   = "https://x/${var.token}"
  pair  = { open = 1, hidden = upper(var.token) }
}
stage "fetch" "x" { zenodo = local.url }
output "url" { value = local.pair }
check "short" {
  condition = length(var.token) < 3 || length(local.url) == 0
  message   = "The token ${var.token} is long."
}
`}))
	opt.Vars = map[string]string{"token": "verysecret"}
	p, diags := Load(opt)
	got := text(p, diags)
	if !strings.Contains(got, `Check "short" failed`) || !strings.Contains(got, "var.token = (sensitive)") ||
		strings.Contains(got, "verysecret") {
		t.Errorf("diagnostics of a check with a sensitive value:\n%s", got)
	}
	inst, _ := p.Expand("stage.fetch.x", nil)
	if got := inst[0].Args.String("zenodo"); got != "https://x/verysecret" || inst[0].Action == nil {
		t.Errorf("argument %q, action %v", got, inst[0].Action)
	}
	outs, _ := p.Outputs(nil)
	if !outs[0].Sensitive || outs[0].Value.ContainsMarked() {
		t.Errorf("output %+v", outs[0])
	}
	v, diags := p.Eval("local.pair", nil)
	noErrors(t, p, diags)
	want := cty.ObjectVal(map[string]cty.Value{"open": cty.NumberIntVal(1), "hidden": cty.StringVal("(sensitive)")})
	if diff := cmp.Diff(want.GoString(), v.GoString()); diff != "" {
		t.Errorf("Eval (-want +got):\n%s", diff)
	}
}

func TestVersionFits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		version, constraint string
		want                bool
	}{
		{"1.2.3", "1.2.3", true},
		{"v1.2.3", "= 1.2.3", true},
		{"1.2.3", "1.2", false},
		{"1.2.0", "1.2", true},
		{"1.2.3", ">= 1.2", true},
		{"1.2.3", "> 1.2.3", false},
		{"1.2.3", ">= 1.0, < 2", true},
		{"2.0.0", ">= 1.0, < 2", false},
		{"1.9.0", "~> 1.2", true},
		{"1.1.9", "~> 1.2", false},
		{"2.0.0", "~> 1.2", false},
		{"1.2.9", "~> 1.2.3", true},
		{"1.3.0", "~> 1.2.3", false},
		{"1.10.0", "> 1.9", true},
		{"1.2.3", "!= 1.2.3", false},
		{"1.2.3-rc1", "1.2.3", true},
		{"devel", "> 99", true}, // a build from source has no comparable version
	}
	for _, tt := range tests {
		got, err := versionFits(tt.version, tt.constraint)
		if err != nil || got != tt.want {
			t.Errorf("versionFits(%q, %q) = %v, %v; want %v", tt.version, tt.constraint, got, err, tt.want)
		}
	}
	for _, bad := range []string{"", ">=", "x", "1.2.3.4", "=> 1", "1,"} {
		if _, err := versionFits("1.2.3", bad); err == nil {
			t.Errorf("versionFits of %q gives no error", bad)
		}
	}
}
