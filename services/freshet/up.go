package freshet

import (
	"context"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/disk"
	"github.com/freshet-dev/freshet/pkg/embed/open"
)

// Options of Up.
type Options struct {
	// Config must be valid.
	Config config.Config
	// Once ends Up when everything found is searchable. The embedded server
	// then stays off the network, and nobody finds this run.
	Once bool
	// Reload reads the configuration again, as Config was read. nil: nobody is asked for
	// that.
	Reload func() (config.Config, error)
	// ConfigFile is the absolute path of its file, which other commands are told; it may be
	// "".
	ConfigFile string
	// Ask is called, with Once, when everything found is searchable, before Up
	// ends. Its error is Up's. It may be nil.
	Ask func(context.Context, *nats.Conn) error
	// Waiting has Up wait for a state folder that another process has, where it
	// would fail; it is called once then.
	Waiting func()
	// Idle ends Up, cleanly, when nobody has asked for so long since it was ready;
	// 0 never.
	Idle time.Duration
	// Embedders turn texts into vectors; nil are those of Config.
	Embedders open.Set
	// Space is asked for what is free on the disk of the state folder; nil asks
	// the system.
	Space func(path string) (disk.Space, error)
	// CheckLog is how often the files of the embedded log are compared with
	// their checksums at most; 0: every minute.
	CheckLog time.Duration
	// Clock tells the time to whoever writes the log; nil is the system's.
	Clock func() time.Time
	// ParserCommand starts a parser child; empty: this executable with the
	// argument cutter.ChildArgument.
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
	r := &run{o: o}
	defer func() { err = r.close(err) }()
	for _, open := range []func(context.Context) error{r.configure, r.openFolder, r.openLog, r.openServices, r.openDoors} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	return r.serve(ctx)
}
