package query

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/query/internal/lease"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

const (
	// leaseLimit bounds the leases that are checked at the same time.
	leaseLimit = 8
	// leaseAttempts bounds how often a lease is written again because another answer
	// was quicker.
	leaseAttempts = 16
)

func serveLeases(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.Endpoint(ctx, svc, rpc.Options{
		Name: "lease", Subject: contract.SubjectLeaseCheck, Limit: leaseLimit, Deadline: s.cfg.MaxDeadline,
	}, s.CheckLease)
}

// CheckLease tells what has become of what a lease holds. Errors are *document.Error.
func (s *Service) CheckLease(ctx context.Context, in contract.LeaseCheck) (contract.LeaseNews, error) {
	e, done := s.turn()
	defer done()
	q := e.asks(ctx, e.reachFiles)
	news, err := aboutOne{q}.checkLease(ctx, in)
	if err != nil {
		s.counters.errors.Add(1)
		return contract.LeaseNews{}, typed(err)
	}
	return news, nil
}

func (q aboutOne) checkLease(ctx context.Context, in contract.LeaseCheck) (contract.LeaseNews, error) {
	if err := contract.CheckLimits(in); err != nil {
		return contract.LeaseNews{}, err
	}
	if in.Lease == contract.LeaseNew {
		return contract.LeaseNews{}, document.Errorf(document.InvalidRequest, "the lease is %q: give the id of one", in.Lease)
	}
	if err := q.lease.open(ctx, in.Lease); err != nil {
		return contract.LeaseNews{}, err
	}
	if err := q.namedScope(ctx, target{token: in.Token, within: in.DeadlineMS}); err != nil {
		return contract.LeaseNews{}, err
	}
	until, cancel := context.WithDeadline(ctx, q.deadline)
	defer cancel()
	if err := q.arrive(until); err != nil {
		return contract.LeaseNews{}, err
	}
	if in.Settle {
		return q.lease.hold(ctx, q.last, nil)
	}
	_, _, news, err := q.lease.lookAt(ctx)
	return news, err
}

var leaseID = regexp.MustCompile(`^[a-z2-7]{26}$`)

// extended is the lease that an answer extends, if it does.
type extended struct {
	service *engine
	who     contract.Principal
	sight   *access.Sight // what who asks may see; nil: everything
	id      string        // "" for none
	isNew   bool
}

// open takes the lease that a request names: "" for none. The error is NotFound
// for one that there is not.
func (x *extended) open(ctx context.Context, id string) error {
	switch {
	case id == "":
		return nil
	case id == contract.LeaseNew:
		x.id = strings.ToLower(rand.Text())
		x.isNew = true
		return nil
	case !leaseID.MatchString(id):
		return document.Errorf(document.InvalidRequest, "the lease %.64q is none: give %q, or the id of an answer", id, contract.LeaseNew)
	}
	x.id = id
	_, _, err := x.read(ctx)
	return err
}

// read returns the lease with its revision.
func (x *extended) read(ctx context.Context) (l contract.Lease, revision uint64, err error) {
	raw, revision, err := x.service.bus.Bucket(contract.BucketLeases).Get(ctx, x.id)
	if err != nil {
		return l, 0, err
	}
	if raw == nil || json.Unmarshal(raw, &l) != nil || !x.sight.Own(l.Owner, x.who) {
		return contract.Lease{}, 0, document.Errorf(document.NotFound, "there is no lease %s: it ended %s after its last answer, or its record is lost; open a new one, and take what was given under it for changed", x.id, contract.LeaseTime)
	}
	return l, revision, nil
}

// hold says what has become of what the lease holds, takes that out,
// and puts in what the answer gives. It is called when the heads include what the
// answer is made of, FILES up to last.
func (x *extended) hold(ctx context.Context, last uint64, all []lease.Given) (contract.LeaseNews, error) {
	for range leaseAttempts {
		var l contract.Lease
		var revision uint64
		news := contract.LeaseNews{Lease: x.id}
		var err error
		if x.isNew {
			if x.sight != nil {
				l.Owner = x.who.Name
			}
			news.Token, err = x.service.bus.Tokens().Of(ctx, last)
		} else {
			l, revision, news, err = x.lookAt(ctx)
		}
		if err != nil {
			return news, err
		}
		news.Dropped = lease.Add(&l, all)
		news.Holds, news.Seconds = len(l.Passages), int(contract.LeaseTime/time.Second)
		l.Token, l.Forgotten = news.Token, 0
		if l.Passages == nil {
			l.Passages = []contract.LeasedPassage{}
		}
		raw, err := json.Marshal(l)
		if err != nil {
			return news, fmt.Errorf("encode a lease: %w", err)
		}
		_, err = x.service.bus.Bucket(contract.BucketLeases).Update(ctx, x.id, raw, revision)
		if !errors.Is(err, bus.ErrConflict) {
			return news, err
		}
	}
	return contract.LeaseNews{}, document.Errorf(document.Unavailable, "the lease %s was extended by others each of the %d times that it was written: ask again, or use one lease for one reader", x.id, leaseAttempts)
}

// give puts what an answer gives into the lease, if there is one; last is as in hold.
func (x *extended) give(ctx context.Context, last uint64, into **contract.LeaseNews, all func() ([]lease.Given, error)) error {
	if x.id == "" {
		return nil
	}
	given, err := all()
	if err != nil {
		return err
	}
	news, err := x.hold(ctx, last, given)
	if err == nil {
		*into = &news
	}
	return err
}

// lookAt holds the lease against the heads as they are now. The lease that it
// returns has no passage any more of which a change is told.
func (x *extended) lookAt(ctx context.Context) (l contract.Lease, revision uint64, news contract.LeaseNews, err error) {
	s := x.service
	news = contract.LeaseNews{Lease: x.id}
	if l, revision, err = x.read(ctx); err != nil {
		return l, 0, news, err
	}
	was := l.Passages
	news.Holds, news.Forgotten = len(was), l.Forgotten
	heads, seen := s.contents.headsOf(was)
	contents, err := s.contents.changedContents(ctx, was, heads)
	if err != nil {
		return l, 0, news, err
	}
	l.Passages = make([]contract.LeasedPassage, 0, len(was))
	for i := range was {
		p := was[i]
		head, ok := heads[keyOfPassage(&p)]
		switch {
		case ok && !bus.Head(x.sight, &head):
			news.Changes = append(news.Changes, lease.Change(&p, contract.LeaseGone, 0, 0))
			continue
		case !ok || head.Op != contract.OpPut:
			news.Changes = append(news.Changes, lease.Change(&p, contract.LeaseGone, 0, head.Version))
			continue
		case head.Version <= p.Version || skipLook:
		case contents[head.Version] == nil && head.Size > 0:
			news.Unchecked++
		default:
			line, stands := lease.Find(contents[head.Version], &p)
			if !stands {
				news.Changes = append(news.Changes, lease.Change(&p, contract.LeaseChanged, 0, head.Version))
				continue
			}
			if line != p.StartLine {
				news.Changes = append(news.Changes, lease.Change(&p, contract.LeaseMoved, line, head.Version))
			}
			p.Version = head.Version
			p.StartLine, p.EndLine = line, line+p.EndLine-p.StartLine
		}
		l.Passages = append(l.Passages, p)
	}
	news.Token, err = s.bus.Tokens().Of(ctx, seen)
	return l, revision, news, err
}

func keyOfPassage(p *contract.LeasedPassage) bus.FileKey {
	return bus.FileKey{Source: p.Source, Doc: document.DocOf(p.Path), View: p.View}
}

// headsOf returns the heads of the documents of passages, in one state of the log.
func (s *contents) headsOf(passages []contract.LeasedPassage) (heads map[bus.FileKey]contract.FileHead, seen uint64) {
	heads = map[bus.FileKey]contract.FileHead{}
	s.bus.Files().Read(func(at uint64, get func(bus.FileKey) (contract.FileHead, bool)) {
		seen = at
		for i := range passages {
			k := keyOfPassage(&passages[i])
			if h, ok := get(k); ok {
				heads[k] = h
			}
		}
	})
	return heads, seen
}

// changedContents returns the contents of the documents that have a newer version than
// a passage was seen in. One that has changed meanwhile is read in its newest version,
// and its head is put in the place of the older one.
func (s *contents) changedContents(ctx context.Context, passages []contract.LeasedPassage, heads map[bus.FileKey]contract.FileHead) (map[document.Version][]byte, error) {
	need := map[bus.FileKey]bool{}
	for i := range passages {
		k := keyOfPassage(&passages[i])
		if h, ok := heads[k]; ok && h.Op == contract.OpPut && h.Version > passages[i].Version {
			need[k] = true
		}
	}
	var list []contract.FileHead
	for k := range need {
		list = append(list, heads[k])
	}
	contents, err := s.reader.Files(ctx, list)
	if err != nil {
		return nil, err
	}
	for k := range need {
		if _, ok := contents[heads[k].Version]; ok {
			continue
		}
		h, text, moved, err := s.contentOf(ctx, heads[k])
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && !moved {
			heads[k], contents[h.Version] = h, text
		}
	}
	return contents, nil
}

// givenOf are the texts of hits, each as the log has it.
func (q *search) givenOf(ctx context.Context) ([]lease.Given, error) {
	shown := q.resolved.Shown
	keys, heads := make([]resolve.DocKey, len(shown)), make([]contract.FileHead, len(shown))
	for i := range shown {
		c := &shown[i].Candidate
		keys[i] = resolve.KeyOf(&c.Found)
		heads[i] = shown[i].Head
	}
	bodies, err := q.service.reader.Chunks(ctx, keys)
	if err != nil {
		return nil, err
	}
	var uncut []contract.FileHead
	for i := range shown {
		if bodies[keys[i]].Bytes(&heads[i]) == nil {
			uncut = append(uncut, heads[i])
		}
	}
	contents, err := q.service.reader.Files(ctx, uncut)
	if err != nil {
		return nil, err
	}
	out := make([]lease.Given, len(shown))
	for i := range shown {
		s := &shown[i]
		content := bodies[keys[i]].Bytes(&s.Head)
		if content == nil {
			content = contents[s.Head.Version]
		}
		out[i] = lease.Given{Head: s.Head, StartLine: s.Span.StartLine, Text: s.Text}
		if content != nil {
			out[i].Column = lease.ColumnAt(content, s.Span.StartByte)
		}
	}
	return out, nil
}
