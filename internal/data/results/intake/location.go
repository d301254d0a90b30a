package intake

import "github.com/smtpipe/smtpipe/internal/data/comp"

// location collects the fields of a file object. Its buffers are reused for the next entry.
type location struct {
	incremental bool
	logic       []byte
	family      []byte // joined by /
	name        []byte
	path        []byte
	last        string // path of the last place
	seen        uint8
}

const allOfLocation = 1<<4 - 1

// read consumes {incremental, logic, family, name}.
func (l *location) read(s *tokens) {
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
	if string(l.path) != l.last { // the runs on a benchmark are often adjacent
		l.last = string(l.path)
	}
	whole := l.last
	logicAt := len(collection)
	familyAt := logicAt + len(l.logic) + 1
	return whole, comp.Location{
		Incremental: l.incremental,
		Logic:       comp.Logic(whole[logicAt : familyAt-1]),
		Family:      comp.Family(whole[familyAt : familyAt+len(l.family)]),
		Name:        whole[len(whole)-len(l.name):],
	}
}
