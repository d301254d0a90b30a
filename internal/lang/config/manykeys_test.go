package config

import (
	"fmt"
	"testing"
	"time"
)

// TestManyKeys checks that for_each instances that refer to each other by key load in time nearly linear in their
// number. They used to take 4 s for 500 keys and 30 s for 1,000, out of the 10,000 allowed.
func TestManyKeys(t *testing.T) {
	for _, n := range []int{1, 10} {
		start := time.Now()
		p := load(t, map[string]string{"a.hcl": fmt.Sprintf(`
locals {
  keys = merge([for a in range(%d) : { for b in range(1000) : "k${a}-${b}" => a }]...)
}
stage "fetch" "a" {
  for_each = local.keys
  zenodo   = "1"
}
stage "index" "b" {
  for_each = local.keys
  source   = stage.fetch.a[each.key].files
}
`, n)})
		all := expand(t, p, "stage.index.b", nil)
		if len(all) != 1000*n {
			t.Fatalf("%d instances of %d", len(all), 1000*n)
		}
		// In key order: 0, 1, 10, 100, 101, 102, 103, 104.
		if got := all[7].Waits; len(got) != 1 || got[0] != `stage.fetch.a["k0-104"]` {
			t.Errorf("it waits for %v", got)
		}
		took := time.Since(start)
		if took > time.Minute {
			t.Errorf("%d keys took %v", 1000*n, took)
		}
	}
}
