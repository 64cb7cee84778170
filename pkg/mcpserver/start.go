package mcpserver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/daemon"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/named"
)

// starter starts a freshet where none runs, and has the project watched where it is
// not, as far as the user allows.
type starter struct {
	file   string // configuration of what is started
	config config.Config
	data   string // state folder
	folder string // the project's

	mu    sync.Mutex
	tried time.Time // when the project was last asked for in vain
	why   error     // what came of it
}

// newStarter returns nil where nothing is to be started: an instance is named by
// its server.
func newStarter(o Options, c config.Config, folder string) (*starter, error) {
	if o.NoStart || o.NATS != "" || os.Getenv(instance.EnvURL) != "" {
		return nil, nil
	}
	if o.Config != "" {
		var err error
		if o.Config, err = filepath.Abs(o.Config); err != nil {
			return nil, document.Errorf(document.InvalidRequest, "the file %s has no absolute path: %w", o.Config, err)
		}
	}
	s := &starter{file: o.Config, config: c, data: o.Data, folder: folder}
	if s.data == "" {
		s.data = c.Data
	}
	return s, nil
}

// program is the freshet that lies beside this program.
func program() (string, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return "", document.Errorf(document.Unavailable, "where freshet lies is not known: %w", err)
	}
	beside := filepath.Join(filepath.Dir(self), "freshet")
	if _, err := os.Stat(beside); err != nil {
		return "", document.Errorf(document.NotFound, "no freshet runs, and %s is not there to be started: put it beside this program", beside).Do(document.DoStart)
	}
	return beside, nil
}

// start starts a freshet, and returns when it answers. Many may call it, in many
// processes, and one is started.
func (s *starter) start(ctx context.Context) error {
	if _, err := project(s.folder, s.config.Agents.Roots); err != nil {
		return document.Errorf(document.NotFound, "no freshet runs, and none was started: %w", err).Do(document.DoStart, document.DoStateChoose)
	}
	beside, err := program()
	if err != nil {
		return err
	}
	c := daemon.Command{Program: beside}
	if s.config.Agents.Idle > 0 {
		c.Args = append(c.Args, "--idle="+s.config.Agents.Idle.String())
	}
	if s.config.NATS.Port == config.DefaultPort {
		c.Args = append(c.Args, "--nats-port="+strconv.Itoa(0)) // it is found by its record, and disturbs nobody
	}
	if s.file != "" {
		c.Args = append(c.Args, "--config="+s.file)
	}
	run, err := daemon.Start(ctx, s.data, c)
	if err != nil {
		return err
	}
	nc, err := s.connect(run.Record, contract.RoleAsk)
	if err != nil {
		return err
	}
	defer nc.Close()
	for run.Running(run.Path) {
		if _, err = client.Sources.Ask(ctx, nc, client.None); err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		select {
		case <-time.After(answersEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return run.Gone()
}

// Times between looks at one that starts, or indexes a project; how long a question
// waits for that, and for the comparison of one that was indexed before; and after which
// a project that was refused is asked for again.
const (
	answersEvery = 50 * time.Millisecond
	firstIndex   = 10 * time.Second
	comparison   = 2 * time.Second
	refusedFor   = time.Minute
)

func (s *starter) connect(r instance.Record, role contract.Role) (*nats.Conn, error) {
	remote, err := r.Remote(string(role))
	if err != nil {
		return nil, err
	}
	return remote.Dial(nats.Name("freshet-mcp"), nats.NoReconnect())
}

// adopt has the project watched, and returns the sources as they are then, with a
// note of how far that has come. The error says why it is not.
func (s *starter) adopt(ctx context.Context) ([]contract.SourceInfo, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.tried) < refusedFor {
		return nil, "", s.why
	}
	sources, note, err := s.add(ctx)
	if err != nil && ctx.Err() == nil {
		s.tried, s.why = time.Now(), err
	}
	return sources, note, err
}

func (s *starter) add(ctx context.Context) ([]contract.SourceInfo, string, error) {
	path, err := instance.Locate(s.data)
	if err != nil {
		return nil, "", err
	}
	r, err := instance.Read(path)
	if err != nil {
		return nil, "", err
	}
	root, err := project(s.folder, slices.Concat(s.config.Agents.Roots, r.AgentRoots))
	if err != nil {
		return nil, "", err
	}
	nc, err := s.connect(r, contract.RoleWrite)
	if err != nil {
		return nil, "", err
	}
	defer nc.Close()
	list, err := client.AddSource.Ask(ctx, nc, contract.SourceAdd{Root: root})
	if err != nil {
		return nil, "", err
	}
	note, _ := s.settle(ctx, nc, root, firstIndex)
	return list.Sources, note, nil
}

// await settles a project that another session has had watched just now. One that was
// indexed before is compared anew at each start, for which nobody has to wait long.
func (s *starter) await(ctx context.Context, nc *nats.Conn, root string) (note string) {
	note, first := s.settle(ctx, nc, root, comparison)
	if !first {
		return ""
	}
	return note
}

// settle waits a while for the project to be indexed, so that the first question
// has an answer: for firstIndex where it is seen to be indexed for the first time, else
// for the time that is given.
func (s *starter) settle(ctx context.Context, nc *nats.Conn, root string, patience time.Duration) (note string, first bool) {
	ctx, cancel := context.WithTimeout(ctx, firstIndex)
	defer cancel()
	start, waiting := time.Now(), 0
	for {
		if st, err := client.Status.Ask(ctx, nc, client.None); err == nil {
			own, _, known := named.Holding(st.Sources, root)
			waiting = 0
			for _, n := range st.Pending {
				waiting = max(waiting, n)
			}
			first = first || waiting > 0 || own.Documents == 0
			if known && own.Watched && !own.Scanning && waiting == 0 {
				return fmt.Sprintf("the project %s is watched from now on: %d documents", root, own.Documents), first
			}
		}
		if ctx.Err() != nil || !first && time.Since(start) > patience {
			return fmt.Sprintf("the project %s is watched from now on, and still being indexed: %d documents wait; call status to see how far it is", root, waiting), first
		}
		select {
		case <-time.After(answersEvery):
		case <-ctx.Done():
		}
	}
}
