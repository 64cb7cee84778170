package watcher

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

const (
	// folderTime bounds the look at a folder, so that the answer comes while
	// the caller still waits.
	folderTime = 5 * time.Second
	// groupPaths is how many paths of a group are named.
	groupPaths = 5
)

// groups counts paths by outcome.
type groups struct {
	list []contract.PathGroup
	at   map[[2]string]int
	seen map[document.Path]bool // documents that are there
}

func (g *groups) add(v contract.Verdict, reason string, path document.Path) {
	k := [2]string{string(v), reason}
	i, known := g.at[k]
	if !known {
		i = len(g.list)
		g.at[k] = i
		g.list = append(g.list, contract.PathGroup{Verdict: v, Reason: reason})
	}
	p := &g.list[i]
	if p.Count++; len(p.Paths) < groupPaths {
		p.Paths = append(p.Paths, path)
	}
}

func newGroups() *groups { return &groups{at: map[[2]string]int{}, seen: map[document.Path]bool{}} }

// folderOnDisk counts what lies below a folder of files.
func (x *visit) folderOnDisk(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, folderTime)
	defer cancel()
	g := newGroups()
	disk := x.s.origin.Scanner(x.rules)
	disk.Linked = nil // what it finds is followed up by comparisons
	disk.Pruned = func(raw string, dec ignore.Decision) {
		g.add(contract.VerdictIgnored, dec.Reason(), document.EncodePath(raw)+"/")
	}
	view := x.s.position.view()
	err := disk.Walk(limited, x.raw, nil, func(c scan.Candidate) error {
		path := document.EncodePath(c.Raw)
		known := x.s.svc.ledger.get(bus.FileKey{Source: x.s.name, Doc: document.DocOf(path), View: view})
		f, err := disk.Look(limited, c, known, nil)
		x.s.origin.Budget.Give(f.Weight)
		switch {
		case limited.Err() != nil:
			return limited.Err()
		case err != nil:
			g.add(contract.VerdictUnreadable, err.Error(), path)
			g.seen[path] = true
		default:
			g.finding(f, known)
		}
		return nil
	})
	if x.Partial = limited.Err() != nil; x.Partial {
		err = nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	x.folder(g)
	return nil
}

// finding counts what a comparison would find.
func (g *groups) finding(f scan.Finding, known contract.FileHead) {
	switch f.Kind {
	case scan.Same:
		if known.Op == contract.OpSkipped {
			g.add(contract.VerdictSkipped, known.Reason, f.Path)
		} else {
			g.add(contract.VerdictLogged, "", f.Path)
		}
	case scan.Put, scan.Unstable:
		if overLimit(known) {
			g.add(contract.VerdictSkipped, known.Reason, f.Path)
		} else {
			g.add(contract.VerdictChanged, "", f.Path)
		}
	case scan.Skip:
		g.add(contract.VerdictSkipped, string(f.Reason), f.Path)
	case scan.Gone, scan.Dir:
		if f.Reason != "" {
			g.add(contract.VerdictIgnored, string(f.Reason), f.Path)
		}
		return
	}
	g.seen[f.Path] = true
}

// folderInTree counts what lies below a folder of a bare repository, as far as
// the objects' ids tell it.
func (x *visit) folderInTree(t *origin.InTree) {
	g := newGroups()
	for i := range t.Entries {
		e := &t.Entries[i]
		if x.raw != "" && !strings.HasPrefix(e.Path, x.raw+"/") {
			continue
		}
		path := document.EncodePath(e.Path)
		if dec := t.Rules.Decide(e.Path, false); dec.Ignored && dec.Class != ignore.ClassSecret {
			g.add(contract.VerdictIgnored, dec.Reason(), path)
			continue
		}
		known := x.s.svc.ledger.get(bus.FileKey{Source: x.s.name, Doc: document.DocOf(path), View: x.s.position.view()})
		switch {
		case known.Op == contract.OpSkipped:
			g.add(contract.VerdictSkipped, known.Reason, path)
		case known.Op == contract.OpPut && known.Blob == e.Blob:
			g.add(contract.VerdictLogged, "", path)
		default:
			g.add(contract.VerdictChanged, "", path)
		}
		g.seen[path] = true
	}
	x.folder(g)
}

func numbered(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// folder is the verdict on a folder; what the log has below it and the source
// has not is added.
func (x *explanation) folder(g *groups) {
	view, root := x.s.position.view(), []string{string(x.doc)}
	var deleted, left []document.Path
	for _, h := range x.s.svc.ledger.all(func(k bus.FileKey, h contract.FileHead) bool {
		return k.Source == x.s.name && k.View == view && within(string(h.Path), root) && !g.seen[h.Path]
	}) {
		if present(h) && !x.Partial {
			left = append(left, h.Path)
		} else if !present(h) {
			deleted = append(deleted, h.Path)
		}
	}
	for _, list := range []struct {
		paths  []document.Path
		reason string
	}{{deleted, ""}, {left, "still in the log"}} {
		slices.Sort(list.paths)
		for _, p := range list.paths {
			g.add(contract.VerdictDeleted, list.reason, p)
		}
	}
	x.Verdict, x.Folder, x.InStep = contract.VerdictFolder, g.list, true
	if err := x.s.quota.refusal(); err != nil {
		x.Waits, x.Actions = err.Error(), document.ActionsOf(err)
	}
	documents, out := 0, 0
	for _, p := range g.list {
		switch p.Verdict {
		case contract.VerdictLogged:
			documents += p.Count
		case contract.VerdictChanged, contract.VerdictUnreadable:
			documents += p.Count
			x.InStep = false
		case contract.VerdictSkipped, contract.VerdictIgnored:
			out += p.Count
		case contract.VerdictDeleted:
			x.InStep = x.InStep && p.Reason == ""
		default:
		}
	}
	what := x.name() + " is a folder"
	if x.raw == "" {
		what = x.name() + " is " + quoted(x.s.origin.Place.Root)
	}
	x.Summary = what + " with " + numbered(documents, "document", "documents") + "; " + numbered(out, "path is", "paths are") + " left out."
	if x.Partial {
		x.Summary = what + " with more than could be looked at in " + folderTime.String() + ": the counts are of a part of it."
		x.Next = []string{"Ask for one of the folders in it."}
	}
}
