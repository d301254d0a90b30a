package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// everyDay creates, in a folder, benchmarks and two equal builds that sleep briefly.
func everyDay(t *testing.T, build string) string {
	t.Helper()
	dir := t.TempDir()
	for _, family := range []string{"f", "g"} {
		for i := range 10 {
			file := filepath.Join(dir, "non-incremental", "QF_UF", family, fmt.Sprint(i, ".smt2"))
			text := "(set-logic QF_UF)\n(set-info :status sat)\n(declare-fun p () Bool)\n(assert p)\n(check-sat)\n"
			if family == "f" {
				text = strings.Replace(text, "(assert p)", "(assert (or p p))", 1)
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
				os.WriteFile(file, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+build), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCompareSameBuild compares a program with itself SMTPIPE_SAME_BUILD times, without stored runs. By Holm's method,
// at most 5 % of the comparisons report a regression. The test fails only for numbers of regressions that chance
// exceeds at most once in 1,000 tests: more than 5 of 20 (the binomial probability of 5 or more is 0.0026, of 6 or more
// 0.0003).
func TestCompareSameBuild(t *testing.T) {
	times, err := strconv.Atoi(os.Getenv("SMTPIPE_SAME_BUILD"))
	if err != nil {
		t.Skip("takes a minute or two; make test-long sets SMTPIPE_SAME_BUILD=20")
	}
	dir := everyDay(t, "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; echo sat\n")
	bad := 0
	for i := range times {
		cmd := exec.Command("smtpipe", "compare", filepath.Join(dir, "a"), filepath.Join(dir, "b"), "--benchmarks",
			filepath.Join(dir, "non-incremental"), "--wall", "20s", "--isolation", "best_effort", "--threshold", "0",
			"--memory-threshold", "0", "--seed", fmt.Sprint(i+1), "--store", filepath.Join(t.TempDir(), "store"),
			"--json", "-", "--progress", "none")
		out, err := cmd.Output()
		var r struct {
			Regression bool
			Reasons    []string
		}
		if failed := json.Unmarshal(out, &r); failed != nil || r.Regression != (err != nil) {
			t.Fatalf("%v, %v: %s", err, failed, out)
		}
		if r.Regression {
			bad++
			t.Logf("comparison %d: %q", i+1, r.Reasons)
		}
	}
	if bad > times/20+4 {
		t.Errorf("%d of %d comparisons of a program with itself are a regression", bad, times)
	}
}
