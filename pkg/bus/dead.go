package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// reasonInHead is how many bytes of a reason stand in the headers, which
	// every process keeps in memory.
	reasonInHead = 1 << 10
	// reasonInBody bounds the whole reason: an error may quote a document.
	reasonInBody = 64 << 10
)

// DeadLetters are what the stages gave up on, in DEAD.
type DeadLetters struct{ bus *Bus }

// DeadLettersOf are what the stages gave up on.
func DeadLettersOf(b *Bus) DeadLetters { return DeadLetters{b} }

// bury writes that a stage gave up on a message to DEAD.
func (l DeadLetters) bury(ctx context.Context, w Worker, m *Msg, reason error, attempts int) error {
	stage := w.Stage
	k, err := contract.ParseSubject(m.Subject)
	if err != nil {
		return err
	}
	covers, err := coversOf(k, m)
	if err != nil {
		return err
	}
	versions := map[document.View]document.Version{}
	for v, c := range covers.All() {
		versions[v] = c.Version
	}
	said := strings.ToValidUTF8(reason.Error(), "\uFFFD")
	head := contract.DeadHead{
		Stage: stage, Source: k.Source, Doc: k.Doc, Build: w.Build, Path: document.Path(m.Header.Get(contract.HeaderPath)),
		Covers: covers, Kind: failureOf(reason), Reason: beginning(said, reasonInHead), Attempts: attempts, Time: l.bus.Now(),
	}
	first := false
	written, err := l.rewrite(ctx, []DeadKey{{stage, k.Source, k.Doc, w.Build}}, func(old letter) (letter, bool, error) {
		first = old.head.Seq == 0
		now, write := followed(old.head, head)
		body, err := json.Marshal(contract.DeadBody{
			Stage: stage, Source: k.Source, Path: head.Path, Subject: m.Subject, Seq: m.Seq,
			Reason: beginning(said, reasonInBody), Attempts: now.Attempts, Versions: versions,
		})
		if err != nil {
			return letter{}, false, fmt.Errorf("encode dead letter: %w", err)
		}
		return letter{now, body}, write, nil
	})
	if err != nil || !first || len(written) == 0 {
		return err
	}
	made := Made{contract.StreamDead, contract.DeadSubject(stage, k.Source, k.Doc, w.Build), written[0].Seq, k.Source, k.Doc, covers}
	if _, err := PurgesOf(l.bus).Late(ctx, []Made{made}); err != nil {
		// The letter stands, which is what was asked for.
		l.bus.log.Warn("letter not held against what was purged", "path", head.Path, "error", err)
	}
	return nil
}

// failing are the builds of which there is, or was, a letter. There are few.
type failing struct {
	mu     sync.Mutex
	builds []contract.BuildID
}

func (f *failing) add(id contract.BuildID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Contains(f.builds, id) {
		f.builds = append(slices.Clip(f.builds), id)
	}
}

// Builds are those of which there is, or was, a letter.
func (l DeadLetters) Builds() []contract.BuildID {
	f := &l.bus.Heads.failing
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.builds
}

// Of returns the letters of a document, of whatever stage and build.
func (l DeadLetters) Of(source document.Source, doc document.DocID) []DeadKey {
	var out []DeadKey
	for _, build := range l.Builds() {
		for _, stage := range contract.Stages {
			out = append(out, DeadKey{stage, source, doc, build})
		}
	}
	return out
}

// followed is the letter that stands after a further failure. What the stage
// gave up on in another view stays, since nothing will come of that either.
func followed(old, now contract.DeadHead) (contract.DeadHead, bool) {
	if old.Seq == 0 || old.Cleared {
		return now, true
	}
	covers := now.Covers
	same, older := true, false
	for view, c := range old.Covers.All() {
		mine, has := covers.Find(view)
		older = older || has && mine.Version < c.Version
		if !has || mine.Version < c.Version {
			covers = covers.With(view, c)
		}
	}
	for view, c := range now.Covers.All() {
		same = same && old.Covers.At(view).Version == c.Version
	}
	switch {
	case older:
		return old, false // a late failure of what was replaced is no news
	case same:
		now.Attempts += old.Attempts
		if old.State == contract.LetterDismissed {
			now.State = old.State // it was handed out again, but not by a retry
		}
	}
	now.Covers = covers
	return now, true
}

// clear notes that a stage has handled a message: what it once gave up on
// is done as far as the message covers it.
func (l DeadLetters) clear(ctx context.Context, w Worker, m *Msg) error {
	k, err := contract.ParseSubject(m.Subject)
	if err != nil {
		return err
	}
	key := DeadKey{w.Stage, k.Source, k.Doc, w.Build}
	if _, ok := l.bus.Dead().Get(key); !ok {
		return nil
	}
	covers, err := coversOf(k, m)
	if err != nil {
		return err
	}
	return l.clearOne(ctx, key, covers)
}

// clearOne takes out of a letter what is covered; without anything left it
// is cleared.
func (l DeadLetters) clearOne(ctx context.Context, key DeadKey, done contract.Covers) error {
	_, err := l.rewrite(ctx, []DeadKey{key}, func(l letter) (letter, bool, error) {
		if l.head.Seq == 0 || l.head.Cleared {
			return l, false, nil
		}
		var rest contract.Covers
		for view, c := range l.head.Covers.All() {
			if done.At(view).Version < c.Version {
				rest = rest.With(view, c)
			}
		}
		if rest.Len() == 0 {
			l.head.Cleared, l.head.State, l.body = true, contract.LetterFailed, nil
			return l, true, nil
		}
		changed := rest.Len() < l.head.Covers.Len()
		l.head.Covers = rest
		return l, changed, nil
	})
	return err
}

// Mark gives dead letters another state, and returns the heads of
// those written, in the order of keys. A letter that was cleared meanwhile
// stays so and is left out. With LetterRetrying the stage handles the
// document again, at once or as soon as one of its workers runs.
func (l DeadLetters) Mark(ctx context.Context, keys []DeadKey, state contract.LetterState) ([]contract.DeadHead, error) {
	return l.rewrite(ctx, keys, func(l letter) (letter, bool, error) {
		if l.head.Seq == 0 || l.head.Cleared {
			return l, false, nil
		}
		l.head.State = state
		return l, true, nil
	})
}

// letter is a message of DEAD.
type letter struct {
	head contract.DeadHead
	body []byte
}

// rewrite replaces letters by what next makes of them, with compare-and-swap;
// next is asked again for a letter that somebody else has written meanwhile.
// It gets a head without Seq where there is no letter, and returns whether
// anything is to be written. The heads written are returned, in the order of
// keys.
func (l DeadLetters) rewrite(ctx context.Context, keys []DeadKey, next func(letter) (letter, bool, error)) ([]contract.DeadHead, error) {
	written := make([]contract.DeadHead, len(keys))
	var todo []int
	for i := range keys {
		todo = append(todo, i)
	}
	for len(todo) > 0 {
		subjects := make([]string, len(todo))
		for n, i := range todo {
			subjects[n] = contract.DeadSubject(keys[i].Stage, keys[i].Source, keys[i].Doc, keys[i].Build)
		}
		last, err := l.bus.GetLast(ctx, contract.StreamDead, subjects...)
		if err != nil {
			return nil, err
		}
		var outs []Out
		var sent []int
		for n, i := range todo {
			old, err := openLetter(ctx, last[subjects[n]])
			if err != nil {
				return nil, err
			}
			now, write, err := next(old)
			if err != nil {
				return nil, err
			}
			if write {
				outs = append(outs, Out{Subject: subjects[n], Header: now.head.Header(), Body: now.body, Expect: old.head.Seq})
				sent, written[i] = append(sent, i), now.head
			}
		}
		todo = nil
		for n, ack := range l.bus.Publish(ctx, outs...) {
			i := sent[n]
			switch {
			case errors.Is(ack.Err, ErrConflict):
				todo, written[i] = append(todo, i), contract.DeadHead{}
			case ack.Err != nil:
				return nil, ack.Err
			default:
				written[i].Seq = ack.Seq
			}
		}
	}
	out := written[:0]
	for _, h := range written {
		if h.Seq != 0 {
			out = append(out, h)
		}
	}
	return out, nil
}

func openLetter(ctx context.Context, m *Msg) (letter, error) {
	if m == nil {
		return letter{}, nil
	}
	head, err := contract.ParseDeadHead(m.Subject, m.Seq, m.Header)
	if err != nil {
		// It is no letter, but what is written has to replace it.
		return letter{head: contract.DeadHead{Seq: m.Seq, Cleared: true}}, nil //nolint:nilerr // see above
	}
	body, err := m.Body(ctx)
	if err != nil {
		return letter{}, fmt.Errorf("read the dead letter of %s: %w", head.Path, err)
	}
	return letter{head, body}, nil
}

// beginning returns at most n bytes of s, whole characters.
func beginning(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + " …"
}

func coversOf(k contract.Key, m *Msg) (contract.Covers, error) {
	if k.Stream == contract.StreamFiles {
		return contract.Covering(k.View, contract.Cover{Version: document.Version(m.Seq), Hash: document.Hash(m.Header.Get(contract.HeaderHash))}), nil
	}
	return contract.ParseCovers(m.Header.Get(contract.HeaderCovers))
}
