package remote

import (
	"context"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/named"
	"github.com/freshet-dev/freshet/pkg/render"
)

func newDlq(p *command.Program) *cobra.Command {
	// Without a word behind it, it lists.
	cmd := newDlqList(p)
	cmd.Use, cmd.Short, cmd.Args = "dlq", "List, retry and dismiss documents that a stage gave up on", cobra.NoArgs
	cmd.Long = "dlq lists the dead letters: documents that a stage gave up on, with the reason. They are searched in\n" +
		"no version that failed, and nothing waits for them. After a fix of the file, of the configuration or\n" +
		"of freshet itself, `freshet dlq retry --all` has all of them handled again."
	cmd.AddCommand(newDlqList(p), newDlqShow(p), newDlqRetry(p), newDlqDrop(p))
	return cmd
}

// letterFlags choose dead letters.
type letterFlags struct {
	sources, stages, kinds []string
	json                   bool
}

func (f *letterFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.sources, "source", nil, "only the source of this `name` (may be repeated)")
	cmd.Flags().StringArrayVar(&f.stages, "stage", nil, "only this `stage`: chunker, embedder, indexer-lexical, indexer-vector (may be repeated)")
	cmd.Flags().StringArrayVar(&f.kinds, "kind", nil, "only this `kind` of failure: tries, refused, panic, killed (may be repeated)")
}

// choice is what a command line names: one filter for each source that its
// paths lie in.
type choice struct {
	filters []contract.DeadFilter
	places  render.Places
}

// choose turns flags and paths into filters. A path is one on disk, a
// source:path, or a path or glob within any source.
func (f *letterFlags) choose(ctx context.Context, nc *nats.Conn, args []string, past bool) (choice, error) {
	c := choice{places: PlacesOf(ctx, nc)}
	base := contract.DeadFilter{Past: past}
	var err error
	if base.Sources, err = document.ParseSources(f.sources); err != nil {
		return c, err
	}
	for _, s := range f.stages {
		base.Stages = append(base.Stages, contract.Stage(s))
	}
	for _, k := range f.kinds {
		base.Kinds = append(base.Kinds, contract.FailureKind(k))
	}
	if len(args) == 0 {
		c.filters = []contract.DeadFilter{base}
		return c, nil
	}
	at := map[document.Source]int{}
	for _, arg := range args {
		source, path, err := named.Within(c.places.Sources, arg)
		if err != nil {
			return c, err
		}
		i, known := at[source]
		if !known {
			filter := base
			if source != "" {
				if len(base.Sources) > 0 && !slices.Contains(base.Sources, source) {
					return c, document.Errorf(document.InvalidRequest, "%s lies in the source %s, which --source leaves out: leave one of them away", arg, source)
				}
				filter.Sources = []document.Source{source}
			}
			i = len(c.filters)
			at[source], c.filters = i, append(c.filters, filter)
		}
		c.filters[i].Paths = append(c.filters[i].Paths, path)
	}
	return c, nil
}
