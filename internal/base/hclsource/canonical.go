package hclsource

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Canonical returns HCL text without comments and layout.
func Canonical(src []byte) string {
	tokens, _ := hclsyntax.LexConfig(src, "", hcl.InitialPos)
	var b strings.Builder
	newline := true
	for _, t := range tokens {
		switch {
		case t.Type == hclsyntax.TokenNewline || t.Type == hclsyntax.TokenComment:
			// A line comment's token includes the newline.
			if !newline && (t.Type == hclsyntax.TokenNewline || strings.HasSuffix(string(t.Bytes), "\n")) {
				b.WriteByte('\n')
				newline = true
			}
			continue
		case t.Type == hclsyntax.TokenEOF:
			continue
		}
		if !newline {
			b.WriteByte(' ')
		}
		b.Write(t.Bytes)
		newline = false
	}
	return b.String()
}
