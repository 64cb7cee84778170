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
func (b *Bus) EnsureStreams(ctx context.Context) error {
	if err := b.explain(b.ensureStreams(ctx)); err != nil {
		return err
	}
	b.makes.Store(true)
	b.mending.Do(func() { b.wg.Go(b.mendRegularly) })
	return nil
}

// AwaitStreams is EnsureStreams for a process that has no right to make the log:
// it looks whether another has made it, and is Unavailable until then.
func (b *Bus) AwaitStreams(ctx context.Context) error {
	if err := b.explain(b.lookForStreams(ctx)); err != nil {
		return err
	}
	b.mending.Do(func() { b.wg.Go(b.mendRegularly) })
	return nil
}

// lookForStreams looks for FILES, and for an epoch, which is begun when
// everything is made.
func (b *Bus) lookForStreams(ctx context.Context) error {
	_, err := b.js.Stream(ctx, contract.StreamFiles)
	var list []epoch
	if err == nil {
		list, err = b.loadEpochs(ctx)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) || err == nil && len(list) == 0 {
		return document.Errorf(document.Unavailable, "there is no log at %s yet: start the watcher, which makes it", b.nc.ConnectedUrlRedacted())
	}
	if err != nil {
		return fmt.Errorf("look for the log: %w", err)
	}
	return nil
}

// madeStreams are what the workers write: outputs and dead letters.
var madeStreams = append(slices.Clone(outputStreams), contract.StreamDead)

// buckets are the key-value buckets of the log.
var buckets = []string{contract.BucketMeta, contract.BucketSources, contract.BucketSuspects, contract.BucketStores, contract.BucketModels}

func (b *Bus) bucketConfig(bucket string) jetstream.KeyValueConfig {
	return jetstream.KeyValueConfig{Bucket: bucket, Storage: jetstream.FileStorage, Replicas: b.replicas}
}

func (b *Bus) bodiesConfig() jetstream.ObjectStoreConfig {
	return jetstream.ObjectStoreConfig{Bucket: contract.BucketBodies, Storage: jetstream.FileStorage, Replicas: b.replicas}
}

func (b *Bus) ensureStreams(ctx context.Context) error {
	for _, bucket := range buckets {
		if _, err := b.js.CreateOrUpdateKeyValue(ctx, b.bucketConfig(bucket)); err != nil {
			return fmt.Errorf("create bucket %s: %w", bucket, err)
		}
	}
	claims, err := b.js.CreateOrUpdateObjectStore(ctx, b.bodiesConfig())
	if err != nil {
		return fmt.Errorf("create bucket %s: %w", contract.BucketBodies, err)
	}
	b.mu.Lock()
	b.claims = claims
	b.mu.Unlock()

	for _, name := range madeStreams {
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
	if err := b.beginEpoch(ctx); err != nil {
		return err
	}
	if err := b.tellDamage(ctx); err != nil || !b.unclean {
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
		return false, b.ensureSettings(ctx, s, cfg)
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

func (b *Bus) ensureSettings(ctx context.Context, s jetstream.Stream, cfg jetstream.StreamConfig) error {
	if err := b.ensureReplicas(ctx, s); err != nil {
		return err
	}
	return b.putBack(ctx, s, cfg)
}

func (b *Bus) ensureFiles(ctx context.Context) error {
	if s, err := b.js.Stream(ctx, contract.StreamFiles); err == nil {
		return b.ensureSettings(ctx, s, b.streamConfig(contract.StreamFiles))
	}
	purged, _, err := b.readPurgeFloor(ctx)
	if err != nil {
		return fmt.Errorf("read what was purged before: %w", err)
	}
	// Where it was deleted while this process runs, above what was there, too.
	first := max(uint64(b.Now().Unix())<<20, b.Seen()[contract.StreamFiles]+1, uint64(purged.Floor)+1)
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
