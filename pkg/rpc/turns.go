package rpc

import (
	"container/list"
	"strings"
	"time"
)

// turns are the requests that wait for a handler of one endpoint. Those who ask
// take turns, and within one who asks its connections do, so that a thousand
// requests of one hold up another's next by one. Whoever uses it locks it.
type turns struct {
	room   int // in places
	taken  int
	len    int
	askers turn[*asker]
	// soonest is when the first of them is past its time; zero: none ever is.
	soonest time.Time
}

// asker is who asks: a user of the server, or a connection where it has none.
type asker struct {
	name        string
	taken       int
	connections turn[*lane]
}

// lane has the requests of one connection, in their order.
type lane struct {
	name  string
	of    *asker
	calls list.List // of *call
}

// turn is a list of which each has its turn in order, found by name.
type turn[T any] struct {
	order list.List // of T
	at    map[string]*list.Element
}

func (t *turn[T]) get(name string, open func() T) T {
	if e := t.at[name]; e != nil {
		return e.Value.(T)
	}
	if t.at == nil {
		t.at = map[string]*list.Element{}
	}
	v := open()
	t.at[name] = t.order.PushBack(v)
	return v
}

// next returns whose turn it is, and puts it behind the others.
func (t *turn[T]) next() (v T, ok bool) {
	e := t.order.Front()
	if e == nil {
		return v, false
	}
	t.order.MoveToBack(e)
	return e.Value.(T), true
}

func (t *turn[T]) remove(name string) {
	t.order.Remove(t.at[name])
	delete(t.at, name)
}

// place is what a request weighs in a queue beside its first place: a queue of
// small requests is bounded by their number, one of large ones by their bytes.
const place = 64 << 10

func (c *call) places() int { return 1 + len(c.data)/place }

// whoAsks reads an inbox: `_INBOX.<user>.<connection>.…` where each user has a
// prefix of its own, else `_INBOX.<connection>.…`.
func whoAsks(reply string) (user, connection string) {
	t := strings.SplitN(reply, ".", 4)
	switch len(t) {
	case 4:
		return t[0] + "." + t[1], t[2]
	case 3:
		return t[0] + "." + t[1], ""
	}
	return reply, ""
}

// put takes c in. What has no room is returned: c itself, or the newest of those
// who have more waiting; and whatever is past its time.
func (t *turns) put(c *call, now time.Time) (refused, late []*call) {
	if t.taken+c.places() > t.room && !t.soonest.IsZero() && now.After(t.soonest) {
		late = t.takeLate(now)
	}
	user, connection := whoAsks(c.reply)
	for t.taken+c.places() > t.room {
		newest := t.excess(user, connection, c.places())
		if newest == nil {
			return append(refused, c), late
		}
		t.take(newest)
		refused = append(refused, newest)
	}
	a := t.askers.get(user, func() *asker { return &asker{name: user} })
	l := a.connections.get(connection, func() *lane { return &lane{name: connection, of: a} })
	c.lane, c.waits = l, l.calls.PushBack(c)
	a.taken += c.places()
	t.taken += c.places()
	t.len++
	t.soonest = sooner(t.soonest, c.until)
	return refused, late
}

// pop takes out the request whose turn it is; nil: none waits.
func (t *turns) pop() *call {
	a, ok := t.askers.next()
	if !ok {
		return nil
	}
	l, _ := a.connections.next() // one that has none is not listed
	c := l.calls.Front().Value.(*call)
	t.take(c)
	return c
}

// take takes out a request that waits.
func (t *turns) take(c *call) {
	l, a := c.lane, c.lane.of
	l.calls.Remove(c.waits)
	c.lane, c.waits = nil, nil
	a.taken -= c.places()
	t.taken -= c.places()
	t.len--
	if l.calls.Len() == 0 {
		a.connections.remove(l.name)
	}
	if a.connections.order.Len() == 0 {
		t.askers.remove(a.name)
	}
}

// all takes out every request.
func (t *turns) all() []*call {
	out := make([]*call, 0, t.len)
	for c := t.pop(); c != nil; c = t.pop() {
		out = append(out, c)
	}
	return out
}

// takeLate takes out what is past its time.
func (t *turns) takeLate(now time.Time) []*call {
	var late []*call
	t.soonest = time.Time{}
	for a := range t.each() {
		for e := a.connections.order.Front(); e != nil; e = e.Next() {
			for w := e.Value.(*lane).calls.Front(); w != nil; w = w.Next() {
				if c := w.Value.(*call); c.late(now) {
					late = append(late, c)
				} else {
					t.soonest = sooner(t.soonest, c.until)
				}
			}
		}
	}
	for _, c := range late {
		t.take(c)
	}
	return late
}

func (t *turns) each() func(yield func(*asker) bool) {
	return func(yield func(*asker) bool) {
		for e := t.askers.order.Front(); e != nil && yield(e.Value.(*asker)); e = e.Next() {
		}
	}
}

// most returns who has most waiting, nil for nobody.
func (t *turns) most() (most *asker) {
	for a := range t.each() {
		if most == nil || a.taken > most.taken {
			most = a
		}
	}
	return most
}

// excess returns the newest request of who has more waiting than a newcomer that
// weighs so much would have: of another asker, or of another connection of its
// own; nil where the newcomer is the one with most.
func (t *turns) excess(user, connection string, places int) *call {
	most := t.most()
	if most == nil {
		return nil
	}
	mine, own := places, (*asker)(nil)
	if e := t.askers.at[user]; e != nil {
		own = e.Value.(*asker)
		mine += own.taken
	}
	if most != own && most.taken > mine {
		return most.longest().calls.Back().Value.(*call)
	}
	if own == nil {
		return nil
	}
	waiting := 0
	if e := own.connections.at[connection]; e != nil {
		waiting = e.Value.(*lane).calls.Len()
	}
	if l := own.longest(); l.calls.Len() > waiting+1 {
		return l.calls.Back().Value.(*call)
	}
	return nil
}

// longest returns the connection that has most waiting.
func (a *asker) longest() (most *lane) {
	for e := a.connections.order.Front(); e != nil; e = e.Next() {
		if l := e.Value.(*lane); most == nil || l.calls.Len() > most.calls.Len() {
			most = l
		}
	}
	return most
}

// sooner returns the earlier of two times; zero stands for never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
