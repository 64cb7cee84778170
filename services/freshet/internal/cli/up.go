package cli

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/daemon"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/giturl"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/pathset"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet"
)

func newUp(p *command.Program) *cobra.Command {
	var file string
	var port int
	var open, detach bool
	var idle time.Duration
	var exclude []string
	cmd := &cobra.Command{
		Use:   "up [PATH…]",
		Short: "Run everything in one process and watch folders and git repositories",
		Long: "up runs the whole pipeline in the foreground until Ctrl-C. When everything found so far is\n" +
			"searchable, it prints one line that begins with `ready nats://`. A folder in a git repository\n" +
			"is that repository's work tree; a bare repository is followed at its default branch.\n" +
			"Registered sources that are not named this time are kept, but not watched and left out of answers.\n" +
			"Without PATH the sources of the configuration are watched. With --detach it starts in the background, says\n" +
			"so when it is ready, logs to freshet.log in the state folder, and goes on until `freshet stop`.",
		Example: "  freshet up ~/src/project\n  freshet up . --data /tmp/state --nats-port 0\n  freshet up ~/src/project --exclude /vendor/ --exclude \"*.min.js\"\n  freshet up ~/src/project --detach",
		RunE: func(cmd *cobra.Command, args []string) error {
			read := func() (config.Config, string, error) {
				cfg, from, err := configure(p, file, args, exclude)
				if err != nil {
					return cfg, from, err
				}
				if cmd.Flags().Changed("nats-port") {
					cfg.NATS.Port = port
				}
				if cmd.Flags().Changed("open") {
					cfg.NATS.Open = open
				}
				return cfg, from, cfg.Validate()
			}
			cfg, from, err := read()
			if err != nil {
				return err
			}
			if idle < 0 {
				return document.Errorf(document.InvalidRequest, "--idle is %s: use a time above 0, or 0 for ever", idle)
			}
			if detach {
				return startDetached(p, cmd, cfg, args)
			}
			return runUp(cmd, p, freshet.Options{
				Config: cfg, Idle: idle, ConfigFile: from,
				Reload: func() (config.Config, error) {
					cfg, _, err := read()
					return cfg, err
				},
			})
		},
	}
	cmd.Flags().IntVar(&port, "nats-port", config.DefaultPort, "`port` of the embedded NATS server; 0 takes a free one")
	cmd.Flags().BoolVar(&open, "open", false, "let everybody on this machine in without a login, to read, write and remove everything")
	cmd.Flags().StringArrayVar(&exclude, "exclude", nil, excludeUsage+"; what an earlier start left out and this one does not is read")
	cmd.Flags().BoolVar(&detach, "detach", false, "run in the background, and return when it is ready")
	cmd.Flags().DurationVar(&idle, "idle", 0, "end when nobody has asked for this `time`, such as 30m; 0: never")
	cmd.Flags().StringVar(&file, "config", "", "configuration `file` (default: freshet.yaml in the state folder, if there is one; 'freshet config print' shows the defaults)")
	return cmd
}

// excludeUsage says what --exclude takes.
const excludeUsage = "leave out what this `glob` matches, as a line of a .gitignore at the root of the source (may be repeated)"

// excludes checks what --exclude was given. An empty one stands for none.
func excludes(globs []string) ([]string, error) {
	given := slices.DeleteFunc(slices.Clone(globs), func(g string) bool { return g == "" })
	if err := pathset.CheckExcludes(given); err != nil {
		return nil, document.Errorf(document.InvalidRequest, "--exclude %w", err)
	}
	return given, nil
}

// configure puts the configuration file and the command line together. from is the path
// of the file.
func configure(p *command.Program, file string, paths, exclude []string) (cfg config.Config, from string, err error) {
	if cfg, from, err = instance.Load(file, p.Data); err != nil {
		return cfg, from, err
	}
	if exclude, err = excludes(exclude); err != nil {
		return cfg, from, err
	}
	if p.NATS != "" {
		cfg.NATS.URL = p.NATS
	}
	for _, path := range paths {
		if giturl.Is(path) {
			if err := giturl.Check(path); err != nil {
				return cfg, from, err
			}
			cfg.Sources = append(cfg.Sources, config.Source{Remote: path})
			continue
		}
		cfg.Sources = append(cfg.Sources, config.Source{Root: path})
	}
	for i := range cfg.Sources {
		if cfg.Sources[i].Remote == "" {
			if cfg.Sources[i].Root, err = locate(p, cfg.Sources[i].Root); err != nil {
				return cfg, from, err
			}
		}
		cfg.Sources[i].Exclude = slices.Concat(cfg.Sources[i].Exclude, exclude)
	}
	return cfg, from, nil
}

func runUp(cmd *cobra.Command, p *command.Program, o freshet.Options) error {
	cfg := o.Config
	log := p.Logger(cfg.Log)
	if path, err := instance.Locate(cfg.Data); err == nil {
		log = command.LoggerTo(daemon.Bound(p.Stderr, path), cfg.Log)
	}
	o.Log = log
	progress := remote.ProgressOn(p)
	var line sync.Mutex // of progress
	o.Progress = func(st contract.StatusReply) {
		line.Lock()
		defer line.Unlock()
		progress.Show(st)
	}
	if p.CanAsk() {
		o.Accept = func(ctx context.Context, held contract.SourceInfo) (bool, error) {
			progress.Clear()
			return p.Confirm(ctx, held.Root+" is held: "+held.Held), nil
		}
		o.AcceptBuild = func(ctx context.Context, c freshet.Change) bool {
			yes := p.Confirm(ctx, "the new index is held: "+c.Above)
			if yes {
				p.Note(render.Accepted(contract.BuildAccepted{Build: c.Held, Changes: c.Fields}))
			}
			return yes
		}
	}
	o.Rebuilding = func(c freshet.Change) {
		line.Lock()
		defer line.Unlock()
		progress.Clear()
		for _, sentence := range c.Sentences() {
			p.Note(sentence)
		}
	}
	o.Ready = func(r freshet.Running) {
		line.Lock()
		defer line.Unlock()
		progress.Clear()
		sayReady(p, r)
		if len(cfg.Sources) == 0 {
			p.Note(nothingWatched(len(r.Status.Sources)))
		}
	}
	err := freshet.Up(cmd.Context(), o)
	progress.Clear()
	return err
}

// sayReady prints the line that scripts wait for.
func sayReady(p *command.Program, r freshet.Running) {
	example := command.Callable() + " search \"read a file line by line\""
	switch def, err := instance.Default(); {
	case p.NATS != "":
		example += " --nats " + terminal.ShellWord(bus.HideUser(r.URL))
	case err != nil || def != r.State:
		example += " --data " + terminal.ShellWord(r.State)
	}
	_, _ = fmt.Fprintf(p.Stdout, "ready %s  try: %s\n", bus.HideUser(r.URL), example)
	for _, d := range r.Status.Degraded {
		p.Note("degraded: " + render.With(d, r.Status.Actions))
	}
}

// nothingWatched tells the way on when no source was named.
func nothingWatched(registered int) string {
	if registered == 0 {
		return "nothing is watched yet: add a folder with `freshet source add PATH`, or name one on the command line"
	}
	return "nothing is watched: the registered sources are kept, but left out of answers, until they are named after `freshet up` or with `freshet source add PATH`; `freshet source list` shows them"
}
