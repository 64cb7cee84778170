package bus

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/nats-io/nats-server/v2/server"

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
		slog.Error("the log cannot be written to", "folder", s.cfg.Dir, "error", err)
		s.broken = document.Errorf(document.Unavailable, "the log under %s cannot be written to (%w): make room on its disk, or put right what is wrong with it, and it goes on by itself", s.cfg.Dir, err)
	}
}

// Restart stops the server and starts it again on the same port. Connections
// of Connect and of other processes find it by themselves. After an error the
// server is down, and Restart may be called again.
func (s *Server) Restart() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	if err := s.begin(); err != nil {
		return fmt.Errorf("start the embedded server again: %w", err)
	}
	s.broken = nil
	return nil
}

// serverLog looks for one thing in what the server says: that it could not
// write.
type serverLog struct{ broke func(error) }

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

func (l *serverLog) Fatalf(format string, v ...any) { l.Errorf(format, v...) }
func (*serverLog) Warnf(string, ...any)             {}
func (*serverLog) Noticef(string, ...any)           {}
func (*serverLog) Debugf(string, ...any)            {}
func (*serverLog) Tracef(string, ...any)            {}
