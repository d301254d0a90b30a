package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// TestNames writes each name as its root, the name and the lines of its places, with * at declarations. The lines were
// counted by hand.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"main.hcl": `variable "year" {
  default = 2030
  validation {
    condition = var.year > 2000
    message   = "old"
  }
}
locals {
  next = var.year + 1
  all  = [for next in [local.next] : twice(next)]
}
function "twice" {
  params = [x, y]
  result = x + [for x in [y] : x][0]
}
stage "index" "main" {
  source = local["next"]
}
stage "filter" "main" {
  benchmarks = stage.index.main.benchmarks
  drop "b" {
    when = b.logic == "X"
  }
}
module "m" {
  source    = "./part"
  variables = ["limit"]
  few       = local.next
}
module "n" {
  source = "./part"
  few    = 1
  limit  = var.limit
}
output "o" {
  value = [module.m.sum, module.n["sum"], module.m]
}
`,
		"part/p.hcl": `variable "limit" {
  default = 1
}
variable "few" {
}
output "sum" {
  value = var.limit + var.few
}
`}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	declared := config.Names(config.Options{Path: dir, Kinds: all.Kinds()})
	if !declared.Complete {
		t.Error("a file could not be read")
	}
	var got []string
	for _, n := range declared.Names {
		line := n.Root + " " + n.Name
		for _, p := range n.Places {
			file, err := filepath.Rel(dir, p.File)
			if err != nil {
				t.Fatal(err)
			}
			text := files[filepath.ToSlash(file)]
			if text[p.Start:p.End] != n.Name {
				t.Errorf("%s has a place of %q", line, text[p.Start:p.End])
			}
			mark := ""
			if p.Declares {
				mark = "*"
			}
			line += fmt.Sprintf(" %c%d%s", file[0], strings.Count(text[:p.Start], "\n")+1, mark)
		}
		got = append(got, line)
	}
	slices.Sort(got)
	want := []string{
		"function twice m12* m10",
		"local all m10*",
		"local next m9* m10 m17 m28",
		"module m m25* m36 m36",
		"module n m30* m36",
		"output o m35*",
		"output sum p6* m36 m36",
		"parameter x m13* m14",
		"parameter y m13* m14",
		"stage main m16* m20",
		"stage main m19*",
		"var few p4* m28 m32 p7",
		"var limit m27* p1* m33 m33 p7",
		"var year m1* m4 m9",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
