package commands

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/command/remote"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
)

func newEvalKeep(p *command.Program) *cobra.Command {
	var in contract.RankingRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use: "keep [KEY=VALUE…]", Short: "Keep weights and a threshold that won for every answer",
		Long: "keep has weights of query.ranking hold for every answer from now on, over those that are configured, and with\n" +
			"min_confidence=N the confidence below which a search lists nothing. A question that brings its own is answered by\n" +
			"these. What was kept before is replaced as a whole. Nothing is restarted, and a restart changes nothing. Without\n" +
			"arguments it prints what is kept; --remove takes it back.",
		Example: "  freshet eval --arm \"fewer vectors=vector_natural=0.3\"\n  freshet eval keep vector_natural=0.3 min_confidence=0.1 --note \"won on 40 questions\"\n" +
			"  freshet eval keep\n  freshet eval keep --remove",
		RunE: func(cmd *cobra.Command, args []string) error {
			way, err := eval.ParseWay(strings.Join(args, ","))
			switch {
			case err != nil:
				return err
			case len(way.Off) > 0:
				return document.Errorf(document.InvalidRequest, "%q is no KEY=VALUE: keep weights of query.ranking, or min_confidence; a stage cannot be left out for good", way.Off[0])
			case way.IsWhole() && (len(args) > 0 || in.Note != ""):
				return document.Errorf(document.InvalidRequest, "nothing is named to keep: write KEY=VALUE with a key of query.ranking, or min_confidence=N above 0")
			}
			in.Ranking, in.MinConfidence = way.Ranking, way.MinConfidence
			return remote.Once(cmd.Context(), p, client.Ranking, in, asJSON, func(r contract.RankingReply) error {
				switch k := r.Kept; {
				case k == nil && in.Remove:
					return say(p, "taken back: answers are ordered as it is configured")
				case k == nil:
					return say(p, "nothing is kept: answers are ordered as it is configured")
				case k.Trouble != "":
					return say(p, "what is kept is not used: %s", k.Trouble)
				default:
					return say(p, "%s", render.KeptRanking(*k))
				}
			})
		},
	}
	cmd.Flags().StringVar(&in.Note, "note", "", "what it is about, `text` for whoever looks at it later")
	cmd.Flags().BoolVar(&in.Remove, "remove", false, "take back what is kept")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the reply as it came over NATS")
	return cmd
}
