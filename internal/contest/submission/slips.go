package submission

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
)

// slip records a well-formed value that cannot work and that organisers would otherwise correct by hand. Review treats
// it as a problem, but Parse accepts it to keep earlier competitions' files readable.
func (f *file) slip(pointer, format string, args ...any) {
	f.slips = append(f.slips, f.at(pointer, fmt.Sprintf(format, args...)))
}

// placeholder matches a name in angle brackets, such as <instance_path>.
var placeholder = pattern.Lazy(`<[A-Za-z][A-Za-z0-9_ -]*>`)

// typographic maps characters that word processors and PDF files produce to their keyboard equivalents.
var typographic = strings.NewReplacer("ˆ", "^", "“", `"`, "”", `"`, "‘", "'", "’", "'", "–", "-", "—", "--", "−", "-")

// checkFilled reports placeholders; instead states what to write.
func (f *file) checkFilled(pointer, text, instead string) {
	if found := placeholder().FindString(text); found != "" {
		f.slip(pointer, "%s is a placeholder; %s", found, instead)
	}
}

// checkTyped reports typographic characters, which programs do not recognise.
func (f *file) checkTyped(pointer, text string) {
	if typed := typographic.Replace(text); typed != text {
		f.slip(pointer, "%q has typographic characters; write %q", text, typed)
	}
}

// checkWords reports mistakes in a command's words. The first word is its program.
func (f *file) checkWords(words []value) {
	for i, v := range words {
		word, n := v.word(), v.pointer
		f.checkTyped(n, word)
		f.checkFilled(n, word, "leave it out, as the benchmark follows the command as its last argument, or write "+
			"what it stands for")
		parts := strings.Fields(word)
		switch {
		case len(parts) < 2:
		case i == 0:
			f.slip(n, "the program %q is a whole command line; write its words as strings of their own, such as %s", word,
				quoted(parts))
		case strings.HasPrefix(word, "-") && !strings.ContainsAny(word, "=\"'"):
			f.warn(n, "%q is one argument; are two meant? Then write \"%s\"", word, strings.Join(parts, `", "`))
		}
	}
}

// quoted returns a command's words as JSON. It omits a leading interpreter, because the script is the program.
func quoted(words []string) string {
	hint := ""
	script := path.Ext(words[1]) == ".py" || path.Ext(words[1]) == ".sh"
	if script && !strings.Contains(words[0], "/") {
		hint = fmt.Sprintf(", as the program is a file of the archive; the script's first line names %s (#!)", words[0])
		words = words[1:]
	}
	return `["` + strings.Join(words, `", "`) + `"]` + hint
}

var (
	zenodoPage = pattern.Lazy(`^/records?/[0-9]+(/|/preview/.*)?$`)
	gitPage    = pattern.Lazy(`^/[^/]+/.+/(blob|tree|releases/tag)/`)
	drivePage  = pattern.Lazy(`^/(file/d/|drive/|open$)`)
)

// checkDownload reports web page addresses where a file is required.
func (f *file) checkDownload(pointer, address string) {
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	host, instead := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), ""
	switch {
	case (host == "zenodo.org" || host == "sandbox.zenodo.org") && zenodoPage().MatchString(u.Path):
		instead = "that of the file in the record, such as https://zenodo.org/records/1234567/files/solver.tar.gz"
	case host == "doi.org":
		instead = "that of the file behind the DOI, such as https://zenodo.org/records/1234567/files/solver.tar.gz"
	case (host == "github.com" || host == "gitlab.com") && gitPage().MatchString(u.Path) && u.Query().Get("raw") == "":
		instead = "that of the file, with /raw/ instead of /blob/, or that of a file of a release"
	case host == "drive.google.com" && drivePage().MatchString(u.Path):
		instead = "https://drive.google.com/uc?export=download&id=ID with the ID of the file"
	default:
		return
	}
	f.slip(pointer, "%q is a page and not a file; give the address from which the archive is downloaded: %s", address, instead)
}
