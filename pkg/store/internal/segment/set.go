package segment

import (
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// A tail is sealed early when it has as many rows or bytes.
const (
	tailRows  = 4096
	tailBytes = 16 << 20
)

// Set is the state of one store: parts, tail, mark. It is safe
// for concurrent use. One goroutine of its own merges and takes snapshots;
// Close and Drop wait for it.
type Set[E, P any] struct {
	layout    Layout[E, P]
	dir       string
	room      func(bytes int64) error // nil: always
	lock      *dirLock
	recovered string

	mu      sync.Mutex // guards what follows
	rows    *rowBuilder
	tail    Tail[E]
	tailIDs map[document.ChunkID]struct{}
	parts   []*Part[P]
	mark    store.Mark
	changes uint64 // counts changes of content and mark
	hidden  bool   // parts or tail hold what view does not show
	closed  *document.Error

	view atomic.Pointer[View[P]] // nil when closed

	merging sync.Mutex // one merge of large parts at a time

	saving   sync.Mutex // one snapshot at a time; guards what follows
	nextFile uint64
	saved    uint64 // changes as of the last snapshot
	dropped  bool
	saveErr  atomic.Pointer[error]

	life context.Context // ends when the set is closed
	end  context.CancelFunc
	wake chan struct{} // merges may be due
	done chan struct{} // the goroutine has ended
}

// Recovered says why the store began empty although its folder held one; it
// is empty otherwise.
func (s *Set[E, P]) Recovered() string { return s.recovered }

// View returns what a search sees.
func (s *Set[E, P]) View() (*View[P], error) {
	if v := s.view.Load(); v != nil {
		return v, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return nil, s.closed
}

// open returns the error of a closed set; s.mu is held.
func (s *Set[E, P]) open(ctx context.Context) error {
	if s.closed != nil {
		return s.closed
	}
	return ctx.Err()
}

// Apply adds and deletes rows; see store.Lexical.
func (s *Set[E, P]) Apply(ctx context.Context, put []Entry[E], del []document.ChunkID) (store.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return store.Result{}, err
	}
	result := store.Result{Put: make([]error, len(put)), Delete: make([]error, len(del))}
	for i := range put {
		if err := s.layout.Check(put[i].Value); err != nil {
			result.Put[i] = err
			continue
		}
		if err := s.put(&put[i]); err != nil {
			return store.Result{}, err
		}
	}
	if err := s.delete(del); err != nil {
		return store.Result{}, err
	}
	return result, nil
}

func (s *Set[E, P]) put(e *Entry[E]) error {
	if _, ok := s.tailIDs[e.ID]; ok {
		return nil
	}
	if _, _, ok := s.find(e.ID); ok {
		return nil
	}
	if s.rows == nil {
		s.rows, s.tail, s.tailIDs = newRowBuilder(), s.layout.NewTail(), make(map[document.ChunkID]struct{})
	}
	s.rows.add(e.ID, e.Attrs)
	s.tail.Add(e.Value)
	s.tailIDs[e.ID] = struct{}{}
	s.changes++
	s.hidden = true
	if s.rows.len() >= tailRows || s.tail.Size() >= tailBytes {
		return s.seal()
	}
	return nil
}

// find returns the part and row that hold a live id.
func (s *Set[E, P]) find(id document.ChunkID) (part int, row uint32, ok bool) {
	for i := len(s.parts) - 1; i >= 0; i-- {
		p := s.parts[i]
		if row, ok := p.Rows.Find(id); ok && !p.Dead.Has(row) {
			return i, row, true
		}
	}
	return 0, 0, false
}

func (s *Set[E, P]) delete(ids []document.ChunkID) error {
	for _, id := range ids {
		if _, ok := s.tailIDs[id]; ok {
			if err := s.seal(); err != nil {
				return err
			}
			break
		}
	}
	gone := make(map[int][]uint32)
	for _, id := range ids {
		if part, row, ok := s.find(id); ok {
			gone[part] = append(gone[part], row)
		}
	}
	for part, rows := range gone {
		slices.Sort(rows)
		s.parts[part] = s.layout.without(s.parts[part], slices.Compact(rows))
		s.changes++
		s.hidden = true
	}
	return nil
}

// seal turns the tail into a part. It stays hidden until publish.
func (s *Set[E, P]) seal() error {
	if s.rows == nil {
		return nil
	}
	seg, err := s.layout.loadSegment(joinSections(append(s.rows.sections(), s.tail.Seal()...)))
	if err != nil {
		return document.Errorf(document.Internal, "seal a segment of the store in %s: %w", s.dir, err)
	}
	s.parts = append(s.parts, s.layout.part(seg, nil))
	s.rows, s.tail, s.tailIDs = nil, nil, nil
	return nil
}

// publish shows all parts to searches.
func (s *Set[E, P]) publish() {
	s.view.Store(&View[P]{Parts: slices.Clone(s.parts)})
	s.hidden = false
}

// Refresh makes everything applied so far visible.
func (s *Set[E, P]) Refresh(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return err
	}
	if !s.hidden {
		return nil
	}
	if err := s.seal(); err != nil {
		return err
	}
	if err := s.mergeSmall(mergeFan); err != nil {
		return err
	}
	s.publish()
	s.wakeUp()
	return nil
}

func (s *Set[E, P]) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default: // the goroutine has been told already
	}
}

// Mark is the last one set.
func (s *Set[E, P]) Mark(ctx context.Context) (store.Mark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mark, s.open(ctx)
}

// PeekMark is Mark.
func (s *Set[E, P]) PeekMark(ctx context.Context) (store.Mark, error) { return s.Mark(ctx) }

// SetMark notes the mark for the next snapshot.
func (s *Set[E, P]) SetMark(ctx context.Context, m store.Mark) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return err
	}
	if s.mark != m {
		s.mark = m
		s.changes++
	}
	return nil
}

// Count is the number of rows held, those not refreshed included.
func (s *Set[E, P]) Count(ctx context.Context) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.tailIDs)
	for _, p := range s.parts {
		n += p.Live()
	}
	return n, s.open(ctx)
}

// IDs iterates over the rows that were visible when the iteration began.
func (s *Set[E, P]) IDs(ctx context.Context, scope store.Scope) iter.Seq2[store.Ref, error] {
	return func(yield func(store.Ref, error) bool) {
		view, err := s.View()
		if err != nil {
			yield(store.Ref{}, err)
			return
		}
		for _, p := range view.Parts {
			if err := ctx.Err(); err != nil {
				yield(store.Ref{}, err)
				return
			}
			for ref := range p.Rows.refs(scope, p.Dead) {
				if !yield(ref, nil) {
					return
				}
			}
		}
	}
}
