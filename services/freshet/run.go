package freshet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/disk"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	embedders "github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/services/freshet/internal/state"
	"github.com/freshet-dev/freshet/services/gateway"
	"github.com/freshet-dev/freshet/services/watcher"
)

// run is what Up has open. Its steps open one thing on the other, and what is open is
// closed in the opposite order.
type run struct {
	o        Options
	settings settings
	models   embedders.Set
	lacks    error // why models are none yet

	path       string // of the state folder
	folder     *state.Folder
	unclean    bool   // the run before did not end cleanly
	secretFile string // "" for a log that needs none from here

	bus    *bus.Bus
	server *embedded.Server // nil: the log is an external one
	room   *diskKeeper

	works *shifts
	first *shift
	watch *watcher.Service

	health      *process.Health
	front       *gateway.Service // nil: there is none
	frontSecret string           // file

	closers []func(err error) error // each is told of the error so far, and returns it with its own
}

// close closes what is open.
func (r *run) close(err error) error {
	for _, c := range slices.Backward(r.closers) {
		err = c(err)
	}
	return err
}

func (r *run) closeBy(c func(err error) error) { r.closers = append(r.closers, c) }

// unlessLost adds an error of closing. What is lost may be somebody else's by now: it is
// left as it is, and the process ends.
func unlessLost(err error, closing func() error) error {
	if errors.Is(err, state.ErrLost) {
		return err
	}
	return errors.Join(err, closing())
}

// configure says what is to be opened.
func (r *run) configure(context.Context) (err error) {
	if r.o.Config, err = embedders.Known(r.o.Config); err != nil {
		return err
	}
	if r.models = r.o.Embedders; r.models == nil {
		r.models, r.lacks = embedders.Embedders(r.o.Config)
	}
	if err := validServer(r.o.Config.NATS); err != nil {
		return err
	}
	spaces := r.models.Space
	if r.lacks != nil { // which the log may know
		spaces = func(document.Collection) embed.Space { return embed.Space{} }
	}
	p := settingsOf(r.o.Config, rollout.Configured(r.o.Config, spaces))
	limitMemory(p.memory)
	p.remote.Clock, p.server.Clock = r.o.Clock, r.o.Clock
	p.remote.Log, p.server.Log = r.o.Log, r.o.Log
	r.settings = p
	return nil
}

// openFolder takes the state folder, so that no other process opens the same log.
func (r *run) openFolder(ctx context.Context) (err error) {
	if r.path, err = instance.Locate(r.settings.state); err != nil {
		return err
	}
	if r.o.Waiting == nil {
		r.folder, err = state.Open(r.path)
	} else {
		r.folder, err = state.Await(ctx, r.path, r.o.Waiting)
	}
	if err != nil {
		return err
	}
	r.closeBy(func(err error) error {
		closed := r.folder.Close()
		return unlessLost(err, func() error { return closed })
	})
	_, gone := instance.Read(r.path)
	r.unclean = gone == nil // the previous run left its instance file behind
	r.secretFile, err = r.settings.secretOf(r.folder)
	return err
}

// openLog starts the embedded server or connects to the external one, and sees that the
// log is whole and nobody else follows sources for it.
func (r *run) openLog(ctx context.Context) (err error) {
	if r.bus, r.server, err = openBus(ctx, r.settings, r.folder, r.o.Once); err != nil {
		return err
	}
	r.closeBy(func(err error) error {
		r.bus.Close()
		if r.server == nil || errors.Is(err, embedded.ErrSilent) { // it would not answer that either
			return err
		}
		return unlessLost(err, r.server.Shutdown)
	})
	if err := process.Restrict(ctx, r.bus, r.settings.access, r.o.Log); err != nil {
		return err
	}
	if r.server != nil {
		r.unclean = r.unclean || r.server.Unclean()
		for _, damage := range r.server.Damage() {
			r.o.Log.Error(damage, "actions", document.Acts(document.DoLossList))
		}
	}
	if err := bus.EnsureStreams(ctx, r.bus); err != nil {
		return fmt.Errorf("prepare the log: %w", err)
	}
	return soleWatcher(ctx, r.bus, r.settings.remote.URL)
}

// openServices makes the services and opens their stores.
func (r *run) openServices(ctx context.Context) error {
	guard := disk.NewGuard(r.path, r.settings.spare, r.o.Space)
	r.room = &diskKeeper{guard: guard, bus: r.bus, server: r.server, log: r.o.Log, started: time.Now()}
	r.settings.stores.Dir, r.settings.stores.Room = r.folder.Stores(), guard.Fits
	r.settings.watcher.StateDir, r.settings.query.EndsIdle = r.path, r.o.Idle
	if err := r.openModels(ctx); err != nil {
		return err
	}
	reindex, err := (bus.Reindexing{Bus: r.bus}).Read(ctx)
	if err != nil {
		return err
	}
	r.works = &shifts{o: r.o, models: r.models, analyzer: analysis.New(), bus: r.bus, settings: r.settings, unclean: r.unclean, reloads: make(chan reload)}
	if r.first, err = r.works.open(ctx, reindex, nil); err != nil {
		return err
	}
	r.works.set(r.first)
	r.closeBy(func(err error) error {
		return unlessLost(err, func() error { return r.works.now.closeBut(nil) })
	})
	r.watch, err = watcher.New(r.settings.watcher, r.bus, r.o.Log)
	return err
}

// openModels opens the embedders once more where one cannot be loaded: one that made what
// answers has no other in its place, and the words of its passages are searched.
func (r *run) openModels(ctx context.Context) error {
	if r.lacks == nil {
		return nil
	}
	serving, err := bus.BuildsOf(r.bus).Serving(ctx)
	if err != nil {
		return err
	}
	build, known, err := bus.BuildsOf(r.bus).Get(ctx, serving.Build)
	if err != nil {
		return err
	}
	if !known {
		return r.lacks
	}
	models, lacks, err := embedders.Available(r.o.Config, func(name document.Collection) contract.Embedding { return build.Of(name).Embedding })
	if err != nil {
		return err
	}
	for _, why := range lacks {
		r.o.Log.Warn("what is indexed is searched by its words alone, and passages wait for their vectors", "why", why)
	}
	r.models = models
	return nil
}

// openDoors listens for whoever asks how it goes, and over HTTP.
func (r *run) openDoors(context.Context) (err error) {
	r.health, err = process.ServeHealth(r.settings.listen(r.o.Once), document.Errorf(document.Unavailable, "freshet is still reading what there was when it started"))
	if err != nil {
		return err
	}
	r.closeBy(func(err error) error {
		r.health.Close()
		return err
	})
	r.front, r.frontSecret, err = r.settings.openGateway(r.bus, r.folder, r.secretFile, r.o.Once, r.o.Log)
	if r.front != nil {
		r.closeBy(func(err error) error {
			_ = r.front.Close() // it has closed itself, or never ran
			return err
		})
	}
	return err
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
func openBus(ctx context.Context, p settings, folder *state.Folder, once bool) (*bus.Bus, *embedded.Server, error) {
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
