package embedded

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/logcheck"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Broken returns why the server cannot write to the log any more, nil while it
// can. It still answers what only reads. A stream that failed to write once
// refuses everything, without a word to its clients, until the server is
// started again.
func (s *Server) Broken() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.broken
}

func (s *Server) breaks(ns *server.Server, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ns == ns && s.broken == nil {
		s.cfg.Log.Error("the log cannot be written to", "folder", s.cfg.Dir, "error", err)
		todo := "put right what is wrong with its disk, and it goes on by itself"
		if noRoom(err.Error()) {
			todo = "make room on its disk, and it goes on by itself"
		}
		s.broken = document.Errorf(document.Unavailable, "the log under %s cannot be written to (%w): %s", s.cfg.Dir, err, todo)
	}
}

// noRoom reports whether a write failed for want of room.
func noRoom(text string) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}, func(err error) bool { return strings.Contains(text, err.Error()) })
}

// Restart stops the server and starts it again on the same port. Connections
// of Connect and of other processes find it by themselves. After an error the
// server is down, and Restart may be called again.
func (s *Server) Restart() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	// What is healed at the start is not healed for who runs already.
	opened, err := logcheck.Open(s.cfg.Dir, false)
	if err != nil {
		return fmt.Errorf("start the embedded server again: %w", err)
	}
	if damaged := opened.Damaged(); len(damaged) > 0 {
		return damagedError(damaged[0], "since a write that failed")
	}
	s.lost = nil
	s.compact()
	if err := s.begin(); err != nil {
		return fmt.Errorf("start the embedded server again: %w", err)
	}
	s.broken = nil
	return nil
}

// serverLog looks for two things in what the server says: that it could not
// write, and that it doubts a file.
type serverLog struct {
	broke  func(error)
	doubts func()
}

// writeFailed is what the server says of a stream that it will not write to any
// more.
const writeFailed = "Critical write error"

func (l *serverLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	if strings.Contains(text, writeFailed) || strings.Contains(text, "failed to store a msg") {
		// The server may hold locks of its own.
		go l.broke(errors.New(text))
	}
}

// fileDoubt begins what the server says of the files of a stream.
const fileDoubt = "Filestore ["

func (l *serverLog) Warnf(format string, _ ...any) {
	if strings.HasPrefix(format, fileDoubt) {
		l.doubts()
	}
}

func (l *serverLog) Fatalf(format string, v ...any) { l.Errorf(format, v...) }
func (*serverLog) Noticef(string, ...any)           {}
func (*serverLog) Debugf(string, ...any)            {}
func (*serverLog) Tracef(string, ...any)            {}
