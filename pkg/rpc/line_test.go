package rpc_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// counter is an endpoint with one handler that can be held up, and what it has
// handled.
type counter struct {
	t       *testing.T
	bus     rpc.Connection
	began   chan int      // each request, when its handler begins
	let     chan struct{} // lets one handler end
	signs   chan struct{} // see left
	handled func() []int
	stop    func() error // ends when the handlers have ended
}

const (
	counterSubject = "freshet.test.count"
	signSubject    = "freshet.test.sign" // answered once its caller has left
)

func newCounter(t *testing.T, o rpc.Options) *counter {
	t.Helper()
	c := &counter{t: t, bus: bustest.New(t), began: make(chan int, 8192), let: make(chan struct{}, 8192), signs: make(chan struct{})}
	svc, err := rpc.NewService(c.bus, "counter", "counts", "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	c.stop = svc.Stop
	var mu sync.Mutex
	var seen []int
	c.handled = func() []int {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
	o.Name, o.Subject, o.Limit = "count", counterSubject, 1
	err = rpc.Endpoint(t.Context(), svc, o, func(ctx context.Context, q question) (question, error) {
		mu.Lock()
		seen = append(seen, q.N)
		mu.Unlock()
		c.began <- q.N
		select {
		case <-c.let:
			return q, nil
		case <-ctx.Done():
			return q, fmt.Errorf("count: %w", ctx.Err())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	err = rpc.Endpoint(t.Context(), svc, rpc.Options{Name: "sign", Subject: signSubject}, func(ctx context.Context, q question) (question, error) {
		c.signs <- struct{}{}
		<-ctx.Done()
		return q, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		close(c.let)
		if err := svc.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// hold has the only handler work until it is let go.
func (c *counter) hold() {
	c.t.Helper()
	c.publish("_INBOX.holder.1", 0, nil)
	<-c.began
}

// publish sends a request as any client may; the answer goes to reply.
func (c *counter) publish(reply string, n int, header nats.Header) {
	c.t.Helper()
	m := &nats.Msg{Subject: counterSubject, Reply: reply, Header: header, Data: fmt.Appendf(nil, `{"n":%d}`, n)}
	if err := c.bus.Conn().PublishMsg(m); err != nil {
		c.t.Fatal(err)
	}
}

// answers collects what comes to an inbox.
func (c *counter) answers(inbox string) *nats.Subscription {
	c.t.Helper()
	sub, err := c.bus.Conn().SubscribeSync(inbox)
	if err != nil {
		c.t.Fatal(err)
	}
	return sub
}

func (c *counter) next(sub *nats.Subscription) *nats.Msg {
	c.t.Helper()
	m, err := sub.NextMsgWithContext(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

// arrived returns when everything that was sent before has come to the endpoint.
func (c *counter) arrived() {
	c.t.Helper()
	sub := c.answers("_INBOX.last.1")
	c.publish("_INBOX.last.1", 0, nats.Header{"Freshet-Deadline-Ms": {"none"}})
	c.next(sub) // an error, in the order of arrival
}

// left returns when the endpoint knows of every caller that has left before.
func (c *counter) left() {
	c.t.Helper()
	sub, subject := c.answers("_INBOX.sign.1"), contract.CancelSubject("sign")
	m := &nats.Msg{Subject: signSubject, Reply: "_INBOX.sign.1", Header: nats.Header{"Freshet-Cancel": {subject}}}
	if err := c.bus.Conn().PublishMsg(m); err != nil {
		c.t.Fatal(err)
	}
	<-c.signs
	if err := c.bus.Conn().Publish(subject, nil); err != nil {
		c.t.Fatal(err)
	}
	c.next(sub)
}

func kindOf(m *nats.Msg) document.ErrorKind {
	return document.ErrorKind(m.Header.Get(micro.ErrorCodeHeader))
}

// Their callers have left, each at its own time limit or because it was told to.
func TestAbandonedRequests_AreNotHandled(t *testing.T) {
	t.Parallel()
	c := newCounter(t, rpc.Options{})
	c.hold()
	ctx, leave := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	for n := 1; n <= 500; n++ {
		callers.Go(func() { _, _ = rpc.Call[question, question](ctx, c.bus.Conn(), counterSubject, question{n}) })
	}
	short, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	callers.Go(func() { _, _ = rpc.Call[question, question](short, c.bus.Conn(), counterSubject, question{501}) })
	c.arrived()
	leave()
	callers.Wait()
	c.left()
	c.let <- struct{}{}
	c.let <- struct{}{}
	if _, err := rpc.Call[question, question](t.Context(), c.bus.Conn(), counterSubject, question{1000}); err != nil {
		t.Fatal(err)
	}
	if got := c.handled(); !slices.Equal(got, []int{0, 1000}) {
		t.Errorf("handled were %v, want the one that held the others up and the one that somebody waits for", got)
	}
}

// A client that says nothing of its time has that of the endpoint, from the
// arrival on.
func TestWaiting_CountsTowardsTheDeadline(t *testing.T) {
	t.Parallel()
	c := newCounter(t, rpc.Options{Deadline: 20 * time.Millisecond, Left: rpc.Finished})
	c.hold()
	inbox := c.answers("_INBOX.foreign.1")
	c.publish("_INBOX.foreign.1", 1, nil)
	c.publish("_INBOX.foreign.1", 2, nats.Header{"Freshet-Deadline-Ms": {"3600000"}})
	c.arrived()
	<-time.After(30 * time.Millisecond) // so that the first is past its time
	c.let <- struct{}{}
	if m := c.next(inbox); kindOf(m) != document.Deadline {
		t.Errorf("a request past its time is answered with %s %s", kindOf(m), m.Data)
	}
	c.let <- struct{}{}
	if m := c.next(inbox); kindOf(m) != "" {
		t.Errorf("the one behind it, which has time, is answered with %s", m.Data)
	}
	if got := c.handled(); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("handled were %v", got)
	}
}

// To come back is no advice for a request that nobody waits for any more.
func TestRequestPastItsTime_IsNotToldToComeBack(t *testing.T) {
	t.Parallel()
	c := newCounter(t, rpc.Options{Deadline: 20 * time.Millisecond})
	c.publish("_INBOX.holder.1", 0, nats.Header{"Freshet-Deadline-Ms": {"3600000"}})
	<-c.began
	inbox := c.answers("_INBOX.foreign.1")
	c.publish("_INBOX.foreign.1", 1, nil)
	c.arrived()
	<-time.After(30 * time.Millisecond) // so that it is past its time
	var stopping sync.WaitGroup
	stopping.Go(func() {
		if err := c.stop(); err != nil {
			t.Error(err)
		}
	})
	if m := c.next(inbox); kindOf(m) != document.Deadline {
		t.Errorf("as the service stops it is answered with %s %s", kindOf(m), m.Data)
	}
	c.let <- struct{}{}
	stopping.Wait()
}

func TestOneClientFillsTheQueue_OthersAreServed(t *testing.T) {
	t.Parallel()
	c := newCounter(t, rpc.Options{Deadline: time.Hour})
	c.hold()
	first, second := c.answers("_INBOX.first.*"), c.answers("_INBOX.second.*")
	const asked, room = 10_000, 1024
	for n := 1; n <= asked; n++ {
		c.publish("_INBOX.first.1", n, nil)
	}
	for n := range asked - room {
		m := c.next(first)
		if kindOf(m) != document.Unavailable || m.Header.Get("Freshet-Retry-After-Ms") == "" {
			t.Fatalf("answer %d while the queue is full: %s %s", n, kindOf(m), m.Data)
		}
	}
	for n := 1; n <= 100; n++ {
		c.publish("_INBOX.second.1", -n, nil)
	}
	c.arrived()
	// Each of the second one's took the place of one of the first one's.
	for range 100 {
		if m := c.next(first); kindOf(m) != document.Unavailable {
			t.Fatalf("who has most waiting is answered with %s %s", kindOf(m), m.Data)
		}
	}
	for range room + 1 {
		c.let <- struct{}{}
	}
	for n := range 100 {
		if m := c.next(second); kindOf(m) != "" {
			t.Fatalf("answer %d of the second client: %s %s", n, kindOf(m), m.Data)
		}
	}
	for range room - 100 {
		if m := c.next(first); kindOf(m) != "" {
			t.Fatalf("answer of the first client that had its place: %s %s", kindOf(m), m.Data)
		}
	}
	// By turns: the second client's 100th is the 200th at the latest.
	if at := slices.Index(c.handled(), -100); at > 200 {
		t.Errorf("the second client's last request is handled as number %d", at)
	}
}

// A user of the server has an inbox prefix of its own, and may have many
// connections.
func TestUserWithManyConnections_IsServedNoMoreOften(t *testing.T) {
	t.Parallel()
	c := newCounter(t, rpc.Options{Deadline: time.Hour})
	c.hold()
	ada, bob := c.answers("_INBOX.ada.>"), c.answers("_INBOX.bob.>")
	for n := range 40 {
		c.publish(fmt.Sprintf("_INBOX.ada.conn%d.%d", n%4, n), 100*(1+n%4)+n/4, nil)
	}
	for n := range 10 {
		c.publish(fmt.Sprintf("_INBOX.bob.conn.%d", n), 1+n, nil)
	}
	c.arrived()
	for range 51 {
		c.let <- struct{}{}
	}
	for range 40 {
		c.next(ada)
	}
	for range 10 {
		c.next(bob)
	}
	var want []int
	for n := range 10 {
		want = append(want, 100*(1+n%4)+n/4, 1+n)
	}
	if got := c.handled()[1:21]; !slices.Equal(got, want) {
		t.Errorf("order of service\n%v, want\n%v", got, want)
	}
}

// One connection of a user is a program that has gone wrong, another one a
// person.
func TestOneConnectionFillsTheQueue_OthersOfItsUserAreServed(t *testing.T) {
	t.Parallel()
	c := newCounter(t, rpc.Options{Deadline: time.Hour})
	c.hold()
	first, second := c.answers("_INBOX.ada.first.*"), c.answers("_INBOX.ada.second.*")
	const room = 1024
	for n := 1; n <= room+10; n++ {
		c.publish("_INBOX.ada.first.1", n, nil)
	}
	for n := 1; n <= 10; n++ {
		c.publish("_INBOX.ada.second.1", -n, nil)
	}
	for range 20 {
		if m := c.next(first); kindOf(m) != document.Unavailable {
			t.Fatalf("the connection that has most waiting is answered with %s %s", kindOf(m), m.Data)
		}
	}
	for range room + 1 {
		c.let <- struct{}{}
	}
	for n := range 10 {
		if m := c.next(second); kindOf(m) != "" {
			t.Fatalf("answer %d of the other connection: %s %s", n, kindOf(m), m.Data)
		}
	}
}

func TestLargeRequests_AreRefusedBeforeTheyFillTheMemory(t *testing.T) {
	t.Parallel()
	c := newCounter(t, rpc.Options{Deadline: time.Hour})
	c.hold()
	inbox := c.answers("_INBOX.large.1")
	large := append([]byte(`{"n":1}`), bytes.Repeat([]byte(" "), 4<<20)...)
	for range 20 {
		if err := c.bus.Conn().PublishRequest(counterSubject, "_INBOX.large.1", large); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 { // 15 of 4 MiB and a little have room in 64 MiB
		if m := c.next(inbox); kindOf(m) != document.Unavailable {
			t.Fatalf("answered with %s %s", kindOf(m), m.Data)
		}
	}
}

// The two come by different subscriptions, so the order is anybody's guess.
func TestCallerLeavesBeforeItsRequestArrives_ItIsNotHandled(t *testing.T) {
	t.Parallel()
	c := newCounter(t, rpc.Options{})
	c.hold()
	subject := contract.CancelSubject("early")
	if err := c.bus.Conn().Publish(subject, nil); err != nil {
		t.Fatal(err)
	}
	c.publish("_INBOX.a.1", 1, nats.Header{"Freshet-Cancel": {subject}})
	c.arrived()
	c.left()
	c.let <- struct{}{}
	c.let <- struct{}{}
	if _, err := rpc.Call[question, question](t.Context(), c.bus.Conn(), counterSubject, question{2}); err != nil {
		t.Fatal(err)
	}
	if got := c.handled(); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("handled were %v", got)
	}
}

// Half of a write would be worse than all of it, and what was announced stays
// true.
func TestCallerLeavesInTheMiddleOfAWrite_ItIsFinished(t *testing.T) {
	t.Parallel()
	for _, left := range []rpc.Left{rpc.Finished, rpc.Handled} {
		c := newCounter(t, rpc.Options{Left: left})
		ctx, leave := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		callers.Go(func() { _, _ = rpc.Call[question, question](ctx, c.bus.Conn(), counterSubject, question{1}) })
		<-c.began
		sent := c.answers(counterSubject)
		callers.Go(func() { _, _ = rpc.Call[question, question](ctx, c.bus.Conn(), counterSubject, question{2}) })
		c.next(sent)
		c.arrived()
		leave()
		callers.Wait()
		c.left()
		inbox := c.answers("_INBOX.a.1")
		c.publish("_INBOX.a.1", 3, nil)
		c.arrived()
		want := []int{1, 3}
		if left == rpc.Handled {
			want = []int{1, 2, 3}
		}
		for range want {
			c.let <- struct{}{}
		}
		if m := c.next(inbox); kindOf(m) != "" {
			t.Errorf("%v: answered with %s", left, m.Data)
		}
		if got := c.handled(); !slices.Equal(got, want) {
			t.Errorf("%v: handled were %v, want %v", left, got, want)
		}
	}
}

func TestWrongRequestHeader_IsRefused(t *testing.T) {
	t.Parallel()
	c := newCounter(t, rpc.Options{})
	inbox := c.answers("_INBOX.a.1")
	for _, h := range []nats.Header{
		{"Freshet-Deadline-Ms": {"0"}},
		{"Freshet-Deadline-Ms": {"soon"}},
		{"Freshet-Cancel": {"freshet.files.put"}},
		{"Freshet-Cancel": {"freshet.cancel."}},
		{"Freshet-Cancel": {"freshet.cancel.*"}},
	} {
		c.publish("_INBOX.a.1", 1, h)
		if m := c.next(inbox); kindOf(m) != document.InvalidRequest {
			t.Errorf("%v: %s %s", h, kindOf(m), m.Data)
		}
	}
	if got := c.handled(); len(got) > 0 {
		t.Errorf("handled were %v", got)
	}
}
