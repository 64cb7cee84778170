package remote

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/giturl"
	"github.com/freshet-dev/freshet/pkg/render"
)

func newToken(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "token [PATH…]",
		Short: "Print a token that covers everything accepted so far",
		Long: "token prints a token for `freshet search --token`: the answer then is at least as fresh.\n" +
			"With paths it looks at them now, and the token covers what it saw, deleted files included.\n" +
			"With the address of a repository that is followed, that is fetched first.",
		Example: "  echo hello > notes.md && freshet search hello --token $(freshet token notes.md)",
		RunE: func(cmd *cobra.Command, args []string) error {
			var seen contract.Announce
			var err error
			switch {
			case len(args) == 1 && giturl.Is(args[0]):
				seen.Repository = args[0]
			default:
				seen.Paths, err = absolute(args)
			}
			if err != nil {
				return err
			}
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			var token document.Token
			if len(args) == 0 {
				list, lerr := client.Sources.Ask(cmd.Context(), nc, client.None)
				token, err = list.Token, lerr
			} else {
				reply, aerr := client.Announce.Ask(cmd.Context(), nc, seen)
				token, err = reply.Token, aerr
				Uncovered(p, reply.Unread)
			}
			if err != nil {
				return err
			}
			if token.IsZero() {
				return document.Errorf(document.NotFound, "nothing has been accepted yet, so there is no token: add a folder with `freshet source add PATH`")
			}
			if _, err := fmt.Fprintln(p.Stdout, token); err != nil {
				return fmt.Errorf("write the token: %w", err)
			}
			return nil
		},
	}
}

// Uncovered says which documents a token does not cover.
func Uncovered(p *command.Program, u *contract.Unread) {
	if u == nil {
		return
	}
	for _, line := range render.Unread(*u) {
		p.Note("not covered: " + line)
	}
}

// absolute returns the absolute form of paths, which may be gone by now: that
// is a change, too.
func absolute(paths []string) ([]string, error) {
	out := make([]string, len(paths))
	for i, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, document.Errorf(document.InvalidRequest, "the path %s has no absolute form (%w): give it in full", path, err)
		}
		out[i] = abs
	}
	return out, nil
}
