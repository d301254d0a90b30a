package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/random/polars"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
)

// numberFlags are the flags of "tool scramble" for scripts with the numbers that the organisers assign.
type numberFlags struct {
	flavour   string
	listed    string
	library   string
	numbering string
}

func (n *numberFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&n.flavour, "number", "", "with --output-dir, name scripts LOGIC/scrambledN.smt2 with the number N that the "+
		"organisers' tool gives, and write original_id.csv: rand-0.8 or rand-0.9, as its polars draws")
	f.StringVar(&n.listed, "listed", "", "for --number: the benchmarks that the track is drawn from, selected or not")
	f.StringVar(&n.library, "library", "", "for --number: the organisers' list of all benchmarks")
	f.StringVar(&n.numbering, "numbering", "place", "for --number: place, or value as for the cloud")
}

// mapName is the name of the map of numbers, which is written next to the scripts.
const mapName = "original_id.csv"

// scriptNumbers holds the numbers of the listed benchmarks.
type scriptNumbers struct {
	numbers map[string]selection.ScriptNumber // by path in the release
	places  map[string]string                 // path in the release, by the path from the logic on
}

// read reads the lists and assigns numbers to the benchmarks. It returns nil without --number.
func (n *numberFlags) read(flags *scrambleFlags) (*scriptNumbers, error) {
	if n.flavour == "" {
		if n.listed != "" || n.library != "" {
			return nil, exit.With(exit.Usage, errors.New("--listed and --library need --number"))
		}
		return nil, nil
	}
	flavour, err := polars.ParseFlavour(n.flavour)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	by, err := selection.ParseScriptNumbering(n.numbering)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	if n.listed == "" || n.library == "" || flags.outputDir == "" {
		return nil, exit.With(exit.Usage, errors.New("--number needs --listed, --library and --output-dir"))
	}
	mode, err := comp.ParseTrack(flags.mode)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	incremental := mode == comp.Incremental
	library, err := placesOf(n.library, incremental)
	if err != nil {
		return nil, err
	}
	listed, err := placesOf(n.listed, incremental)
	if err != nil {
		return nil, err
	}
	s := &scriptNumbers{places: make(map[string]string, len(listed))}
	for _, place := range listed {
		s.places[comp.FromLogic(place)] = place
	}
	s.numbers, err = selection.NumberScripts(library, listed, flavour, uint64(flags.seed), by)
	return s, err
}

// placesOf reads the paths of benchmarks in a release. If a list omits the collection folders, it uses the given
// collection.
func placesOf(file string, incremental bool) ([]string, error) {
	var all []string
	_, err := intake.Benchmarks(file, func(b *intake.Benchmark) error {
		inc := b.Incremental
		if !strings.Contains(b.Named, "incremental/") {
			inc = incremental
		}
		all = append(all, comp.Collection(inc)+"/"+comp.FromLogic(b.Path))
		return nil
	})
	return all, err
}

// targets returns, for each file, the output path in a folder and the script's numbers.
func (s *scriptNumbers) targets(files []string, dir string) ([]string, []selection.ScriptNumber, error) {
	targets, numbers := make([]string, len(files)), make([]selection.ScriptNumber, len(files))
	first := map[string]string{}
	var errs []error
	for i, file := range files {
		logic, path, ok := comp.LibraryPath(filepath.ToSlash(file))
		place, listed := s.places[path]
		switch other := first[path]; {
		case !ok:
			errs = append(errs, fmt.Errorf("%s is not below a folder named like a logic", file))
			continue
		case !listed:
			errs = append(errs, fmt.Errorf("%s is not among the listed benchmarks, so it has no number", file))
			continue
		case other != "":
			errs = append(errs, fmt.Errorf("%s and %s are the same benchmark", other, file))
			continue
		}
		first[path] = file
		numbers[i] = s.numbers[place]
		targets[i] = filepath.Join(dir, string(logic), fmt.Sprintf("scrambled%d.smt2", numbers[i].Script))
	}
	return targets, numbers, errors.Join(errs...)
}
