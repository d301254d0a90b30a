package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/exec/doctor"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// newDoctorCommand returns the command that prints the machine as the runner sees it.
func newDoctorCommand() *cobra.Command {
	var asJSON bool
	var image imageFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out what this machine can do for measured runs",
		Long: `Prints the machine as the runner sees it, and tries every mechanism that isolates, limits and measures runs, with short trial
runs. For each mechanism that does not work, it prints the command that fixes it. This takes about a second. With --image, the
trial runs use the image as their root file system.

Exit codes: 0 full isolation works, 1 it does not.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			img, leave, err := image.open(cmd.Context())
			defer func() { _ = leave() }()
			if err != nil {
				return err
			}
			report, err := doctor.Diagnose(cmd.Context(), img.Apply)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), doctorJSON(report))
			} else {
				err = printReport(cmd.OutOrStdout(), report)
			}
			if err == nil && !report.Full() {
				err = exit.With(exit.Error, errors.New("runs cannot be fully isolated here; the lines marked as failed "+
					"say why and what to do"))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	image.register(cmd.Flags())
	return cmd
}

func printReport(w io.Writer, r *runner.Report) error {
	hw := r.Hardware
	fmt.Fprintf(w, "processor   %s\n", hw.CPUModel)
	fmt.Fprintf(w, "cores       %d physical, %d threads%s\n", hw.Cores, hw.Threads, coreList(r.Topology))
	fmt.Fprintf(w, "memory      %.1f GB in %d NUMA node(s)\n", float64(hw.MemoryBytes)/1e9,
		max(1, len(r.Topology.Nodes)))
	fmt.Fprintf(w, "kernel      Linux %s %s\n", hw.Kernel, hw.Machine)
	fmt.Fprintf(w, "state       %s\n", r.State)
	fmt.Fprintf(w, "cgroups     %s\n", r.Layout)
	fmt.Fprintf(w, "isolation   %s\n", r.Isolation)
	fmt.Fprintf(w, "slots       %d of one core\n\n", r.Slots)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range r.Checks {
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.State, c.Name, c.Detail)
		if c.Remedy != "" {
			fmt.Fprintf(t, "\t\tto repair: %s\n", c.Remedy)
		}
	}
	return t.Flush()
}

// coreList lists the CPUs by core if any core has several threads.
func coreList(t *runner.Topology) string {
	cores := map[int][]string{}
	var order []int
	for _, c := range t.CPUs {
		if cores[c.Core] == nil {
			order = append(order, c.Core)
		}
		cores[c.Core] = append(cores[c.Core], fmt.Sprint(c.ID))
	}
	if len(order) == len(t.CPUs) {
		return ""
	}
	var parts []string
	for _, core := range order {
		parts = append(parts, strings.Join(cores[core], "+"))
	}
	return ": " + strings.Join(parts, " ")
}

// doctorResult is the JSON form of a report.
type doctorResult struct {
	CPUModel  string        `json:"cpu_model"`
	Cores     int           `json:"cores"`
	Threads   int           `json:"threads"`
	Memory    int64         `json:"memory_bytes"`
	Kernel    string        `json:"kernel"`
	State     runner.State  `json:"state"`
	Profile   string        `json:"profile"`
	Cgroups   string        `json:"cgroups"`
	Isolation string        `json:"isolation"`
	Slots     int           `json:"slots"`
	Checks    []doctorCheck `json:"checks"`
}

type doctorCheck struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
}

func doctorJSON(r *runner.Report) doctorResult {
	d := doctorResult{
		CPUModel: r.Hardware.CPUModel, Cores: r.Hardware.Cores, Threads: r.Hardware.Threads,
		Memory: r.Hardware.MemoryBytes,
		Kernel: r.Hardware.Kernel, State: r.State, Profile: r.Hardware.String(), Cgroups: r.Layout,
		Isolation: string(r.Isolation),
		Slots:     r.Slots,
	}
	for _, c := range r.Checks {
		d.Checks = append(d.Checks, doctorCheck{c.Name, string(c.State), c.Detail, c.Remedy})
	}
	return d
}
