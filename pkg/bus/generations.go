package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Generations are those of which the log has outputs, and what is noted of them.
type Generations struct{ bus *Bus }

// GenerationsOf are those of the log.
func GenerationsOf(b *Bus) Generations { return Generations{b} }

// Others are those of which the log has outputs, besides keep, with
// the documents that each has. Of a build of which there are letters alone, since all
// that it was begun with has failed, it is the first one; builds are no such.
func (all Generations) Others(ctx context.Context, keep []document.Generation, builds ...contract.BuildID) (map[document.Generation]int, error) {
	type doc struct {
		source document.Source
		id     document.DocID
	}
	docs := map[document.Generation]map[doc]bool{}
	for _, stream := range outputStreams {
		t := all.bus.Outputs(stream)
		if err := t.Ready(ctx); err != nil {
			return nil, err
		}
		t.Range(func(k OutputKey, _ contract.OutputHead) bool {
			if slices.Contains(keep, k.Generation) {
				return true
			}
			if docs[k.Generation] == nil {
				docs[k.Generation] = map[doc]bool{}
			}
			docs[k.Generation][doc{k.Source, k.Doc}] = true
			return true
		})
	}
	out := map[document.Generation]int{}
	for g, d := range docs {
		out[g] = len(d)
	}
	if err := all.bus.Dead().Ready(ctx); err != nil {
		return nil, err
	}
	all.bus.Dead().Range(func(k DeadKey, _ contract.DeadHead) bool {
		of := func(g document.Generation) bool { return contract.BuildOf(g) == k.Build }
		if !slices.Contains(builds, k.Build) && !slices.ContainsFunc(keep, of) {
			g := k.Build.Generation(document.Collections[0])
			out[g] += 0
		}
		return true
	})
	return out, nil
}

// Reclaim takes everything of a generation out of the log: outputs,
// consumers, what is known of its stores, and the letters of its build. Nobody may
// build that any more. beside are generations that stay: where one of them is made in
// the same way, the letters on its documents stay, too.
func (all Generations) Reclaim(ctx context.Context, g document.Generation, beside ...document.Generation) error {
	upTo := map[string]uint64{}
	beside = slices.DeleteFunc(slices.Clone(beside), func(other document.Generation) bool { return contract.BuildOf(other) != contract.BuildOf(g) })
	if err := all.dropChunkers(ctx, g); err != nil {
		return err
	}
	type part struct{ stream, subject string }
	parts := []part{
		{contract.StreamIndexed, contract.IndexedSubject(g, "*", "*", "*")},
		{contract.StreamVectors, contract.VectorsSubject(g, "*", "*")},
		{contract.StreamChunks, contract.ChunksSubject(g, "*", "*")},
	}
	letters := []DeadKey{{"*", "*", "*", contract.BuildOf(g)}} // of its build, which goes with it
	if len(beside) > 0 {
		letters = all.lettersOf(contract.BuildOf(g), beside)
	}
	for _, k := range letters {
		parts = append(parts, part{contract.StreamDead, contract.DeadSubject(k.Stage, k.Source, k.Doc, k.Build)})
	}
	for _, o := range parts {
		s, err := all.bus.js.Stream(ctx, o.stream)
		if err != nil {
			return fmt.Errorf("open stream %s: %w", o.stream, err)
		}
		// No further than every process is told: what somebody who hung writes meanwhile
		// is found by the next look.
		if _, ok := upTo[o.stream]; !ok {
			upTo[o.stream] = s.CachedInfo().State.LastSeq
		}
		if err := s.Purge(ctx, jetstream.WithPurgeSubject(o.subject), jetstream.WithPurgeSequence(upTo[o.stream]+1)); err != nil {
			return fmt.Errorf("remove the generation %s from %s: %w", g, o.stream, err)
		}
	}
	if len(beside) == 0 {
		letters = nil // all
	}
	record := purgeRecord{Generations: []document.Generation{g}, Reclaimed: true, UpTo: upTo, Beside: len(beside) > 0, Letters: letters}
	if err := PurgesOf(all.bus).reclaimed(ctx, record); err != nil {
		return err
	}
	for _, stream := range outputStreams { // at once, in this process
		all.bus.Outputs(stream).forgetWhere(func(k OutputKey, h contract.OutputHead) bool { return k.Generation == g && h.Seq <= upTo[stream] })
	}
	all.bus.Dead().forgetWhere(record.takes)
	for _, sink := range document.Sinks {
		if err := all.bus.Bucket(contract.BucketStores).Forget(ctx, contract.StoreKey(g, sink)); err != nil {
			return err
		}
	}
	if err := all.dropConsumers(ctx, func(name string) bool { return strings.HasSuffix(name, "-"+string(g)) }); err != nil {
		return err
	}
	return all.Resume(ctx, g) // nothing is left to be noted, and who makes it again need not wait
}

// dropChunkers removes the consumers of the chunkers that make a generation, before what
// they have made is gone: another one begins with the first change.
func (all Generations) dropChunkers(ctx context.Context, g document.Generation) error {
	noted, err := BuildsOf(all.bus).All(ctx)
	if err != nil {
		return err
	}
	gone := []string{contract.ChunkerConsumer(contract.BuildOf(g)).Name}
	for _, b := range noted {
		if slices.Contains(b.Generations(), g) {
			gone = append(gone, contract.ChunkerConsumer(b.ID()).Name)
		}
	}
	return all.dropConsumers(ctx, func(name string) bool { return slices.Contains(gone, name) })
}

// lettersOf are the letters that go with generations of a name although others of it
// stay: those of the chunker, and of documents of which beside have no passages.
func (all Generations) lettersOf(id contract.BuildID, beside []document.Generation) (gone []DeadKey) {
	all.bus.Dead().Range(func(k DeadKey, _ contract.DeadHead) bool {
		stays := k.Stage != contract.StageChunker && slices.ContainsFunc(beside, func(g document.Generation) bool {
			_, ok := all.bus.Outputs(contract.StreamChunks).Get(OutputKey{Generation: g, Source: k.Source, Doc: k.Doc})
			return ok
		})
		if k.Build == id && !stays {
			gone = append(gone, k)
		}
		return true
	})
	return gone
}

// KeepBuilders removes the consumers of chunkers that work for another build than those
// named, and of the other stages for another generation.
func (all Generations) KeepBuilders(ctx context.Context, builds []contract.BuildID, generations []document.Generation) error {
	return all.dropConsumers(ctx, func(name string) bool {
		stage, _, _ := strings.Cut(name, "-")
		switch {
		case !slices.Contains(contract.Stages, contract.Stage(stage)):
			return false
		case contract.Stage(stage) == contract.StageChunker:
			return !slices.ContainsFunc(builds, func(id contract.BuildID) bool { return strings.Contains(name, "-"+string(id)) })
		}
		return !slices.ContainsFunc(generations, func(g document.Generation) bool { return strings.Contains(name, "-"+string(g)) })
	})
}

// dropConsumers removes the durable consumers of all streams whose name fits.
func (all Generations) dropConsumers(ctx context.Context, fits func(name string) bool) error {
	for _, stream := range contract.Streams {
		s, err := all.bus.js.Stream(ctx, stream)
		if err != nil {
			return fmt.Errorf("open stream %s: %w", stream, err)
		}
		names := s.ConsumerNames(ctx)
		var gone []string
		for name := range names.Name() {
			if fits(name) {
				gone = append(gone, name)
			}
		}
		if err := names.Err(); err != nil {
			return fmt.Errorf("list the consumers of %s: %w", stream, err)
		}
		for _, name := range gone {
			if err := s.DeleteConsumer(ctx, name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
				return fmt.Errorf("remove the consumer %s: %w", name, err)
			}
		}
	}
	return nil
}

// forgetWhere drops the heads that match, whose messages were purged.
func (t *Table[K, H]) forgetWhere(match func(K, H) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var gone []K
	for k, h := range t.heads.All() {
		if match(k, h) {
			gone = append(gone, k)
		}
	}
	for _, k := range gone {
		t.forgetLocked(k)
	}
}

// supersededKey is the key in BucketMeta of when a generation was first seen to
// be complete in another way.
func supersededKey(g document.Generation) string { return "superseded." + string(g) }

// SupersededSince returns since when nobody builds a generation: since the
// first call for it, or the first after Resume.
func (all Generations) SupersededSince(ctx context.Context, g document.Generation) (time.Time, error) {
	bucket := all.bus.Bucket(contract.BucketMeta)
	raw, _, err := bucket.Get(ctx, supersededKey(g))
	if err != nil {
		return time.Time{}, fmt.Errorf("read since when %s is superseded: %w", g, err)
	}
	if since, err := time.Parse(time.RFC3339, string(raw)); err == nil {
		return since, nil
	}
	now := all.bus.Now().Truncate(time.Second)
	if _, err := bucket.Put(ctx, supersededKey(g), []byte(now.Format(time.RFC3339))); err != nil {
		return now, fmt.Errorf("note that %s is superseded: %w", g, err)
	}
	return now, nil
}

// AllSuperseded are the generations of which somebody has noted that nobody builds
// them. Of those whose removal was cut off there may be nothing else in the log.
func (all Generations) AllSuperseded(ctx context.Context) ([]document.Generation, error) {
	kv, err := all.bus.Bucket(contract.BucketMeta).open(ctx)
	if err != nil {
		return nil, err
	}
	noted, err := kv.ListKeysFiltered(ctx, supersededKey("*"))
	if err != nil {
		return nil, fmt.Errorf("list what is superseded: %w", err)
	}
	var out []document.Generation
	for key := range noted.Keys() {
		out = append(out, document.Generation(strings.TrimPrefix(key, supersededKey(""))))
	}
	return out, nil
}

// Superseded reports whether somebody has noted that nobody builds a generation.
func (all Generations) Superseded(ctx context.Context, g document.Generation) (bool, error) {
	raw, _, err := all.bus.Bucket(contract.BucketMeta).Get(ctx, supersededKey(g))
	if err != nil {
		return false, fmt.Errorf("read since when %s is superseded: %w", g, err)
	}
	return len(raw) > 0, nil
}

// Resume notes that a generation is built, whatever was before.
func (all Generations) Resume(ctx context.Context, g document.Generation) error {
	return all.bus.Bucket(contract.BucketMeta).Forget(ctx, supersededKey(g))
}
