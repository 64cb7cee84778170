package cli

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/named"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet/internal/render"
)

// about are the flags of a command about one document or folder.
type about struct {
	json          bool
	view          string
	token, commit string
	deadline      time.Duration
}

func (f *about) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print the reply as it came over NATS")
	flags.StringVar(&f.view, "view", "", "`view` of the source, such as a branch (default: the work tree, else the first by name)")
	flags.StringVar(&f.token, "token", "", "wait for this `token`; everything accepted so far is there without")
	flags.StringVar(&f.commit, "commit", "", "wait until this git `commit` of a source is there: HEAD or any revision of the repository around the current folder, or an id")
	flags.DurationVar(&f.deadline, "deadline", 0, "`time` for the answer, such as 500ms (default 2s)")
}

// checked returns the commit and the deadline in milliseconds.
func (f *about) checked(cmd *cobra.Command) (commit string, deadline int, err error) {
	if cmd.Flags().Changed("deadline") {
		if f.deadline < time.Millisecond {
			return "", 0, document.Errorf(document.InvalidRequest, "the deadline is %s: give at least 1ms", f.deadline)
		}
		deadline = int(f.deadline.Milliseconds())
	}
	commit, err = commitOf(cmd.Context(), f.commit)
	return commit, deadline, err
}

type readFlags struct {
	about
	limit   int
	columns int
	numbers bool
	lease   string
}

func (p *Program) read() *cobra.Command {
	var f readFlags
	cmd := &cobra.Command{
		Use:   "read PATH[:FROM[-TO]]",
		Short: "Print lines of a document",
		Long: "read prints lines of an indexed document as the log has them: what was accepted is there at once.\n" +
			"PATH is a file here, or SOURCE:PATH; FROM and TO are lines, from 1: `:40` begins there, `:40-80` ends there.\n" +
			"What is printed is what the document has, but for the end of long lines, and on a terminal for what would steer it.",
		Example: "  freshet read pkg/client.go\n" +
			"  freshet read pkg/client.go:40-80\n" +
			"  freshet read notes:diary/monday.md -n",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.runRead(cmd, f, args[0]) },
	}
	f.register(cmd)
	cmd.Flags().IntVar(&f.limit, "limit", 10000, "`number` of lines to print, 1 to 10,000")
	cmd.Flags().IntVar(&f.columns, "max-columns", 65536, "`number` of bytes to print of one line, 1 to 65,536")
	cmd.Flags().StringVar(&f.lease, "lease", "", leaseUsage)
	cmd.Flags().BoolVarP(&f.numbers, "line-number", "n", false, "print the number of each line before it")
	return cmd
}

// mostRead is as much text as one answer holds.
const mostRead = 512 << 10

func (p *Program) runRead(cmd *cobra.Command, f readFlags, arg string) error {
	if f.limit < 1 || f.columns < 1 {
		return document.Errorf(document.InvalidRequest, "--limit and --max-columns count from 1")
	}
	path, from, to, err := named.Lines(arg)
	if err != nil {
		return err
	}
	req := contract.ReadRequest{
		View: document.View(f.view), From: from, To: to, Limit: f.limit, LineBytes: f.columns, MaxBytes: mostRead, Token: f.token, Lease: f.lease,
	}
	if req.Commit, req.DeadlineMS, err = f.checked(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	nc, err := p.dial(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	places := p.places(ctx, nc)
	if req.Source, req.Path, err = named.Document(places.Sources, path); err != nil {
		return err
	}
	if f.json {
		raw, _, err := client.Read.Raw(ctx, nc, req)
		if err != nil {
			return err
		}
		return p.printJSON(raw)
	}
	return p.printLines(ctx, nc, f, req, places)
}

// printLines prints what is asked for, in as many answers as it takes: those that
// follow the first are of the same text, or the command says that they are not.
func (p *Program) printLines(ctx context.Context, nc *nats.Conn, f readFlags, req contract.ReadRequest, places render.Places) error {
	left := f.limit
	var first document.Hash
	for {
		req.Limit = left
		reply, err := client.Read.Ask(ctx, nc, req)
		if err != nil {
			return err
		}
		if first == "" {
			first = reply.Hash
		} else if first != reply.Hash {
			return document.Errorf(document.Conflict, "%s changed while it was read, before line %d: read it again", places.Path(reply.Source, reply.Path), reply.From)
		}
		if err := render.Lines(p.Stdout, p.style(), terminal.IsTerminal(p.Stdout), f.numbers, reply); err != nil {
			return err
		}
		if err := render.LeaseNotes(p.Stderr, terminal.StyleFor(p.Stderr), places, reply.Lease); err != nil {
			return err
		}
		if reply.Lease != nil {
			req.Lease = reply.Lease.Lease // of the answers that follow, too
		}
		more := reply.Next
		if left -= reply.To - reply.From + 1; left > 0 && more > 0 {
			req.From, reply.Next, reply.Pending, reply.Degraded = more, 0, false, nil // the last says these
		}
		if err := render.ReadNotes(p.Stderr, terminal.StyleFor(p.Stderr), places, reply); err != nil || left <= 0 || more == 0 {
			return err
		}
	}
}
