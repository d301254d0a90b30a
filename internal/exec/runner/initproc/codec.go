package initproc

import (
	"errors"
	"syscall"
	"time"
)

// codec encodes or decodes a message's fields in the order of the calls in its fields method. Numbers take eight bytes;
// texts and lists are prefixed with their length. Texts may contain any bytes. There is no version, because both ends
// are the same program. A package that compiles encoders by reflection would take longer than the whole exchange.
type codec struct {
	reading bool
	b       []byte // bytes written so far, or still to be read
	err     error
}

// message is implemented by everything that can be sent.
type message interface{ fields(c *codec) }

// frame returns the encoded message, prefixed with its length.
func frame(m message) []byte {
	body := &codec{b: make([]byte, 0, 4096)}
	m.fields(body)
	head := &codec{}
	size := len(body.b)
	number(head, &size)
	return append(head.b, body.b...)
}

var errMessage = errors.New("a message is truncated")

// numberSize is the size of a number in bytes.
const numberSize = 8

// number encodes or decodes a number or boolean.
func number[T ~int | ~int64 | ~uint32 | ~uint64 | ~uintptr](c *codec, v *T) {
	if !c.reading {
		for shift := 0; shift < 64; shift += 8 {
			c.b = append(c.b, byte(int64(*v)>>shift))
		}
		return
	}
	if len(c.b) < numberSize {
		c.err, c.b = errMessage, nil
		return
	}
	var n uint64
	for i, b := range c.b[:numberSize] {
		n |= uint64(b) << (8 * i)
	}
	*v, c.b = T(n), c.b[numberSize:]
}

func (c *codec) flag(v *bool) {
	n := 0
	if *v {
		n = 1
	}
	if number(c, &n); c.reading {
		*v = n != 0
	}
}

func text[T ~string](c *codec, v *T) {
	n := len(*v)
	number(c, &n)
	if !c.reading {
		c.b = append(c.b, *v...)
		return
	}
	if n < 0 || n > len(c.b) {
		c.err, c.b = errMessage, nil
		return
	}
	*v, c.b = T(c.b[:n]), c.b[n:]
}

// list encodes or decodes a list. Each element takes at least one byte.
func list[T any](c *codec, v *[]T, element func(*T)) {
	n := len(*v)
	number(c, &n)
	if c.reading {
		if n < 0 || n > len(c.b) {
			c.err, c.b = errMessage, nil
			return
		}
		*v = make([]T, n)
	}
	for i := range *v {
		element(&(*v)[i])
	}
}

func texts(c *codec, v *[]string) { list(c, v, func(s *string) { text(c, s) }) }

// optional encodes or decodes a value that may be nil.
func optional[T any](c *codec, v **T) (there bool) {
	there = *v != nil
	c.flag(&there)
	if there && *v == nil {
		*v = new(T)
	}
	return there
}

func (r *Request) fields(c *codec) {
	if optional(c, &r.Root) {
		r.Root.fields(c)
	}
	text(c, &r.Dir)
	if optional(c, &r.Command) {
		r.Command.fields(c)
	}
}

func (r *Root) fields(c *codec) {
	for _, binds := range []*[]Bind{&r.Image, &r.Binds} {
		list(c, binds, func(b *Bind) {
			text(c, &b.Source)
			text(c, &b.Target)
			for _, f := range []*bool{&b.Writable, &b.Overlay, &b.Optional, &b.Devices} {
				c.flag(f)
			}
		})
	}
	list(c, &r.Files, func(f *File) {
		text(c, &f.Target)
		text(c, &f.Content)
		number(c, &f.Mode)
		c.flag(&f.Optional)
	})
	list(c, &r.Links, func(l *Link) {
		text(c, &l.Target)
		text(c, &l.To)
	})
	texts(c, &r.Hide)
	number(c, &r.Scratch)
	number(c, &r.UID)
	number(c, &r.GID)
}

func (m *Command) fields(c *codec) {
	texts(c, &m.Programs)
	texts(c, &m.Argv)
	texts(c, &m.Env)
	if optional(c, &m.User) {
		number(c, &m.User.UID)
		number(c, &m.User.GID)
	}
	list(c, &m.Filter, func(f *syscall.SockFilter) {
		n := uint64(f.Code)<<48 | uint64(f.Jt)<<40 | uint64(f.Jf)<<32 | uint64(f.K)
		number(c, &n)
		if !c.reading {
			return // all runs share the filter
		}
		*f = syscall.SockFilter{Code: uint16(n >> 48), Jt: uint8(n >> 40), Jf: uint8(n >> 32), K: uint32(n)}
	})
	c.flag(&m.PreferVictim)
	c.flag(&m.IntoCgroup)
	number(c, &m.SoftFiles)
	number(c, &m.HardFiles)
	number(c, &m.Enter)
	number(c, &m.Leave)
}

func (r *Reply) fields(c *codec) {
	text(c, &r.Kind)
	number(c, &r.Status)
	for _, d := range []*time.Duration{&r.Clock, &r.Usage.User, &r.Usage.System} {
		number(c, d)
	}
	for _, n := range []*int64{&r.Usage.InBlocks, &r.Usage.OutBlocks, &r.Usage.MaxRSS} {
		number(c, n)
	}
	text(c, &r.Step)
	text(c, &r.Text)
	number(c, &r.Errno)
	c.flag(&r.Start)
}
