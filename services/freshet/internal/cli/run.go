package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/checks/vulture/flight"
	"github.com/freshet-dev/freshet/lab/commands"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// Exit codes. Those that a command ends with to say something are in package
// command.
const (
	ExitDone        = process.ExitDone
	ExitError       = process.ExitError
	ExitInterrupted = process.ExitInterrupted
)

// drainLimit is how long a command may take to end after the first signal;
// the state starts again after a hard end as well. Containers are commonly given
// ten seconds to end, and an end takes a fraction of one on a quiet machine.
const drainLimit = 9 * time.Second

// Run executes one command line and returns the exit code. The first
// interrupt or termination signal ends the command's context; a second one, or
// a drain that takes too long, ends Run at once.
func Run(args []string, stdin, stdout, stderr *os.File) int {
	p := &command.Program{Stdin: stdin, Stdout: stdout, Stderr: stderr}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	done := make(chan int, 1)
	go func() { done <- execute(ctx, p, args) }()
	return attend(p, done, signals, cancel, func() <-chan time.Time { return time.After(drainLimit) })
}

// attend waits for the command's exit code. limit is called at the first
// signal; the command is given up when it fires, or at the second signal.
func attend(p *command.Program, done <-chan int, signals <-chan os.Signal, cancel func(), limit func() <-chan time.Time) int {
	code, tooLong := process.Attend(done, signals, cancel, limit)
	if tooLong {
		p.Complain("freshet did not end within " + drainLimit.String() + " and was cut off; nothing is lost, the next start takes up what is left")
	}
	return code
}

func execute(ctx context.Context, p *command.Program, args []string) int {
	root := newRoot(p)
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(rpc.Through(ctx, contract.WayCommand))
	var end command.Exit
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &end):
		return int(end)
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return ExitInterrupted
	}
	p.Complain(render.Error(err))
	return ExitError
}

func newRoot(p *command.Program) *cobra.Command {
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
	root.PersistentFlags().StringVar(&p.NATS, "nats", "", "`URL` of the NATS server of the running instance; with up: of an external server to use")
	root.PersistentFlags().StringVar(&p.Data, "data", "", "state `folder` (default: the user's state folder for freshet)")
	root.SetFlagErrorFunc(remote.WrongFlag)
	root.AddCommand(newUp(p), newStop(p), newService(p), newPlan(p), newOpen(p), newSource(p), newIndex(p), newGit(p), flight.Command(p), commands.Eval(p), commands.Train(p), newFeedback(p), newMcp(p), newAgent(p), newConfiguration(p), remote.NewEmbedder(p, newEmbedderSet(p)), newModel(p), newExport(p), newVersion(p), newParserChild(p))
	root.AddCommand(remote.Commands(p, apart())...)
	root.SetVersionTemplate(versionLine())
	remote.ExplainArguments(root)
	remote.Complete(p, root)
	return root
}
