package scramble

import "bytes"

// printStatuses prints the lines that the incremental track puts before a benchmark for its trace executor: the status
// of each (set-info :status S) that occurs anywhere in the text, even in a comment, in exactly this spelling, and the
// line that ends the header.
//
// Source: the incremental track's wrapper around the official scrambler, 2023 to 2026.
func (s *Scrambler) printStatuses() {
	prefix := []byte("(set-info :status ")
	for begin := 0; begin < len(s.src); begin += windowSize {
		i, end := begin, min(begin+windowSize, len(s.src))
		text := s.src[:min(end+len(prefix)-1, len(s.src))]
		for n := bytes.Index(text[i:], prefix); n >= 0; n = bytes.Index(text[i:], prefix) {
			i += n + len(prefix)
			s.out = appendStatus(s.out, s.src[i:])
		}
		s.release(begin, end)
	}
	s.out = append(s.out, "--- BENCHMARK BEGINS HERE ---\n"...)
}

// appendStatus adds the status line at the beginning of text, if there is one.
func appendStatus(dst, text []byte) []byte {
	for _, status := range []string{"sat)", "unsat)", "unknown)"} {
		if bytes.HasPrefix(text, []byte(status)) {
			dst = append(dst, status[:len(status)-1]...)
			dst = append(dst, '\n')
		}
	}
	return dst
}
