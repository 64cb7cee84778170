package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// groupPaths is how many paths of a group are named.
const groupPaths = 5

// group is an outcome with its reason.
type group struct {
	verdict contract.Verdict
	reason  string
}

// folder counts the documents below the path by what has become of them. It
// returns false where there is none.
func (x *explanation) folder() bool {
	pending, failed := x.unfinished()
	found := map[group][]document.Path{}
	x.service.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if !x.below(k, h) {
			return true
		}
		g := group{verdict: contract.VerdictIndexed}
		_, served := x.service.stores.Generation(h.Collection)
		switch {
		case h.Op == contract.OpDelete:
			g.verdict = contract.VerdictDeleted
		case h.Op == contract.OpSkipped:
			g = group{contract.VerdictSkipped, h.Reason}
		case !served:
			g = group{contract.VerdictUnserved, string(h.Collection)}
		case pending[k]:
			g.verdict = contract.VerdictPending
		case failed[k] != "":
			g = group{contract.VerdictFailed, failed[k]}
		}
		found[g] = append(found[g], h.Path)
		return true
	})
	if len(found) == 0 {
		return false
	}
	counts := map[contract.Verdict]int{}
	for g, paths := range found {
		slices.Sort(paths)
		counts[g.verdict] += len(paths)
		x.Folder = append(x.Folder, contract.PathGroup{Verdict: g.verdict, Reason: g.reason, Count: len(paths), Paths: paths[:min(len(paths), groupPaths)]})
	}
	slices.SortFunc(x.Folder, func(a, b contract.PathGroup) int {
		return strings.Compare(string(a.Verdict)+a.Reason, string(b.Verdict)+b.Reason)
	})
	x.Verdict = contract.VerdictFolder
	x.Summary = fmt.Sprintf("%s: %d documents are indexed, %d are pending, %d failed.", x.name(),
		counts[contract.VerdictIndexed], counts[contract.VerdictPending], counts[contract.VerdictFailed])
	return true
}

func (x *explanation) below(k bus.FileKey, h contract.FileHead) bool {
	return k.Source == x.in.Source && k.Doc != document.MarkerDoc && (x.in.View == "" || k.View == x.in.View) &&
		(x.in.Path == "" || strings.HasPrefix(string(h.Path), string(x.in.Path)+"/")) && bus.Head(x.sight, &h)
}

// unfinished returns the documents that are pending, and why a stage gave up
// on the newest versions of others.
func (x *explanation) unfinished() (pending map[bus.FileKey]bool, failed map[bus.FileKey]string) {
	pending, failed = map[bus.FileKey]bool{}, map[bus.FileKey]string{}
	x.service.index.Each(func(h *contract.FileHead, _, _ bool) {
		pending[bus.FileKey{Source: h.Source, Doc: h.Doc, View: h.View}] = true
	})
	x.service.bus.Dead().Range(func(k bus.DeadKey, d contract.DeadHead) bool {
		if !x.service.about(k) {
			return true
		}
		d, ok := x.service.seenOf(x.sight, k.Source, k.Doc).letter(d)
		if !ok {
			return true
		}
		for v, c := range d.Covers.All() {
			key := bus.FileKey{Source: k.Source, Doc: k.Doc, View: v}
			if h, ok := x.service.bus.Files().Get(key); ok && h.Version == c.Version {
				failed[key] = string(k.Stage) + ": " + d.Reason
			}
		}
		return true
	})
	return pending, failed
}
