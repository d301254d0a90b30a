package smtlib

import "github.com/smtpipe/smtpipe/internal/data/comp"

const ruleOption = "set-option ..."

// setOption checks a set-option: its name, its value, its position, and how often it occurs.
func (c *checker) setOption(cmd *Command) {
	key := c.s.Name(cmd.Sym)
	c.options[key]++
	value := ""
	if cmd.Value != 0 {
		value = c.s.Name(c.s.SExpr(cmd.Value).Sym)
	}
	if c.setLogics != 0 {
		c.report(cmd.Pos, "set-logic ...", "set-option %s comes after set-logic, which must be the first command "+
			"after any set-option", key)
	}
	if c.options[key] == 2 {
		c.report(cmd.Pos, ruleOption, "%s is set a second time; there must be a single one", key)
	}
	switch key {
	case ":print-success":
		c.printSuccess(cmd, value)
	case c.rules.option(c.track):
		if value != "true" {
			c.report(cmd.Pos, ruleOption, "%s must be true in this track", key)
		}
		if c.rules.OptionSecond && c.seen != 1 {
			c.report(cmd.Pos, ruleOption, "%s must be set by the second command, this is number %d", key, c.seen+1)
		}
	default:
		c.report(cmd.Pos, ruleOption, "option %s must not be set in this track", key)
	}
}

// printSuccess checks the value of :print-success, which must not be off in the incremental track. In other tracks, it
// must be off and come first if the scrambler sets it.
func (c *checker) printSuccess(cmd *Command, value string) {
	switch {
	case c.track == comp.Incremental:
		if value != "true" {
			c.report(cmd.Pos, ruleOption, ":print-success must not be disabled in the incremental track")
		}
	case c.rules.PrintSuccessFree && (value == "true" || value == "false"):
	case c.rules.PrintSuccessFree:
		c.report(cmd.Pos, ruleOption, ":print-success must be true or false")
	case value != "false":
		c.report(cmd.Pos, ruleOption, ":print-success must be false in this track")
	case c.seen != 0:
		c.report(cmd.Pos, ruleOption, ":print-success must be set by the first command, not by command %d", c.seen+1)
	}
}

// missingOption reports at the end of the script if the track's option was not set.
func (c *checker) missingOption(end uint32) {
	if key := c.rules.option(c.track); key != "" && c.options[key] == 0 {
		c.report(end, ruleOption, "the option %s is not set; the scrambler adds it for this track", key)
	}
}
