package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet/internal/export"
)

// exportSettle is how long what is pending is waited for, unless a flag says otherwise.
const exportSettle = time.Minute

func newExport(p *command.Program) *cobra.Command {
	var w export.Wanted
	var format string
	var sources []string
	cmd := &cobra.Command{
		Use: "export FOLDER", Short: "Write documents, passages, symbols, references, roles and rules into files", Args: cobra.ExactArgs(1),
		Long: "export writes what is indexed into a new folder: a file of lines of JSON for each kind (--format jsonl), or CSV with\n" +
			"the headers of Neo4j's importer and import.sh, which calls that (--format neo4j). It is one state of the log, whatever\n" +
			"changes meanwhile: export.json names its token. Who asks gets what they may see; roles, keys and rules the owner alone.\n" +
			"It exits 0, 2 on an error, and 2, with everything written, where passages are not there yet at the deadline.",
		Example: "  freshet export ./out\n  freshet export ./graph --format neo4j --source api && sh ./graph/import.sh neo4j",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(export.Formats, export.Format(format)) {
				return document.Errorf(document.InvalidRequest, "--format is %s: choose jsonl or neo4j", format)
			}
			if w.Settle < 0 {
				return document.Errorf(document.InvalidRequest, "the deadline is %s: give 0s or more", w.Settle)
			}
			var err error
			if w.Filter.Sources, err = document.ParseSources(sources); err != nil {
				return err
			}
			return runExport(cmd, p, args[0], export.Format(format), w)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&format, "format", string(export.JSONL), "`name` of what is written: jsonl, neo4j")
	flags.StringArrayVar(&sources, "source", nil, "only the source of this `name` (may be repeated)")
	flags.StringArrayVar(&w.Filter.Languages, "lang", nil, "only this `language` (may be repeated)")
	flags.StringArrayVar(&w.Filter.Paths, "path", nil, "only this `path` of the sources, a folder, file or glob (may be repeated)")
	flags.StringVar(&w.Token, "token", "", "write what is at least as new as this `token`; everything accepted so far is written without")
	flags.DurationVar(&w.Settle, "deadline", exportSettle, "`time` for what is still on its way when the rest was read")
	return cmd
}

func runExport(cmd *cobra.Command, p *command.Program, folder string, format export.Format, w export.Wanted) error {
	nc, err := p.Dial(cmd.Context())
	if err != nil {
		return err
	}
	defer nc.Close()
	live := p.Live()
	defer live.Clear()
	w.Show = func(done, of int) {
		live.Sometimes(func() string {
			return fmt.Sprintf("exporting  %s of %s", terminal.Count(done), terminal.Plural(of, "document", "documents"))
		})
	}
	sum, err := export.Run(cmd.Context(), nc, folder, format, w)
	live.Clear()
	if err != nil {
		return err
	}
	said := fmt.Sprintf("%s, %s, %s, %s, in the state %s", terminal.Plural(sum.Documents, "document", "documents"), terminal.Plural(sum.Passages, "passage", "passages"),
		terminal.Plural(sum.Symbols, "symbol", "symbols"), terminal.Plural(sum.References, "reference", "references"), sum.Token)
	if sum.Failed > 0 {
		said += fmt.Sprintf("; %d failed, without passages", sum.Failed)
	}
	if !sum.Access {
		said += "; without roles and rules, which the owner alone is told"
	}
	p.Note(said)
	if sum.Complete {
		return nil
	}
	if sum.Pending > 0 {
		p.Note(terminal.Plural(sum.Pending, "document", "documents") + " written without passages, which are still being made: allow more time with --deadline")
	}
	if len(sum.Degraded) > 0 {
		p.Note(strings.Join(sum.Degraded, "; "))
	}
	return command.Unsearched
}
