package scramble

import "bytes"

// printStatuses prints the header that the incremental track adds to a benchmark for its trace executor. It consists of
// the status of each (set-info :status S) anywhere in the text, spelled exactly this way, even in a comment, and of the
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

// appendStatus appends a line with the status that text begins with, if any.
func appendStatus(dst, text []byte) []byte {
	for _, status := range []string{"sat)", "unsat)", "unknown)"} {
		if bytes.HasPrefix(text, []byte(status)) {
			dst = append(dst, status[:len(status)-1]...)
			dst = append(dst, '\n')
		}
	}
	return dst
}
