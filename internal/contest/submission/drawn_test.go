package submission_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/submission"
)

// TestDrawn checks that 2^30 - 1 + 3 is 2 modulo 2^30, and that the opening value is added after the reduction
// (organisers, 2019).
func TestDrawn(t *testing.T) {
	numbers := []submission.Number{{"b.json", "B", 3}, {"a.json", "A", 1<<30 - 1}}
	d, err := submission.Draw(numbers, 12889)
	if err != nil || d.Seed != 12891 {
		t.Fatalf("seed %d, %v, want 12891", d.Seed, err)
	}
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	const want = "file,solver,number\na.json,A,1073741823\nb.json,B,3\nopening,,12889\nmodulus,,1073741824\nseed,,12891\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	again, err := submission.ReadDrawn(strings.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, again); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if err := again.Changes(numbers); err != nil {
		t.Errorf("the same numbers in another order: %v", err)
	}
	for _, c := range []struct {
		now  []submission.Number
		want string
	}{
		{numbers[:1], "a.json (A) no longer counts, but the seed was drawn with its number 1073741823"},
		{[]submission.Number{numbers[0], {"a.json", "A", 4}}, "a.json (A) has the number 4"},
		{append(numbers[:2:2], submission.Number{"c.json", "C", 0}), "c.json (C) has number 0"},
	} {
		if err := again.Changes(c.now); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.now, err, c.want)
		}
	}
	for change, to := range map[string]string{
		"B,3": "B,4", "seed,,12891": "seed,,12892", "opening,,12889": "opening,,1", "1073741824": "7",
	} {
		if _, err := submission.ReadDrawn(strings.NewReader(strings.Replace(want, change, to, 1))); err == nil {
			t.Errorf("a record with %s instead of %s is accepted", to, change)
		}
	}
}
