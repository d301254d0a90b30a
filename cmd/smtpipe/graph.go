package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	drawing "github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/stages"
)

func newGraphCommand() *cobra.Command {
	flags := projectFlags{project.Options{Reads: true}}
	var format string
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Draw the stages of a pipeline and what they need",
		Long:  "Prints the stage graph. Arrows go from a stage to those that need it.\n\n" + exit.Help,
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			write, ok := map[string]func(io.Writer, []stages.Node) error{"dot": writeDot, "mermaid": writeMermaid,
				"svg": writeSVG, "text": writeText}[format]
			if !ok {
				return exit.With(exit.Usage, fmt.Errorf("unknown format %q; it must be text, svg, dot or mermaid",
					format))
			}
			p, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.Close()) }()
			return write(cmd.OutOrStdout(), p.Pipeline.Nodes())
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().StringVar(&format, "format", "text", "text, svg, dot or mermaid")
	return cmd
}

func writeText(w io.Writer, nodes []stages.Node) error {
	for _, n := range nodes {
		line := n.Addr
		if len(n.Deps) > 0 {
			line += " <- " + strings.Join(n.Deps, ", ")
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

func writeDot(w io.Writer, nodes []stages.Node) error {
	var b strings.Builder
	b.WriteString("digraph pipeline {\n  rankdir=LR\n  node [shape=box, fontname=\"sans-serif\"]\n")
	for _, n := range nodes {
		fmt.Fprintf(&b, "  %q\n", n.Addr)
		for _, d := range n.Deps {
			fmt.Fprintf(&b, "  %q -> %q\n", d, n.Addr)
		}
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeSVG draws the graph as the report does, without an external program.
func writeSVG(w io.Writer, nodes []stages.Node) error {
	var boxes []drawing.Node
	var arrows []drawing.Edge
	for _, n := range nodes {
		boxes = append(boxes, drawing.Node{Address: n.Addr, Kind: n.Kind.Name})
		for _, d := range n.Deps {
			arrows = append(arrows, drawing.Edge{From: d, To: n.Addr})
		}
	}
	return drawing.WriteGraph(w, boxes, arrows)
}

func writeMermaid(w io.Writer, nodes []stages.Node) error {
	var b strings.Builder
	b.WriteString("graph LR\n")
	number := map[string]int{}
	for i, n := range nodes {
		number[n.Addr] = i
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i, n.Addr)
	}
	for i, n := range nodes {
		for _, d := range n.Deps {
			fmt.Fprintf(&b, "  n%d --> n%d\n", number[d], i)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
