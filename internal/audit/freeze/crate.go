package freeze

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
)

// entity is a node of the metadata graph of an RO-Crate.
type entity map[string]any

func ref(id string) entity { return entity{"@id": id} }

func refs(ids []string) []entity {
	all := []entity{}
	for _, id := range ids {
		all = append(all, ref(id))
	}
	return all
}

// The Workflow Run Crate profiles.
var crateProfiles = []struct{ id, name, version string }{
	{"https://w3id.org/ro/wfrun/process/0.5", "Process Run Crate", "0.5"},
	{"https://w3id.org/ro/wfrun/workflow/0.5", "Workflow Run Crate", "0.5"},
	{"https://w3id.org/workflowhub/workflow-ro-crate/1.0", "Workflow RO-Crate", "1.0"},
}

// crate returns the folder's metadata as an RO-Crate 1.1: the workflow, the run, and the run's inputs and outputs.
func (f *freezing) crate(x *facts) any {
	inputs, outputs := f.crateFiles()
	var parts []string
	for _, it := range f.items {
		parts = append(parts, it.path)
	}
	for name, content := range map[string]int{frozen.OutputsName: len(f.outputs), frozen.ScriptsName: len(f.inputs)} {
		if content > 0 {
			parts = append(parts, name)
		}
	}
	parts = append(parts, frozen.LockName)
	slices.Sort(parts)
	graph := []entity{
		{"@id": "ro-crate-metadata.json", "@type": "CreativeWork", "about": ref("./"), "conformsTo": []entity{
			ref("https://w3id.org/ro/crate/1.1"), ref("https://w3id.org/workflowhub/workflow-ro-crate/1.0")}},
		f.crateRoot(x, parts),
		{"@id": f.main, "@type": []string{"File", "SoftwareSourceCode", "ComputationalWorkflow"},
			"name": x.Title + " (pipeline)", "programmingLanguage": ref("#hcl"), "encodingFormat": "text/plain",
			"hasPart": []entity{ref("#smtpipe")}},
		{"@id": "#hcl", "@type": "ComputerLanguage", "name": "smtpipe", "alternateName": "HCL",
			"version": f.Version, "url": ref("https://github.com/smtpipe/smtpipe"),
			"identifier": ref("https://github.com/smtpipe/smtpipe")},
		{"@id": "#smtpipe", "@type": "SoftwareApplication", "name": "smtpipe", "version": f.Version,
			"softwareVersion": f.Version, "url": "https://github.com/smtpipe/smtpipe"},
		f.crateRun(x, inputs, outputs),
		{"@id": "https://github.com/smtpipe/smtpipe", "@type": "WebSite", "name": "smtpipe",
			"url": "https://github.com/smtpipe/smtpipe"},
	}
	for _, c := range x.Creators {
		graph = append(graph, entity{"@id": creatorID(c), "@type": "Organization", "name": c})
	}
	for _, p := range crateProfiles {
		graph = append(graph, entity{"@id": p.id, "@type": "CreativeWork", "name": p.name, "version": p.version})
	}
	for _, part := range parts {
		if part != f.main {
			graph = append(graph, entity{"@id": part, "@type": "File", "name": part,
				"encodingFormat": cmp.Or(formats[path.Ext(part)], "application/octet-stream")})
		}
	}
	return entity{"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}
}

func (f *freezing) crateRoot(x *facts, parts []string) entity {
	root := entity{"@id": "./", "@type": "Dataset", "name": x.Title, "datePublished": x.Lock.Date,
		"description": "The pipeline, the measurements and the results of " + x.Title + ", frozen by smtpipe " +
			x.Lock.Version + ".",
		"mainEntity": ref(f.main), "mentions": []entity{ref("#run")}, "hasPart": refs(parts),
		"license": "The authors of this folder specified no licence."}
	switch l := x.License; {
	case len(l.AnyOf) == 1:
		root["license"] = ref("https://spdx.org/licenses/" + l.AnyOf[0])
	case l.Expression != "":
		root["license"] = l.Expression
	}
	var profiles, creators []string
	for _, p := range crateProfiles {
		profiles = append(profiles, p.id)
	}
	for _, c := range x.Creators {
		creators = append(creators, creatorID(c))
	}
	root["conformsTo"], root["author"] = refs(profiles), refs(creators)
	return root
}

// crateRun returns the entity for the pipeline's execution.
func (f *freezing) crateRun(x *facts, inputs, outputs []string) entity {
	end := x.Lock.Date
	for _, m := range x.Measured {
		end = max(end, m.Finished)
	}
	return entity{"@id": "#run", "@type": "CreateAction", "name": "Execution of the pipeline of " + x.Title,
		"instrument": ref(f.main), "agent": ref(creatorID(x.Creators[0])), "endTime": end,
		"object": refs(inputs), "result": refs(outputs),
		"description": "Runs were measured on " + strings.Join(x.Hardware, "; and on ") + "."}
}

// crateFiles returns the run's inputs and outputs that are in the folder.
func (f *freezing) crateFiles() (inputs, outputs []string) {
	for _, it := range f.items {
		switch {
		case strings.HasPrefix(it.path, "stages/"):
			outputs = append(outputs, it.path)
		case strings.HasPrefix(it.path, "pipeline") && it.path != f.main:
			inputs = append(inputs, it.path)
		}
	}
	slices.Sort(inputs)
	slices.Sort(outputs)
	return inputs, outputs
}

func creatorID(name string) string { return "#" + strings.ReplaceAll(strings.ToLower(name), " ", "-") }

// formats maps extensions to media types.
var formats = map[string]string{".parquet": "application/vnd.apache.parquet", ".csv": "text/csv",
	".gz": "application/gzip", ".json": "application/json", ".html": "text/html", ".md": "text/markdown",
	".zip": "application/zip", ".svg": "image/svg+xml", ".js": "text/javascript", ".css": "text/css",
	".hcl": "text/plain", ".manifest": "text/plain", ".txt": "text/plain", ".cff": "application/yaml"}
