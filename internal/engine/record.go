package engine

import (
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// encodeOutput returns an output in the form that records store.
func encodeOutput(v cty.Value) (cache.Output, error) {
	if art, ok := stages.ArtifactOf(v); ok {
		return cache.Output{Schema: art.Schema, Digest: art.Digest.String(), Rows: art.Rows, SizeBytes: art.SizeBytes},
			nil
	}
	if v.IsNull() {
		return cache.Output{Value: []byte("null")}, nil
	}
	text, err := ctyjson.Marshal(v, v.Type())
	if err != nil {
		return cache.Output{}, err
	}
	return cache.Output{Value: text}, nil
}

// decodeOutput decodes an output of type t that encodeOutput encoded.
func decodeOutput(o cache.Output, t cty.Type) (cty.Value, error) {
	if string(o.Value) == "null" {
		return cty.NullVal(t), nil
	}
	if !stages.IsArtifact(t) {
		return ctyjson.Unmarshal(o.Value, t)
	}
	d, err := cache.ParseDigest(o.Digest)
	if err != nil {
		return cty.NilVal, err
	}
	declared, err := stages.ArtifactType(o.Schema)
	if err != nil {
		return cty.NilVal, err
	}
	if !declared.Equals(t) {
		return cty.NilVal, fmt.Errorf("it is a %s, want a %s", declared.FriendlyName(), t.FriendlyName())
	}
	return stages.ArtifactVal(stages.Artifact{Schema: o.Schema, Digest: d, Rows: o.Rows, SizeBytes: o.SizeBytes}), nil
}

// inputDigests lists the artifacts among an instance's arguments, sorted and without duplicates.
func inputDigests(in *stages.Instance) []string {
	var all []string
	for _, art := range in.Args.AllArtifacts() {
		all = append(all, art.Digest.String())
	}
	slices.Sort(all)
	return slices.Compact(all)
}
