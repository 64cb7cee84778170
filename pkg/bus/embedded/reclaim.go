package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
)

const (
	// A stream is written anew where its files are larger than what is in it by
	// one part in wasteShare, and by wasteLeast, which is no more than what the
	// server keeps of an empty stream.
	wasteShare = 5
	wasteLeast = 64 << 10
)

// Reclaim erases what was removed from the streams of which much is, and has
// the next Shutdown or Restart write their files without it. b is a connection
// to this server.
func (s *Server) Reclaim(ctx context.Context, b *bus.Bus) error {
	s.erasing.Lock()
	defer s.erasing.Unlock()
	list := b.JetStream().ListStreams(ctx)
	for info := range list.Info() {
		wasteful, err := s.wasteful(info)
		if err == nil && wasteful {
			_, err = s.eraseStream(ctx, b, info.Config.Name)
		}
		if err != nil {
			return fmt.Errorf("overwrite what was removed from %s: %w", info.Config.Name, err)
		}
		if wasteful {
			s.mu.Lock()
			s.reclaim = append(s.reclaim, info.Config.Name)
			s.mu.Unlock()
		}
	}
	if err := list.Err(); err != nil {
		return fmt.Errorf("list the streams: %w", err)
	}
	return nil
}

// wasteful reports whether the files of a stream are much larger than what is
// in it.
func (s *Server) wasteful(info *jetstream.StreamInfo) (bool, error) {
	files, err := block.FilesOf(s.cfg.Dir, info.Config.Name)
	if err != nil {
		return false, err
	}
	var size uint64
	for _, f := range files {
		file, err := os.Stat(f.Path)
		if errors.Is(err, os.ErrNotExist) {
			continue // the server has just removed it
		}
		if err != nil {
			return false, err
		}
		size += uint64(file.Size())
	}
	return size > info.State.Bytes+info.State.Bytes/wasteShare+wasteLeast, nil
}

// compact writes the streams anew that Reclaim has named. No server runs; s.mu
// is held. What fails stays as it is.
func (s *Server) compact() {
	if s.hurt {
		return
	}
	for _, stream := range s.reclaim {
		if err := block.Compact(s.cfg.Dir, stream); err != nil {
			s.cfg.Log.Warn("what was removed from the log keeps its room", "stream", stream, "error", err)
		}
	}
	s.reclaim = nil
}
