package stages

import (
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// ImageAttr is the attribute that names the runs' root file system.
var ImageAttr = Attr{Name: "image", Type: FileType, Inherit: []string{"image"}, Bulk: true,
	Doc: "the root file system of the runs of solvers that have no image of their own, on an executor without one: an " +
		"OCI layout or archive, or what docker save writes; default: the programs of the machine"}

// Sentence formats an error as a sentence for a diagnostic.
func Sentence(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// RegistryHint returns a hint for a value that looks like the name of an image in a registry; otherwise it returns an
// empty text.
func RegistryHint(v cty.Value) string {
	if !v.IsKnown() || v.IsNull() || v.Type() != cty.String {
		return ""
	}
	ref := v.AsString()
	for _, prefix := range []string{"docker://", "oci://"} {
		ref = strings.TrimPrefix(ref, prefix)
	}
	if ref == v.AsString() && !strings.Contains(ref, "@sha256:") {
		return ""
	}
	return fmt.Sprintf(" Fetch a registry image once: \"smtpipe tool image %s\" creates a folder for this "+
		"attribute.", ref)
}
