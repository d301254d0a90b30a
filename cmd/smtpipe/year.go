package main

import (
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
)

// addRulesFlag adds --rules, with the alias --year, which names the rules that a command follows.
func addRulesFlag(f *pflag.FlagSet, name *string) {
	f.StringVar(name, "rules", rules.Newest(), "a year, or the path of a folder with the rules of one")
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "year" {
			name = "rules"
		}
		return pflag.NormalizedName(name)
	})
}
