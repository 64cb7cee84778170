package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/logcheck"
	"github.com/freshet-dev/freshet/pkg/document"
)

// NoListen as a port keeps the embedded server off the network; AnyPort takes
// a free one.
const (
	NoListen = -2
	AnyPort  = -1
)

// Config configures the server.
type Config struct {
	// Dir holds the log. It is created with mode 0700.
	Dir string
	// Host defaults to 127.0.0.1.
	Host string
	// Port is a TCP port, AnyPort or NoListen.
	Port int
	// Secret is what clients need; without one everybody is let in.
	Secret bus.Secret
	// Hushed lets owners alone listen to what is told of all documents: not everybody
	// may see them.
	Hushed bool
	// SyncInterval is how often the log is synced to disk; default 1 s. A
	// power loss can cost what was written since.
	SyncInterval time.Duration
	// Clock tells the time to whoever writes the log; nil is the system's.
	Clock func() time.Time
	// Log is told what goes wrong beside the calls; nil: nobody is.
	Log *slog.Logger
}

// cleanMarker is present in the log's folder between a clean stop and the
// next start.
const cleanMarker = "clean-stop"

// maxPayload allows long answers; what the log stores is claim-checked far
// below it.
const maxPayload = 8 << 20

// maxStore keeps the server from setting a limit of its own: three quarters of
// what was free when it started, which a log can well exceed that was there.
const maxStore = 1 << 50

// Server is an embedded NATS server with JetStream. It is safe for concurrent
// use.
type Server struct {
	cfg     Config
	unclean bool
	erasing sync.Mutex      // one Erase at a time, or Check
	watch   *logcheck.Watch // of Check
	damage  damage
	seen    map[string]uint64 // sequences that streams are known to have had
	doubts  chan struct{}     // holds one while the server doubts its files

	mu      sync.RWMutex
	ns      *server.Server
	broken  error          // why it cannot write any more
	reclaim []string       // streams whose files the next stop writes anew
	lost    map[string]int // messages that streams had lost when they were first asked
	cut     []string       // streams of which the server was found to have cut something off
	hurt    bool           // a Check found damage: the next start is to find the files as they are
}

// Start starts an embedded server and waits until it accepts
// connections. A port in use is an Unavailable error.
func Start(cfg Config) (*Server, error) {
	if cfg.Host == "" {
		cfg.Host = "127.0.0.1"
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.SyncInterval == 0 {
		cfg.SyncInterval = time.Second
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, document.Errorf(document.Forbidden, "cannot create the log's folder %s: %w", cfg.Dir, err)
	}
	if cfg.Port > 0 {
		// The server itself would end the process, or report late.
		l, err := net.Listen("tcp", net.JoinHostPort(cfg.Host, strconv.Itoa(cfg.Port)))
		if err != nil {
			return nil, document.Errorf(document.Unavailable, "port %d on %s is in use: choose another, or 0 for a free one: %w", cfg.Port, cfg.Host, err)
		}
		if err := l.Close(); err != nil {
			return nil, fmt.Errorf("probe port %d: %w", cfg.Port, err)
		}
	}
	marker := filepath.Join(cfg.Dir, cleanMarker)
	_, statErr := os.Stat(filepath.Join(cfg.Dir, "jetstream"))
	existed := statErr == nil
	removeErr := os.Remove(marker)
	s := &Server{cfg: cfg, doubts: make(chan struct{}, 1), unclean: existed && errors.Is(removeErr, fs.ErrNotExist)}
	if err := block.FinishErase(cfg.Dir); err != nil {
		return nil, document.Errorf(document.Unavailable, "the log under %s cannot be opened: check its permissions: %w", cfg.Dir, err)
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	if !s.unclean {
		s.lost = map[string]int{} // it was found to be whole
	}
	if os.Remove(filepath.Join(cfg.Dir, damagedMarker)) == nil {
		s.unclean = true
	}
	if addr, ok := s.ns.Addr().(*net.TCPAddr); ok {
		s.cfg.Port = addr.Port // the same after a restart
	}
	return s, nil
}

// begin starts the server; s.mu is held, or nobody else knows s.
func (s *Server) begin() error {
	if err := s.examine(); err != nil {
		return err
	}
	if s.watch == nil {
		var err error
		if s.watch, err = logcheck.NewWatch(s.cfg.Dir); err != nil {
			return document.Errorf(document.Unavailable, "the log under %s cannot be read: check its permissions: %w", s.cfg.Dir, err)
		}
	}
	cfg := s.cfg
	opts := &server.Options{
		ServerName:        "freshet",
		Host:              cfg.Host,
		Port:              cfg.Port,
		DontListen:        cfg.Port == NoListen,
		JetStream:         true,
		JetStreamMaxStore: maxStore,
		StoreDir:          cfg.Dir,
		SyncInterval:      cfg.SyncInterval,
		MaxPayload:        maxPayload,
		NoSigs:            true,
		NoLog:             true,
		// Bulk readers fall behind for a moment under load; that is no fault.
		MaxPending:    256 << 20,
		WriteDeadline: 30 * time.Second,
	}
	if cfg.Port == NoListen {
		opts.Port = 0
	}
	if cfg.Secret != "" {
		opts.Users = usersOf(cfg.Secret, cfg.Hushed)
	}
	ns, err := server.NewServer(opts)
	if err != nil {
		return document.Errorf(document.Unavailable, "the embedded NATS server did not start: %w", err)
	}
	ns.SetLoggerV2(&serverLog{broke: func(err error) { s.breaks(ns, err) }, doubts: s.doubt}, false, false, false)
	ns.Start()
	if !ns.ReadyForConnections(60 * time.Second) {
		ns.Shutdown()
		return document.Errorf(document.Unavailable, "the embedded NATS server on %s:%d did not get ready: look for another process on that port, or for a full disk under %s", cfg.Host, cfg.Port, cfg.Dir)
	}
	if !ns.JetStreamEnabled() {
		ns.Shutdown()
		return document.Errorf(document.Unavailable, "the log under %s cannot be opened: check its permissions and the free space", cfg.Dir)
	}
	s.ns = ns
	return nil
}

// ClientURL is where clients of other processes connect to.
func (s *Server) ClientURL() string {
	text := s.server().ClientURL()
	if u, err := url.Parse(text); err == nil {
		return u.String()
	}
	return text
}

func (s *Server) server() *server.Server {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.ns
}

// Unclean reports whether the previous run ended without Shutdown.
func (s *Server) Unclean() bool { return s.unclean }

// Connect returns a Bus over an in-process connection. The caller closes it
// before Shutdown.
func (s *Server) Connect(ctx context.Context) (*bus.Bus, error) {
	r := bus.Remote{URL: s.server().ClientURL(), Clock: s.cfg.Clock, Log: s.cfg.Log}
	if s.cfg.Secret != "" {
		r = s.cfg.Secret.Login(r, bus.UserServices)
	}
	return r.ConnectStarted(ctx, bus.Started{Unclean: s.unclean, Note: noteIn(s.cfg.Dir)}, nats.InProcessServer(s))
}

// InProcessConn connects to the server that runs now, so that a connection
// finds the one after a Restart.
func (s *Server) InProcessConn() (net.Conn, error) {
	conn, err := s.server().InProcessConn()
	if err != nil {
		return nil, fmt.Errorf("connect to the embedded server: %w", err)
	}
	return conn, nil
}

// Shutdown stops the server and notes that the stop was clean; after a write
// that failed it was not. Then it writes the files anew that Reclaim has named.
func (s *Server) Shutdown() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	if s.broken != nil {
		return nil
	}
	if err := logcheck.KeepSettings(s.cfg.Dir); err != nil {
		s.cfg.Log.Warn("the settings of the log were not copied", "error", err)
	}
	f, err := os.Create(filepath.Join(s.cfg.Dir, cleanMarker))
	if err != nil {
		return fmt.Errorf("note the clean stop: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("note the clean stop: %w", err)
	}
	s.compact()
	return nil
}
