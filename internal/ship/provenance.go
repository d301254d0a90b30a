package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// An in-toto statement, version 1, and SLSA provenance, version 1: https://slsa.dev/spec/v1.0/provenance
type (
	statement struct {
		Type          string    `json:"_type"`
		Subject       []subject `json:"subject"`
		PredicateType string    `json:"predicateType"`
		Predicate     predicate `json:"predicate"`
	}
	subject struct {
		Name   string            `json:"name,omitempty"`
		URI    string            `json:"uri,omitempty"`
		Digest map[string]string `json:"digest,omitempty"`
	}
	predicate struct {
		BuildDefinition struct {
			BuildType            string            `json:"buildType"`
			ExternalParameters   map[string]string `json:"externalParameters"`
			InternalParameters   map[string]string `json:"internalParameters"`
			ResolvedDependencies []subject         `json:"resolvedDependencies"`
		} `json:"buildDefinition"`
		RunDetails struct {
			Builder struct {
				ID string `json:"id"`
			} `json:"builder"`
		} `json:"runDetails"`
	}
)

// provenance prints the commit and toolchain that produced the files. It contains no time and no machine name, so
// rebuilding the commit produces the same bytes.
func provenance(o options, files []string) error {
	s := statement{Type: "https://in-toto.io/Statement/v1", PredicateType: "https://slsa.dev/provenance/v1"}
	for _, name := range files {
		digest, err := digestOf(name)
		if err != nil {
			return err
		}
		s.Subject = append(s.Subject, subject{Name: filepath.Base(name), Digest: map[string]string{"sha256": digest}})
	}
	d := &s.Predicate.BuildDefinition
	d.BuildType = "https://github.com/smtpipe/smtpipe/blob/main/docs/inside/releasing.md"
	d.ExternalParameters = map[string]string{"source": o.source, "version": o.version}
	d.InternalParameters = map[string]string{"go": runtime.Version()}
	d.ResolvedDependencies = []subject{{URI: o.source, Digest: map[string]string{"gitCommit": o.commit}}}
	s.Predicate.RunDetails.Builder.ID = d.BuildType
	return printJSON(s)
}

func digestOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
