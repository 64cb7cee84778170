package remote

import (
	"context"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Reload has a running instance read its configuration again.
type Reload struct {
	Yes, Wait, JSON bool
	// File is the configuration that was written; "" where nobody knows.
	File string
}

// Add adds the flags.
func (r *Reload) Add(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&r.Yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&r.Wait, "wait", false, "wait until it answers; on a terminal it does so anyway")
	cmd.Flags().BoolVar(&r.JSON, "json", false, "print the last reply as it came over NATS")
}

// NewReload is the command that does it.
func NewReload(p *command.Program) *cobra.Command {
	var r Reload
	cmd := &cobra.Command{
		Use:   "reload",
		Short: "Have the running instance read its configuration again",
		Long: "reload has what the configuration says of passages and vectors (chunker, embedder, collections) hold from here\n" +
			"on, without a restart. It says first what is to be built and what that takes, and asks on a terminal. What was\n" +
			"there before answers meanwhile, and follows changes. Other keys hold from the next start on; it names those.\n" +
			"Where each service is a process of its own, give all the new configuration instead.",
		Example: "  freshet config reload\n  freshet config reload --yes --wait",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			_, err = r.Run(cmd.Context(), p, nc)
			return err
		},
	}
	r.Add(cmd)
	return cmd
}

// Run tells what it takes, asks, and has it done. taken is false where somebody has said
// no, or the instance has; it is true where its answer did not come, since it
// may have begun.
func (r *Reload) Run(ctx context.Context, p *command.Program, nc *nats.Conn) (taken bool, err error) {
	raw, told, err := client.Reload.Raw(ctx, nc, contract.ReloadRequest{})
	if err != nil {
		return false, err
	}
	for _, sentence := range render.ReloadTakes(told) {
		p.Note(sentence)
	}
	if r.File != "" && told.File != "" && told.File != r.File {
		p.Note("the running instance reads " + told.File + ", not " + r.File + ": write it there, or start it with `freshet up --config " + terminal.ShellWord(r.File) + "`")
	}
	switch {
	case len(told.Taken) == 0:
		if r.JSON {
			return true, p.PrintJSON(raw)
		}
		return true, nil
	case r.Yes || len(told.Changes) == 0:
	case !p.CanAsk():
		return false, document.Errorf(document.InvalidRequest, "nobody is here to be asked: add --yes")
	case !p.Agree(ctx, "Build it beside what answers?"):
		p.Note("nothing is changed")
		return false, nil
	}
	begun, now, err := client.Reload.Raw(ctx, nc, contract.ReloadRequest{Do: contract.ReloadBegin})
	switch {
	case err == nil:
		raw, told = begun, now
	case r.Wait && len(told.Changes) > 0 && lost(err) && ctx.Err() == nil: // the next start goes on with what was told
	default:
		return ctx.Err() != nil || document.KindOf(err) == document.Deadline || lost(err), err
	}
	return true, r.follow(ctx, p, nc, raw, told)
}

// follow tells how far it is until what is configured answers.
func (r *Reload) follow(ctx context.Context, p *command.Program, nc *nats.Conn, raw []byte, told contract.ReloadReply) error {
	switch {
	case len(told.Changes) == 0:
		p.Note("it holds from here on")
	case !r.Wait && !p.Live().There():
		p.Note("it is under way: `freshet reindex status` tells how far it is")
	default:
		_, far, err := follow(ctx, p, nc)
		if err != nil {
			return err
		}
		if far.Serving != told.Build {
			return document.Errorf(document.Conflict, "answers are made of the index %s, not of %s: the configuration was changed once more meanwhile", far.Serving, told.Build).Do(document.DoReindexTell)
		}
		p.Note("it answers")
	}
	if r.JSON {
		return p.PrintJSON(raw)
	}
	return nil
}
