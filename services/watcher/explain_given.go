package watcher

import (
	"maps"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
)

// given explains a path of an API source: what was given is what the log has.
func (x *explanation) given() {
	x.newest()
	x.InStep, x.Type = true, typeNothing
	if present(x.known) {
		x.Type = typeFile
		x.Now = &contract.FileState{Size: x.known.Size, Hash: x.known.Hash}
	}
	switch {
	case x.known.Op == contract.OpPut:
		x.Verdict = contract.VerdictLogged
		x.Summary = x.name() + " is in the log as it was put, as version " + version(x.known) + " of " + when(x.known.Time) + "."
	case x.known.Op == contract.OpSkipped:
		x.skipped(classify.Reason(x.known.Reason))
		if strings.HasPrefix(x.Reason, "secret") {
			x.Next = []string{"No rule lets it in: put what is to be found under another name, without the secret."}
		}
	case x.known.Op == contract.OpDelete || !x.holdsGiven():
		x.gone()
		if x.Verdict == contract.VerdictMissing {
			x.Next = []string{"Check the path and its case, or put it with a request on " + contract.SubjectPut + "."}
			x.Actions = append(x.Actions, document.Action{Do: document.DoDocumentPut, Source: x.s.name, Path: x.doc})
		}
	}
}

// newest takes the version of the view that has the document, the worktree
// first: an API source may have many.
func (x *explanation) newest() {
	if present(x.known) || x.raw == "" {
		return
	}
	doc := document.DocOf(x.doc)
	of := func(k bus.FileKey, _ contract.FileHead) bool { return k.Source == x.s.name && k.Doc == doc }
	for _, h := range x.s.svc.ledger.all(of) {
		if present(h) && !present(x.known) || present(h) == present(x.known) && h.Version > x.known.Version {
			x.known = h
		}
	}
	if x.known.Version > 0 {
		v := contract.LogVersionOf(x.known)
		x.Log = &v
	}
}

// holdsGiven reports whether the path is a folder of documents, and counts
// them.
func (x *explanation) holdsGiven() bool {
	root := []string{string(x.doc)}
	heads := slices.Collect(maps.Values(x.s.svc.ledger.all(func(k bus.FileKey, h contract.FileHead) bool {
		return k.Source == x.s.name && within(string(h.Path), root)
	})))
	if len(heads) == 0 && x.raw != "" {
		return false
	}
	slices.SortFunc(heads, func(a, b contract.FileHead) int { return strings.Compare(string(a.Path), string(b.Path)) })
	g := newGroups()
	documents, left := 0, 0
	for _, h := range heads {
		switch h.Op {
		case contract.OpPut:
			documents++
			g.add(contract.VerdictLogged, "", h.Path)
		case contract.OpSkipped:
			left++
			g.add(contract.VerdictSkipped, h.Reason, h.Path)
		default:
			g.add(contract.VerdictDeleted, "", h.Path)
		}
	}
	x.Verdict, x.Type, x.Folder = contract.VerdictFolder, typeFolder, g.list
	what := x.name() + " is a folder with "
	if x.raw == "" {
		what = x.name() + " takes documents by request; it has "
	}
	x.Summary = what + numbered(documents, "document", "documents") + "; " + numbered(left, "path is", "paths are") + " left out."
	return true
}
