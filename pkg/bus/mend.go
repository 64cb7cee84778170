package bus

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// mendEvery is how often streams, buckets and consumers are looked at that
// somebody may have deleted or reconfigured.
const mendEvery = 30 * time.Second

// mendRegularly runs until the Bus is closed.
func (b *Bus) mendRegularly() {
	said := ""
	for pause(b.ctx, mendEvery) {
		err := b.tend(b.ctx)
		if err == nil || b.ctx.Err() != nil {
			said = ""
			continue
		}
		if text := err.Error(); text != said {
			b.log.Warn("the streams of the log were not looked at", "error", err)
			said = text
		}
	}
}

// tend is Mend, as far as it is this process's to do: who waits for the log has
// its head tables follow what another makes again.
func (b *Bus) tend(ctx context.Context) error {
	if b.makes.Load() {
		return b.Mend(ctx)
	}
	return b.renewTables(ctx)
}

// Mend makes streams and buckets again that are gone, and gives those that are
// there their settings back: a log with another age, size or compression loses
// messages or answers slowly. What a deleted stream held is found to be missing
// by the next comparison.
func (b *Bus) Mend(ctx context.Context) error {
	for _, bucket := range buckets {
		if err := b.mendBucket(ctx, bucket); err != nil {
			return err
		}
	}
	if err := b.mendBodies(ctx); err != nil {
		return err
	}
	seen := b.Seen()
	for _, name := range madeStreams {
		cfg := b.streamConfig(name)
		cfg.FirstSeq = seen[name] + 1 // what head tables have seen does not come again
		if _, err := b.ensureStream(ctx, cfg); err != nil {
			return err
		}
	}
	if err := b.ensureFeedback(ctx); err != nil {
		return err
	}
	if err := b.mendFiles(ctx); err != nil {
		return err
	}
	return b.renewTables(ctx)
}

// renewTables has the head tables follow the streams that have taken the place
// of others, and forget what these held.
func (b *Bus) renewTables(ctx context.Context) error {
	for stream, t := range b.readers() {
		s, err := b.js.Stream(ctx, stream)
		if err != nil {
			return fmt.Errorf("open stream %s: %w", stream, err)
		}
		if !t.renew(s.CachedInfo().Created) {
			continue
		}
		b.log.Warn("a stream of the log was deleted and is made again, empty; what it held is found to be missing, and made again where there is an origin", "stream", stream)
		switch stream {
		case contract.StreamFiles:
			if _, err = b.loadEpochs(ctx); err == nil {
				_, err = b.AuditFiles(ctx)
			}
		case contract.StreamDead:
			_, err = b.AuditDead(ctx)
		default:
			_, err = b.AuditOutputs(ctx, stream)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// renew follows the stream that was made at a time, and reports whether it is
// another one than before.
func (t *Table[K, H]) renew(born time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.born.IsZero() || t.born.Equal(born) {
		return false
	}
	t.restart()
	return true
}

// mendFiles is Mend for FILES: where it was deleted, what FILES holds next is
// newer than everything before, and earlier tokens are unknown.
func (b *Bus) mendFiles(ctx context.Context) error {
	_, err := b.js.Stream(ctx, contract.StreamFiles)
	gone := errors.Is(err, jetstream.ErrStreamNotFound)
	if err := b.ensureFiles(ctx); err != nil || !gone {
		return err
	}
	return b.newEpoch(ctx, false)
}

func (b *Bus) mendBucket(ctx context.Context, bucket string) error {
	s, err := b.js.Stream(ctx, contract.KeyStream(bucket))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		b.log.Warn("a bucket of the log was deleted and is made again, empty", "bucket", bucket)
		_, err = b.js.CreateOrUpdateKeyValue(ctx, b.bucketConfig(bucket))
	} else if err == nil {
		err = b.putBack(ctx, s, jetstream.StreamConfig{
			Subjects: []string{contract.KeyAddress(bucket, ">")}, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, AllowRollup: true, AllowDirect: true,
		})
	}
	if err != nil {
		return fmt.Errorf("look at bucket %s: %w", bucket, err)
	}
	return nil
}

func (b *Bus) mendBodies(ctx context.Context) error {
	s, err := b.js.Stream(ctx, contract.StreamBodies)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		b.log.Warn("the bucket of bodies was deleted and is made again, empty", "bucket", contract.BucketBodies)
		_, err = b.js.CreateOrUpdateObjectStore(ctx, b.bodiesConfig())
	} else if err == nil {
		err = b.putBack(ctx, s, jetstream.StreamConfig{
			Subjects: []string{contract.BodyPiece + ">", contract.BodyInfo + ">"}, Discard: jetstream.DiscardNew, AllowRollup: true, AllowDirect: true,
		})
	}
	if err != nil {
		return fmt.Errorf("look at bucket %s: %w", contract.BucketBodies, err)
	}
	return nil
}

// putBack gives a stream the settings of want where it has others. What a server
// decides by itself, and what cannot be changed, stays.
func (b *Bus) putBack(ctx context.Context, s jetstream.Stream, want jetstream.StreamConfig) error {
	now := s.CachedInfo().Config
	next := now
	next.Subjects, next.Retention, next.Discard, next.DiscardNewPerSubject = want.Subjects, want.Retention, want.Discard, false
	next.MaxMsgs, next.MaxBytes = unlimited(want.MaxMsgs), unlimited(want.MaxBytes)
	next.MaxMsgsPerSubject, next.MaxMsgSize = unlimited(want.MaxMsgsPerSubject), -1
	next.MaxAge, next.SubjectDeleteMarkerTTL = want.MaxAge, 0
	next.NoAck, next.Compression, next.AllowRollup, next.AllowDirect = false, want.Compression, want.AllowRollup, want.AllowDirect
	next.SubjectTransform, next.RePublish, next.Sources = nil, nil, nil
	next.ConsumerLimits = jetstream.StreamConsumerLimits{}
	if want.MaxBytes > 0 {
		// It may lose its oldest messages anyway: how many, an administrator decides.
		next.MaxBytes, next.MaxAge, next.MaxMsgsPerSubject = now.MaxBytes, now.MaxAge, now.MaxMsgsPerSubject
	}
	changed := differing(now, next)
	if len(changed) == 0 {
		return nil
	}
	b.log.Warn("a stream of the log had other settings and gets its own back", "stream", now.Name, "settings", changed)
	if _, err := b.js.UpdateStream(ctx, next); err != nil {
		return fmt.Errorf("put the settings of stream %s back (%v): %w", now.Name, changed, err)
	}
	return nil
}

// unlimited is a limit as a server tells it.
func unlimited(n int64) int64 {
	if n == 0 {
		return -1
	}
	return n
}

// differing names the settings in which two configurations differ.
func differing(a, b jetstream.StreamConfig) []string {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	var out []string
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			out = append(out, x.Type().Field(i).Name)
		}
	}
	return out
}
