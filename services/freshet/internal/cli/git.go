package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/services/freshet/internal/render"
	"github.com/freshet-dev/freshet/services/watcher"
)

// hookTimeout is how long a hook holds up a push or a commit at most.
const hookTimeout = 500 * time.Millisecond

func (p *Program) git() *cobra.Command {
	cmd := &cobra.Command{Use: "git", Short: "Connect a git repository", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(p.installHook(), p.gitAnnounce())
	return cmd
}

func (p *Program) installHook() *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:     "install-hook REPO",
		Example: "  freshet git install-hook ~/src/api\n  freshet git install-hook /srv/git/team.git --remove",
		Short:   "Make a repository announce pushes, commits and checkouts at once",
		Long: "install-hook adds a block to the hooks post-receive, post-commit, post-checkout, post-merge and\n" +
			"post-rewrite. They announce the change, wait at most 500 ms for its token, and never fail.\n" +
			"Hooks that are there run on; core.hooksPath is respected. Repositories are followed without\n" +
			"hooks, too; a hook only tells the token. The hooks find the instance by --nats or --data as given here, and\n" +
			"for other users by a login that may only announce: the file freshet-announce in the repository's own\n" +
			"folder, readable by its group.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			repo, err := filepath.Abs(args[0])
			if err != nil {
				return document.Errorf(document.InvalidRequest, "the path %s has no absolute form (%w): give it in full", args[0], err)
			}
			var done []watcher.HookChange
			verb := "installed"
			if remove {
				verb = "removed"
				done, err = watcher.RemoveHooks(cmd.Context(), repo)
			} else {
				done, err = p.addHooks(cmd.Context(), repo)
			}
			if err == nil && (remove || len(done) > 0) {
				err = errors.Join(err, p.hookLogin(cmd.Context(), repo, remove))
			}
			for _, c := range done {
				kept := ""
				if c.Kept {
					kept = " (your own hook stays)"
				}
				if _, werr := fmt.Fprintf(p.Stdout, "%s %s in %s%s\n", verb, c.Name, c.Path, kept); werr != nil {
					return werr
				}
			}
			if err == nil && len(done) == 0 {
				p.note("no hook of freshet was there")
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "take the hooks out again")
	return cmd
}

func (p *Program) addHooks(ctx context.Context, repo string) ([]watcher.HookChange, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, document.Errorf(document.Unavailable, "the hooks cannot name this program, because its path is unknown: %w", err)
	}
	var flags []string
	if p.nats != "" {
		flags = append(flags, "--nats", p.nats)
	}
	if p.data != "" {
		data, err := filepath.Abs(p.data)
		if err != nil {
			return nil, document.Errorf(document.InvalidRequest, "the path %s has no absolute form (%w): give it in full", p.data, err)
		}
		flags = append(flags, "--data", data)
	}
	return watcher.InstallHooks(ctx, repo, binary, flags...)
}

// hookLogin writes or removes the login with which the hooks announce, for
// those who cannot read the state folder.
func (p *Program) hookLogin(ctx context.Context, repo string, remove bool) error {
	if remove {
		_, err := watcher.RemoveHookLogin(ctx, repo)
		return err
	}
	r, err := instance.FindRole(p.nats, p.data, contract.RoleAnnounce)
	if err != nil {
		p.note("the hooks announce only for who can read the state folder, because there is no login for others yet: " + render.Error(err))
		return nil // the hooks are installed all the same
	}
	if !r.HasLogin() {
		return nil // everybody is let in
	}
	path, shared, err := watcher.WriteHookLogin(ctx, repo, r.WithLogin())
	if err == nil && !shared {
		p.note("only you can read " + path + ", because you are not in the group of the repository: pushes of others are followed, but not announced")
	}
	return err
}

// dialHook connects as who announces for a repository: by the login that lies
// in it, else as every command does.
func (p *Program) dialHook(ctx context.Context, repo string) (*nats.Conn, error) {
	if login := watcher.ReadHookLogin(ctx, repo); login != "" {
		if nc, err := instance.Dial(ctx, login, p.data); err == nil {
			return nc, nil
		}
	}
	return instance.Dial(ctx, p.nats, p.data)
}

// gitAnnounce is what the hooks run. It never fails: a commit must not.
func (p *Program) gitAnnounce() *cobra.Command {
	var hook, repo string
	cmd := &cobra.Command{
		Use: "announce", Short: "Announce a change of a repository (run by hooks)", Hidden: true, Args: cobra.ArbitraryArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			ctx, cancel := context.WithTimeout(cmd.Context(), hookTimeout)
			defer cancel()
			p.announce(ctx, hook, repo)
		},
	}
	cmd.Flags().StringVar(&hook, "hook", "", "`name` of the hook")
	cmd.Flags().StringVar(&repo, "repo", ".", "`path` of the repository")
	return cmd
}

func (p *Program) announce(ctx context.Context, hook, repo string) {
	repo, err := filepath.Abs(repo)
	if err != nil {
		return
	}
	nc, err := p.dialHook(ctx, repo)
	if err != nil {
		return // nobody runs: the next start compares the repository anyway
	}
	defer nc.Close()
	// A hook's name tells what happened: post-receive is a push.
	what := strings.TrimPrefix(hook, "post-")
	if what == "receive" || what == "" {
		what = "push"
	}
	req := contract.Announce{Repository: repo, Hook: hook}
	reply, err := client.Announce.Ask(ctx, nc, req)
	switch kind := document.KindOf(err); {
	case err == nil:
		_, _ = fmt.Fprintf(p.Stdout, "freshet: %s accepted as %s\n", what, reply.Token)
		p.uncovered(reply.Unread)
	case kind == document.Deadline:
		_, _ = fmt.Fprintf(p.Stdout, "freshet: %s announced\n", what)
	default:
		p.complain(render.Error(err))
	}
}
