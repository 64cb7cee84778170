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
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/services/watcher"
)

// hookTimeout is how long a hook holds up a push or a commit at most.
const hookTimeout = 500 * time.Millisecond

func newGit(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{Use: "git", Short: "Connect a git repository", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(newInstallHook(p), newGitAnnounce(p))
	return cmd
}

func newInstallHook(p *command.Program) *cobra.Command {
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
			h := &hooks{p, repo}
			var done []watcher.HookChange
			verb := "installed"
			if remove {
				verb = "removed"
				done, err = watcher.RemoveHooks(cmd.Context(), repo)
			} else {
				done, err = h.add(cmd.Context())
			}
			if err == nil && (remove || len(done) > 0) {
				err = errors.Join(err, h.login(cmd.Context(), remove))
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
				p.Note("no hook of freshet was there")
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "take the hooks out again")
	return cmd
}

// hooks are those of one repository.
type hooks struct {
	*command.Program
	repo string // its absolute path
}

func (h *hooks) add(ctx context.Context) ([]watcher.HookChange, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, document.Errorf(document.Unavailable, "the hooks cannot name this program, because its path is unknown: %w", err)
	}
	var flags []string
	if h.NATS != "" {
		flags = append(flags, "--nats", h.NATS)
	}
	if h.Data != "" {
		data, err := filepath.Abs(h.Data)
		if err != nil {
			return nil, document.Errorf(document.InvalidRequest, "the path %s has no absolute form (%w): give it in full", h.Data, err)
		}
		flags = append(flags, "--data", data)
	}
	return watcher.InstallHooks(ctx, h.repo, binary, flags...)
}

// login writes or removes the login with which the hooks announce, for
// those who cannot read the state folder.
func (h *hooks) login(ctx context.Context, remove bool) error {
	if remove {
		_, err := watcher.RemoveHookLogin(ctx, h.repo)
		return err
	}
	r, err := instance.FindRole(h.NATS, h.Data, contract.RoleAnnounce)
	if err != nil {
		h.Note("the hooks announce only for who can read the state folder, because there is no login for others yet: " + render.Error(err))
		return nil // the hooks are installed all the same
	}
	if !r.HasLogin() {
		return nil // everybody is let in
	}
	path, shared, err := watcher.WriteHookLogin(ctx, h.repo, r.WithLogin())
	if err == nil && !shared {
		h.Note("only you can read " + path + ", because you are not in the group of the repository: pushes of others are followed, but not announced")
	}
	return err
}

// dial connects as who announces for a repository: by the login that lies
// in it, else as every command does.
func (h *hooks) dial(ctx context.Context) (*nats.Conn, error) {
	if login := watcher.ReadHookLogin(ctx, h.repo); login != "" {
		if nc, err := instance.Dial(ctx, login, h.Data); err == nil {
			return nc, nil
		}
	}
	return instance.Dial(ctx, h.NATS, h.Data)
}

// gitAnnounce is what the hooks run. It never fails: a commit must not.
func newGitAnnounce(p *command.Program) *cobra.Command {
	var hook, repo string
	cmd := &cobra.Command{
		Use: "announce", Short: "Announce a change of a repository (run by hooks)", Hidden: true, Args: cobra.ArbitraryArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			ctx, cancel := context.WithTimeout(cmd.Context(), hookTimeout)
			defer cancel()
			if repo, err := filepath.Abs(repo); err == nil {
				(&hooks{p, repo}).announce(ctx, hook)
			}
		},
	}
	cmd.Flags().StringVar(&hook, "hook", "", "`name` of the hook")
	cmd.Flags().StringVar(&repo, "repo", ".", "`path` of the repository")
	return cmd
}

func (h *hooks) announce(ctx context.Context, hook string) {
	nc, err := h.dial(ctx)
	if err != nil {
		return // nobody runs: the next start compares the repository anyway
	}
	defer nc.Close()
	// A hook's name tells what happened: post-receive is a push.
	what := strings.TrimPrefix(hook, "post-")
	if what == "receive" || what == "" {
		what = "push"
	}
	req := contract.Announce{Repository: h.repo, Hook: hook}
	reply, err := client.Announce.Ask(ctx, nc, req)
	switch kind := document.KindOf(err); {
	case err == nil:
		_, _ = fmt.Fprintf(h.Stdout, "freshet: %s accepted as %s\n", what, reply.Token)
		remote.Uncovered(h.Program, reply.Unread)
	case kind == document.Deadline:
		_, _ = fmt.Fprintf(h.Stdout, "freshet: %s announced\n", what)
	default:
		h.Complain(render.Error(err))
	}
}
