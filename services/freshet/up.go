package freshet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/disk"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/services/chunker"
	"github.com/freshet-dev/freshet/services/embedder"
	"github.com/freshet-dev/freshet/services/freshet/internal/state"
	"github.com/freshet-dev/freshet/services/indexer"
	"github.com/freshet-dev/freshet/services/query"
	"github.com/freshet-dev/freshet/services/watcher"
)

// Options of Up.
type Options struct {
	// Config must be valid.
	Config config.Config
	// Once ends Up when everything found is searchable. The embedded server
	// then stays off the network, and nobody finds this run.
	Once bool
	// Embedder turns texts into vectors; nil is the model of Config.
	Embedder embed.Embedder
	// Space is asked for what is free on the disk of the state folder; nil asks
	// the system.
	Space func(path string) (disk.Space, error)
	// Clock tells the time to whoever writes the log; nil is the system's.
	Clock func() time.Time
	// ParserCommand starts a parser child; empty: this executable with the
	// argument chunker.ParserArgument.
	ParserCommand []string
	// Log may be nil.
	Log *slog.Logger
	// Accept is asked, once, about each source that is held because it is
	// larger than the limits; true has it indexed. Its error ends Up. nil
	// leaves it held. It is called from the goroutine of Progress.
	Accept func(ctx context.Context, held contract.SourceInfo) (bool, error)
	// Progress is called every few moments until Ready is. Both may be nil,
	// and are called from one goroutine.
	Progress func(contract.StatusReply)
	// Ready is called once, when everything found so far is searchable in
	// both sinks.
	Ready func(Running)
}

// Running describes a run that is ready.
type Running struct {
	URL    string // of the NATS server; "" with Once
	State  string // absolute path of the state folder
	Status contract.StatusReply
}

// Up runs the whole pipeline in this process until ctx ends; then it drains
// the services one after the other, persists the stores, and stops the server.
// It returns nil after a clean stop. Errors of the caller's making (a port or
// a state folder in use, a newer state, a source that cannot be watched) come
// before anything is indexed.
func Up(ctx context.Context, o Options) (err error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	limitGarbage()
	model := o.Embedder
	if model == nil {
		if model, err = static.Open(o.Config.Embedder.Model); err != nil {
			return err
		}
	}
	analyzer := analysis.New()
	if err := validServer(o.Config.NATS); err != nil {
		return err
	}
	p := planOf(o.Config, model.Identity())
	p.remote.Clock, p.server.Clock = o.Clock, o.Clock

	path, err := state.Locate(p.state)
	if err != nil {
		return err
	}
	folder, err := state.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	_, staleErr := state.ReadInstance(path)
	unclean := staleErr == nil // the previous run left its instance file behind

	b, server, err := openBus(ctx, p, folder, o.Once)
	if err != nil {
		return err
	}
	defer func() {
		b.Close()
		if server != nil {
			err = errors.Join(err, server.Shutdown())
		}
	}()
	if err := b.EnsureStreams(ctx); err != nil {
		return fmt.Errorf("prepare the log: %w", err)
	}

	if err := soleWatcher(ctx, b, p.remote.URL); err != nil {
		return err
	}

	guard := disk.NewGuard(path, p.spare, o.Space)
	room := &diskKeeper{guard: guard, bus: b, server: server, log: o.Log, started: time.Now()}
	p.stores.Room = guard.Fits
	p.stores.Dir, p.stores.Analyzer, p.stores.Dims = folder.Stores(), analyzer.Signature(), model.Dims()
	sinks, err := open.Open(p.stores)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sinks.Close()) }()
	toIndex, toQuery := map[document.Generation]indexer.Stores{}, map[document.Generation]query.Stores{}
	for _, g := range p.embedder.Generations {
		toIndex[g] = indexer.Stores{Lexical: sinks.Lexical[g], Vector: sinks.Vector[g]}
		toQuery[g] = query.Stores{Lexical: sinks.Lexical[g], Vector: sinks.Vector[g]}
	}

	p.watcher.StateDir = path
	p.chunker.ParserCommand = o.ParserCommand
	watch, err := watcher.New(p.watcher, b, o.Log)
	if err != nil {
		return err
	}
	cut, err := chunker.New(p.chunker, chunker.Deps{Bus: b, Log: o.Log})
	if err != nil {
		return err
	}
	vectors, err := embedder.New(p.embedder, embedder.Deps{Bus: b, Embedder: model, Log: o.Log, Version: process.Version})
	if err != nil {
		return err
	}
	index, err := indexer.New(p.indexer, indexer.Deps{
		Bus: b, Generations: toIndex, Analyzer: analyzer, Log: o.Log, Version: process.Version,
		Chunker: contract.ChunkerConsumer(p.chunker.Signature(), model.Identity()),
		Unclean: unclean || server != nil && server.Unclean(),
	})
	if err != nil {
		return err
	}
	answer, err := query.New(p.query, query.Deps{
		Bus: b, Stores: toQuery, Analyzer: analyzer, Embedder: model.Identity(), Log: o.Log,
	})
	if err != nil {
		return err
	}

	health, err := process.ServeHealth(p.listen(o.Once), document.Errorf(document.Unavailable, "freshet is still reading what there was when it started"))
	if err != nil {
		return err
	}
	defer health.Close()

	run := Running{State: path}
	if !o.Once {
		run.URL = p.remote.URL
		if server != nil {
			run.URL = server.ClientURL()
		}
		if err := folder.Announce(state.Instance{URL: run.URL, PID: os.Getpid(), Version: process.Version, Started: time.Now()}); err != nil {
			return err
		}
	}
	tell := o.Ready
	o.Ready = func(r Running) {
		health.Ready(answer.Ready)
		if tell != nil {
			tell(r)
		}
	}
	ctx, done := context.WithCancel(ctx)
	defer done()
	attend := func(ctx context.Context) error {
		if err := reachReady(ctx, b.Conn(), p, o, run); err != nil {
			return err
		}
		if o.Once {
			done()
		}
		<-ctx.Done() // which comes in its turn
		return nil
	}
	return runCrew(ctx, []member{
		{"start", attend},
		{"watcher", watch.Run},
		{"chunker", cut.Run},
		{"embedder", vectors.Run},
		{"indexer", index.Run},
		{"query service", answer.Run},
		{"disk", room.Run},
	})
}

// soleWatcher refuses an external server ("" for the embedded one) on which
// another watcher runs: this one would wait in reserve, and nobody would watch
// what the person named.
func soleWatcher(ctx context.Context, b *bus.Bus, url string) error {
	if url == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	_, err := bus.Call[struct{}, contract.SourceList](ctx, b.Conn(), contract.SubjectSourcesList, struct{}{})
	if document.KindOf(err) == document.Unavailable {
		return nil // nobody answers
	}
	url = bus.HideUser(url)
	return document.Errorf(document.Conflict, "a freshet follows sources for the log at %s already: add yours with `freshet source add PATH --nats %s`, or stop that one", url, url)
}

// openBus starts the embedded server, or connects to the external one; then
// server is nil.
func openBus(ctx context.Context, p plan, folder *state.Folder, once bool) (*bus.Bus, *bus.Server, error) {
	if p.remote.URL != "" {
		b, err := p.remote.Connect(ctx)
		return b, nil, err
	}
	p.server.Dir = folder.Log()
	if once {
		p.server.Port = bus.NoListen
	}
	server, err := bus.StartServer(p.server)
	if err != nil {
		return nil, nil, err
	}
	b, err := server.Connect(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, server.Shutdown())
	}
	return b, server, nil
}
