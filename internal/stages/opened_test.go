package stages

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/results"
)

// TestOpenedLetsGo holds that tables are shared as long as somebody asks for them, and not much longer.
func TestOpenedLetsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o Opened
		one, other := cache.DigestOf([]byte("one")), cache.DigestOf([]byte("other"))
		table := smallTable(t)
		o.put(one, table)
		o.put(other, smallTable(t))
		for range 3 {
			time.Sleep(keepOpened * 2 / 3)
			if o.get(one) != table {
				t.Fatal("a table was let go that is asked for")
			}
		}
		if o.get(other) != nil {
			t.Error("a table is kept that nobody asks for")
		}
		time.Sleep(2 * keepOpened)
		synctest.Wait()
		if len(o.tables) != 0 {
			t.Errorf("%d tables are kept", len(o.tables))
		}
		o.put(other, table)
		if o.get(other) != table || o.get(one) != nil {
			t.Error("after all were let go, tables are not found by their digests")
		}
		time.Sleep(3 * keepOpened)
		synctest.Wait()
		if len(o.tables) != 0 {
			t.Errorf("%d tables are kept after the second time", len(o.tables))
		}
	})
}

func smallTable(t *testing.T) *results.Table[results.BenchmarkRow] {
	t.Helper()
	var b bytes.Buffer
	if err := results.Write(&b, []results.BenchmarkRow{{Path: "a"}}); err != nil {
		t.Fatal(err)
	}
	table, err := results.Open[results.BenchmarkRow](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return table
}
