package chunker

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
)

// Deps are what the service works with; they stay the caller's.
type Deps struct {
	Bus *bus.Bus
	Log *slog.Logger
	// Beside: another chunker of this process makes what is configured.
	Beside bool
}

// Service cuts documents.
type Service struct {
	cfg      Config
	deps     Deps
	cutter   *cutter.Cutter
	started  time.Time
	counters struct {
		documents, chunks, bytes, fallbacks, covered atomic.Uint64
	}
}

// New checks the configuration; nothing runs before Run.
func New(cfg Config, deps Deps) (*Service, error) {
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cut, err := cutter.New(cfg.Chunker, cfg.ParserCommand)
	if err != nil {
		return nil, err
	}
	return &Service{cfg: cfg, deps: deps, cutter: cut, started: time.Now()}, nil
}

// Run works until ctx ends, then finishes the batches at hand and stops the
// parser children. It can be called once.
func (s *Service) Run(ctx context.Context) (err error) {
	defer bus.Stopped(ctx, &err)
	defer s.cutter.Close()
	if err := s.deps.Bus.Outputs(contract.StreamChunks).Ready(ctx); err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return bus.ServeReport(gctx, s.deps.Bus, s.report) })
	g.Go(func() error {
		c := contract.ChunkerConsumer(s.cfg.Build.ID())
		return s.deps.Bus.Run(gctx, bus.Worker{
			Stage: c.Stage, Name: c.Name, Build: s.cfg.Build.ID(),
			Stream: c.Stream, Filters: []string{"freshet.files.>"},
			Workers: s.cfg.Workers, Batch: s.cfg.Batch, Lease: s.cfg.Lease,
			Handle: s.handle, Probe: s.probe, Log: s.deps.Log,
		})
	})
	if err := g.Wait(); err != nil {
		return fmt.Errorf("chunker: %w", err)
	}
	return nil
}

// ParserPIDs are the process ids of the parser children that run now.
func (s *Service) ParserPIDs() []int { return s.cutter.Parsers().PIDs() }

// probe asks whether the log can be read again.
func (s *Service) probe(ctx context.Context) error {
	_, err := s.deps.Bus.LastSeq(ctx, contract.StreamChunks)
	return err
}

func (s *Service) report() contract.Report {
	c := &s.counters
	r := contract.Report{
		Service: "chunker", Started: s.started,
		Counters: map[string]uint64{
			"documents": c.documents.Load(), "chunks": c.chunks.Load(), "bytes": c.bytes.Load(),
			"fallbacks": c.fallbacks.Load(), "covered": c.covered.Load(), "parser_restarts": s.cutter.Parsers().Restarts(),
		},
		Memory: s.cutter.Parsers().Memory(),
	}
	if s.deps.Beside {
		r.Beside = s.cfg.Build.ID()
	}
	if d := s.cutter.Parsers().Degraded(); d != "" {
		r.Degraded = append(r.Degraded, d)
	}
	return r
}
