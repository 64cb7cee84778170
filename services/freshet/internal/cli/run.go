package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet/internal/render"
)

// Exit codes.
const (
	ExitDone        = process.ExitDone
	ExitNoHits      = 1 // of search, grep and files, and of explain for what is not searchable
	ExitBroken      = 1 // of vulture only
	ExitDifferent   = 1 // of verify: differences are left
	ExitIncomplete  = 3 // of verify: nothing differs, but not everything was compared
	ExitBelow       = 1 // of eval: a figure is below its floor
	ExitError       = process.ExitError
	ExitInterrupted = process.ExitInterrupted
)

// drainLimit is how long a command may take to end after the first signal;
// the state starts again after a hard end as well. Containers are commonly given
// ten seconds to end, and an end takes a fraction of one on a quiet machine.
const drainLimit = 9 * time.Second

// errNoHits makes search, grep and files exit with ExitNoHits without a message.
var errNoHits = errors.New("no hits")

// errBroken makes vulture exit with ExitBroken without a message.
var errBroken = errors.New("a promise was broken")

// errDifferent makes verify exit with ExitDifferent without a message.
var errDifferent = errors.New("differences are left")

// errIncomplete makes verify exit with ExitIncomplete without a message.
var errIncomplete = errors.New("not everything was compared")

// Program is what commands share.
type Program struct {
	Stdin          *os.File
	Stdout, Stderr *os.File

	nats, data string // the flags that find the running instance
}

// Run executes one command line and returns the exit code. The first
// interrupt or termination signal ends the command's context; a second one, or
// a drain that takes too long, ends Run at once.
func Run(args []string, stdin, stdout, stderr *os.File) int {
	p := &Program{Stdin: stdin, Stdout: stdout, Stderr: stderr}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	done := make(chan int, 1)
	go func() { done <- p.execute(ctx, args) }()
	return p.attend(done, signals, cancel, func() <-chan time.Time { return time.After(drainLimit) })
}

// attend waits for the command's exit code. limit is called at the first
// signal; the command is given up when it fires, or at the second signal.
func (p *Program) attend(done <-chan int, signals <-chan os.Signal, cancel func(), limit func() <-chan time.Time) int {
	code, tooLong := process.Attend(done, signals, cancel, limit)
	if tooLong {
		p.complain("freshet did not end within " + drainLimit.String() + " and was cut off; nothing is lost, the next start takes up what is left")
	}
	return code
}

func (p *Program) execute(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, errNoHits):
		return ExitNoHits
	case errors.Is(err, errBroken):
		return ExitBroken
	case errors.Is(err, errDifferent):
		return ExitDifferent
	case errors.Is(err, errIncomplete):
		return ExitIncomplete
	case errors.Is(err, errUnsearched):
		return ExitError
	case errors.Is(err, errBelow):
		return ExitBelow
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return ExitInterrupted
	}
	p.complain(render.Error(err))
	return ExitError
}

// complain writes an error for a person.
func (p *Program) complain(sentence string) {
	for line := range strings.Lines(sentence) {
		_, _ = fmt.Fprintln(p.Stderr, "freshet: "+terminal.PrintableLines(strings.TrimRight(line, "\n")))
	}
}

func (p *Program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "freshet",
		Short: "Search code and documents that change all the time",
		Long: "freshet keeps a hybrid index (BM25 and vectors) in step with folders and git repositories.\n" +
			"`freshet up PATH` runs it; the other commands find the running instance by --nats URL,\n" +
			"by the environment variable FRESHET_NATS_URL, or by its state folder --data DIR, in this order.",
		Version:       process.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().StringVar(&p.nats, "nats", "", "`URL` of the NATS server of the running instance; with up: of an external server to use")
	root.PersistentFlags().StringVar(&p.data, "data", "", "state `folder` (default: the user's state folder for freshet)")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w: see `%s --help`", err, cmd.CommandPath())
	})
	root.AddCommand(p.up(), p.stop(), p.service(), p.search(), p.grep(), p.files(), p.read(), p.outline(), p.context(), p.lease(), p.explain(), p.status(), p.verify(), p.plan(), p.token(), p.changes(), p.open(), p.put(), p.delete(), p.source(), p.index(), p.dlq(), p.log(), p.git(), p.vulture(), p.eval(), p.train(), p.feedback(), p.mcp(), p.agent(), p.configuration(), p.connection(), p.version(), p.parserChild())
	root.SetVersionTemplate(versionLine())
	explainArguments(root)
	p.complete(root)
	return root
}

func (p *Program) style() terminal.Style { return terminal.StyleFor(p.Stdout) }
