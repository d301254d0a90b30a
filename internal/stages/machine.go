package stages

import (
	"context"
	"io"
	"sync"
)

// Machine is shared by the measured stages of one pipeline execution. Only runs of one class, such as four cores and 30
// GB, execute concurrently. Stages of that class share the executor, which leaves no core idle while one of them has
// runs left. Stages of other classes wait. The zero Machine is free.
type Machine struct {
	mu    sync.Mutex
	class string
	users int
	value io.Closer
	freed chan struct{} // closed when the last user leaves
}

// Enter waits until the machine is free or used by the given class, and returns the resource that stages of the class
// share. The first stage to enter opens it, and the last one to leave closes it. The caller must call leave once.
func (m *Machine) Enter(ctx context.Context, class string, open func() (io.Closer, error)) (value io.Closer,
	leave func() error, err error) {
	for {
		m.mu.Lock()
		if m.users == 0 || m.class == class {
			defer m.mu.Unlock()
			return m.join(class, open)
		}
		freed := m.freed
		m.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}

// join adds a user. The caller must hold the lock.
func (m *Machine) join(class string, open func() (io.Closer, error)) (io.Closer, func() error, error) {
	if m.users == 0 {
		value, err := open()
		if err != nil {
			return nil, nil, err
		}
		m.class, m.value, m.freed = class, value, make(chan struct{})
	}
	m.users++
	return m.value, m.leave, nil
}

func (m *Machine) leave() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users--; m.users > 0 {
		return nil
	}
	err := m.value.Close()
	m.value = nil
	close(m.freed)
	return err
}
