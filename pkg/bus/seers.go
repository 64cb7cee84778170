package bus

import (
	"slices"
	"sync"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Seers says who may see what of the log. It is safe for concurrent use.
type Seers struct {
	bus   *Bus
	rules *access.Rules

	mu    sync.Mutex
	lists map[*access.Sight]seenSources
}

// seenSources are the sources of which a sight had something at a sequence of FILES.
type seenSources struct {
	seq  uint64
	list []document.Source
}

// mostLists bounds the lists that are kept, each of one sight.
const mostLists = 256

// Restrict has who asks over this connection held against rules, nil for none. It is
// called before anything is served.
func (b *Bus) Restrict(rules *access.Rules) { b.seers.Store(&Seers{bus: b, rules: rules}) }

// Seers are those whom Restrict has named the rules of; without it everybody sees
// everything.
func (b *Bus) Seers() *Seers {
	if s := b.seers.Load(); s != nil {
		return s
	}
	return &Seers{bus: b}
}

// Restricts reports whether there are rules.
func (b *Bus) Restricts() bool { return b.Seers().rules != nil }

// Admits returns nil where a principal may ask on a subject. The error is Forbidden.
func (b *Bus) Admits(who contract.Principal, subject string) error {
	return b.Seers().rules.Admits(who, subject)
}

// Sight is what a principal sees from now on; nil is everything.
func (s *Seers) Sight(who contract.Principal) *access.Sight {
	if s == nil {
		return nil
	}
	return s.rules.Sight(who)
}

// Head reports whether a document is seen.
func Head(by *access.Sight, h *contract.FileHead) bool {
	return by.Document(h.Source, h.Collection, h.Path)
}

// Sources are those of which a sight has a document, sorted. A source of which it has
// none is one that is not there.
func (s *Seers) Sources(by *access.Sight) []document.Source {
	files := s.bus.Files()
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept, ok := s.lists[by]; ok && kept.seq == files.Seen() {
		return kept.list
	}
	found := map[document.Source]bool{}
	seq := files.Range(func(k FileKey, h contract.FileHead) bool {
		if (h.Op == contract.OpPut || h.Op == contract.OpSkipped) && !found[k.Source] && Head(by, &h) {
			found[k.Source] = true
		}
		return true
	})
	list := make([]document.Source, 0, len(found))
	for source := range found {
		list = append(list, source)
	}
	slices.Sort(list)
	if s.lists == nil || len(s.lists) >= mostLists {
		s.lists = map[*access.Sight]seenSources{}
	}
	s.lists[by] = seenSources{seq, list}
	return list
}
