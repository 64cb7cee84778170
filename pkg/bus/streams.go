package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// EnsureStreams creates what is missing of the log. FILES starts at the unix
// time shifted left by 20 bits, or above the highest version that an output or
// a dead letter covers or that was purged, so that a log that was made again is always newer than what stands
// behind it. Several processes may do so at once. The error is Unavailable while
// the server has no JetStream, and InvalidRequest when it cannot keep as many
// copies of the log as are configured.
func EnsureStreams(ctx context.Context, b *Bus) error {
	if err := explain(b, maker{b}.all(ctx)); err != nil {
		return err
	}
	b.makes.Store(true)
	b.mending.Do(func() { b.wg.Go(mender{b}.run) })
	return nil
}

// AwaitStreams is EnsureStreams for a process that has no right to make the log:
// it looks whether another has made it, and is Unavailable until then.
func AwaitStreams(ctx context.Context, b *Bus) error {
	if err := explain(b, maker{b}.look(ctx)); err != nil {
		return err
	}
	b.mending.Do(func() { b.wg.Go(mender{b}.run) })
	return nil
}

// maker makes the streams and buckets of the log where they are missing.
type maker struct{ bus *Bus }

// look looks for FILES, and for an epoch, which is begun when
// everything is made.
func (m maker) look(ctx context.Context) error {
	_, err := m.bus.js.Stream(ctx, contract.StreamFiles)
	var list []epoch
	if err == nil {
		list, err = m.bus.tokens.load(ctx)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) || err == nil && len(list) == 0 {
		return document.Errorf(document.Unavailable, "there is no log at %s yet: start the watcher, which makes it", m.bus.nc.ConnectedUrlRedacted())
	}
	if err != nil {
		return fmt.Errorf("look for the log: %w", err)
	}
	return nil
}

// madeStreams are what the workers write: outputs and dead letters.
var madeStreams = append(slices.Clone(outputStreams), contract.StreamDead)

// buckets are the key-value buckets of the log.
var buckets = []string{contract.BucketMeta, contract.BucketSources, contract.BucketSuspects, contract.BucketStores, contract.BucketModels, contract.BucketLeases, contract.BucketStanding, contract.BucketSummaries, contract.BucketEvaluations, contract.BucketKeys}

func (m maker) bucketConfig(bucket string) jetstream.KeyValueConfig {
	cfg := jetstream.KeyValueConfig{Bucket: bucket, Storage: jetstream.FileStorage, Replicas: m.bus.replicas}
	switch bucket { // what nobody extends goes
	case contract.BucketLeases:
		cfg.TTL = contract.LeaseTime
	case contract.BucketStanding:
		cfg.TTL = contract.StandingTime
	}
	return cfg
}

func (m maker) bodiesConfig() jetstream.ObjectStoreConfig {
	return jetstream.ObjectStoreConfig{Bucket: contract.BucketBodies, Storage: jetstream.FileStorage, Replicas: m.bus.replicas}
}

func (m maker) all(ctx context.Context) error {
	for _, bucket := range buckets {
		if _, err := m.bus.js.CreateOrUpdateKeyValue(ctx, m.bucketConfig(bucket)); err != nil {
			return fmt.Errorf("create bucket %s: %w", bucket, err)
		}
	}
	claims, err := m.bus.js.CreateOrUpdateObjectStore(ctx, m.bodiesConfig())
	if err != nil {
		return fmt.Errorf("create bucket %s: %w", contract.BucketBodies, err)
	}
	m.bus.bodies.opened(claims)

	for _, name := range madeStreams {
		if _, err := m.stream(ctx, m.streamConfig(name)); err != nil {
			return err
		}
	}
	if err := m.files(ctx); err != nil {
		return err
	}
	if err := m.feedback(ctx); err != nil {
		return err
	}
	if err := m.audit(ctx); err != nil {
		return err
	}
	if err := m.bus.tokens.begin(ctx); err != nil {
		return err
	}
	if err := LossesOf(m.bus).tell(ctx); err != nil || !m.bus.unclean {
		return err
	}
	return recovery(m).run(ctx)
}

func (m maker) streamConfig(name string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:     name,
		Subjects: []string{contract.StreamSubjects(name)},
		Storage:  jetstream.FileStorage,
		// The log is the truth: it is compacted, never cut by size or age.
		Retention:         jetstream.LimitsPolicy,
		MaxMsgsPerSubject: 1,
		AllowDirect:       true,
		Replicas:          m.bus.replicas,
		// A compressed stream costs milliseconds a read by subject; bodies
		// are compressed one by one instead.
		Compression: jetstream.NoCompression,
	}
}

func (m maker) stream(ctx context.Context, cfg jetstream.StreamConfig) (created bool, err error) {
	s, err := m.bus.js.Stream(ctx, cfg.Name)
	if err == nil {
		return false, m.settings(ctx, s, cfg)
	}
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return false, fmt.Errorf("open stream %s: %w", cfg.Name, err)
	}
	if _, err := m.bus.js.CreateStream(ctx, cfg); err != nil {
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return false, nil // another process was first
		}
		return false, fmt.Errorf("create stream %s: %w", cfg.Name, err)
	}
	return true, nil
}

func (m maker) settings(ctx context.Context, s jetstream.Stream, cfg jetstream.StreamConfig) error {
	if err := m.replicas(ctx, s); err != nil {
		return err
	}
	return mender(m).putBack(ctx, s, cfg)
}

func (m maker) files(ctx context.Context) error {
	if s, err := m.bus.js.Stream(ctx, contract.StreamFiles); err == nil {
		return m.settings(ctx, s, m.streamConfig(contract.StreamFiles))
	}
	purged, _, err := PurgesOf(m.bus).floor(ctx)
	if err != nil {
		return fmt.Errorf("read what was purged before: %w", err)
	}
	// Where it was deleted while this process runs, above what was there, too.
	first := max(uint64(m.bus.Now().Unix())<<20, m.bus.Seen()[contract.StreamFiles]+1, uint64(purged.Floor)+1)
	chunks := m.bus.Outputs(contract.StreamChunks)
	if err := chunks.Ready(ctx); err != nil {
		return fmt.Errorf("read what was indexed before: %w", err)
	}
	chunks.Range(func(_ OutputKey, h contract.OutputHead) bool {
		first = max(first, uint64(h.Covers.Newest())+1)
		return true
	})
	if err := m.bus.Dead().Ready(ctx); err != nil {
		return fmt.Errorf("read what was given up before: %w", err)
	}
	m.bus.Dead().Range(func(_ DeadKey, h contract.DeadHead) bool {
		first = max(first, uint64(h.Covers.Newest())+1)
		return true
	})
	cfg := m.streamConfig(contract.StreamFiles)
	cfg.FirstSeq = first
	created, err := m.stream(ctx, cfg)
	if err != nil || !created {
		return err
	}
	return m.burnFirst(ctx, first)
}

// burnFirst uses up the first sequence and proves that the server honours
// FirstSeq (servers before the fix of nats-server #6753 lose it).
func (m maker) burnFirst(ctx context.Context, first uint64) error {
	subject := contract.FileSubject("freshet", document.MarkerDoc, "first")
	head := contract.FileHead{Op: contract.OpMarker, Time: m.bus.Now()}
	acks := m.bus.Publish(ctx, Out{Subject: subject, Header: head.Header()})
	if errors.Is(acks[0].Err, ErrConflict) {
		return nil // another process made the same stream at the same time
	}
	if err := acks[0].Err; err != nil {
		return fmt.Errorf("write the first message of %s: %w", contract.StreamFiles, err)
	}
	if acks[0].Seq < first {
		_ = m.bus.js.DeleteStream(ctx, contract.StreamFiles)
		return document.Errorf(document.VersionMismatch, "the NATS server %s ignores a stream's first sequence: use nats-server 2.11.2 or newer", m.bus.nc.ConnectedServerVersion())
	}
	s, err := m.bus.js.Stream(ctx, contract.StreamFiles)
	if err != nil {
		return fmt.Errorf("open stream %s: %w", contract.StreamFiles, err)
	}
	if err := s.DeleteMsg(ctx, acks[0].Seq); err != nil {
		return fmt.Errorf("remove the first message of %s: %w", contract.StreamFiles, err)
	}
	return nil
}
