package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// recovery is what an unclean stop of the server makes necessary.
type recovery struct{ bus *Bus }

// run runs after an unclean stop, before anybody publishes. Outputs that
// contradict FILES (it went back in a power loss) are removed, and every stage
// reads its input again from the start; what is covered costs it a look into
// a head table.
func (r recovery) run(ctx context.Context) error {
	if err := r.dropVoid(ctx); err != nil {
		return err
	}
	for _, stream := range []string{contract.StreamFiles, contract.StreamChunks, contract.StreamVectors, contract.StreamDead} {
		s, err := r.bus.js.Stream(ctx, stream)
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
func (r recovery) dropVoid(ctx context.Context) error {
	files := r.bus.Files()
	if err := files.Ready(ctx); err != nil {
		return err
	}
	last, err := r.bus.LastSeq(ctx, contract.StreamFiles)
	if err != nil {
		return err
	}
	for _, stream := range []string{contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed} {
		table := r.bus.Outputs(stream)
		if err := table.Ready(ctx); err != nil {
			return err
		}
		var void []OutputKey
		var subjects []string
		table.Range(func(k OutputKey, h contract.OutputHead) bool {
			if r.isVoid(h.Source, h.Doc, h.Covers, last) {
				void = append(void, k)
				subjects = append(subjects, h.Subject(stream))
			}
			return true
		})
		if err := removeVoid(ctx, r.bus, stream, table, void, subjects); err != nil {
			return err
		}
	}
	// A letter of a version that is lost would settle the one that follows it.
	dead := r.bus.Dead()
	if err := dead.Ready(ctx); err != nil {
		return err
	}
	var void []DeadKey
	var subjects []string
	dead.Range(func(k DeadKey, h contract.DeadHead) bool {
		if r.isVoid(h.Source, h.Doc, h.Covers, last) {
			void = append(void, k)
			subjects = append(subjects, contract.DeadSubject(k.Stage, k.Source, k.Doc, k.Build))
		}
		return true
	})
	return removeVoid(ctx, r.bus, contract.StreamDead, dead, void, subjects)
}

// isVoid reports whether something covers what FILES, which ends at last, does
// not hold.
func (r recovery) isVoid(source document.Source, doc document.DocID, covers contract.Covers, last uint64) bool {
	for view, cover := range covers.All() {
		head, ok := r.bus.Files().Get(FileKey{source, doc, view})
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
