package vulture

import (
	"cmp"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// final is what a path holds at the end.
type final struct {
	at      spot
	content []byte
	latest  logged // the log's newest version
}

// finals returns the last state of every path, in order, and a channel
// that is closed when the log says something new.
func (w *world) finals() ([]final, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []final
	for at, f := range w.files {
		if len(f.states) == 0 {
			continue // somebody else's
		}
		e := final{at: at, content: f.states[len(f.states)-1].content}
		if n := len(f.log); n > 0 {
			e.latest = f.log[n-1]
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b final) int {
		return cmp.Or(cmp.Compare(a.at.source, b.at.source), cmp.Compare(a.at.path, b.at.path))
	})
	return out, w.changed
}

// agreed reports whether the log holds the path's last state.
func (e final) agreed() bool {
	if e.content == nil {
		return e.latest.seq == 0 || e.latest.op == contract.OpDelete
	}
	return e.latest.op == contract.OpPut && e.latest.hash == document.HashOf(e.content)
}

// raise notes that everything up to seq was seen in the log.
func (w *world) raise(seq uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.floor = max(w.floor, seq)
	w.seen = max(w.seen, seq)
}

// goneWords returns the words that were written and that no path holds now,
// newest file states first within a path.
func (w *world) goneWords() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	gone, present := map[string]bool{}, map[string]bool{}
	for _, f := range w.files {
		for i, s := range f.states {
			into := gone
			if i == len(f.states)-1 {
				into = present
			}
			for _, word := range uniqueWord.FindAllString(string(s.content), -1) {
				into[word] = true
			}
		}
	}
	for word := range present {
		delete(gone, word)
	}
	return gone
}
