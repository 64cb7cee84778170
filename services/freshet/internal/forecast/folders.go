package forecast

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// foldersListed is how many folders a report names.
	foldersListed = 10
	// smallFolder is the share of all bytes below which none is named.
	smallFolder = 0.01
	// sameFolder is the share of a folder that one below it may have before
	// that one is named in its place.
	sameFolder = 0.8
	// adviceShare is the share of all from which leaving out is worth a line.
	adviceShare = 0.1
)

// folders adds up what lies below each folder.
func folders(docs []doc) map[document.Path]*Folder {
	out := map[document.Path]*Folder{}
	var all int64
	for _, d := range docs {
		all += d.bytes
		for i := range len(d.path) {
			if d.path[i] != '/' {
				continue
			}
			f := out[d.path[:i]]
			if f == nil {
				f = &Folder{Path: d.path[:i]}
				out[f.Path] = f
			}
			f.Documents++
			f.Bytes += d.bytes
		}
	}
	for _, f := range out {
		f.Share = float64(f.Bytes) / float64(max(all, 1))
	}
	return out
}

// largest lists the folders that tell where the bytes are: one that is nearly
// all in another below it is told by that one.
func largest(by map[document.Path]*Folder) []Folder {
	told := map[document.Path]bool{}
	for path, f := range by {
		if i := strings.LastIndexByte(string(path), '/'); i >= 0 && float64(f.Bytes) >= sameFolder*float64(by[path[:i]].Bytes) {
			told[path[:i]] = true
		}
	}
	out := []Folder{}
	for path, f := range by {
		if !told[path] && f.Share >= smallFolder {
			out = append(out, *f)
		}
	}
	sortFolders(out)
	return out[:min(foldersListed, len(out))]
}

func sortFolders(list []Folder) {
	slices.SortFunc(list, func(a, b Folder) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Path, b.Path)) })
}

// foreign are names of folders whose content others wrote, or programs.
var foreign = map[string]bool{
	"vendor": true, "third_party": true, "third-party": true, "thirdparty": true, "external": true, "extern": true,
	"deps": true, "Godeps": true, "Pods": true, "node_modules": true, "dist": true, "build": true, "out": true,
	"target": true, "generated": true, "gen": true, "__generated__": true, "coverage": true,
	"testdata": true, "fixtures": true, "snapshots": true, "__snapshots__": true, "archive": true, "backup": true,
}

// advise names folders that hold much and that few would miss, and the file
// that a rule goes into.
func advise(by map[document.Path]*Folder, file string) []string {
	var list []Folder
	for path, f := range by {
		if f.Share >= adviceShare && foreign[path.Base()] && !within(path) {
			list = append(list, *f)
		}
	}
	sortFolders(list)
	out := []string{}
	for _, f := range list {
		if rule, ok := ruleFor(f.Path); ok {
			out = append(out, fmt.Sprintf("%s/ is %.0f %% of it: if nobody searches there, leave it out with a line `%s` in %s", f.Path.Raw(), 100*f.Share, rule, file))
		}
	}
	return out
}

// within reports whether a folder lies in another one that is foreign.
func within(path document.Path) bool {
	return slices.ContainsFunc(path.Dirs(), func(dir string) bool { return foreign[dir] })
}

// ruleFor returns the line that leaves out exactly one folder; ok is false for
// a name that such a line cannot hold.
func ruleFor(path document.Path) (rule string, ok bool) {
	if path != document.Path(path.Raw()) {
		return "", false // control characters, or no text
	}
	var b strings.Builder
	for _, r := range path {
		if strings.ContainsRune(`\*?[`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return "/" + b.String() + "/", true
}
