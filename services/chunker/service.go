package chunker

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/chunker/internal/parser"
)

// ParserArgument is the first argument of a process that is a parser child.
const ParserArgument = parser.Argument

// ParserChild answers requests of a chunker until stdin ends. It uses stdin
// and stdout for nothing else, and ends the process when its parent is gone.
func ParserChild(stdin io.Reader, stdout io.Writer) error { return parser.Serve(stdin, stdout) }

// ParserChildOrReturn returns at once in a process that is no parser child, and
// never in one: it answers until stdin ends, and ends the process. A program
// that runs a chunker calls it first.
func ParserChildOrReturn() {
	if len(os.Args) < 2 || os.Args[1] != ParserArgument {
		return
	}
	if err := ParserChild(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "parser child:", err)
		os.Exit(process.ExitError)
	}
	os.Exit(process.ExitDone)
}

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
	cutter   *Cutter
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
	cutter, err := NewCutter(cfg)
	if err != nil {
		return nil, err
	}
	return &Service{cfg: cutter.cfg, deps: deps, cutter: cutter, started: time.Now()}, nil
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
func (s *Service) ParserPIDs() []int { return s.cutter.pool.PIDs() }

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
			"fallbacks": c.fallbacks.Load(), "covered": c.covered.Load(), "parser_restarts": s.cutter.pool.Restarts(),
		},
		Memory: s.cutter.pool.Memory(),
	}
	if s.deps.Beside {
		r.Beside = s.cfg.Build.ID()
	}
	if d := s.cutter.pool.Degraded(); d != "" {
		r.Degraded = append(r.Degraded, d)
	}
	return r
}
