package remote

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

func newAudit(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "audit", Short: "List who asked what, and which documents they saw", Args: cobra.NoArgs,
		Long: "audit shows what is kept where access.audit says how long: each question with who asked it, and the documents of\n" +
			"which the answer showed something. Documents that are gone from the log have no path any more, and what names a\n" +
			"source goes with that source. Only the role admin may ask.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAuditList(p), newAuditExport(p))
	return cmd
}

func newAuditList(p *command.Program) *cobra.Command {
	var who string
	var since time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "Print who asked what", Args: cobra.NoArgs,
		Long:    "list prints an entry a line, the oldest first: when, who, what was asked, and the documents that the answer showed.",
		Example: "  freshet audit list --since 24h\n  freshet audit list --who key:laptop",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return eachAsked(cmd, p, who, since, func(e *contract.AuditListed) error {
				if asJSON {
					return json.NewEncoder(p.Stdout).Encode(e)
				}
				return render.Asked(p.Stdout, p.Style(), e)
			})
		},
	}
	cmd.Flags().StringVar(&who, "who", "", "only what this `name` asked, such as key:laptop or user:ask")
	cmd.Flags().DurationVar(&since, "since", 0, "only what is at most as `old`, such as 24h (default: everything)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each entry as JSON, one a line")
	return cmd
}

func newAuditExport(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use: "export FILE", Short: "Write who asked what into a file, one JSON object a line", Args: cobra.ExactArgs(1),
		Long:    "export writes every entry that is kept into a new file (mode 0600), the oldest first. What is removed later stays in it.",
		Example: "  freshet audit export asked.jsonl",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return document.Errorf(document.InvalidRequest, "the file cannot be made: %w", err)
			}
			defer func() {
				if closed := f.Close(); err == nil && closed != nil {
					err = fmt.Errorf("write %s: %w", args[0], closed)
				}
				if err != nil {
					_ = os.Remove(args[0])
				}
			}()
			out := bufio.NewWriter(f)
			n, err := exportAsked(cmd, p, out)
			if err == nil {
				err = out.Flush()
			}
			if err != nil {
				return err
			}
			p.Note(terminal.Plural(n, "entry", "entries") + " written; what is removed from freshet later stays in the file")
			return nil
		},
	}
}

func exportAsked(cmd *cobra.Command, p *command.Program, w io.Writer) (n int, err error) {
	to := json.NewEncoder(w)
	err = eachAsked(cmd, p, "", 0, func(e *contract.AuditListed) error {
		n++
		return to.Encode(e)
	})
	return n, err
}

// eachAsked calls each with every entry, the oldest first.
func eachAsked(cmd *cobra.Command, p *command.Program, who string, since time.Duration, each func(*contract.AuditListed) error) error {
	nc, err := p.Dial(cmd.Context())
	if err != nil {
		return err
	}
	defer nc.Close()
	from := time.Time{}
	if since > 0 {
		from = time.Now().Add(-since)
	}
	for in := (contract.AuditListRequest{Who: who}); ; {
		page, err := client.ListAudit.Ask(cmd.Context(), nc, in)
		if err != nil {
			return err
		}
		for i := range page.Entries {
			if page.Entries[i].Time.Before(from) {
				continue
			}
			if err := each(&page.Entries[i]); err != nil {
				return err
			}
		}
		if in.After = page.Next; in.After == 0 {
			return nil
		}
	}
}
