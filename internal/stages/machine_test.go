package stages

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
)

type counted struct{ open, closed *int }

func (c counted) Close() error { *c.closed++; return nil }

func TestMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Machine
		opened, closed := 0, 0
		open := func() (io.Closer, error) { opened++; return counted{&opened, &closed}, nil }
		_, leave1, err := m.Enter(t.Context(), "four cores", open)
		if err != nil {
			t.Fatal(err)
		}
		_, leave2, err := m.Enter(t.Context(), "four cores", open)
		if err != nil || opened != 1 {
			t.Fatalf("a second stage of the class: opened %d times, %v", opened, err)
		}
		entered := false
		go func() {
			_, leave, err := m.Enter(t.Context(), "one core", open)
			if err != nil {
				t.Error(err)
				return
			}
			entered = true
			leave()
		}()
		ctx, cancel := context.WithCancelCause(t.Context())
		refused := false
		go func() {
			_, _, err := m.Enter(ctx, "one core", open)
			refused = errors.Is(err, io.ErrClosedPipe)
		}()
		cancel(io.ErrClosedPipe)
		leave1()
		synctest.Wait()
		if entered || !refused || closed != 0 {
			t.Errorf("entered %v, refused %v, closed %d before the class has left", entered, refused, closed)
		}
		leave2()
		synctest.Wait()
		if !entered || opened != 2 || closed != 2 {
			t.Errorf("entered %v, opened %d, closed %d", entered, opened, closed)
		}
		if _, _, err := m.Enter(t.Context(), "x", func() (io.Closer, error) { return nil, io.EOF }); err != io.EOF {
			t.Errorf("what cannot be opened gives %v", err)
		}
	})
}
