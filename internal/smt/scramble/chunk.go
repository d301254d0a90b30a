package scramble

import "strconv"

// declare assigns a number to a name at its first declaration. A name that has already been printed gets no number.
func (s *Scrambler) declare(name sym) {
	if !s.renames || name == noSym {
		return
	}
	if owner, ok := s.names.declare(name); ok {
		s.fresh = append(s.fresh, owner)
	}
}

// printChunk shuffles, prints and discards the collected commands.
func (s *Scrambler) printChunk() {
	if s.countOnly {
		return
	}
	if s.opt.Core != nil {
		s.filterCore()
	}
	if s.reorders {
		s.shuffleRuns(cmdDeclareFun)
		s.shuffleRuns(cmdAssert)
	}
	s.permuteNumbers()
	for _, c := range s.chunk {
		s.printCommand(c)
	}
	s.forgetChunk()
}

// forgetChunk discards the collected commands.
func (s *Scrambler) forgetChunk() { s.chunk, s.tape = s.chunk[:0], s.tape[:0] }

// shuffleRuns shuffles each maximal run of consecutive commands of the same kind.
func (s *Scrambler) shuffleRuns(kind commandKind) {
	for i := 0; i < len(s.chunk); i++ {
		start := i
		for i < len(s.chunk) && s.chunk[i].kind == kind {
			i++
		}
		if i > start {
			shuffle(&s.random, s.chunk[start:i])
		}
	}
}

// permuteNumbers permutes the numbers that the current chunk assigned. That determines the output for the chunk's new
// names.
func (s *Scrambler) permuteNumbers() {
	p := s.permutation[:0]
	for i := range s.fresh {
		p = append(p, uint32(s.numbers+1+i))
	}
	for i, name := range s.fresh {
		if rest := uint64(len(p) - i); rest > 1 {
			d := s.random.below(rest)
			p[i], p[uint64(i)+d] = p[uint64(i)+d], p[i]
		}
		s.names.outputs[name] = imageOutput(p[i])
	}
	s.numbers += len(s.fresh)
	s.permutation, s.fresh = p[:0], s.fresh[:0]
}

func (s *Scrambler) printCommand(c command) {
	switch c.kind {
	case cmdAssert:
		s.printAssert(c.body)
	case cmdRepeated:
		for range c.count {
			s.printList(c.body)
			s.out = append(s.out, '\n')
			s.flushFull()
		}
	default:
		s.printList(c.body)
		s.out = append(s.out, '\n')
	}
	if c.kind == cmdCheckSat {
		s.printQueries()
	}
	s.flushFull()
}

func (s *Scrambler) printAssert(term word) {
	s.out = append(s.out, "(assert "...)
	if s.opt.UnsatCores {
		s.out = append(s.out, "(! "...)
	}
	s.printList(term)
	if s.opt.UnsatCores {
		s.named++
		s.out = append(s.out, " :named smtcomp"...)
		s.out = strconv.AppendInt(s.out, int64(s.named), 10)
		s.out = append(s.out, ')')
	}
	s.out = append(s.out, ")\n"...)
}

// printQueries prints the track's queries after a check-sat.
func (s *Scrambler) printQueries() {
	if s.opt.UnsatCores {
		s.out = append(s.out, "(get-unsat-core)\n"...)
	}
	if s.opt.Models {
		s.out = append(s.out, "(get-model)\n"...)
	}
	if s.opt.Proofs {
		s.out = append(s.out, "(get-proof)\n"...)
	}
}

// printHeader prints the text before the first command.
func (s *Scrambler) printHeader() {
	if s.opt.Core != nil {
		s.out = s.opt.Core.appendReport(s.out)
	}
	if !s.opt.Incremental && !s.countOnly {
		s.out = append(s.out, "(set-option :print-success false)\n"...)
	}
	if s.opt.UnsatCores {
		s.out = append(s.out, "(set-option :produce-unsat-cores true)\n"...)
	}
	if s.opt.Models {
		s.out = append(s.out, "(set-option :produce-models true)\n"...)
	}
	if s.opt.Proofs {
		s.out = append(s.out, "(set-option :produce-proofs true)\n"...)
	}
}
