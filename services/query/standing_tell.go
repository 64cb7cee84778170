package query

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/standing"
)

const (
	// standingCoalesce is how long new versions wait for others that are held against
	// the questions with them.
	standingCoalesce = 50 * time.Millisecond
	// standingAgain is the pause before what is not settled yet, or what the log did
	// not give, is looked at again.
	standingAgain = time.Second
	// standingBatch is how many documents are read by one request to the log.
	standingBatch = 64
	// standingWeights is how long the weights of words in the index are taken for
	// what they were.
	standingWeights = 5 * time.Second
)

// toldWithin are the times of which is counted how much was told within them.
var toldWithin = [...]time.Duration{100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second}

// teller tells what kept questions ask for. It is one goroutine's but for what is
// under mu.
type teller struct {
	service *Service
	wake    wake

	mu      sync.Mutex
	heard   uint64 // revision of the bucket up to which kept is what it has
	kept    map[string]contract.Standing
	changed bool // kept is not what asked was made of
	// dirty are documents that a sink shows in another state.
	dirty map[bus.FileKey]unheld

	told document.Version // up to which everything was told
	// considered are the newest versions above told that were held against the
	// questions.
	considered map[bus.FileKey]document.Version
	// owed are versions that a stage gave up on: they may be told after told has
	// passed them.
	owed map[bus.FileKey]document.Version
	// former are the versions before those that are still to be held.
	former formers

	asked   []*kept
	set     *standing.Set
	by      *engine // that asked was made for
	weighed time.Time
	stop    func() // ends the observation of INDEXED and FILES; nil while nothing is kept
}

// kept is a kept question on its way.
type kept struct {
	id     string
	record contract.Standing
	search *search
	nobody bool // its owner may not be told anything any more
}

// tellStanding tells on the subjects of kept questions what they ask for, in one
// process of all.
func tellStanding(ctx context.Context, s *Service) error {
	return s.bus.RunAlone(ctx, contract.KeyStanding, func(ctx context.Context) error {
		return newTeller(s).run(ctx)
	})
}

func newTeller(s *Service) *teller {
	return &teller{
		service: s, wake: newWake(), kept: map[string]contract.Standing{}, dirty: map[bus.FileKey]unheld{},
		considered: map[bus.FileKey]document.Version{}, owed: map[bus.FileKey]document.Version{},
	}
}

func (t *teller) run(ctx context.Context) error {
	there, err := t.service.bus.LastSeq(ctx, contract.KeyStream(contract.BucketStanding))
	if err != nil {
		return err
	}
	following, end := context.WithCancel(ctx)
	var follows sync.WaitGroup
	follows.Go(func() {
		t.service.bus.Bucket(contract.BucketStanding).Follow(following, ">", t.hear, func(int) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.heard = max(t.heard, there)
			t.wake.poke()
		})
	})
	defer follows.Wait()
	defer end()
	defer t.rest()
	t.wake.each(ctx, standingCoalesce, standingAgain, func(ctx context.Context) {
		if err := t.pass(ctx); err != nil && ctx.Err() == nil {
			t.service.log.Warn("kept questions are held against the log again", "error", err)
		}
	})
	return nil
}

func (t *teller) hear(e bus.Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, was := t.kept[e.Key]
	hear(t.kept, e, t.service.bus.Now())
	now, is := t.kept[e.Key]
	if was != is || before.After != now.After {
		t.changed = true // the end alone makes no other question
	}
	t.heard = max(t.heard, e.Revision)
	t.wake.poke()
}

// observe notes that a sink shows another state of a document.
func (t *teller) observe(now *contract.OutputHead) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := time.Now()
	for view, cover := range now.Covers.All() {
		k := bus.FileKey{Source: now.Source, Doc: now.Doc, View: view}
		t.dirty[k] = t.dirty[k].and(unheld{at, cover.Version})
	}
	t.wake.poke()
}

// unheld is what a sink shows of a document and was not held against the questions yet.
type unheld struct {
	at    time.Time        // of the last state
	first document.Version // the oldest version
}

// and is both. The zero value is nothing.
func (u unheld) and(o unheld) unheld {
	if u.at.IsZero() {
		return o
	}
	if o.at.After(u.at) {
		u.at = o.at
	}
	u.first = min(u.first, o.first)
	return u
}

// rest ends the observation while nothing is kept.
func (t *teller) rest() {
	if t.stop != nil {
		t.stop()
		t.stop = nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.dirty)
	clear(t.considered)
	clear(t.owed)
	t.former.forget()
	t.asked, t.set, t.by = nil, nil, nil
}

// begin observes what becomes searchable, and looks at everything that is newer than
// what was told, and than when the questions were kept.
func (t *teller) begin(ctx context.Context) error {
	raw, _, err := t.service.bus.Bucket(contract.BucketMeta).Get(ctx, contract.KeyStanding)
	if err != nil {
		return err
	}
	t.told = 0
	if n, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		t.told = document.Version(n)
	}
	t.mu.Lock()
	first := document.Version(1<<63 - 1)
	for _, record := range t.kept {
		first = min(first, record.After)
	}
	t.mu.Unlock()
	t.told = max(t.told, first)
	for _, wait := range []func(context.Context) error{t.service.bus.Files().Ready, t.service.bus.Outputs(contract.StreamIndexed).Ready} {
		if err := wait(ctx); err != nil {
			return err
		}
	}
	told := t.told // of what is there already the rest counts alone
	endFiles := func() {}
	if t.service.bus.Restricts() {
		endFiles = t.service.bus.Files().Observe(t.former.observe)
	}
	endIndexed := t.service.bus.Outputs(contract.StreamIndexed).Observe(func(_ bus.OutputKey, _, now contract.OutputHead) {
		if now.Covers.Len() > 0 && now.Covers.Newest() > told {
			t.observe(&now)
		}
	})
	t.stop = func() {
		endIndexed()
		endFiles()
	}
	return nil
}

// pass holds what has become searchable against the questions.
func (t *teller) pass(ctx context.Context) error {
	answers, done := t.service.turn()
	defer done()
	t.mu.Lock()
	now := t.service.bus.Now()
	for id, record := range t.kept {
		if !record.Until.After(now) {
			delete(t.kept, id)
			t.changed = true
		}
	}
	none, idle := len(t.kept) == 0, len(t.dirty) == 0 && !t.changed && t.stop != nil
	t.mu.Unlock()
	switch {
	case none:
		t.rest()
		return nil
	case idle:
		return nil
	case t.stop == nil:
		if err := t.begin(ctx); err != nil {
			return err
		}
	}
	last, err := t.service.bus.LastSeq(ctx, contract.StreamFiles)
	if err != nil {
		return err
	}
	if err := answers.index.Reach(ctx, last); err != nil {
		return err
	}
	settled := answers.index.Settled(last)
	// What is settled by now was observed before: nothing of it is missed.
	t.mu.Lock()
	dirty := t.dirty
	t.dirty = map[bus.FileKey]unheld{}
	t.mu.Unlock()
	// Who was told that a question is kept is told what becomes searchable after.
	asked, err := t.service.bus.LastSeq(ctx, contract.KeyStream(contract.BucketStanding))
	if err == nil && !t.hasHeard(asked) {
		t.giveBack(dirty)
		return nil // the question wakes it
	}
	var later map[bus.FileKey]unheld
	if err == nil {
		later, err = t.hold(ctx, answers, dirty)
	}
	if err != nil {
		t.giveBack(dirty)
		return err
	}
	t.giveBack(later)
	for _, u := range later {
		// It was settled, and a newer version has come: what was new in it is still to be told.
		settled = min(settled, max(u.first, 1)-1)
	}
	return t.save(ctx, settled)
}

func (t *teller) hasHeard(revision uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heard >= revision
}

func (t *teller) giveBack(dirty map[bus.FileKey]unheld) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, u := range dirty {
		t.dirty[k] = t.dirty[k].and(u)
	}
}

// save notes up to where everything was told, from which another process goes on.
func (t *teller) save(ctx context.Context, settled document.Version) error {
	if settled <= t.told {
		return nil
	}
	// What was told has to have left before it counts as told.
	flush, cancel := context.WithTimeout(ctx, 10*standingAgain)
	defer cancel()
	if err := t.service.bus.Conn().FlushWithContext(flush); err != nil {
		return fmt.Errorf("tell what kept questions ask for: %w", err)
	}
	if _, err := t.service.bus.Bucket(contract.BucketMeta).Put(ctx, contract.KeyStanding, []byte(strconv.FormatUint(uint64(settled), 10))); err != nil {
		return err
	}
	t.told = settled
	maps.DeleteFunc(t.considered, func(_ bus.FileKey, v document.Version) bool { return v <= settled })
	return nil
}

// hold holds documents against the questions, and returns those that are not searchable
// yet.
func (t *teller) hold(ctx context.Context, answers *engine, dirty map[bus.FileKey]unheld) (later map[bus.FileKey]unheld, err error) {
	var ready []contract.FileHead
	later = map[bus.FileKey]unheld{}
	for k, u := range dirty {
		head, ok := t.service.bus.Files().Get(k)
		switch {
		case !ok || head.Op != contract.OpPut:
			delete(t.considered, k)
			delete(t.owed, k)
			if !answers.index.IsPending(k) {
				t.former.gone(k)
			}
		case head.Version <= t.considered[k] || head.Version <= t.told && t.owed[k] != head.Version:
		case answers.index.IsPending(k):
			later[k] = u
		case !answers.shows(&head):
			t.owed[k] = head.Version
		default:
			ready = append(ready, head)
		}
	}
	if len(ready) > 0 {
		if err := t.prepare(ctx, answers); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(ready, func(a, b contract.FileHead) int { return int(a.Version) - int(b.Version) })
	for batch := range slices.Chunk(ready, standingBatch) {
		moved, err := t.holdBatch(ctx, answers, batch, dirty)
		if err != nil {
			return nil, err
		}
		for _, k := range moved {
			later[k] = dirty[k]
		}
	}
	return later, nil
}

// shows reports whether both sinks show a version; else a stage gave up on it.
func (s *engine) shows(head *contract.FileHead) bool {
	g, ok := s.stores.Generation(head.Collection)
	if !ok {
		return false
	}
	for _, sink := range document.Sinks {
		out, ok := s.bus.Outputs(contract.StreamIndexed).Get(bus.OutputKey{Generation: g, Sink: sink, Source: head.Source, Doc: head.Doc})
		if !ok || out.Covers.At(head.View).Version < head.Version {
			return false
		}
	}
	return true
}

// tell tells of a document what a question asks for; since is when it became
// searchable.
func (t *teller) tell(hit *contract.StandingHit, since time.Time) error {
	raw, err := json.Marshal(hit)
	if err != nil {
		return fmt.Errorf("encode what a kept question asks for: %w", err)
	}
	if err := t.service.bus.Conn().Publish(contract.StandingSubject(hit.ID), raw); err != nil {
		return fmt.Errorf("tell what a kept question asks for: %w", err)
	}
	if user, ok := strings.CutPrefix(hit.Owner, contract.UserPrefix); ok {
		if err := t.service.bus.Conn().Publish(contract.OwnStanding(user, hit.ID), raw); err != nil {
			return fmt.Errorf("tell the owner of a kept question: %w", err)
		}
	}
	c := t.service.counters
	c.standing.Add(1)
	for i, within := range toldWithin {
		if time.Since(since) <= within {
			c.standingWithin[i].Add(1)
		}
	}
	return nil
}
