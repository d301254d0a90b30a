package scramble

import "bytes"

// AppendStatusHeader adds the lines that the incremental track puts before a benchmark for its trace executor: the
// status of each (set-info :status S) that stands anywhere in the text, even in a comment, in exactly this spelling,
// and the line that ends the header.
//
// Source: the incremental track's wrapper around the official scrambler, 2023 to 2026.
func AppendStatusHeader(dst, src []byte) []byte {
	prefix := []byte("(set-info :status ")
	for {
		i := bytes.Index(src, prefix)
		if i < 0 {
			return append(dst, "--- BENCHMARK BEGINS HERE ---\n"...)
		}
		src = src[i+len(prefix):]
		for _, status := range []string{"sat)", "unsat)", "unknown)"} {
			if bytes.HasPrefix(src, []byte(status)) {
				dst = append(dst, status[:len(status)-1]...)
				dst = append(dst, '\n')
			}
		}
	}
}
