package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/gateway/internal/door"
	"github.com/freshet-dev/freshet/services/gateway/internal/feed"
	"github.com/freshet-dev/freshet/services/gateway/internal/reply"
)

// Names of events.
const (
	eventStatus = "status"
	eventChange = "change"
	eventKept   = "standing"
	eventLost   = "lost" // something was missed: ask anew
)

// A look at the status counts every head; one a second serves all who watch.
const statusEvery = time.Second

// signEvery is how often a silent feed gives a sign of life, below the minute after
// which proxies cut off.
const signEvery = 20 * time.Second

// tellNews tells whoever listens what happens, until ctx ends.
func (s *Service) tellNews(ctx context.Context) error {
	for subject, name := range map[string]string{contract.AllChanges: eventChange, contract.AllStanding: eventKept} {
		sub, err := s.conn.Subscribe(subject, func(m *nats.Msg) {
			s.news.Tell(feed.Event{Name: name, Data: bytes.Clone(m.Data)})
		})
		if err != nil {
			return fmt.Errorf("listen on %s: %w", subject, err)
		}
		defer func() { _ = sub.Unsubscribe() }() // it ends with its connection, too
	}
	tick := time.NewTicker(statusEvery)
	defer tick.Stop()
	var last []byte
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if !s.news.Hears(eventStatus) {
			continue
		}
		status, err := client.Status.Forward(ctx, s.conn, json.RawMessage("{}"))
		if err == nil && !bytes.Equal(status, last) {
			last = status
			s.news.Tell(feed.Event{Name: eventStatus, Data: status})
		}
	}
}

// statusEvents tells the status, now and whenever it has changed.
func (s *Service) statusEvents(w http.ResponseWriter, r *http.Request, who door.Asker) error {
	l := s.news.Listen(eventStatus)
	defer s.news.Leave(l)
	now, err := client.Status.Forward(r.Context(), s.conn, json.RawMessage("{}"))
	if err != nil {
		return err
	}
	return s.tell(w, r, l, &feed.Event{Name: eventStatus, Data: now}, func(e feed.Event) (feed.Event, bool) {
		if s.visibility.Sight(who.Principal) == nil {
			return e, true
		}
		// Something has changed; what of it they see they are told, and no more.
		seen, err := client.Status.Forward(r.Context(), s.conn, json.RawMessage("{}"))
		if err != nil || bytes.Equal(seen, now) {
			return e, false
		}
		now = seen
		return feed.Event{Name: eventStatus, Data: seen}, true
	})
}

// changeEvents tells changes as the log takes them.
func (s *Service) changeEvents(w http.ResponseWriter, r *http.Request, who door.Asker) error {
	l := s.news.Listen(eventChange)
	defer s.news.Leave(l)
	return s.tell(w, r, l, nil, func(e feed.Event) (feed.Event, bool) {
		sight := s.visibility.Sight(who.Principal)
		if sight == nil {
			return e, true
		}
		var c contract.Change
		// A marker counts what is in a view.
		if json.Unmarshal(e.Data, &c) != nil || c.Path == "" || !sight.Change(&c) {
			return e, false
		}
		if c.Access == nil {
			return e, true
		}
		c.Access = nil // they name others
		data, err := json.Marshal(c)
		return feed.Event{Name: eventChange, Data: data}, err == nil
	})
}

// keptEvents tells what answers kept questions: to whoever sees only a part, their own.
func keptEvents(s *Service, w http.ResponseWriter, r *http.Request, who door.Asker) error {
	l := s.news.Listen(eventKept)
	defer s.news.Leave(l)
	return s.tell(w, r, l, nil, func(e feed.Event) (feed.Event, bool) {
		sight := s.visibility.Sight(who.Principal)
		if sight == nil {
			return e, true
		}
		var h contract.StandingHit
		return e, json.Unmarshal(e.Data, &h) == nil && sight.Own(h.Owner, who.Principal) && sight.Told(&h.Hit)
	})
}

// tell writes the events of a listener that whoever asked may see until the client or the service leaves.
func (s *Service) tell(w http.ResponseWriter, r *http.Request, l *feed.Listener, first *feed.Event, sees func(feed.Event) (feed.Event, bool)) error {
	w.Header().Set("Content-Type", asEvents)
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w)
	write := func(text string) bool {
		reply.Hasten(w)
		_, err := w.Write([]byte(text))
		return err == nil && flush.Flush() == nil
	}
	open := write(": listening\n\n")
	if first != nil {
		open = open && write(sse(*first))
	}
	sign := time.NewTicker(signEvery)
	defer sign.Stop()
	for open {
		select {
		case <-r.Context().Done():
			return nil
		case <-s.stopping:
			return nil
		case <-sign.C:
			open = write(": alive\n\n")
		case e := <-l.C:
			if seen, ok := sees(e); ok {
				open = write(sse(seen))
			}
			if s.news.Lost(l) {
				open = open && write(sse(feed.Event{Name: eventLost, Data: []byte("{}")}))
			}
		}
	}
	return nil
}

// sse is an event on the wire; JSON has no line breaks as the services write it.
func sse(e feed.Event) string { return "event: " + e.Name + "\ndata: " + string(e.Data) + "\n\n" }
