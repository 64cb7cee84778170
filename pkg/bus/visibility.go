package bus

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Visibility says who may see what of the log. It is safe for concurrent use.
type Visibility struct {
	bus   *Bus
	rules *access.Rules

	mu    sync.Mutex
	lists map[*access.Sight]seenSources
}

// seenSources are the sources of which a sight had something at a sequence of FILES, and
// their views of which it had.
type seenSources struct {
	seq   uint64
	list  []document.Source
	views map[viewOf]bool
}

type viewOf struct {
	source document.Source
	view   document.View
}

// mostLists bounds the lists that are kept, each of one sight.
const mostLists = 256

// Restrict has who asks over this connection held against rules, nil for none. It is
// called before anything is served.
func (b *Bus) Restrict(rules *access.Rules) {
	rules.InSources(rulesInSources(b))
	b.visibility.Store(&Visibility{bus: b, rules: rules})
}

// Visibility is by the rules of Restrict; without it everybody sees everything.
func (b *Bus) Visibility() *Visibility {
	if v := b.visibility.Load(); v != nil {
		return v
	}
	return &Visibility{bus: b}
}

// Restricts reports whether there are rules.
func (b *Bus) Restricts() bool { return b.Visibility().rules != nil }

// Admits returns nil where a principal may ask on a subject. The error is Forbidden.
func (b *Bus) Admits(who contract.Principal, subject string) error {
	return b.Visibility().rules.Admits(who, subject)
}

// Sight is what a principal sees from now on; nil is everything.
func (v *Visibility) Sight(who contract.Principal) *access.Sight {
	if v == nil {
		return nil
	}
	return v.rules.Sight(who)
}

// Tell adds the rules to what is told of who may what.
func (v *Visibility) Tell(list *contract.AccessList) { v.rules.Tell(list) }

// Who tells which groups see a document; see access.Rules.Who.
func (v *Visibility) Who(h *contract.FileHead) []contract.GroupSight { return v.rules.Who(h) }

// Head reports whether a document is seen. One that is gone is seen by who sees
// everything: from whom it was hidden while it was there nobody knows any more, and
// who is shown a folder that was emptied before is not to be told what was in it.
func Head(by *access.Sight, h *contract.FileHead) bool {
	return by == nil || h.Op != contract.OpDelete && by.Document(h)
}

// Somewhere reports whether a document is seen in one of some views, none for all. What
// none of them has is hidden from nobody.
func (v *Visibility) Somewhere(by *access.Sight, source document.Source, doc document.DocID, views []document.View) bool {
	if by == nil {
		return true
	}
	files, there := v.bus.Files(), false
	if len(views) == 0 {
		views = v.bus.standing.viewsOf(source)
	}
	for _, view := range views {
		h, ok := files.Get(FileKey{source, doc, view})
		if ok && Head(by, &h) {
			return true
		}
		there = there || ok
	}
	return !there
}

// Named is the principal of a name as it is now; ok is false for one that there is no
// more: a key that was revoked or has ended.
func (v *Visibility) Named(ctx context.Context, name string) (who contract.Principal, ok bool, err error) {
	if user, is := strings.CutPrefix(name, contract.UserPrefix); is {
		return contract.OfUser(user), true, nil
	}
	key, is := strings.CutPrefix(name, contract.KeyPrefix)
	if !is {
		return contract.Principal{}, false, nil
	}
	return KeysOf(v.bus).Named(ctx, key)
}

// List is what a sight sees of a list of sources: a source of which it sees nothing is
// not there, and of the others it is told what it sees.
func (v *Visibility) List(by *access.Sight, all []contract.SourceInfo) []contract.SourceInfo {
	if by == nil {
		return all
	}
	seen := v.Sources(by)
	list := []contract.SourceInfo{}
	for _, i := range all {
		if slices.Contains(seen, i.Source) {
			list = append(list, contract.SourceInfo{
				Source: i.Source, Kind: i.Kind, View: i.View, Watched: i.Watched, Scanned: i.Scanned, Scanning: i.Scanning,
			})
		}
	}
	v.bus.Files().Range(func(k FileKey, h contract.FileHead) bool {
		at := slices.IndexFunc(list, func(i contract.SourceInfo) bool { return i.Source == k.Source })
		if at < 0 || !Head(by, &h) {
			return true
		}
		switch i := &list[at]; h.Op {
		case contract.OpPut:
			i.Documents++
			i.Bytes += h.Size
		case contract.OpSkipped:
			i.Skipped++
		}
		return true
	})
	return list
}

// Place is where a document is, whatever the view.
type Place struct {
	Source document.Source
	Path   document.Path
}

// Shown returns those of some places at which a sight sees a document, in some view.
func (v *Visibility) Shown(by *access.Sight, places []Place) map[Place]bool {
	type doc struct {
		source document.Source
		doc    document.DocID
	}
	asked, shown := map[doc]Place{}, map[Place]bool{}
	for _, p := range places {
		asked[doc{p.Source, document.DocOf(p.Path)}] = p
	}
	v.bus.Files().Range(func(k FileKey, h contract.FileHead) bool {
		if p, ok := asked[doc{k.Source, k.Doc}]; ok && (h.Op == contract.OpPut || h.Op == contract.OpSkipped) && Head(by, &h) {
			shown[p] = true
		}
		return true
	})
	return shown
}

// Sources are those of which a sight has a document, sorted. A source of which it has
// none is one that is not there.
func (v *Visibility) Sources(by *access.Sight) []document.Source { return v.seen(by).list }

// Views reports of views of sources whether a sight has a document in them, as it is
// now. One in which it has none is one that is not there.
func (v *Visibility) Views(by *access.Sight) func(document.Source, document.View) bool {
	if by == nil {
		return func(document.Source, document.View) bool { return true }
	}
	views := v.seen(by).views
	return func(source document.Source, view document.View) bool { return views[viewOf{source, view}] }
}

func (v *Visibility) seen(by *access.Sight) seenSources {
	files := v.bus.Files()
	v.mu.Lock()
	defer v.mu.Unlock()
	if kept, ok := v.lists[by]; ok && kept.seq == files.Seen() {
		return kept
	}
	whole, now := files.ready.Load(), seenSources{views: map[viewOf]bool{}}
	now.seq = files.Range(func(k FileKey, h contract.FileHead) bool {
		at := viewOf{k.Source, k.View}
		if (h.Op == contract.OpPut || h.Op == contract.OpSkipped) && !now.views[at] && Head(by, &h) {
			now.views[at] = true
		}
		return true
	})
	now.list = make([]document.Source, 0, len(now.views))
	for at := range now.views {
		now.list = append(now.list, at.source)
	}
	slices.Sort(now.list)
	now.list = slices.Compact(now.list)
	if !whole {
		return now
	}
	if v.lists == nil || len(v.lists) >= mostLists {
		v.lists = map[*access.Sight]seenSources{}
	}
	v.lists[by] = now
	return now
}
