package functions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// maxFileBytes limits the size of a file for file_text().
const maxFileBytes = 64 << 20

// fileFunctions returns the functions that read the pipeline's inputs. Paths are relative to the pipeline's folder.
func fileFunctions(env Env) map[string]function.Function {
	return map[string]function.Function{
		"file":      env.reference(),
		"fileset":   env.fileset(),
		"file_name": fileNameFunc,
		"file_text": env.text(),
	}
}

// text returns the contents of a text file in the pipeline's folder, given as a file or as its path.
func (env Env) text() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "file", Type: cty.DynamicPseudoType}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			f, ok := stages.FileOf(args[0])
			if args[0].Type() == cty.String {
				var err error
				if f, err = env.File(args[0].AsString()); err != nil {
					return cty.NilVal, function.NewArgError(0, err)
				}
			} else if !ok {
				return cty.NilVal, function.NewArgErrorf(0, "want a path or a file, got a %s",
					args[0].Type().FriendlyName())
			}
			text, err := env.read(f)
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			return cty.StringVal(text), nil
		},
	})
}

// read reads a text file below the pipeline's folder. Links cannot lead out of the folder.
func (env Env) read(f stages.File) (string, error) {
	name := filepath.FromSlash(f.Name)
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("%s is not in the pipeline's folder, and the language only reads files there; stages "+
			"may read it", f.Name)
	}
	if f.IsDir {
		return "", fmt.Errorf("%s is a folder; fileset() lists its files", f.Name)
	}
	root, err := os.OpenRoot(env.Folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	info, err := root.Stat(name)
	switch {
	case err != nil && leaves(err):
		return "", linkError(filepath.Join(env.Folder, name), f.Name)
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file", f.Name)
	case info.Size() > maxFileBytes:
		return "", fmt.Errorf("%s has %d bytes; file_text() reads at most %d", f.Name, info.Size(), maxFileBytes)
	}
	b, err := root.ReadFile(name)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(b) {
		return "", fmt.Errorf("%s is not UTF-8 text", f.Name)
	}
	return string(b), nil
}

// reference returns the file or folder at a path.
func (env Env) reference() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(stages.FileType),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			f, err := env.File(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			return stages.FileVal(f), nil
		},
	})
}

// fileNameFunc returns the last part of a file's name, without its folder.
var fileNameFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "file", Type: stages.FileType}},
	Type:   function.StaticReturnType(cty.String),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		f, _ := stages.FileOf(args[0])
		return cty.StringVal(path.Base(f.Name)), nil
	},
})

// fileset returns the files that match patterns, without duplicates and sorted by name within each pattern.
func (env Env) fileset() function.Function {
	return function.New(&function.Spec{
		Params:   []function.Parameter{{Name: "pattern", Type: cty.String}},
		VarParam: &function.Parameter{Name: "patterns", Type: cty.String},
		Type:     function.StaticReturnType(cty.List(stages.FileType)),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			var files []cty.Value
			seen := map[string]bool{}
			for i, arg := range args {
				names, err := glob(env.Folder, arg.AsString())
				if err != nil {
					return cty.NilVal, function.NewArgError(i, err)
				}
				for _, name := range names {
					if seen[name] {
						continue
					}
					seen[name] = true
					f, err := env.File(name)
					if err != nil {
						return cty.NilVal, function.NewArgError(i, err)
					}
					files = append(files, stages.FileVal(f))
				}
			}
			if len(files) == 0 {
				return cty.ListValEmpty(stages.FileType), nil
			}
			return cty.ListVal(files), nil
		},
	})
}

// glob returns the regular files that match a pattern, sorted. Relative patterns are relative to folder and yield
// relative names. Hidden files match only a pattern with an explicit dot. Links are followed if they stay within the
// folder or, for a pattern outside it, within the folder where the wildcards start.
func glob(folder, pattern string) ([]string, error) {
	if pattern == "" {
		return nil, errors.New("the pattern is empty")
	}
	if err := checkGlob(pattern); err != nil {
		return nil, err
	}
	pattern = path.Clean(pattern)
	base, rest := ".", pattern
	if path.IsAbs(pattern) {
		base, rest = "/", strings.TrimPrefix(pattern, "/")
	}
	for { // open the part without wildcards directly
		first, more, found := strings.Cut(rest, "/")
		if !found || strings.ContainsAny(first, `*?[\`) {
			break
		}
		base, rest = path.Join(base, first), more
	}
	names, err := globBelow(folder, base, strings.Split(rest, "/"))
	if err != nil {
		return nil, err
	}
	for i, n := range names {
		names[i] = path.Join(base, n)
	}
	slices.Sort(names) // arguments depend on the order of files
	return slices.Compact(names), nil
}

// globBelow returns the files below base that match the parts of a pattern, by their names relative to base.
func globBelow(folder, base string, parts []string) ([]string, error) {
	if err := CheckLinks(folder, base); err != nil {
		return nil, err
	}
	full, rel, err := within(folder, base)
	if err != nil {
		return nil, err
	}
	if !filepath.IsLocal(rel) {
		folder, rel = full, "."
	}
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	below, err := fs.Sub(root.FS(), filepath.ToSlash(rel))
	if err != nil {
		return nil, err
	}
	w := walker{below, map[step]bool{}}
	names, err := w.walk(".", parts)
	if err != nil && base != "." {
		err = fmt.Errorf("in %s: %w", base, err)
	}
	return names, err
}

// walker lists files. It visits a folder only once for each part of the pattern, although several ** may lead there in
// many ways with the same part.
type walker struct {
	folder fs.FS
	done   map[step]bool
}

type step struct {
	prefix string
	parts  int // number of remaining parts
}

// walk returns the files below a prefix that match the parts of a pattern.
func (w walker) walk(prefix string, parts []string) ([]string, error) {
	at := step{prefix, len(parts)}
	if w.done[at] {
		return nil, nil
	}
	w.done[at] = true
	entries, err := fs.ReadDir(w.folder, prefix)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	var all []string
	for _, entry := range entries {
		more, err := w.match(prefix, parts, entry)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	if parts[0] == "**" && len(parts) > 1 {
		more, err := w.walk(prefix, parts[1:])
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

func (w walker) match(prefix string, parts []string, entry fs.DirEntry) ([]string, error) {
	name := entry.Name()
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(parts[0], ".") {
		return nil, nil
	}
	if ok, err := path.Match(parts[0], name); parts[0] != "**" && (err != nil || !ok) {
		return nil, err
	}
	full := path.Join(prefix, name)
	if parts[0] == "**" && entry.IsDir() {
		return w.walk(full, parts)
	}
	if parts[0] == "**" && len(parts) > 1 {
		return nil, nil
	}
	info, err := fs.Stat(w.folder, full) // follows links
	switch {
	case err != nil && leaves(err):
		const text = "%s is a link that leads elsewhere; name the place, or exclude it from the pattern"
		return nil, fmt.Errorf(text, full)
	case err != nil:
		return nil, nil // a dangling link, or a file removed in the meantime
	}
	switch {
	case parts[0] == "**" && !info.IsDir():
		return []string{full}, nil
	case parts[0] == "**":
		return nil, nil // a link to a folder
	case len(parts) == 1 && info.Mode().IsRegular():
		return []string{full}, nil
	case len(parts) > 1 && info.IsDir():
		return w.walk(full, parts[1:])
	}
	return nil, nil
}

// globMatch matches text against a pattern, one part at a time.
func globMatch(pattern, text string) (bool, error) {
	if err := checkGlob(pattern); err != nil {
		return false, err
	}
	return matchParts(strings.Split(pattern, "/"), strings.Split(text, "/")), nil
}

// matchParts backtracks only to the last **, which can match any further parts that an earlier ** could match. The
// worst case therefore compares every part of the pattern with every part of the text.
func matchParts(pattern, text []string) bool {
	var afterDeep, left []string // position after the last **, and the text position where it was tried
	deep := false
	for len(pattern) > 0 || len(text) > 0 {
		if len(pattern) > 0 && pattern[0] == "**" {
			pattern = pattern[1:]
			afterDeep, left, deep = pattern, text, true
			continue
		}
		if len(pattern) > 0 && len(text) > 0 {
			if ok, err := path.Match(pattern[0], text[0]); err == nil && ok {
				pattern, text = pattern[1:], text[1:]
				continue
			}
		}
		if !deep || len(left) == 0 {
			return false
		}
		left = left[1:]
		pattern, text = afterDeep, left
	}
	return true
}
