package query

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/query/internal/standing"
)

// watchLimit bounds the requests about kept questions that are handled at the same
// time.
const watchLimit = 4

// watches answers requests about kept questions.
type watches struct{ *Service }

func serveWatches(ctx context.Context, service *Service, svc micro.Service) error {
	s := watches{service}
	err := rpc.Endpoint(ctx, svc, rpc.Options{
		Name: "watch-add", Subject: contract.SubjectWatchAdd, Limit: watchLimit, Deadline: s.cfg.MaxDeadline, Left: rpc.Finished,
	}, s.Add)
	if err == nil {
		err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "watch-list", Subject: contract.SubjectWatchList, Limit: watchLimit},
			func(ctx context.Context, _ struct{}) (contract.WatchList, error) { return s.list(ctx) })
	}
	if err == nil {
		err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "watch-remove", Subject: contract.SubjectWatchRemove, Limit: watchLimit, Left: rpc.Finished}, s.Remove)
	}
	return err
}

// Add keeps a question, or puts off the end of one. Errors are *document.Error.
func (s watches) Add(ctx context.Context, in contract.WatchAdd) (w contract.Watched, err error) {
	switch {
	case contract.CheckLimits(in) != nil:
		err = contract.CheckLimits(in)
	case (in.Question == nil) == (in.ID == ""):
		err = document.Errorf(document.InvalidRequest, "give either question, which is to be kept, or id, of one whose end is to be put off")
	case in.ID != "":
		w, err = s.extend(ctx, in.ID)
	default:
		w, err = s.keep(ctx, *in.Question)
	}
	if err != nil {
		return contract.Watched{}, typed(err)
	}
	return w, nil
}

func (s watches) keep(ctx context.Context, question contract.StandingQuestion) (contract.Watched, error) {
	answers, done := s.turn()
	defer done()
	if most := standing.Most(answers.calibration); question.MinRelevance < 0 || question.MinRelevance > most {
		return contract.Watched{}, document.Errorf(document.InvalidRequest, "min_relevance is %v: choose more than 0, and at most %.2f, which is the most that is ever stated", question.MinRelevance, most)
	}
	last, err := s.bus.LastSeq(ctx, contract.StreamFiles)
	if err != nil {
		return contract.Watched{}, err
	}
	if err := answers.index.Reach(ctx, last); err != nil {
		return contract.Watched{}, fmt.Errorf("wait for the log's heads: %w", err)
	}
	q, err := answers.prepareStanding(ctx, question)
	if err != nil {
		return contract.Watched{}, err
	}
	q.last, q.sight = last, s.bus.Visibility().Sight(rpc.Asker(ctx))
	if q.sight != nil {
		err = q.knowSeenSources()
	} else {
		err = q.knowSources(ctx)
	}
	if err != nil {
		return contract.Watched{}, err
	}
	if strings.HasPrefix(rpc.Asker(ctx).Name, contract.IssuedPrefix) && s.bus.Restricts() {
		return contract.Watched{}, document.Errorf(document.Forbidden, "a question is kept for a key, or a user of the NATS server: what an issuer's token lets somebody see is not known once it has ended")
	}
	kept, err := s.all(ctx)
	if err != nil {
		return contract.Watched{}, err
	}
	if len(kept) >= contract.MostStanding {
		return contract.Watched{}, document.Errorf(document.TooLarge, "%d questions are kept, which is the most: remove one, or wait until one ends", len(kept))
	}
	if who := rpc.Asker(ctx); !who.Owner() && ownedBy(kept, who.Name) >= contract.MostOwnStanding {
		return contract.Watched{}, document.Errorf(document.TooLarge, "%d questions of yours are kept, which is the most: remove one, or wait until one ends", contract.MostOwnStanding)
	}
	record := contract.Standing{
		Question: question, Named: slices.Concat(q.req.Sources, q.req.Left.Sources),
		After: answers.index.Settled(last), Until: s.bus.Now().Add(contract.StandingTime).UTC(),
		Owner: rpc.Asker(ctx).Name,
	}
	return s.write(ctx, strings.ToLower(rand.Text()), record, 0)
}

func ownedBy(kept map[string]contract.Standing, name string) (n int) {
	for _, record := range kept {
		if record.Owner == name {
			n++
		}
	}
	return n
}

func (s watches) write(ctx context.Context, id string, record contract.Standing, revision uint64) (contract.Watched, error) {
	raw, err := json.Marshal(record)
	if err != nil {
		return contract.Watched{}, fmt.Errorf("encode a kept question: %w", err)
	}
	if _, err := s.bus.Bucket(contract.BucketStanding).Update(ctx, id, raw, revision); err != nil {
		return contract.Watched{}, err
	}
	return s.told(ctx, id, &record)
}

func (s watches) told(ctx context.Context, id string, record *contract.Standing) (contract.Watched, error) {
	token, err := s.bus.Tokens().Of(ctx, uint64(record.After))
	if err != nil {
		return contract.Watched{}, err
	}
	left := record.Until.Sub(s.bus.Now())
	return contract.Watched{
		ID: id, Question: record.Question, Subject: contract.StandingSubject(id), Seconds: max(int(left/time.Second), 0), Token: token,
	}, nil
}

// own reports whether whoever asks may know of a kept question: who sees only a part
// knows those that they keep themselves.
func (s watches) own(ctx context.Context, record *contract.Standing) bool {
	who := rpc.Asker(ctx)
	return s.bus.Visibility().Sight(who).Own(record.Owner, who)
}

func noWatch(id string) error {
	return document.Errorf(document.NotFound, "no question is kept under %s: it was removed, or its time is over, or a source that it names was removed", id)
}

// read returns a kept question with its revision.
func (s watches) read(ctx context.Context, id string) (record contract.Standing, revision uint64, err error) {
	if !leaseID.MatchString(id) {
		return record, 0, document.Errorf(document.InvalidRequest, "the id %.64q is none: give that of a kept question", id)
	}
	raw, revision, err := s.bus.Bucket(contract.BucketStanding).Get(ctx, id)
	if err != nil {
		return record, 0, err
	}
	if raw == nil || json.Unmarshal(raw, &record) != nil || !s.own(ctx, &record) {
		return contract.Standing{}, 0, noWatch(id)
	}
	return record, revision, nil
}

func (s watches) extend(ctx context.Context, id string) (contract.Watched, error) {
	for {
		record, revision, err := s.read(ctx, id)
		if err != nil {
			return contract.Watched{}, err
		}
		record.Until = s.bus.Now().Add(contract.StandingTime).UTC()
		w, err := s.write(ctx, id, record, revision)
		if !errors.Is(err, bus.ErrConflict) {
			return w, err
		}
	}
}

// Remove forgets a kept question. Errors are *document.Error.
func (s watches) Remove(ctx context.Context, in contract.WatchRemove) (contract.WatchList, error) {
	_, revision, err := s.read(ctx, in.ID)
	if err == nil {
		err = s.bus.Bucket(contract.BucketStanding).Remove(ctx, in.ID, revision)
	}
	if err != nil {
		return contract.WatchList{}, typed(err)
	}
	return s.list(ctx)
}

// list lists what is kept.
func (s watches) list(ctx context.Context) (contract.WatchList, error) {
	kept, err := s.all(ctx)
	if err != nil {
		return contract.WatchList{}, typed(err)
	}
	list := contract.WatchList{Questions: []contract.Watched{}}
	for id := range kept {
		record := kept[id]
		if !s.own(ctx, &record) {
			continue
		}
		w, err := s.told(ctx, id, &record)
		if err != nil {
			return contract.WatchList{}, typed(err)
		}
		list.Questions = append(list.Questions, w)
	}
	slices.SortFunc(list.Questions, func(a, b contract.Watched) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

// all returns everything that is kept, by id.
func (s watches) all(ctx context.Context) (map[string]contract.Standing, error) {
	until, stop := context.WithCancel(ctx)
	defer stop()
	kept := map[string]contract.Standing{}
	loaded := false
	s.bus.Bucket(contract.BucketStanding).Follow(until, ">", func(e bus.Entry) { hear(kept, e, s.bus.Now()) }, func(int) {
		loaded = true
		stop()
	})
	if !loaded {
		return nil, ctx.Err()
	}
	return kept, nil
}

// hear takes up an entry of the bucket of kept questions.
func hear(kept map[string]contract.Standing, e bus.Entry, now time.Time) {
	var record contract.Standing
	if e.Removed || json.Unmarshal(e.Value, &record) != nil || !record.Until.After(now) {
		delete(kept, e.Key)
		return
	}
	kept[e.Key] = record
}
