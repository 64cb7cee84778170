package remote

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
)

func newVerify(p *command.Program) *cobra.Command {
	var source string
	var repair, asJSON bool
	cmd := &cobra.Command{
		Use:     "verify",
		Example: "  freshet verify\n  freshet verify --source notes --repair",
		Short:   "Compare sources, log and stores one by one, and repair what differs",
		Long: "verify reads every file of the sources, every message of the log and every id in the stores, and\n" +
			"names each difference with the place where it is. With --repair it publishes again, or deletes,\n" +
			"exactly those, and looks at them once more. What changes meanwhile is no difference.\n" +
			"It exits 0 where all is equal, 1 where differences are left, 2 on an error, and 3 where nothing\n" +
			"differs, but something could not be compared: what, why and the next step are printed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req := contract.VerifyRequest{Repair: repair}
			if source != "" {
				var err error
				if req.Source, err = document.ParseSource(source); err != nil {
					return err
				}
			}
			return verify(p, cmd, req, asJSON)
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "repair what differs")
	cmd.Flags().StringVar(&source, "source", "", "only the source of this `name`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each difference, and the summary last, as one line of JSON")
	return cmd
}

func verify(p *command.Program, cmd *cobra.Command, req contract.VerifyRequest, asJSON bool) error {
	nc, err := p.Dial(cmd.Context())
	if err != nil {
		return err
	}
	defer nc.Close()
	progress := ProgressOn(p)
	defer progress.Clear()
	var sum contract.VerifySummary
	err = client.Verify.Each(cmd.Context(), nc, req, func(part contract.VerifyPart) error {
		switch {
		case part.Progress != nil:
			progress.Text(render.Verifying(*part.Progress))
			return nil
		case part.Summary != nil:
			sum = *part.Summary
		}
		progress.Clear()
		if asJSON {
			raw, err := json.Marshal(part)
			if err != nil {
				return err
			}
			return p.PrintJSON(raw)
		}
		if part.Difference != nil {
			return render.Difference(p.Stdout, p.Style(), *part.Difference)
		}
		return render.Verified(p.Stdout, p.Style(), sum)
	})
	switch {
	case err != nil:
		return err
	case sum.Started.IsZero():
		return document.Errorf(document.VersionMismatch, "the answer on %s has no summary: use the version of freshet that is running", contract.SubjectVerify)
	case sum.Equal:
		return nil
	case sum.Outcome == contract.OutcomeIncomplete:
		return command.Incomplete
	}
	progress.Clear()
	if len(sum.Losses) > 0 {
		p.Note("what is lost cannot be made again: put it again, or accept that with `freshet log accept-loss`")
	}
	switch {
	case sum.Differences == sum.Repaired && len(sum.Losses) > 0:
	case req.Repair:
		p.Note("not everything could be repaired: `freshet status` names what does not work, then run it again")
	default:
		p.Note("repair the differences with `freshet verify --repair`")
	}
	return command.Different
}
