package scramble

import "strconv"

// printList prints a term or another list.
func (s *Scrambler) printList(w word) {
	if s.names.dense != nil {
		s.printDense(w)
		return
	}
	s.printWord(w)
}

// printDense is printWord for a dense table, and without its care for speed.
func (s *Scrambler) printDense(w word) {
	root := word(len(s.tape))
	w |= tagLast
	s.tape = append(s.tape, w)
	tape, out := s.tape, s.out
	hides := s.opt.Core != nil
	next := root + 1
	var up word
	for {
		if s.sink != nil && len(out) >= flushSize {
			s.out = out
			s.flush()
			out = s.out
		}
		if w&tagName == 0 {
			place := w & placeMask
			if hides && tape[place] == hiddenBang {
				w = tape[place+1] | w&tagLast
				continue
			}
			out = append(out, '(')
			tape[next-1] = up
			up = next | w&tagLast
			w, next = tape[place], place+1
			continue
		}
		out = s.names.appendDense(out, w)
		for w&tagLast != 0 {
			if next == root+1 {
				s.out, s.tape = out, tape[:root]
				return
			}
			out = append(out, ')')
			w, next = up, up&placeMask
			up = tape[next-1]
		}
		out = append(out, ' ')
		w = tape[next]
		next++
	}
}

// appendDense adds a name with the image of its number, or as it is.
func (t *names) appendDense(out []byte, w word) []byte {
	name := sym(w & symMask)
	if w&tagVerbatim != 0 {
		return append(out, t.text(name)...)
	}
	state := t.dense.states[name]
	if state&denseState != densePlain && state&denseState != denseImage {
		state = t.decideDense(name)
	}
	if state&denseState != denseImage {
		return append(out, t.text(name)...)
	}
	return strconv.AppendUint(append(out, 'x'), uint64(state&^denseState), 10)
}
