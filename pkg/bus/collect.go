package bus

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// infoSubject is that of what tells of a body.
func infoSubject(name string) string {
	return contract.BodyInfo + base64.URLEncoding.EncodeToString([]byte(name))
}

const (
	// BodyGrace is how long an object stays that a message may yet name: its
	// writer has not published, and has not failed to. It is above the longest
	// lease that can be configured.
	BodyGrace = 2 * time.Hour
	// collectEvery is the time between two passes. One costs a request for each
	// object, and nothing while the log has not changed.
	collectEvery = 30 * time.Second
)

// Collector removes the bodies of the claim check that no head names, and what
// puts left behind that ended half way. It belongs to one goroutine. Two that
// run at once do no harm.
type Collector struct {
	bus     *Bus
	grace   time.Duration
	waiting map[string]time.Time // since when an object, or chunks without one, may be waited for
	looked  map[string]uint64    // the last sequences of all streams at the last pass
	named   map[string]bool      // objects that a head named at the last pass
	foreign map[string]bool      // objects without an owner at the last look, and whether a head names them
}

// NewCollector returns a Collector. grace is BodyGrace, but in tests.
func NewCollector(b *Bus, grace time.Duration) *Collector {
	return &Collector{bus: b, grace: grace, waiting: map[string]time.Time{}}
}

// CollectBodies collects until ctx ends, while no other process of the
// deployment does.
func CollectBodies(ctx context.Context, b *Bus, log *slog.Logger) error {
	return b.RunAlone(ctx, "collector", func(ctx context.Context) error {
		c := NewCollector(b, BodyGrace)
		for pause(ctx, collectEvery) {
			if err := c.passIfChanged(ctx); err != nil && ctx.Err() == nil {
				log.Warn("bodies that nobody names were not removed", "error", err)
			}
		}
		return nil
	})
}

// passIfChanged makes a pass where the log has changed since the last one, or
// something has been waited for long enough.
func (c *Collector) passIfChanged(ctx context.Context) error {
	now := map[string]uint64{}
	for _, stream := range append(slices.Clone(contract.Streams), contract.StreamBodies) {
		seq, err := c.bus.LastSeq(ctx, stream)
		if err != nil {
			return err
		}
		now[stream] = seq
	}
	due := false
	for _, since := range c.waiting {
		due = due || time.Since(since) >= c.grace
	}
	if !due && maps.Equal(now, c.looked) {
		return nil
	}
	_, err := c.Pass(ctx)
	if err == nil {
		c.looked = now
	}
	return err
}

// Pass looks at every object once, and returns how many it has removed.
func (c *Collector) Pass(ctx context.Context) (removed int, err error) {
	return c.pass(ctx, func(owner) bool { return false })
}

// pass is Pass without waiting for the objects whose owner is gone.
func (c *Collector) pass(ctx context.Context, gone func(owner) bool) (removed int, err error) {
	// Chunks before objects: what is put meanwhile has its chunks first.
	chunks, err := c.chunks(ctx)
	if err != nil {
		return 0, err
	}
	objects, err := c.objects(ctx)
	if err != nil {
		return 0, err
	}
	if err := c.lookForForeign(ctx, objects); err != nil {
		return 0, err
	}
	waiting, namedNow := map[string]time.Time{}, map[string]bool{}
	for _, info := range objects {
		delete(chunks, info.NUID)
		dropped, err := c.object(ctx, info, gone, waiting, namedNow)
		if err != nil {
			return removed, err
		}
		if dropped {
			removed++
		}
	}
	for nuid := range chunks {
		if !c.waited(nuid, waiting) {
			continue
		}
		if err := c.bus.bodies.purge(ctx, contract.BodyPiece+nuid); err != nil {
			return removed, err
		}
		delete(waiting, nuid)
		removed++
	}
	c.waiting, c.named = waiting, namedNow
	return removed, nil
}

// waited reports whether something has been seen for the time of grace, and
// notes it for the next pass. The system's clock is not asked: it may go back.
func (c *Collector) waited(what string, waiting map[string]time.Time) bool {
	since, seen := c.waiting[what]
	if !seen {
		since = time.Now()
	}
	waiting[what] = since
	return time.Since(since) >= c.grace
}

// object removes one object if it is named by nobody ever again.
func (c *Collector) object(ctx context.Context, info *jetstream.ObjectInfo, gone func(owner) bool, waiting map[string]time.Time, namedNow map[string]bool) (dropped bool, err error) {
	own := ownerOf(info)
	if info.Deleted {
		return true, c.bus.bodies.drop(ctx, own.Name)
	}
	named, last, err := c.isNamed(ctx, own)
	if err != nil {
		return false, err
	}
	if named {
		namedNow[own.Name] = true
		return false, nil
	}
	// One that was named is not about to be: its document was purged.
	over := gone(own) || c.named[own.Name] || last == own.Expect && c.waited(own.Name, waiting)
	switch fateOf(named, last, own.Expect, over) {
	case keepBody:
		return false, nil
	case dropBody:
		err = c.bus.bodies.drop(ctx, own.Name)
	case dropAndLook:
		err = c.dropAndLook(ctx, own)
	}
	delete(waiting, own.Name)
	return err == nil, err
}

// bodyFate is what becomes of an object.
type bodyFate int

const (
	keepBody bodyFate = iota
	// dropBody: its subject has moved on, and compare-and-swap keeps everybody
	// from naming it.
	dropBody
	// dropAndLook: so it seems; but a subject that is emptied is as it was before
	// its first message, and a writer may be alive that was given up. So one
	// looks again afterwards, as the writer does.
	dropAndLook
)

// fateOf decides about an object: whether the head of its subject names it, the
// last sequence there, the one that its writer expects, and whether the time of
// grace is over.
func fateOf(named bool, last, expect uint64, waited bool) bodyFate {
	switch {
	case named:
		return keepBody
	case last != expect && expect != 0:
		return dropBody
	case last != expect || waited:
		return dropAndLook
	}
	return keepBody
}

// isNamed reports whether a head names an object, and the last sequence of the
// subject that may.
func (c *Collector) isNamed(ctx context.Context, own owner) (named bool, last uint64, err error) {
	if own.Subject == "" {
		return c.foreign[own.Name], 0, nil
	}
	k, err := contract.ParseSubject(own.Subject)
	if err != nil {
		return false, 0, err
	}
	head, err := c.bus.LeaderLast(ctx, k.Stream, own.Subject)
	if err != nil || head == nil {
		return false, 0, err
	}
	return head.Header.Get(contract.HeaderClaim) == own.Name, head.Seq, nil
}

// dropAndLook removes an object, and puts it back where a head names it by then.
func (c *Collector) dropAndLook(ctx context.Context, own owner) error {
	body, err := c.bus.bodies.get(ctx, own.Name)
	whole := err == nil
	if err != nil && !errors.Is(err, ErrGone) && !errors.Is(err, jetstream.ErrDigestMismatch) {
		return err
	}
	if err := c.bus.bodies.drop(ctx, own.Name); err != nil || !whole {
		return err
	}
	if own.Subject == "" {
		c.foreign = nil
		if err := c.scan(ctx, map[string]bool{own.Name: false}); err != nil {
			return err
		}
	}
	named, _, err := c.isNamed(ctx, own)
	if err != nil || named {
		return errors.Join(err, c.bus.bodies.put(ctx, &claim{own, body}))
	}
	return nil
}

// objects lists what the store has, marks of deletion included.
func (c *Collector) objects(ctx context.Context) ([]*jetstream.ObjectInfo, error) {
	s, err := c.bus.bodies.open(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.List(ctx, jetstream.ListObjectsShowDeleted())
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list bucket %s: %w", contract.BucketBodies, err)
	}
	return list, nil
}

// chunks lists the objects, by what their chunks are named, of which there are
// any bytes.
func (c *Collector) chunks(ctx context.Context) (map[string]bool, error) {
	s, err := c.bus.js.Stream(ctx, contract.StreamBodies)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", contract.BucketBodies, err)
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(contract.BodyPiece+"*"))
	if err != nil {
		return nil, fmt.Errorf("list the chunks of bucket %s: %w", contract.BucketBodies, err)
	}
	found := map[string]bool{}
	for subject := range info.State.Subjects {
		found[strings.TrimPrefix(subject, contract.BodyPiece+"")] = true
	}
	return found, nil
}

// lookForForeign finds out which of the objects without an owner are named: an
// earlier release named them by their content, so that any head may. It is done
// again when there are others than at the last look.
func (c *Collector) lookForForeign(ctx context.Context, objects []*jetstream.ObjectInfo) error {
	foreign := map[string]bool{}
	known := true
	for _, info := range objects {
		if !info.Deleted && ownerOf(info).Subject == "" {
			_, seen := c.foreign[info.Name]
			known = known && seen
			foreign[info.Name] = false
		}
	}
	if len(foreign) == 0 || known && !c.foreignDue(foreign) {
		return nil
	}
	return c.scan(ctx, foreign)
}

// foreignDue reports whether an object without an owner has been waited for.
func (c *Collector) foreignDue(foreign map[string]bool) bool {
	for name := range foreign {
		if since, seen := c.waiting[name]; seen && time.Since(since) >= c.grace {
			return true
		}
	}
	return false
}

// scan asks every head of the log which objects it names.
func (c *Collector) scan(ctx context.Context, foreign map[string]bool) error {
	for _, stream := range contract.Streams {
		last, err := c.bus.LastSeq(ctx, stream)
		if err != nil {
			return err
		}
		err = AuditOf(c.bus).eachHead(ctx, stream, last, func(_ uint64, h nats.Header) {
			if _, ours := foreign[h.Get(contract.HeaderClaim)]; ours {
				foreign[h.Get(contract.HeaderClaim)] = true
			}
		})
		if err != nil {
			return fmt.Errorf("read the heads of %s: %w", stream, err)
		}
	}
	c.foreign = foreign
	return nil
}
