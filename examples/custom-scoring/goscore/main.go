// Command goscore awards points for quick answers. It reads verdicts.csv from the folder $SMTPIPE_IN and writes
// scores.csv to the working folder. It needs only Go's standard library, so the single file works wherever it is
// copied.
package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run() error {
	in, err := os.Open(filepath.Join(os.Getenv("SMTPIPE_IN"), "verdicts.csv"))
	if err != nil {
		return err
	}
	defer in.Close()
	rows, err := read(in)
	if err != nil {
		return err
	}
	out, err := os.Create("scores.csv")
	if err != nil {
		return err
	}
	if err := write(out, rows); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// row holds one solver's sum in one division.
type row struct {
	track, division, solver, team string
	competitive                   bool
	points, correct, errors       int
	wall, cpu                     *big.Rat // exact: times are decimals
}

// better orders rows: first by more points, then by less time on solved benchmarks.
func better(a, b *row) int { return cmp.Or(cmp.Compare(b.points, a.points), a.wall.Cmp(b.wall)) }

// read adds up the runs in a table of verdicts.
func read(r io.Reader) ([]*row, error) {
	table := csv.NewReader(r)
	header, err := table.Read()
	if err != nil {
		return nil, err
	}
	sums := map[[3]string]*row{}
	var rows []*row
	for {
		record, err := table.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		get := func(column string) string { return record[slices.Index(header, column)] }
		key := [3]string{get("track"), get("division"), get("solver")}
		sum := sums[key]
		if sum == nil {
			sum = &row{track: key[0], division: key[1], solver: key[2], team: get("team"),
				competitive: get("competitive") == "true", wall: new(big.Rat), cpu: new(big.Rat)}
			sums[key] = sum
			rows = append(rows, sum)
		}
		wall, ok := new(big.Rat).SetString(get("wall_time_s"))
		cpu, ok2 := new(big.Rat).SetString(get("cpu_time_s"))
		limit, ok3 := new(big.Rat).SetString(get("wall_limit_s"))
		if !ok || !ok2 || !ok3 {
			return nil, fmt.Errorf("a time of %s is not a number", get("benchmark"))
		}
		sum.add(get("status"), get("answer"), wall, cpu, limit)
	}
}

// add adds one run's points.
func (sum *row) add(status, answer string, wall, cpu, limit *big.Rat) {
	switch {
	case answer != "sat" && answer != "unsat", wall.Cmp(limit) > 0:
		return
	case status != "unknown" && answer != status:
		sum.points -= 8
		sum.errors++
		return
	case wall.Cmp(big.NewRat(60, 1)) <= 0:
		sum.points += 2
	default:
		sum.points++
	}
	sum.correct++
	sum.wall.Add(sum.wall, wall)
	sum.cpu.Add(sum.cpu, cpu)
}

// write ranks each division's rows.
func write(w io.Writer, rows []*row) error {
	slices.SortFunc(rows, func(a, b *row) int {
		return cmp.Or(cmp.Compare(a.track, b.track), cmp.Compare(a.division, b.division), better(a, b),
			cmp.Compare(a.solver, b.solver))
	})
	out := csv.NewWriter(w)
	if err := out.Write([]string{"track", "division", "logic", "view", "solver", "rank", "winner", "competitive",
		"division_competitive", "points", "n", "w_s", "e", "c_s"}); err != nil {
		return err
	}
	for lo := 0; lo < len(rows); {
		hi := lo
		for hi < len(rows) && rows[hi].track == rows[lo].track && rows[hi].division == rows[lo].division {
			hi++
		}
		if err := writeDivision(out, rows[lo:hi]); err != nil {
			return err
		}
		lo = hi
	}
	out.Flush()
	return out.Error()
}

func writeDivision(out *csv.Writer, rows []*row) error {
	teams := map[string]bool{}
	var best *row
	for _, r := range rows {
		if r.competitive {
			teams[r.team] = true
			best = cmp.Or(best, r)
		}
	}
	contested := len(teams) >= 2
	rank := 1
	for i, r := range rows {
		if i > 0 && better(rows[i-1], r) != 0 {
			rank = i + 1
		}
		winner := contested && r.competitive && better(r, best) == 0
		err := out.Write([]string{r.track, r.division, "", "quick", r.solver, strconv.Itoa(rank),
			strconv.FormatBool(winner),
			strconv.FormatBool(r.competitive), strconv.FormatBool(contested), strconv.Itoa(r.points),
			strconv.Itoa(r.correct), decimal(r.wall), strconv.Itoa(r.errors), decimal(r.cpu)})
		if err != nil {
			return err
		}
	}
	return nil
}

// decimal formats an exact decimal number.
func decimal(r *big.Rat) string {
	n, _ := r.FloatPrec()
	return r.FloatString(n)
}
