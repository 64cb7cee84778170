package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
)

// Erased counts what was overwritten.
type Erased = block.Erased

// Erase overwrites what was removed from the streams, the buckets included. b
// is a connection to this server. It waits for nothing: what is removed while
// it runs may stay for the next call.
func (s *Server) Erase(ctx context.Context, b *bus.Bus) (Erased, error) {
	s.erasing.Lock()
	defer s.erasing.Unlock()
	var total Erased
	names := b.JetStream().StreamNames(ctx)
	for name := range names.Name() {
		e, err := s.eraseStream(ctx, b, name)
		total.Messages += e.Messages
		total.Bytes += e.Bytes
		if err != nil {
			return total, fmt.Errorf("overwrite what was removed from %s: %w", name, err)
		}
	}
	if err := names.Err(); err != nil {
		return total, fmt.Errorf("list the streams: %w", err)
	}
	return total, nil
}

func (s *Server) eraseStream(ctx context.Context, b *bus.Bus, name string) (total Erased, err error) {
	// In this order: what is newer than last may not be among the live ones.
	last, err := b.LastSeq(ctx, name)
	if err != nil {
		return total, err
	}
	live, err := bus.AuditOf(b).Sequences(ctx, name, last)
	if err != nil {
		return total, err
	}
	files, err := block.FilesOf(s.cfg.Dir, name)
	if err != nil {
		return total, err
	}
	dead := func(seq uint64) bool {
		_, ok := slices.BinarySearch(live, seq)
		return seq <= last && !ok
	}
	for _, f := range files {
		e, err := s.eraseBlock(name, f, dead)
		total.Messages += e.Messages
		total.Bytes += e.Bytes
		if err != nil && !errors.Is(err, os.ErrNotExist) { // the server may have removed it
			return total, err
		}
	}
	return total, nil
}

// eraseBlock overwrites the records of one file. Neither a start of the server,
// which checks every record, nor its end comes in between.
func (s *Server) eraseBlock(stream string, f block.File, dead func(seq uint64) bool) (Erased, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return block.Erase(s.cfg.Dir, stream, f, dead)
}
