package remote

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// askCommand has the flags of a context that make sense for an answer.
type askCommand struct {
	*command.Program
	contextFlags
}

func newAsk(p *command.Program) *cobra.Command {
	c := &askCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "ask [QUESTION]",
		Short: "Have a language model answer from passages",
		Long: "ask finds passages as search does, and has the language model of the configuration (query.answer) answer from them, sentence by sentence.\n" +
			"Each sentence names its passages, and is held against them before it is printed: one whose passages do not have its numbers,\n" +
			"its names and most of its words is marked with (?). Where nothing relevant is found no model is asked.\n" +
			"It exits 0 with an answer, 1 without one, 2 on an error. `freshet context` prints what a model would be given.",
		Example: "  freshet ask \"how long does the client wait between reconnects?\"\n" +
			"  freshet ask \"which settings bound memory?\" --path docs --token latest\n" +
			"  freshet ask --turns talk.json --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			packed, err := c.packed(cmd, strings.Join(args, " "), c.Stdin)
			if err != nil {
				return err
			}
			return c.run(cmd, contract.AnswerRequest{
				Query: packed.Query, Turns: packed.Turns, Filter: packed.Filter, Collections: packed.Collections, TopK: packed.TopK, Preset: packed.Preset, MinConfidence: packed.MinConfidence,
				MaxTokens: packed.MaxTokens, Token: packed.Token, Commit: packed.Commit, DeadlineMS: packed.DeadlineMS,
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&c.k, "k", "k", 0, "`number` of passages, 1 to 50 (default: the preset's)")
	flags.StringVar(&c.preset, "preset", contract.PresetDefault, "number of passages by `name`: focused 5, balanced 8, broad 12, deep 15")
	flags.IntVar(&c.tokens, "max-tokens", 0, "`number` of tokens of the passages (default: a quarter of the model's window, 16000 at most)")
	flags.StringVar(&c.turns, "turns", "", "`file` with the conversation so far, a JSON list of {\"role\": \"user\" or \"assistant\", \"text\": …}; -: standard input")
	flags.Float64Var(&c.sure, "min-confidence", 0, "ask no model where the confidence is below this `number`, 0 to 1")
	flags.StringArrayVar(&c.sources, "source", nil, "only the source of this `name` (may be repeated)")
	flags.StringArrayVar(&c.langs, "lang", nil, "only this `language` (may be repeated)")
	addCollections(flags, &c.collections)
	flags.StringArrayVar(&c.paths, "path", nil, pathUsage)
	addMeta(flags, &c.meta, askMeta)
	flags.BoolVar(&c.all, "all", false, allUsage)
	flags.StringVar(&c.token, "token", "", "wait until this `token` is searchable; latest: everything accepted so far")
	flags.StringVar(&c.commit, "commit", "", "wait until this git `commit` of a source is searchable: HEAD or any revision of the repository around the current folder, or an id")
	flags.DurationVar(&c.deadline, "deadline", 0, "`time` for the passages, such as 500ms (default 2s); the model has that of the configuration")
	flags.BoolVar(&c.json, "json", false, "print the parts of the answer as they come over NATS, one on each line")
	return cmd
}

func (c *askCommand) run(cmd *cobra.Command, req contract.AnswerRequest) error {
	nc, err := c.Dial(cmd.Context())
	if err != nil {
		return err
	}
	defer nc.Close()
	places := PlacesOf(cmd.Context(), nc)
	if err := standing(c.Program, places, c.all).where(&req.Filter, req.Query); err != nil {
		return err
	}
	out := &render.Answer{Out: c.Stdout, Notes: c.Stderr, Style: terminal.StyleFor(c.Stdout), NotesStyle: terminal.StyleFor(c.Stderr), Places: places}
	lines := json.NewEncoder(c.Stdout)
	outcome := ""
	err = client.Answer.Each(cmd.Context(), nc, req, func(part contract.AnswerPart) error {
		if part.Summary != nil {
			outcome = part.Summary.Outcome
		}
		if c.json {
			return lines.Encode(part)
		}
		return out.Part(part)
	})
	if err == nil && outcome != contract.AnswerGiven {
		return command.NoHits
	}
	return err
}
