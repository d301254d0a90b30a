package runner

import (
	"encoding/binary"
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// The messages between driver and init are a plain sequence of their fields: numbers as varints, texts and lists with
// their length in front. Both ends are the same binary, so there are no versions; and arguments and paths are bytes, which
// JSON could not carry. One walk over the fields both writes and reads.

// walker writes or reads fields in order.
type walker struct {
	out  []byte // when writing
	in   []byte // when reading
	read bool
	err  error
}

var errShortMessage = errors.New("a message between driver and init is cut off")

func (w *walker) number(p *int64) {
	if !w.read {
		w.out = binary.AppendVarint(w.out, *p)
		return
	}
	n, used := binary.Varint(w.in)
	if used <= 0 {
		w.err, w.in = errShortMessage, nil
		return
	}
	*p, w.in = n, w.in[used:]
}

func walkNumber[T ~int | ~int64 | ~uint64 | ~uint32](w *walker, p *T) {
	n := int64(*p)
	w.number(&n)
	*p = T(n)
}

func (w *walker) flag(p *bool) {
	n := map[bool]int{true: 1}[*p]
	walkNumber(w, &n)
	*p = n != 0
}

// text walks strings and byte slices.
func text[T ~string | ~[]byte](w *walker, p *T) {
	n := len(*p)
	walkNumber(w, &n)
	if !w.read {
		w.out = append(w.out, *p...)
		return
	}
	if n < 0 || n > len(w.in) {
		w.err, w.in = errShortMessage, nil
		return
	}
	*p, w.in = T(append([]byte(nil), w.in[:n]...)), w.in[n:]
}

// list walks a slice.
func list[T any](w *walker, p *[]T, item func(*walker, *T)) {
	n := len(*p)
	walkNumber(w, &n)
	if w.read {
		if n < 0 || n > len(w.in) { // every item takes a byte at least
			w.err, w.in = errShortMessage, nil
			return
		}
		*p = make([]T, n)
	}
	for i := range *p {
		item(w, &(*p)[i])
	}
}

func (r *request) walk(w *walker) {
	list(w, &r.Argv, text[string])
	list(w, &r.Env, text[string])
	text(w, &r.Dir)
	for _, f := range []*bool{&r.PidNS, &r.NetNS, &r.UTSNS, &r.UserNS, &r.Guard, &r.ToolCgroup} {
		w.flag(f)
	}
	for _, n := range []*int{&r.UID, &r.GID, &r.Enter, &r.Leave} {
		walkNumber(w, n)
	}
	for _, n := range []*uint64{&r.OpenFilesSoft, &r.OpenFilesHard} {
		walkNumber(w, n)
	}
	root := r.Root != nil
	w.flag(&root)
	if !root {
		return
	}
	if w.read {
		r.Root = &rootSpec{}
	}
	r.Root.walk(w)
}

func (s *rootSpec) walk(w *walker) {
	list(w, &s.Binds, func(w *walker, b *bindSpec) {
		text(w, &b.Source)
		text(w, &b.Target)
		for _, f := range []*bool{&b.Writable, &b.Overlay, &b.Optional, &b.Devices} {
			w.flag(f)
		}
	})
	list(w, &s.Files, func(w *walker, f *fileSpec) {
		text(w, &f.Target)
		text(w, &f.Content)
		walkNumber(w, &f.Mode)
	})
	list(w, &s.Links, func(w *walker, l *linkSpec) {
		text(w, &l.Target)
		text(w, &l.Text)
	})
	list(w, &s.Hide, text[string])
	walkNumber(w, &s.Scratch)
	walkNumber(w, &s.UID)
	walkNumber(w, &s.GID)
	w.flag(&s.Proc)
}

func (r *reply) walk(w *walker) {
	text(w, &r.Kind)
	status := uint32(r.Status)
	walkNumber(w, &status)
	r.Status = unix.WaitStatus(status)
	for _, d := range []*time.Duration{&r.Clock, &r.User, &r.System} {
		walkNumber(w, d)
	}
	for _, n := range []*int64{&r.InBlocks, &r.OutBlocks, &r.MaxRSS} {
		walkNumber(w, n)
	}
	text(w, &r.Step)
	text(w, &r.Text)
	walkNumber(w, &r.Errno)
	w.flag(&r.Start)
}
