package query

import (
	"sync"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// formers are the versions before those that are still to be held against the kept
// questions. From whom one was hidden is known by its head alone, which the log has no
// more by then.
type formers struct {
	mu   sync.Mutex
	list map[bus.FileKey]former
}

type former struct {
	head contract.FileHead // that was held last, or was there when the questions were kept
	now  document.Version
}

// observe runs under the lock of the table of FILES.
func (f *formers) observe(k bus.FileKey, old, now contract.FileHead) {
	f.mu.Lock()
	defer f.mu.Unlock()
	was, known := f.list[k]
	switch {
	case now.Op == "":
		delete(f.list, k) // purged
	case known:
		f.list[k] = former{was.head, now.Version}
	case old.Op == contract.OpPut:
		if f.list == nil {
			f.list = map[bus.FileKey]former{}
		}
		f.list[k] = former{old, now.Version}
	}
}

// of returns the version before one that is held now.
func (f *formers) of(k bus.FileKey) (contract.FileHead, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	was, ok := f.list[k]
	return was.head, ok
}

// held notes that a version was held: it is the former one of what came meanwhile.
func (f *formers) held(h *contract.FileHead) {
	k := bus.FileKey{Source: h.Source, Doc: h.Doc, View: h.View}
	f.mu.Lock()
	defer f.mu.Unlock()
	if was, ok := f.list[k]; ok && was.now > h.Version {
		f.list[k] = former{*h, was.now}
	} else {
		delete(f.list, k)
	}
}

// gone notes that the end of a document is settled: what comes back is new to everybody.
func (f *formers) gone(k bus.FileKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.list, k)
}

func (f *formers) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
}

// comesIntoSight reports for each question whether a version is the first of its
// document that the owner sees, after one that was hidden from them: all that is in it is
// new to them, and what of it was there before is not told.
func (t *teller) comesIntoSight(k bus.FileKey) (into []bool, some bool) {
	was, ok := t.former.of(k)
	into = make([]bool, len(t.asked))
	for i, q := range t.asked {
		into[i] = ok && !bus.Head(q.search.sight, &was)
		some = some || into[i]
	}
	return into, some
}
