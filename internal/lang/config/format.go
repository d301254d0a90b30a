package config

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
)

// FormatFile returns a file in the standard layout. It reports a file that cannot be parsed and returns it unchanged.
func FormatFile(name string, src []byte) ([]byte, hcl.Diagnostics) {
	if _, diags := hclsource.Parse(src, name); diags.HasErrors() {
		return src, diags
	}
	out := formatOnce(src)
	for range 4 { // HCL's formatter needs two passes for lines with only white space
		again := formatOnce(out)
		if bytes.Equal(again, out) {
			break
		}
		out = again
	}
	return out, nil
}

// formatOnce formats a file and terminates its last line.
func formatOnce(src []byte) []byte {
	out := hclwrite.Format(src)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return out
}
