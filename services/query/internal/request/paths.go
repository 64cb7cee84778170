package request

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Paths is a filter on the paths of documents: folders, files and globs, of
// which any may match. A glob without a slash matches the name of a file in
// any folder. No entries let everything through.
type Paths struct {
	plain []string // folders and files, also the globs taken literally
	globs []string
	dirs  []string
	exact bool
}

// ParsePaths checks the entries. An error is an InvalidRequest.
func ParsePaths(entries []string) (*Paths, error) {
	p := &Paths{exact: true}
	narrow := true
	for _, entry := range entries {
		if entry == "" {
			return nil, document.Errorf(document.InvalidRequest, "a path of the filter is empty: leave it out")
		}
		if strings.HasPrefix(entry, "/") {
			return nil, document.Errorf(document.InvalidRequest, "path %q of the filter is absolute: paths are relative to the root of their source", entry)
		}
		clean := path.Clean(entry)
		if clean == ".." || strings.HasPrefix(clean, "../") {
			return nil, document.Errorf(document.InvalidRequest, "path %q of the filter leaves its source: paths are relative to the root of their source", entry)
		}
		if clean == "." {
			return &Paths{exact: true}, nil
		}
		p.addPlain(clean)
		if !strings.ContainsAny(clean, "*?[{") {
			p.dirs = append(p.dirs, p.plain[len(p.plain)-1])
			if encoded := p.plain[len(p.plain)-1]; encoded != clean {
				p.dirs = append(p.dirs, clean)
			}
			continue
		}
		if !doublestar.ValidatePattern(clean) {
			return nil, document.Errorf(document.InvalidRequest, "path %q of the filter is a malformed glob: close its brackets, or put a backslash before them", entry)
		}
		if !strings.Contains(clean, "/") {
			clean = "**/" + clean
		}
		p.globs = append(p.globs, clean)
		p.exact = false
		base, _ := doublestar.SplitPattern(clean)
		if base == "." || strings.Contains(base, `\`) {
			narrow = false
			continue
		}
		p.dirs = append(p.dirs, base)
	}
	if !narrow {
		p.dirs = nil
	}
	return p, nil
}

// addPlain keeps the entry as typed and as paths are written in the log.
func (p *Paths) addPlain(entry string) {
	p.plain = append(p.plain, entry)
	if encoded := string(document.EncodePath(entry)); encoded != entry {
		p.plain = append(p.plain, encoded)
	}
}

// Any reports whether every document passes.
func (p *Paths) Any() bool { return len(p.plain) == 0 }

// Match reports whether a document passes.
func (p *Paths) Match(doc document.Path) bool {
	if p.Any() {
		return true
	}
	for _, entry := range p.plain {
		if rest, ok := strings.CutPrefix(string(doc), entry); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	for _, g := range p.globs {
		if ok, err := doublestar.Match(g, string(doc)); err == nil && ok {
			return true
		}
	}
	return false
}

// Dirs are folders and whole paths below which every match lies, for a store's
// filter; none where the entries do not narrow the search to folders.
func (p *Paths) Dirs() []string { return p.dirs }

// Exact reports whether Dirs alone decides, so that Match need not be asked.
func (p *Paths) Exact() bool { return p.exact }

// Names reports whether an entry is exactly this document: then the caller
// asked for this one file.
func (p *Paths) Names(doc document.Path) bool { return slices.Contains(p.plain, string(doc)) }
