package freshness

import (
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// waiters are the queries that wait, by the documents that they wait for. The
// lock of the Index that they belong to is held.
type waiters map[bus.FileKey][]*waiter

// waiter is a query that waits for a token. Its keys only become fewer: every
// version up to the token is known when it begins.
type waiter struct {
	token document.Version
	keys  map[bus.FileKey]bool
	done  chan struct{}
}

// join lines a query up for a document.
func (ws waiters) join(k bus.FileKey, w *waiter) {
	w.keys[k] = true
	ws[k] = append(ws[k], w)
}

// leave ends a wait early.
func (ws waiters) leave(w *waiter) {
	for k := range w.keys {
		ws.forget(k, w)
	}
}

// tell lets the waiters of a document know its state; nil is settled.
func (ws waiters) tell(k bus.FileKey, u *unsettled) {
	for _, w := range slices.Clone(ws[k]) {
		if u != nil && u.blocks(w.token) {
			continue
		}
		ws.forget(k, w)
		delete(w.keys, k)
		if len(w.keys) == 0 {
			close(w.done)
		}
	}
}

func (ws waiters) forget(k bus.FileKey, w *waiter) {
	rest := slices.DeleteFunc(ws[k], func(o *waiter) bool { return o == w })
	if len(rest) == 0 {
		delete(ws, k)
		return
	}
	ws[k] = rest
}

// Listing is what is pending at one moment.
type Listing struct {
	Pending []Pending
	More    int  // documents beyond these
	Settled bool // nothing up to the token is among them
	stores  map[bus.RecordKey]string
}

// Store returns the id of the store that a sink had when the list was made: what the
// list does not name, that one holds. Of another store the list says nothing. It is
// "" where there was none.
func (l *Listing) Store(g document.Generation, sink document.Sink) string {
	return l.stores[bus.RecordKey{Generation: g, Sink: sink}]
}

// Settle waits until every document in scope is settled in both sinks up to
// token, 0 for none, or until ctx ends, and lists what is pending in scope at
// that same moment: what was seen live first, then the newest, at most limit
// documents. Reach(token) must have returned before.
//
// What was settled can be open again: a worker may list an older version after
// the deletion that nothing was listed for, and a store that did not answer
// may lack what it had. So one look has to show both.
func (x *Index) Settle(ctx context.Context, token uint64, in Scope, limit int) (l Listing) {
	for {
		x.mu.Lock()
		w := x.wait(document.Version(token), in)
		l.Settled = len(w.keys) == 0
		if l.Settled || ctx.Err() != nil {
			x.waiting.leave(w)
			l.Pending, l.More = x.list(in, limit)
			l.stores = x.listed
			x.mu.Unlock()
			return l
		}
		x.mu.Unlock()
		select {
		case <-w.done:
		case <-ctx.Done():
			x.mu.Lock()
			x.waiting.leave(w)
			x.mu.Unlock()
		}
	}
}

// wait lines up for every document in scope that is not settled up to token.
// The caller holds x.mu.
func (x *Index) wait(token document.Version, in Scope) *waiter {
	w := &waiter{token: token, keys: map[bus.FileKey]bool{}, done: make(chan struct{})}
	if token == 0 {
		return w
	}
	for k, u := range x.pending.All() {
		if u.blocks(token) && in.includes(&u.head) {
			x.waiting.join(k, w)
		}
	}
	return w
}

// list takes what is pending in scope from the lineup. The caller holds x.mu.
func (x *Index) list(in Scope, limit int) (list []Pending, more int) {
	first, more := x.lineup.first(in, limit)
	list = make([]Pending, len(first))
	for i, u := range first {
		list[i] = u.pending()
	}
	return list, more
}

// Each calls fn for every pending document, in no order, and tells which sinks
// lag. fn runs under the index's lock: it must not keep the head, nor call the
// index.
func (x *Index) Each(fn func(head *contract.FileHead, lexical, vector bool)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, u := range x.pending.All() {
		fn(&u.head, u.oldest(0) != 0, u.oldest(1) != 0)
	}
}

func (u *unsettled) pending() Pending {
	p := Pending{Head: u.head}
	for i, sink := range document.Sinks {
		if o := u.oldest(i); o != 0 {
			p.Sinks = append(p.Sinks, sink)
			if p.Oldest == 0 || o < p.Oldest {
				p.Oldest = o
			}
		}
	}
	return p
}

// IsPending reports whether a document in a view is pending.
func (x *Index) IsPending(k bus.FileKey) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, pending := x.pending.Get(k)
	return pending
}

// Settled returns the version up to which everything is settled in both sinks, of
// what the index includes: last is FILES' last sequence that it was to reach.
func (x *Index) Settled(last uint64) document.Version {
	x.mu.Lock()
	defer x.mu.Unlock()
	settled := document.Version(last)
	for _, u := range x.pending.All() {
		for sink := range document.Sinks {
			if o := u.oldest(sink); o != 0 {
				settled = min(settled, o-1)
			}
		}
	}
	return settled
}
