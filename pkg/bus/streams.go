package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Buckets beside the streams.
const (
	BucketMeta     = "freshet_meta"     // epochs, and who holds which role
	BucketSources  = "freshet_sources"  // registered sources by slug
	BucketSuspects = "freshet_suspects" // documents whose handling may have killed a worker
	BucketBodies   = "freshet_bodies"   // claim check: bodies by SHA-256
)

// EnsureStreams creates what is missing of the log. FILES starts at the unix
// time shifted left by 20 bits, or above the highest version that an output or
// a dead letter covers, so that a log that was made again is always newer than what stands
// behind it. Several processes may do so at once. The error is Unavailable while
// the server has no JetStream, and InvalidRequest when it cannot keep as many
// copies of the log as are configured.
func (b *Bus) EnsureStreams(ctx context.Context) error {
	return b.explain(b.ensureStreams(ctx))
}

func (b *Bus) ensureStreams(ctx context.Context) error {
	for _, bucket := range []string{BucketMeta, BucketSources, BucketSuspects, contract.BucketStores} {
		if _, err := b.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket, Storage: jetstream.FileStorage, Replicas: b.replicas}); err != nil {
			return fmt.Errorf("create bucket %s: %w", bucket, err)
		}
	}
	claims, err := b.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: BucketBodies, Storage: jetstream.FileStorage, Replicas: b.replicas})
	if err != nil {
		return fmt.Errorf("create bucket %s: %w", BucketBodies, err)
	}
	b.mu.Lock()
	b.claims = claims
	b.mu.Unlock()

	for _, name := range []string{contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed, contract.StreamDead} {
		if _, err := b.ensureStream(ctx, b.streamConfig(name)); err != nil {
			return err
		}
	}
	if err := b.ensureFiles(ctx); err != nil {
		return err
	}
	if err := b.ensureFeedback(ctx); err != nil {
		return err
	}
	if err := b.beginEpoch(ctx); err != nil || !b.unclean {
		return err
	}
	return b.recover(ctx)
}

func (b *Bus) streamConfig(name string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:     name,
		Subjects: []string{contract.StreamSubjects(name)},
		Storage:  jetstream.FileStorage,
		// The log is the truth: it is compacted, never cut by size or age.
		Retention:         jetstream.LimitsPolicy,
		MaxMsgsPerSubject: 1,
		AllowDirect:       true,
		Replicas:          b.replicas,
		// A compressed stream costs milliseconds a read by subject; bodies
		// are compressed one by one instead.
		Compression: jetstream.NoCompression,
	}
}

func (b *Bus) ensureStream(ctx context.Context, cfg jetstream.StreamConfig) (created bool, err error) {
	s, err := b.js.Stream(ctx, cfg.Name)
	if err == nil {
		return false, b.ensureReplicas(ctx, s)
	}
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return false, fmt.Errorf("open stream %s: %w", cfg.Name, err)
	}
	if _, err := b.js.CreateStream(ctx, cfg); err != nil {
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return false, nil // another process was first
		}
		return false, fmt.Errorf("create stream %s: %w", cfg.Name, err)
	}
	return true, nil
}

func (b *Bus) ensureFiles(ctx context.Context) error {
	if s, err := b.js.Stream(ctx, contract.StreamFiles); err == nil {
		return b.ensureReplicas(ctx, s)
	}
	first := uint64(b.Now().Unix()) << 20
	chunks := b.Outputs(contract.StreamChunks)
	if err := chunks.Ready(ctx); err != nil {
		return fmt.Errorf("read what was indexed before: %w", err)
	}
	chunks.Range(func(_ OutputKey, h contract.OutputHead) bool {
		first = max(first, uint64(h.Covers.Newest())+1)
		return true
	})
	if err := b.Dead().Ready(ctx); err != nil {
		return fmt.Errorf("read what was given up before: %w", err)
	}
	b.Dead().Range(func(_ DeadKey, h contract.DeadHead) bool {
		first = max(first, uint64(h.Covers.Newest())+1)
		return true
	})
	cfg := b.streamConfig(contract.StreamFiles)
	cfg.FirstSeq = first
	created, err := b.ensureStream(ctx, cfg)
	if err != nil || !created {
		return err
	}
	return b.burnFirst(ctx, first)
}

// burnFirst uses up the first sequence and proves that the server honours
// FirstSeq (servers before the fix of nats-server #6753 lose it).
func (b *Bus) burnFirst(ctx context.Context, first uint64) error {
	subject := contract.FileSubject("freshet", document.MarkerDoc, "first")
	head := contract.FileHead{Op: contract.OpMarker, Time: b.Now()}
	acks := b.Publish(ctx, Out{Subject: subject, Header: head.Header()})
	if errors.Is(acks[0].Err, ErrConflict) {
		return nil // another process made the same stream at the same time
	}
	if err := acks[0].Err; err != nil {
		return fmt.Errorf("write the first message of %s: %w", contract.StreamFiles, err)
	}
	if acks[0].Seq < first {
		_ = b.js.DeleteStream(ctx, contract.StreamFiles)
		return document.Errorf(document.VersionMismatch, "the NATS server %s ignores a stream's first sequence: use nats-server 2.11.2 or newer", b.nc.ConnectedServerVersion())
	}
	s, err := b.js.Stream(ctx, contract.StreamFiles)
	if err != nil {
		return fmt.Errorf("open stream %s: %w", contract.StreamFiles, err)
	}
	if err := s.DeleteMsg(ctx, acks[0].Seq); err != nil {
		return fmt.Errorf("remove the first message of %s: %w", contract.StreamFiles, err)
	}
	return nil
}

// recover runs after an unclean stop, before anybody publishes. Outputs that
// contradict FILES (it went back in a power loss) are removed, and every stage
// reads its input again from the start; what is covered costs it a look into
// a head table.
func (b *Bus) recover(ctx context.Context) error {
	if err := b.dropVoid(ctx); err != nil {
		return err
	}
	for _, stream := range []string{contract.StreamFiles, contract.StreamChunks, contract.StreamVectors, contract.StreamDead} {
		s, err := b.js.Stream(ctx, stream)
		if err != nil {
			return fmt.Errorf("open stream %s: %w", stream, err)
		}
		names := s.ConsumerNames(ctx)
		for name := range names.Name() {
			if err := s.DeleteConsumer(ctx, name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
				return fmt.Errorf("reset consumer %s: %w", name, err)
			}
		}
		if err := names.Err(); err != nil {
			return fmt.Errorf("list the consumers of %s: %w", stream, err)
		}
	}
	return nil
}

// dropVoid removes outputs and dead letters that cover a version beyond FILES' last sequence,
// or another content than the head of that version has.
func (b *Bus) dropVoid(ctx context.Context) error {
	files := b.Files()
	if err := files.Ready(ctx); err != nil {
		return err
	}
	last, err := b.LastSeq(ctx, contract.StreamFiles)
	if err != nil {
		return err
	}
	for _, stream := range []string{contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed} {
		table := b.Outputs(stream)
		if err := table.Ready(ctx); err != nil {
			return err
		}
		var void []OutputKey
		var subjects []string
		table.Range(func(k OutputKey, h contract.OutputHead) bool {
			if b.isVoid(h.Source, h.Doc, h.Covers, last) {
				void = append(void, k)
				subjects = append(subjects, h.Subject(stream))
			}
			return true
		})
		if err := removeVoid(ctx, b, stream, table, void, subjects); err != nil {
			return err
		}
	}
	// A letter of a version that is lost would settle the one that follows it.
	dead := b.Dead()
	if err := dead.Ready(ctx); err != nil {
		return err
	}
	var void []DeadKey
	var subjects []string
	dead.Range(func(k DeadKey, h contract.DeadHead) bool {
		if b.isVoid(h.Source, h.Doc, h.Covers, last) {
			void = append(void, k)
			subjects = append(subjects, contract.DeadSubject(k.Stage, k.Source, k.Doc))
		}
		return true
	})
	return removeVoid(ctx, b, contract.StreamDead, dead, void, subjects)
}

// isVoid reports whether something covers what FILES, which ends at last, does
// not hold.
func (b *Bus) isVoid(source document.Source, doc document.DocID, covers contract.Covers, last uint64) bool {
	for view, cover := range covers {
		head, ok := b.Files().Get(FileKey{source, doc, view})
		if uint64(cover.Version) > last || ok && head.Version == cover.Version && head.Hash != cover.Hash {
			return true
		}
	}
	return false
}

func removeVoid[K comparable, H any](ctx context.Context, b *Bus, stream string, table *Table[K, H], void []K, subjects []string) error {
	s, err := b.js.Stream(ctx, stream)
	if err != nil {
		return fmt.Errorf("open stream %s: %w", stream, err)
	}
	for i, subject := range subjects {
		if err := s.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
			return fmt.Errorf("remove the void message on %s: %w", subject, err)
		}
		table.forget(void[i])
	}
	return nil
}
