package cli

import (
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/giturl"
	"github.com/freshet-dev/freshet/pkg/render"
)

func newSource(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{Use: "source", Short: "List, add and remove sources of the running instance", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(newSourceList(p), newSourceAdd(p), newSourceRemove(p))
	return cmd
}

func newSourceList(p *command.Program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the registered sources", Args: cobra.NoArgs,
		Long: "list prints the registered sources: name, root, kind (folder, worktree, bare, api), view and branch, documents,\n" +
			"and whether it is watched.",
		Example: "  freshet source list\n  freshet source list --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return remote.Once(cmd.Context(), p, client.Sources, client.None, asJSON, func(list contract.SourceList) error {
				return render.Sources(p.Stdout, p.Style(), list.Sources)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the reply as it came over NATS")
	return cmd
}

func newSourceAdd(p *command.Program) *cobra.Command {
	var name, branch, api string
	var exclude []string
	var accept bool
	cmd := &cobra.Command{
		Use: "add [PATH or ADDRESS]", Short: "Watch a folder or git repository, here or elsewhere, or take documents by request", Args: cobra.MaximumNArgs(1),
		Long: "add watches PATH, a folder or git repository, from now on until the instance ends, and prints the list of\n" +
			"sources. The ADDRESS of a repository on another machine (https, ssh, git, USER@HOST:PATH) is fetched with git,\n" +
			"its keys and credential helpers, now and every watcher.fetch (5m), until the source is removed.\n" +
			"One that is larger than the limits is asked about on a terminal, and an error elsewhere. With --api\n" +
			"there is no path: documents come by `freshet put`, or by requests on freshet.files.put, and the source stays\n" +
			"until it is removed. For a source that is watched already, --exclude replaces what it left out so far: what\n" +
			"is left out now goes from the index, and what is not any more is read; an empty one takes all back.",
		Example: "  freshet source add ~/notes --name notes\n  freshet source add /srv/git/team.git --branch release\n  freshet source add https://github.com/nats-io/nats.go\n  freshet source add ~/notes --exclude \"*.log\"\n  freshet source add --api tickets",
		RunE: func(cmd *cobra.Command, args []string) error {
			var req contract.SourceAdd
			var err error
			switch {
			case api != "" && (len(args) > 0 || name != "" || branch != "" || len(exclude) > 0):
				return document.Errorf(document.InvalidRequest, "--api gives a source that has a name alone: leave the path, --name, --branch and --exclude out")
			case api != "":
				req.Kind = contract.SourceAPI
				req.Source, err = document.ParseSource(api)
			case len(args) == 0:
				return remote.WrongArguments(cmd, args)
			default:
				req, err = sourceRequest(p, args[0], name, branch)
			}
			if err == nil && cmd.Flags().Changed("exclude") {
				req.Exclude, err = excludes(exclude)
			}
			if err != nil {
				return err
			}
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			req.Accept = accept
			if req.Remote != "" {
				p.Note("fetching " + req.Remote)
			}
			list, err := addSource(cmd.Context(), p, nc, req)
			if err != nil {
				return err
			}
			return render.Sources(p.Stdout, p.Style(), list.Sources)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "`name` of the source (default: made from the path)")
	cmd.Flags().BoolVar(&accept, "accept", false, "index it although it is larger than the limits")
	cmd.Flags().StringVar(&branch, "branch", "", "`branch` to follow in a bare repository, or of an address (default: its default branch)")
	cmd.Flags().StringArrayVar(&exclude, "exclude", nil, excludeUsage)
	cmd.Flags().StringVar(&api, "api", "", "instead of a path: a source of this `name` whose documents come by 'freshet put', or freshet.files.put")
	return cmd
}

// sourceRequest checks on this side what only this side can see well.
func sourceRequest(p *command.Program, path, name, branch string) (contract.SourceAdd, error) {
	req := contract.SourceAdd{Branch: branch}
	var err error
	if giturl.Is(path) {
		req.Remote, err = path, giturl.Check(path)
	} else {
		req.Root, err = locate(p, path)
	}
	if err != nil {
		return contract.SourceAdd{}, err
	}
	if name != "" {
		if req.Source, err = document.ParseSource(name); err != nil {
			return contract.SourceAdd{}, err
		}
	}
	return req, nil
}

func newSourceRemove(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Forget a source and everything indexed of it; its files stay", Args: cobra.ExactArgs(1),
		Long: "Forget a source and everything indexed of it; its files stay. What is removed is overwritten\n" +
			"in the files of the state folder before the command ends, which then says what that was.",
		Example: "  freshet source remove notes",
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := document.ParseSource(args[0])
			if err != nil {
				return err
			}
			nc, err := p.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			list, err := client.RemoveSource.Ask(cmd.Context(), nc, contract.SourceRemove{Source: source})
			if err != nil {
				return err
			}
			if list.Receipt != nil {
				if err := render.Receipt(p.Stdout, p.Style(), *list.Receipt); err != nil {
					return err
				}
			}
			return render.Sources(p.Stdout, p.Style(), list.Sources)
		},
	}
}
