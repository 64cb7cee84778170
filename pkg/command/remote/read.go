package remote

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/named"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
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
	if deadline, err = deadlineOf(cmd, f.deadline); err != nil {
		return "", 0, err
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

type readCommand struct {
	*command.Program
	readFlags
}

func newRead(p *command.Program) *cobra.Command {
	c := &readCommand{Program: p}
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
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0]) },
	}
	c.register(cmd)
	cmd.Flags().IntVar(&c.limit, "limit", 10000, "`number` of lines to print, 1 to 10,000")
	cmd.Flags().IntVar(&c.columns, "max-columns", 65536, "`number` of bytes to print of one line, 1 to 65,536")
	cmd.Flags().StringVar(&c.lease, "lease", "", leaseUsage)
	cmd.Flags().BoolVarP(&c.numbers, "line-number", "n", false, "print the number of each line before it")
	return cmd
}

// mostRead is as much text as one answer holds.
const mostRead = 512 << 10

func (c *readCommand) run(cmd *cobra.Command, arg string) error {
	if c.limit < 1 || c.columns < 1 {
		return document.Errorf(document.InvalidRequest, "--limit and --max-columns count from 1")
	}
	path, from, to, err := named.Lines(arg)
	if err != nil {
		return err
	}
	req := contract.ReadRequest{
		View: document.View(c.view), From: from, To: to, Limit: c.limit, LineBytes: c.columns, MaxBytes: mostRead, Token: c.token, Lease: c.lease,
	}
	if req.Commit, req.DeadlineMS, err = c.checked(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	nc, err := c.Dial(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	places := PlacesOf(ctx, nc)
	if req.Source, req.Path, err = named.Document(places.Sources, path); err != nil {
		return err
	}
	if c.json {
		raw, _, err := client.Read.Raw(ctx, nc, req)
		if err != nil {
			return err
		}
		return c.PrintJSON(raw)
	}
	return c.lines(ctx, nc, req, places)
}

// lines prints what is asked for, in as many answers as it takes: those that
// follow the first are of the same text, or the command says that they are not.
func (c *readCommand) lines(ctx context.Context, nc *nats.Conn, req contract.ReadRequest, places render.Places) error {
	left := c.limit
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
		if err := render.Lines(c.Stdout, c.Style(), terminal.IsTerminal(c.Stdout), c.numbers, reply); err != nil {
			return err
		}
		if err := render.LeaseNotes(c.Stderr, terminal.StyleFor(c.Stderr), places, reply.Lease); err != nil {
			return err
		}
		if reply.Lease != nil {
			req.Lease = reply.Lease.Lease // of the answers that follow, too
		}
		more := reply.Next
		if left -= reply.To - reply.From + 1; left > 0 && more > 0 {
			req.From, reply.Next, reply.Pending, reply.Degraded = more, 0, false, nil // the last says these
		}
		if err := render.ReadNotes(c.Stderr, terminal.StyleFor(c.Stderr), places, reply); err != nil || left <= 0 || more == 0 {
			return err
		}
	}
}
