package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// shownEvery is the time between two looks whether the outputs show that a
	// source is gone, and shownPatience how long they may stay as they are.
	// Those of a generation that nobody builds any more stay so for ever.
	shownEvery    = 100 * time.Millisecond
	shownPatience = 5 * time.Second
)

// Forgotten counts what ForgetSource has removed.
type Forgotten struct {
	Bodies, Feedback, Audit, Letters int
	// Unshown outputs said until the end that they show something. No worker
	// has taken that back, so the stores may hold it.
	Unshown int
}

// ForgetSource takes out of the log what is left of a source when all its
// documents are deleted: the deletions and what was made of them, as the purger
// does it (Purges.Remove), the outputs of generations that nobody builds any more
// among them, then large bodies, dead letters and feedback. It waits until all
// other outputs show the deletions. Others must not write documents of the
// source meanwhile.
func ForgetSource(ctx context.Context, b *Bus, source document.Source) (Forgotten, error) {
	return forgetSource(ctx, b, source, shownPatience)
}

func forgetSource(ctx context.Context, b *Bus, source document.Source, patience time.Duration) (f Forgotten, err error) {
	o, stop := outputsOf(ctx, b, source)
	defer stop()
	r, err := o.remains(ctx)
	if err != nil {
		return f, err
	}
	if f.Unshown, err = o.shown(ctx, patience); err != nil {
		return f, err
	}
	if f.Letters, err = DeadLettersOf(b).drop(ctx, source); err != nil {
		return f, err
	}
	if err := o.purge(ctx, r); err != nil {
		return f, err
	}
	if f.Feedback, err = FeedbackOf(b).drop(ctx, source); err != nil {
		return f, err
	}
	if f.Audit, err = AskedOf(b).drop(ctx, source); err != nil {
		return f, err
	}
	if err := forgetLeased(ctx, b, source); err != nil {
		return f, err
	}
	if err := forgetStanding(ctx, b, source); err != nil {
		return f, err
	}
	if err := forgetSummaries(ctx, b, source); err != nil {
		return f, err
	}
	if err := b.Bucket(contract.BucketEvaluations).Forget(ctx, contract.GoldenOf(source)); err != nil {
		return f, err
	}
	f.Bodies, err = NewCollector(b, BodyGrace).pass(ctx, func(o owner) bool {
		k, err := contract.ParseSubject(o.Subject)
		return err == nil && k.Source == source
	})
	return f, err
}

// sourceOutputs are the heads of what was made of one source. Purges do not
// reach them.
type sourceOutputs struct {
	source document.Source
	bus    *Bus
	tables map[string]*Table[OutputKey, contract.OutputHead] // by stream
}

// outputsOf follows the outputs of a source until stop is called. The head
// tables of all sources may be much larger, and this process need not have them.
func outputsOf(ctx context.Context, b *Bus, source document.Source) (o sourceOutputs, stop context.CancelFunc) {
	ctx, stop = within(ctx, b)
	o = sourceOutputs{source, b, map[string]*Table[OutputKey, contract.OutputHead]{}}
	var common commons // their own: what is taken of it goes with the tables
	for stream, subjects := range map[string]string{
		contract.StreamChunks:  contract.ChunksSubject("*", source, "*"),
		contract.StreamVectors: contract.VectorsSubject("*", source, "*"),
		contract.StreamIndexed: contract.IndexedSubject("*", "*", source, "*"),
	} {
		t := newTable(b.log, stream, &outputHeads{common: &common}, decodeOutput)
		t.filter = subjects
		o.tables[stream] = t
		startTable(ctx, b, t)
	}
	return o, stop
}

// within returns a context that ends with ctx, or when the Bus is closed.
func within(ctx context.Context, b *Bus) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(b.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// reach waits until the tables include what the log holds now.
func (o sourceOutputs) reach(ctx context.Context) error {
	for stream, t := range o.tables {
		last, err := o.bus.LastSeq(ctx, stream)
		if err == nil {
			err = t.Wait(ctx, last)
		}
		if err != nil {
			return fmt.Errorf("look at the outputs of %s in %s: %w", o.source, stream, err)
		}
	}
	return nil
}

// showing counts the outputs that show some content, or cannot be read.
func (o sourceOutputs) showing() (n int) {
	for _, t := range o.tables {
		n += len(t.unreadables())
		t.Range(func(_ OutputKey, h contract.OutputHead) bool {
			if !h.Covers.Gone() {
				n++
			}
			return true
		})
	}
	return n
}

// shown waits until the outputs show that the source is gone. It returns how
// many do not come to it.
func (o sourceOutputs) shown(ctx context.Context, patience time.Duration) (int, error) {
	moved := time.Now()
	for before := -1; ; {
		if err := o.reach(ctx); err != nil {
			return 0, err
		}
		left := o.showing()
		if left == 0 {
			return 0, nil
		}
		if left != before {
			moved, before = time.Now(), left
		}
		if time.Since(moved) >= patience {
			return left, nil
		}
		if !pause(ctx, shownEvery) {
			return 0, ctx.Err()
		}
	}
}

// remains is what the log has of a source whose documents are deleted.
type remains struct {
	deleted     []Deleted // of which FILES has the deletion
	unknown     []Deleted // of which only outputs are left
	generations []document.Generation
}

// remains lists what is left of a source.
func (o sourceOutputs) remains(ctx context.Context) (r remains, err error) {
	last, err := o.bus.LastSeq(ctx, contract.StreamFiles)
	if err == nil {
		err = o.bus.Files().Wait(ctx, last)
	}
	if err == nil {
		err = o.reach(ctx)
	}
	if err != nil {
		return r, err
	}
	deleted, live := map[DocKey]Deleted{}, map[DocKey]bool{}
	o.bus.Files().Range(func(k FileKey, h contract.FileHead) bool {
		if k.Source != o.source || k.Doc == document.MarkerDoc {
			return true
		}
		d := DocKey{k.Source, k.Doc}
		live[d] = live[d] || h.Op != contract.OpDelete
		deleted[d] = Deleted{d, max(deleted[d].Version, h.Version), append(deleted[d].Views, k.View)}
		return true
	})
	unknown, generations := map[DocKey]Deleted{}, map[document.Generation]bool{}
	for _, t := range o.tables {
		t.Range(func(k OutputKey, h contract.OutputHead) bool {
			generations[k.Generation] = true
			d := DocKey{k.Source, k.Doc}
			if _, known := deleted[d]; !known {
				unknown[d] = Deleted{DocKey: d, Version: max(unknown[d].Version, h.Covers.Newest())}
			}
			return true
		})
	}
	maps.DeleteFunc(deleted, func(d DocKey, _ Deleted) bool { return live[d] })
	r = remains{slices.Collect(maps.Values(deleted)), slices.Collect(maps.Values(unknown)), slices.Sorted(maps.Keys(generations))}
	return r, nil
}

// purge purges what the purger has not come to, and takes out what cannot
// be read.
func (o sourceOutputs) purge(ctx context.Context, r remains) error {
	docs := slices.DeleteFunc(r.deleted, func(d Deleted) bool {
		return !slices.ContainsFunc(d.Views, func(v document.View) bool {
			_, there := o.bus.Files().Get(FileKey{d.Source, d.Doc, v})
			return there
		})
	})
	if err := PurgesOf(o.bus).purge(ctx, append(docs, r.unknown...), r.generations); err != nil {
		return err
	}
	for stream, t := range o.tables {
		for _, u := range t.unreadables() {
			if err := deleteMessage(ctx, o.bus, stream, u.Seq); err != nil {
				return err
			}
		}
	}
	return nil
}

// drop takes out the dead letters of a source, those that were cleared
// included, and returns how many these were.
func (l DeadLetters) drop(ctx context.Context, source document.Source) (int, error) {
	subject := contract.DeadSubject("*", source, "*", "*")
	s, err := l.bus.js.Stream(ctx, contract.StreamDead)
	if err != nil {
		return 0, fmt.Errorf("open stream %s: %w", contract.StreamDead, err)
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil {
		return 0, fmt.Errorf("look at the dead letters of %s: %w", source, err)
	}
	if len(info.State.Subjects) == 0 {
		return 0, nil
	}
	if err := s.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
		return 0, fmt.Errorf("remove the dead letters of %s: %w", source, err)
	}
	return len(info.State.Subjects), nil
}

// feedbackPage is how many events are looked at together, and feedbackPageBytes
// how many bytes of them.
const (
	feedbackPage      = 1000
	feedbackPageBytes = 8 << 20
)

// drop takes out the events that name a hit of a source.
func (f FeedbackLog) drop(ctx context.Context, source document.Source) (n int, err error) {
	n, err = dropNaming(ctx, f.bus, contract.StreamFeedback, f.Page, func(body []byte) bool {
		var f contract.Feedback
		_ = json.Unmarshal(body, &f) // what is none of ours names nothing
		return slices.ContainsFunc(f.Hits, func(h contract.FeedbackHit) bool { return h.Source == source })
	})
	if document.KindOf(err) == document.Unavailable {
		return n, nil // there was no room for that stream
	}
	return n, err
}

// dropNaming takes out the messages of a stream whose bodies name something.
func dropNaming(ctx context.Context, b *Bus, stream string, pages func(context.Context, uint64, int, int) ([]*Msg, bool, error), names func([]byte) bool) (n int, err error) {
	for after, more := uint64(0), true; more; {
		var page []*Msg
		if page, more, err = pages(ctx, after, feedbackPage, feedbackPageBytes); err != nil {
			return n, err
		}
		for _, m := range page {
			after = m.Seq
			body, err := m.Body(ctx)
			if err != nil {
				return n, err
			}
			if !names(body) {
				continue
			}
			if err := deleteMessage(ctx, b, stream, m.Seq); err != nil {
				return n, err
			}
			n++
		}
		more = more && len(page) > 0
	}
	return n, nil
}
