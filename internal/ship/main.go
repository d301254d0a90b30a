// Command ship creates the parts of a release that need more than a compiler: licences, a bill of materials, a
// container image and a provenance. scripts/release calls it. Equal inputs produce equal bytes.
//
//	ship docs -o FOLDER   the documentation as a static site
//	ship licences        the licence texts of everything in the program, to standard output
//	ship sbom -version V BINARY...   a bill of materials, CycloneDX
//	ship image -version V -date SECONDS -o FILE ROOT...   an OCI archive; a root is named after its architecture
//	ship provenance -version V -commit C -source URI FILE...   an in-toto statement with SLSA provenance
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/smtpipe/smtpipe/internal/ship/docsite"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ship:", err)
		os.Exit(1)
	}
}

// options holds all commands' options. Each command uses those that it needs.
type options struct {
	version, commit, source, out string
	date                         int64
}

func run(args []string) error {
	commands := map[string]func(options, []string) error{"docs": docs, "licences": licences, "sbom": sbom,
		"image": image, "provenance": provenance}
	if len(args) == 0 || commands[args[0]] == nil {
		return fmt.Errorf("unknown command %q; want docs, licences, sbom, image or provenance", args)
	}
	var o options
	set := flag.NewFlagSet(args[0], flag.ContinueOnError)
	set.StringVar(&o.version, "version", "", "version of the release")
	set.StringVar(&o.commit, "commit", "", "commit that is released")
	set.StringVar(&o.source, "source", "", "where the commit is")
	set.StringVar(&o.out, "o", "", "file to write")
	set.Int64Var(&o.date, "date", 0, "time of the commit in seconds since 1970")
	if err := set.Parse(args[1:]); err != nil {
		return err
	}
	return commands[args[0]](o, set.Args())
}

func docs(o options, _ []string) error {
	if o.out == "" {
		return errors.New("docs: -o names no folder")
	}
	return docsite.Write(".", o.out)
}

// printJSON writes a value to standard output as indented JSON.
func printJSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := os.Stdout.Write(b.Bytes())
	return err
}
