package bus

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// standing are the views that FILES has had of each source, and the rules that stand in
// them, as the newest heads have them. Who is under the lock of the table may ask. The zero
// value has none. It is safe for concurrent use, of one who changes it. The maps do not change.
type standing struct {
	views atomic.Pointer[map[document.Source][]document.View]
	by    atomic.Pointer[map[fileGroup]contract.SourceRules]
}

func (s *standing) add(of fileGroup) {
	now := map[document.Source][]document.View{}
	if was := s.views.Load(); was != nil {
		now = maps.Clone(*was)
	}
	now[of.source] = append(slices.Clone(now[of.source]), of.view)
	s.views.Store(&now)
}

func (s *standing) viewsOf(source document.Source) []document.View {
	if views := s.views.Load(); views != nil {
		return (*views)[source]
	}
	return nil
}

func (s *standing) of(source document.Source, view document.View) contract.SourceRules {
	by := s.by.Load()
	if by == nil {
		return contract.SourceRules{}
	}
	return (*by)[fileGroup{source, view}]
}

func (s *standing) set(of fileGroup, rules contract.SourceRules) {
	was := s.by.Load()
	if was == nil && rules.None() || was != nil && (*was)[of] == rules {
		return
	}
	now := map[fileGroup]contract.SourceRules{}
	if was != nil {
		now = maps.Clone(*was)
	}
	if now[of] = rules; rules.None() {
		delete(now, of)
	}
	s.by.Store(&now)
}

// rulesInSources tells the rules that stand in a view of a source. Until the heads of
// FILES are all there, nobody knows of any that they show anything.
func rulesInSources(b *Bus) func(document.Source, document.View) contract.SourceRules {
	files := sync.OnceValue(b.Files)
	return func(source document.Source, view document.View) contract.SourceRules {
		if !files().ready.Load() {
			return contract.ClosedRules
		}
		return b.standing.of(source, view)
	}
}
