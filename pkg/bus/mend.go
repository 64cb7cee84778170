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

// mender looks after the streams and buckets of the log, which somebody may
// delete or reconfigure.
type mender struct{ bus *Bus }

// run runs until the Bus is closed.
func (m mender) run() {
	said := ""
	for pause(m.bus.ctx, mendEvery) {
		err := m.tend(m.bus.ctx)
		if err == nil || m.bus.ctx.Err() != nil {
			said = ""
			continue
		}
		if text := err.Error(); text != said {
			m.bus.log.Warn("the streams of the log were not looked at", "error", err)
			said = text
		}
	}
}

// tend is all, as far as it is this process's to do: who waits for the log has
// its head tables follow what another makes again.
func (m mender) tend(ctx context.Context) error {
	if m.bus.makes.Load() {
		return m.all(ctx)
	}
	return m.renewTables(ctx)
}

// Mend makes streams and buckets again that are gone, and gives those that are
// there their settings back: a log with another age, size or compression loses
// messages or answers slowly. What a deleted stream held is found to be missing
// by the next comparison. Whoever calls EnsureStreams has it done from time to time.
func Mend(ctx context.Context, b *Bus) error { return mender{b}.all(ctx) }

func (m mender) all(ctx context.Context) error {
	for _, bucket := range buckets {
		if err := m.bucket(ctx, bucket); err != nil {
			return err
		}
	}
	if err := m.bodies(ctx); err != nil {
		return err
	}
	seen := m.bus.Seen()
	for _, name := range madeStreams {
		cfg := maker(m).streamConfig(name)
		cfg.FirstSeq = seen[name] + 1 // what head tables have seen does not come again
		if _, err := maker(m).stream(ctx, cfg); err != nil {
			return err
		}
	}
	if err := maker(m).feedback(ctx); err != nil {
		return err
	}
	if err := maker(m).audit(ctx); err != nil {
		return err
	}
	if err := m.files(ctx); err != nil {
		return err
	}
	return m.renewTables(ctx)
}

// renewTables has the head tables follow the streams that have taken the place
// of others, and forget what these held.
func (m mender) renewTables(ctx context.Context) error {
	for stream, t := range m.bus.readers() {
		s, err := m.bus.js.Stream(ctx, stream)
		if err != nil {
			return fmt.Errorf("open stream %s: %w", stream, err)
		}
		if !t.renew(s.CachedInfo().Created) {
			continue
		}
		m.bus.log.Warn("a stream of the log was deleted and is made again, empty; what it held is found to be missing, and made again where there is an origin", "stream", stream)
		switch stream {
		case contract.StreamFiles:
			if _, err = m.bus.tokens.load(ctx); err == nil {
				_, err = AuditOf(m.bus).Files(ctx)
			}
		case contract.StreamDead:
			_, err = AuditOf(m.bus).Dead(ctx)
		default:
			_, err = AuditOf(m.bus).Outputs(ctx, stream)
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

// files is all for FILES: where it was deleted, what FILES holds next is
// newer than everything before, and earlier tokens are unknown.
func (m mender) files(ctx context.Context) error {
	_, err := m.bus.js.Stream(ctx, contract.StreamFiles)
	gone := errors.Is(err, jetstream.ErrStreamNotFound)
	if err := maker(m).files(ctx); err != nil || !gone {
		return err
	}
	return m.bus.tokens.add(ctx, false)
}

func (m mender) bucket(ctx context.Context, bucket string) error {
	s, err := m.bus.js.Stream(ctx, contract.KeyStream(bucket))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		m.bus.log.Warn("a bucket of the log was deleted and is made again, empty", "bucket", bucket)
		_, err = m.bus.js.CreateOrUpdateKeyValue(ctx, maker(m).bucketConfig(bucket))
	} else if err == nil {
		err = m.putBack(ctx, s, jetstream.StreamConfig{
			Subjects: []string{contract.KeyAddress(bucket, ">")}, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, AllowRollup: true, AllowDirect: true,
			MaxAge: maker(m).bucketConfig(bucket).TTL,
		})
	}
	if err != nil {
		return fmt.Errorf("look at bucket %s: %w", bucket, err)
	}
	return nil
}

func (m mender) bodies(ctx context.Context) error {
	s, err := m.bus.js.Stream(ctx, contract.StreamBodies)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		m.bus.log.Warn("the bucket of bodies was deleted and is made again, empty", "bucket", contract.BucketBodies)
		_, err = m.bus.js.CreateOrUpdateObjectStore(ctx, maker(m).bodiesConfig())
	} else if err == nil {
		err = m.putBack(ctx, s, jetstream.StreamConfig{
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
func (m mender) putBack(ctx context.Context, s jetstream.Stream, want jetstream.StreamConfig) error {
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
	m.bus.log.Warn("a stream of the log had other settings and gets its own back", "stream", now.Name, "settings", changed)
	if _, err := m.bus.js.UpdateStream(ctx, next); err != nil {
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
