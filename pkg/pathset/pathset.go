// Package pathset holds folders, files and globs as people name them: in a
// filter, or where a configuration says which documents it means.
package pathset

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Set stands for the documents that its entries name: folders, files and globs,
// of which any may match. A glob without a slash matches the name of a file in
// any folder. No entries stand for all documents. It is safe for concurrent use.
type Set struct {
	plain []string // folders and files, also the globs taken literally
	globs []string
	dirs  []string
	exact bool
}

// Parse checks the entries. An error is an InvalidRequest that begins with the
// entry in quotes, for the caller to put before it what it is an entry of.
func Parse(entries []string) (*Set, error) {
	p := &Set{exact: true}
	narrow := true
	for _, entry := range entries {
		if entry == "" {
			return nil, document.Errorf(document.InvalidRequest, "%q is empty: leave it out", entry)
		}
		if strings.HasPrefix(entry, "/") {
			return nil, document.Errorf(document.InvalidRequest, "%q is absolute: paths are relative to the root of their source", entry)
		}
		clean := path.Clean(entry)
		if clean == ".." || strings.HasPrefix(clean, "../") {
			return nil, document.Errorf(document.InvalidRequest, "%q leaves its source: paths are relative to the root of their source", entry)
		}
		if clean == "." {
			return &Set{exact: true}, nil
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
			return nil, document.Errorf(document.InvalidRequest, "%q is a malformed glob: close its brackets, or put a backslash before them", entry)
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
func (p *Set) addPlain(entry string) {
	p.plain = append(p.plain, entry)
	if encoded := string(document.EncodePath(entry)); encoded != entry {
		p.plain = append(p.plain, encoded)
	}
}

// Any reports whether every document passes.
func (p *Set) Any() bool { return len(p.plain) == 0 }

// Entries returns the entries by which a document passes.
func (p *Set) Entries(doc document.Path) (by []string) {
	for _, entry := range p.plain {
		if isBelow(doc, entry) {
			by = append(by, entry)
		}
	}
	for _, g := range p.globs {
		if ok, err := doublestar.Match(g, string(doc)); err == nil && ok {
			by = append(by, g)
		}
	}
	return by
}

func isBelow(doc document.Path, entry string) bool {
	rest, ok := strings.CutPrefix(string(doc), entry)
	return ok && (rest == "" || rest[0] == '/')
}

// Match reports whether a document passes.
func (p *Set) Match(doc document.Path) bool {
	if p.Any() {
		return true
	}
	for _, entry := range p.plain {
		if isBelow(doc, entry) {
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
func (p *Set) Dirs() []string { return p.dirs }

// Exact reports whether Dirs alone decides, so that Match need not be asked.
func (p *Set) Exact() bool { return p.exact }

// Names reports whether an entry is exactly this document: then the caller
// asked for this one file.
func (p *Set) Names(doc document.Path) bool { return slices.Contains(p.plain, string(doc)) }
