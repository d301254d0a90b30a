package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

const mostSeeds = 1000

// shuffles are the values that --shuffle accepts.
var shuffles = []string{"all", "names", "order", "none"}

// check parses the flags that have units, and rejects invalid values.
func (f *compareFlags) check() error {
	wall, err := runner.ParseTime(f.wall)
	if err != nil {
		return fmt.Errorf("--wall: %w", err)
	}
	memory, err := runner.ParseBytes(f.memory)
	if err != nil {
		return fmt.Errorf("--memory: %w", err)
	}
	if _, err := runner.ParseIsolation(f.isolation); err != nil {
		return err
	}
	if f.from.Limit, err = runner.ParseTime(f.buildTime); err != nil {
		return fmt.Errorf("--build-time: %w", err)
	}
	if f.from.Memory, err = runner.ParseBytes(f.buildMemory); err != nil {
		return fmt.Errorf("--build-memory: %w", err)
	}
	f.limits = comp.Limits{WallTime: wall, MemoryBytes: memory, Cores: f.cores}
	var errs []error
	for _, c := range []struct {
		refused bool
		why     string
	}{
		{f.benchmarks == "", "name the benchmarks, a folder or an archive: --benchmarks PATH"},
		{wall <= 0, "--wall must be positive, such as 20s or 20min"},
		{memory <= 0, "--memory must be positive, such as 2GB"},
		{bare(f.wall), "--wall " + f.wall + " has no unit; write " + f.wall + "s or " + f.wall + "min"},
		{bare(f.memory), "--memory " + f.memory + " has no unit; write " + f.memory + "GB or " + f.memory + "MB"},
		{f.from.Path != "" && (f.from.Command == "" || f.from.Program == ""),
			"--repository needs --build, a command, and --program, the file that it makes"},
		{f.from.Path == "" && f.from.Command+f.from.Program != "", "--build and --program need --repository"},
		{f.cores < 1, "--cores must be at least 1"},
		{f.sample < 0, "--sample must be at least 0; 0 is all benchmarks"},
		{f.seeds < 0 || f.seeds > mostSeeds, fmt.Sprintf("--seeds must be from 0 to %d", mostSeeds)},
		{!slices.Contains(shuffles, f.shuffle), "--shuffle is one of " + strings.Join(shuffles, ", ")},
		{f.seeds == 0 && f.solverSeed == 0 && f.seedOption != "", "--seed-option needs --seeds, such as --seeds 10"},
		{f.witness != "" && f.reduced == "", "--witness is the file of --reduce, which names the benchmark"},
		{f.reduced != "" && f.still != "", "--reduce and --still exclude each other"},
		{f.solverSeed != 0 && f.still == "", "--solver-seed is part of a question, --still"},
		{f.seedOption != "" && !strings.Contains(f.seedOption, "{seed}"),
			"--seed-option must say where the seed goes: {seed}"},
		{f.seeds > 0 && f.shuffle == "none" && f.seedOption == "", "--shuffle none needs --seed-option"},
		{f.coreHours < 0, "--core-hours must be at least 0; 0 is any number"},
		{f.names != "" && !twoNames().MatchString(f.names), "--names has two names, as 4.12.0,4.13.0"},
		{f.lost < 0, "--lost must be at least 0"},
		{f.threshold < 0, "--threshold must be at least 0"},
		{f.moreMemory < 0, "--memory-threshold must be at least 0"},
		{f.alpha <= 0 || f.alpha >= 1, "--alpha must be between 0 and 1, such as 0.05"},
		{f.json == "-" && f.markdown == "-", "only one of --json and --markdown can go to standard output"},
	} {
		if c.refused {
			errs = append(errs, errors.New(c.why))
		}
	}
	for _, file := range []string{f.json, f.markdown, f.html} {
		errs = append(errs, writable(file))
	}
	return errors.Join(errs...)
}

var twoNames = pattern.Lazy(`^[^,]+,[^,]+$`)

// bare reports whether a size or a time is a number other than 0 without a unit.
func bare(s string) bool {
	number, unit := runner.SplitUnit(s)
	return unit == "" && strings.Trim(number, "0.") != ""
}

// writable returns an error if a file cannot be created later because its folder is missing or the path is a folder.
func writable(file string) error {
	if file == "" || file == "-" {
		return nil
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder; name a file", file)
	}
	dir := filepath.Dir(file)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s cannot be written: there is no folder %s", file, dir)
	}
	return nil
}
