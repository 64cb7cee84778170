package freshet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/disk"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	embedders "github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/services/freshet/internal/state"
	"github.com/freshet-dev/freshet/services/watcher"
)

// Options of Up.
type Options struct {
	// Config must be valid.
	Config config.Config
	// Once ends Up when everything found is searchable. The embedded server
	// then stays off the network, and nobody finds this run.
	Once bool
	// Ask is called, with Once, when everything found is searchable, before Up
	// ends. Its error is Up's. It may be nil.
	Ask func(context.Context, *nats.Conn) error
	// Waiting has Up wait for a state folder that another process has, where it
	// would fail; it is called once then.
	Waiting func()
	// Idle ends Up, cleanly, when nobody has asked for so long since it was ready;
	// 0 never.
	Idle time.Duration
	// Embedder turns texts into vectors; nil is the model of Config.
	Embedder embed.Embedder
	// Space is asked for what is free on the disk of the state folder; nil asks
	// the system.
	Space func(path string) (disk.Space, error)
	// CheckLog is how often the files of the embedded log are compared with
	// their checksums at most; 0: every minute.
	CheckLog time.Duration
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
	// Rebuilding is told, once, that what was complete before is built in another
	// way, and what that takes. It may be nil, and is called from a goroutine of
	// its own, which Up waits for.
	Rebuilding func(Change)
	// AcceptBuild is asked, once, after Ready, about a build that is held because it is
	// larger than the limits; true has it begun. Its context ends where somebody else
	// has accepted it. nil leaves it held.
	AcceptBuild func(context.Context, Change) bool
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
	Page   string // URL of the page; "" for none
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
	if o.Config.Embedder, err = embedders.Resolve(o.Config.Embedder); err != nil {
		return err
	}
	model := o.Embedder
	if model == nil {
		if model, err = embedders.Embedder(o.Config.Embedder); err != nil {
			return err
		}
	}
	analyzer := analysis.New()
	if err := validServer(o.Config.NATS); err != nil {
		return err
	}
	p := planOf(o.Config, rollout.Configured(o.Config, embed.SpaceOf(model)))
	limitMemory(p.memory)
	p.remote.Clock, p.server.Clock = o.Clock, o.Clock
	p.remote.Log, p.server.Log = o.Log, o.Log

	path, err := instance.Locate(p.state)
	if err != nil {
		return err
	}
	folder, err := openState(ctx, path, o.Waiting)
	if err != nil {
		return err
	}
	// What is lost may be somebody else's by now: it is left as it is, and the
	// process ends.
	end := func(closing func() error) {
		if !errors.Is(err, state.ErrLost) {
			err = errors.Join(err, closing())
		}
	}
	defer func() {
		closed := folder.Close()
		end(func() error { return closed })
	}()
	_, staleErr := instance.Read(path)
	unclean := staleErr == nil // the previous run left its instance file behind

	secretFile, err := p.secretOf(folder)
	if err != nil {
		return err
	}
	b, server, err := openBus(ctx, p, folder, o.Once)
	if err != nil {
		return err
	}
	defer func() {
		b.Close()
		if server != nil && !errors.Is(err, embedded.ErrSilent) { // it would not answer that either
			end(server.Shutdown)
		}
	}()
	if err := process.Restrict(ctx, b, p.access, o.Log); err != nil {
		return err
	}
	if server != nil {
		for _, damage := range server.Damage() {
			o.Log.Error(damage, "actions", document.Acts(document.DoLossList))
		}
	}
	if err := bus.EnsureStreams(ctx, b); err != nil {
		return fmt.Errorf("prepare the log: %w", err)
	}

	if err := soleWatcher(ctx, b, p.remote.URL); err != nil {
		return err
	}

	guard := disk.NewGuard(path, p.spare, o.Space)
	room := &diskKeeper{guard: guard, bus: b, server: server, log: o.Log, started: time.Now()}
	p.stores.Dir, p.stores.Room = folder.Stores(), guard.Fits
	p.watcher.StateDir, p.query.EndsIdle = path, o.Idle
	reindex, err := (bus.Reindexing{Bus: b}).Read(ctx)
	if err != nil {
		return err
	}
	works := &shifts{o: o, model: model, analyzer: analyzer, bus: b, plan: p, unclean: unclean || server != nil && server.Unclean()}
	first, err := works.open(ctx, reindex, nil)
	if err != nil {
		return err
	}
	works.set(first)
	defer end(func() error { return works.now.closeBut(nil) })
	made := first.made
	watch, err := watcher.New(p.watcher, b, o.Log)
	if err != nil {
		return err
	}

	health, err := process.ServeHealth(p.listen(o.Once), document.Errorf(document.Unavailable, "freshet is still reading what there was when it started"))
	if err != nil {
		return err
	}
	defer health.Close()

	front, frontSecret, err := p.openGateway(b, folder, secretFile, o.Once, o.Log)
	if err != nil {
		return err
	}
	if front != nil {
		defer func() { _ = front.Close() }() // Run has closed it, or it never ran
	}

	run := Running{State: path}
	if !o.Once {
		run.URL = p.remote.URL
		if server != nil {
			run.URL = server.ClientURL()
		}
		record := instance.Record{URL: run.URL, SecretFile: secretFile, PID: os.Getpid(), Version: process.Version, Started: time.Now(), AgentRoots: p.agents.Roots}
		if front != nil {
			run.Page = front.URL()
			record.Gateway = &instance.Gateway{URL: run.Page, SecretFile: frontSecret}
		}
		if err := folder.Announce(record); err != nil {
			return err
		}
	}
	tell := o.Ready
	reclaimed, again := false, time.Duration(0)
	ready, told := make(chan struct{}), make(chan struct{})
	o.Ready = func(r Running) {
		if first.former == nil {
			if err := made.complete(ctx); err != nil && ctx.Err() == nil {
				o.Log.Warn("which build answers are made of is not noted", "error", err)
			}
			reclaimed, again = works.reclaim(ctx, first)
		}
		close(ready)
		health.Ready(works.ready)
		if tell != nil {
			tell(r)
		}
		close(told)
	}
	ctx, done := context.WithCancel(ctx)
	defer done()
	eraser := &eraser{b, server, o.Log}
	files := &logKeeper{b, server, o.Log, o.CheckLog}
	idle := &idler{nc: b.Conn(), after: o.Idle, ready: ready, end: done, log: o.Log}
	attend := func(ctx context.Context) error {
		var telling sync.WaitGroup
		defer telling.Wait()
		telling.Go(func() {
			if held := made.announce(ctx, o, model); held.Held != "" && o.AcceptBuild != nil && bus.Begun(ctx, told) {
				made.held.ask(ctx, b, o, held)
			}
		})
		if err := reachReady(ctx, b.Conn(), p, o, run); err != nil {
			return err
		}
		if o.Once {
			again = 0
			if o.Ask != nil && ctx.Err() == nil {
				if err := o.Ask(ctx, b.Conn()); err != nil {
					return err
				}
			}
		}
		if first.former == nil {
			works.reclaimLater(ctx, first, reclaimed, again, eraser.after)
		}
		if o.Once {
			done()
		}
		<-ctx.Done() // which comes in its turn
		return nil
	}
	members := []member{
		{"start", attend},
		{"state folder", folder.Watch},
	}
	if front != nil {
		members = append(members, member{"gateway", front.Run})
	}
	err = runCrew(ctx, append(members, []member{
		{"watcher", watch.Run},
		{"services", func(ctx context.Context) error {
			return works.run(ctx, func(ctx context.Context, s *shift) {
				removed, again := works.reclaim(ctx, s)
				works.reclaimLater(ctx, s, removed, again, eraser.after)
			})
		}},
		{"eraser", eraser.Run},
		{"log keeper", files.Run},
		{"disk", room.Run},
		{"idle time", idle.Run},
	}...))
	if !errors.Is(err, state.ErrLost) {
		eraser.reclaim(context.WithoutCancel(ctx))
	}
	return err
}

func openState(ctx context.Context, path string, waiting func()) (*state.Folder, error) {
	if waiting == nil {
		return state.Open(path)
	}
	return state.Await(ctx, path, waiting)
}

// watcherTimeout bounds the search for another watcher.
const watcherTimeout = 2 * time.Second

// soleWatcher refuses an external server ("" for the embedded one) on which
// another watcher runs: this one would wait in reserve, and nobody would watch
// what the person named.
func soleWatcher(ctx context.Context, b *bus.Bus, url string) error {
	if url == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, watcherTimeout)
	defer cancel()
	_, err := client.Sources.Ask(ctx, b.Conn(), client.None)
	if document.KindOf(err) == document.Unavailable {
		return nil // nobody answers
	}
	url = bus.HideUser(url)
	return document.Errorf(document.Conflict, "a freshet follows sources for the log at %s already: add yours to that one, or stop it", url).With(document.Action{Do: document.DoServerAdd, Value: url})
}

// openBus starts the embedded server, or connects to the external one; then
// server is nil.
func openBus(ctx context.Context, p plan, folder *state.Folder, once bool) (*bus.Bus, *embedded.Server, error) {
	if p.remote.URL != "" {
		b, err := p.remote.Connect(ctx)
		return b, nil, err
	}
	var err error
	if p.server.Dir, err = folder.TakeLog(); err != nil {
		return nil, nil, err
	}
	if once {
		p.server.Port = embedded.NoListen
	}
	server, err := embedded.Start(p.server)
	if err != nil {
		return nil, nil, err
	}
	b, err := server.Connect(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, server.Shutdown())
	}
	return b, server, nil
}
