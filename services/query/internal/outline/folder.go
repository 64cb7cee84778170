package outline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Folder gathers what is in a folder. It is used by one goroutine.
type Folder struct {
	path document.Path
	best map[child]contract.FileHead // of each document the head of one view
}

type child struct {
	source document.Source
	path   document.Path
}

// NewFolder returns a Folder for a path, "" for the root.
func NewFolder(path document.Path) *Folder {
	return &Folder{path: path, best: map[child]contract.FileHead{}}
}

// Add looks at a head. Of several views of a document the worktree counts, else the
// first by name that has it.
func (f *Folder) Add(h *contract.FileHead) {
	if h.Op != contract.OpPut && h.Op != contract.OpSkipped || f.path != "" && !strings.HasPrefix(string(h.Path), string(f.path)+"/") {
		return
	}
	k := child{h.Source, h.Path}
	if old, ok := f.best[k]; ok && (old.View == document.Worktree || h.View != document.Worktree && old.View < h.View) {
		return
	}
	f.best[k] = *h
}

// Reply lists what is directly in the folder, by source and name.
func (f *Folder) Reply() contract.OutlineFolder {
	out := contract.OutlineFolder{Path: f.path, Entries: []contract.OutlineChild{}}
	below := map[child]*contract.OutlineChild{}
	for k, h := range f.best {
		rest := strings.TrimPrefix(string(k.path), string(f.path))
		rest = strings.TrimPrefix(rest, "/")
		at, folder := k, false
		if first, _, deeper := strings.Cut(rest, "/"); deeper {
			at.path, folder = document.Path(strings.TrimSuffix(string(k.path), rest)+first), true
		}
		c := below[at]
		if c == nil {
			c = &contract.OutlineChild{Source: at.source, Path: at.path}
			below[at] = c
		}
		if h.Op == contract.OpSkipped {
			if !folder {
				c.Skipped = cmp.Or(h.Reason, "skipped")
			}
			continue
		}
		out.Documents, out.Size, c.Size = out.Documents+1, out.Size+h.Size, c.Size+h.Size
		if folder {
			c.Documents++
		}
	}
	for _, c := range below {
		out.Entries = append(out.Entries, *c)
	}
	slices.SortFunc(out.Entries, func(a, b contract.OutlineChild) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Path, b.Path))
	})
	return out
}
