package cli

import (
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/freshet/internal/render"
)

func (p *Program) source() *cobra.Command {
	cmd := &cobra.Command{Use: "source", Short: "List, add and remove sources of the running instance", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(p.sourceList(), p.sourceAdd(), p.sourceRemove())
	return cmd
}

func (p *Program) sourceList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the registered sources", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			nc, err := p.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			raw, list, err := ask[struct{}, contract.SourceList](cmd.Context(), nc, contract.SubjectSourcesList, struct{}{}, askTimeout)
			if err != nil {
				return err
			}
			if asJSON {
				return p.printJSON(raw)
			}
			return render.Sources(p.Stdout, p.style(), list.Sources)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the reply as it came over NATS")
	return cmd
}

func (p *Program) sourceAdd() *cobra.Command {
	var name, branch, api string
	var accept bool
	cmd := &cobra.Command{
		Use: "add [PATH]", Short: "Watch a folder or git repository, or take documents by request", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var req contract.SourceAdd
			var err error
			switch {
			case api != "" && (len(args) > 0 || name != "" || branch != ""):
				return document.Errorf(document.InvalidRequest, "--api gives a source that has a name alone: leave the path, --name and --branch out")
			case api != "":
				req.Kind = contract.SourceAPI
				req.Source, err = document.ParseSource(api)
			case len(args) == 0:
				return wrongArguments(cmd, args)
			default:
				req, err = p.sourceRequest(args[0], name, branch)
			}
			if err != nil {
				return err
			}
			nc, err := p.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			req.Accept = accept
			list, err := p.addSource(cmd.Context(), nc, req)
			if err != nil {
				return err
			}
			return render.Sources(p.Stdout, p.style(), list.Sources)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the source (default: made from the path)")
	cmd.Flags().BoolVar(&accept, "accept", false, "index it although it is larger than the limits")
	cmd.Flags().StringVar(&branch, "branch", "", "branch to follow in a bare repository (default: its default branch)")
	cmd.Flags().StringVar(&api, "api", "", "instead of a path: a source of this `name` whose documents come by `freshet put`, or freshet.files.put")
	return cmd
}

// sourceRequest checks on this side what only this side can see well.
func (p *Program) sourceRequest(path, name, branch string) (contract.SourceAdd, error) {
	root, err := p.locate(path)
	if err != nil {
		return contract.SourceAdd{}, err
	}
	req := contract.SourceAdd{Root: root, Branch: branch}
	if name != "" {
		if req.Source, err = document.ParseSource(name); err != nil {
			return contract.SourceAdd{}, err
		}
	}
	return req, nil
}

func (p *Program) sourceRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Forget a source and everything indexed of it; its files stay", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := document.ParseSource(args[0])
			if err != nil {
				return err
			}
			nc, err := p.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer nc.Close()
			_, list, err := ask[contract.SourceRemove, contract.SourceList](cmd.Context(), nc, contract.SubjectSourcesRemove, contract.SourceRemove{Source: source}, compareTimeout)
			if err != nil {
				return err
			}
			return render.Sources(p.Stdout, p.style(), list.Sources)
		},
	}
}
