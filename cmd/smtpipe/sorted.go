package main

import (
	"maps"
	"slices"
)

// sortedKeys returns a map's keys in sorted order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
