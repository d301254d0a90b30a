package official

import (
	"math"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// location collects the fields of a file object. Its buffers are reused for the next entry.
type location struct {
	incremental bool
	logic       []byte
	family      []byte // joined by /
	name        []byte
	path        []byte // of the last place
	seen        uint8
}

const allOfLocation = 1<<4 - 1

// read consumes {incremental, logic, family, name}.
func (l *location) read(s *scanner) {
	l.seen = 0
	s.object(func(name []byte) {
		switch string(name) {
		case "incremental":
			l.incremental = s.boolean()
			l.seen |= 1
		case "logic":
			l.logic = append(l.logic[:0], s.str()...)
			l.seen |= 2
		case "family":
			l.family = l.family[:0]
			s.array(func() {
				if len(l.family) > 0 {
					l.family = append(l.family, '/')
				}
				l.family = append(l.family, s.str()...)
			})
			l.seen |= 4
		case "name":
			l.name = append(l.name[:0], s.str()...)
			l.seen |= 8
		default:
			s.fail("unknown field %q of a file", name)
		}
	})
	if s.err == nil && (l.seen != allOfLocation || len(l.logic) == 0 || len(l.name) == 0) {
		s.fail("a file needs incremental, logic, family and name")
	}
}

// place returns the path with its parts, which share its memory.
func (l *location) place() (string, comp.Location) {
	collection := "non-incremental/"
	if l.incremental {
		collection = "incremental/"
	}
	path := append(l.path[:0], collection...)
	path = append(path, l.logic...)
	path = append(path, '/')
	if len(l.family) > 0 {
		path = append(path, l.family...)
		path = append(path, '/')
	}
	l.path = append(path, l.name...)
	whole := string(l.path)
	logicAt := len(collection)
	familyAt := logicAt + len(l.logic) + 1
	return whole, comp.Location{
		Incremental: l.incremental,
		Logic:       comp.Logic(whole[logicAt : familyAt-1]),
		Family:      comp.Family(whole[familyAt : familyAt+len(l.family)]),
		Name:        whole[len(whole)-len(l.name):],
	}
}

func (s *scanner) boolean() bool {
	switch w := s.word(); string(w) {
	case "true":
		return true
	case "false":
	default:
		s.fail("got %s where true or false is expected", w)
	}
	return false
}

// whole consumes a number without fraction, or null, for which it returns absent.
func (s *scanner) whole(absent int64) int64 {
	w := s.word()
	if string(w) == "null" {
		return absent
	}
	n, err := strconv.ParseInt(string(w), 10, 64)
	if err != nil {
		f := s.parseFloat(w)
		if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			s.fail("got %s where a whole number is expected", w)
		}
		return int64(f)
	}
	return n
}

func (s *scanner) float() float64 { return s.parseFloat(s.word()) }

func (s *scanner) parseFloat(w []byte) float64 {
	f, err := strconv.ParseFloat(string(w), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		s.fail("got %s where a number is expected", w)
		return 0
	}
	return f
}

// names keeps one copy of each of the few different strings of a field.
type names map[string]string

func (n names) keep(text []byte) string {
	if known, ok := n[string(text)]; ok {
		return known
	}
	name := string(text)
	n[name] = name
	return name
}
