package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// sbom prints the bill of materials of programs built from one commit, as recorded in the programs by the linker.
func sbom(o options, binaries []string) error {
	modules := map[string]*debug.Module{}
	var toolchain string
	for _, name := range binaries {
		info, err := buildinfo.ReadFile(name)
		if err != nil {
			return err
		}
		if toolchain != "" && toolchain != info.GoVersion {
			return fmt.Errorf("%s was built by %s, another one by %s", name, info.GoVersion, toolchain)
		}
		toolchain = info.GoVersion
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			modules[m.Path+"@"+m.Version] = m
		}
	}
	parts := []cdx.Component{{Type: cdx.ComponentTypeLibrary, Name: "std", BOMRef: "std",
		Version: strings.TrimPrefix(toolchain, "go"), Description: "Go's standard library and runtime",
		PackageURL: "pkg:golang/std@" + strings.TrimPrefix(toolchain, "go")}}
	for key, m := range modules {
		parts = append(parts, cdx.Component{Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version,
			BOMRef: key, PackageURL: "pkg:golang/" + key,
			Properties: &[]cdx.Property{{Name: "go.sum", Value: m.Sum}}})
	}
	slices.SortFunc(parts, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{Type: cdx.ComponentTypeApplication, Name: "smtpipe",
		BOMRef: "smtpipe", Version: o.version, Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}}}
	bom.Components = &parts
	return cdx.NewBOMEncoder(os.Stdout, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).Encode(bom)
}
