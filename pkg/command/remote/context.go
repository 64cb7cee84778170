package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// contextFlags are those of a context beside those that it has in common with a
// search.
type contextFlags struct {
	searchFlags
	turns, preset, model, tokenizer, format string
	tokens, window                          int
	minScore                                float64
	mmr, alone                              bool
}

type contextCommand struct {
	*command.Program
	contextFlags
}

func newContext(p *command.Program) *cobra.Command {
	c := &contextCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "context [QUESTION]",
		Short: "Pack passages for a language model",
		Long: "context asks as search does, and prints the passages as one text for a language model, within a budget of tokens: the best at both\n" +
			"ends, each under a citation, what documents say framed as data. With --turns, a conversation, a question that points back\n" +
			"(\"how is it tested?\") is completed from the questions before it; without QUESTION the last turn is the question.\n" +
			"It exits 0 with passages, 1 with none, 2 on an error.",
		Example: "  freshet context \"where are retries counted\"\n" +
			"  freshet context \"where are retries counted\" --model gpt-4o --format xml --preset deep\n" +
			"  freshet context --turns talk.json --max-tokens 2000 --token latest",
		RunE: func(cmd *cobra.Command, args []string) error {
			req, err := c.packed(cmd, strings.Join(args, " "), c.Stdin)
			if err != nil {
				return err
			}
			return c.run(cmd, req)
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&c.k, "k", "k", 0, "`number` of passages, 1 to 50 (default: the preset's)")
	flags.StringVar(&c.preset, "preset", contract.PresetDefault, "number of passages by `name`: focused 5, balanced 8, broad 12, deep 15")
	flags.IntVar(&c.tokens, "max-tokens", 0, "`number` of tokens of the text (default: a quarter of the model's window, 16000 at most; 4000 without a model)")
	flags.StringVar(&c.model, "model", "", "`name` of the model that reads the text, for its window and its tokens")
	flags.IntVar(&c.window, "window", 0, "`number` of tokens that the model reads, where it is known better")
	flags.StringVar(&c.tokenizer, "tokenizer", "", "count tokens by this `vocabulary`: o200k_base or cl100k_base (default: the model's)")
	flags.StringVar(&c.format, "format", contract.FormatPlain, "`format` of the text: plain, markdown, xml or json")
	flags.StringVar(&c.turns, "turns", "", "`file` with the conversation so far, a JSON list of {\"role\": \"user\" or \"assistant\", \"text\": …}; -: standard input")
	flags.BoolVar(&c.mmr, "mmr", false, "choose passages that are unlike each other")
	flags.BoolVar(&c.alone, "alone", false, "add nothing that stands around passages, also where there is room")
	flags.Float64Var(&c.minScore, "min-score", 0, "leave passages out whose score is below this `number`")
	flags.Float64Var(&c.sure, "min-confidence", 0, "give nothing where the answer's confidence is below this `number`, 0 to 1")
	flags.StringArrayVar(&c.sources, "source", nil, "only the source of this `name` (may be repeated)")
	flags.StringArrayVar(&c.langs, "lang", nil, "only this `language` (may be repeated)")
	addCollections(flags, &c.collections)
	flags.StringArrayVar(&c.paths, "path", nil, pathUsage)
	addMeta(flags, &c.meta, askMeta)
	flags.StringArrayVar(&c.variants, "variant", nil, "search the question in these other `words`, too (may be repeated)")
	flags.BoolVar(&c.all, "all", false, allUsage)
	flags.StringVar(&c.token, "token", "", "wait until this `token` is searchable; latest: everything accepted so far")
	flags.StringVar(&c.lease, "lease", "", leaseUsage)
	flags.StringVar(&c.commit, "commit", "", "wait until this git `commit` of a source is searchable: HEAD or any revision of the repository around the current folder, or an id")
	flags.DurationVar(&c.deadline, "deadline", 0, "`time` for the answer, such as 500ms (default 2s)")
	flags.BoolVar(&c.json, "json", false, "print the reply as it came over NATS")
	return cmd
}

// packed is the request that the flags make.
func (f contextFlags) packed(cmd *cobra.Command, question string, stdin io.Reader) (contract.ContextRequest, error) {
	search, err := f.request(cmd, question)
	if err != nil {
		return contract.ContextRequest{}, err
	}
	req := contract.ContextRequest{
		Query: question, Variants: f.variants, Filter: search.Filter, Collections: search.Collections, TopK: f.k, Preset: f.preset, MinScore: f.minScore, MinConfidence: f.sure, MaxTokens: f.tokens,
		Model: f.model, Window: f.window, Tokenizer: f.tokenizer, Format: f.format, Alone: f.alone, Token: f.token, Lease: f.lease, Commit: search.Commit, DeadlineMS: search.DeadlineMS,
	}
	if cmd.Flags().Changed("k") && f.k == 0 {
		return req, document.Errorf(document.InvalidRequest, "-k is 0: choose 1 to 50")
	}
	if f.mmr {
		req.Select = contract.SelectMMR
	}
	if f.turns != "" {
		req.Turns, err = turnsOf(f.turns, stdin)
	}
	return req, err
}

// turnsOf reads a conversation.
func turnsOf(name string, stdin io.Reader) (turns []contract.Turn, err error) {
	in := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, document.Errorf(document.InvalidRequest, "--turns: %w", err)
		}
		defer file.Close()
		in = file
	}
	dec := json.NewDecoder(in)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&turns); err != nil {
		return nil, document.Errorf(document.InvalidRequest, "--turns %s is no list of turns (%w): write [{\"role\": \"user\", \"text\": \"…\"}]", name, err)
	}
	return turns, nil
}

func (c *contextCommand) run(cmd *cobra.Command, req contract.ContextRequest) error {
	nc, err := c.Dial(cmd.Context())
	if err != nil {
		return err
	}
	defer nc.Close()
	places := PlacesOf(cmd.Context(), nc)
	if err := standing(c.Program, places, c.all).where(&req.Filter, req.Query); err != nil {
		return err
	}
	raw, reply, err := client.Context.Raw(cmd.Context(), nc, req)
	if err != nil {
		return err
	}
	if c.json {
		err = c.PrintJSON(raw)
	} else if _, err = fmt.Fprint(c.Stdout, reply.Text); err == nil {
		err = render.ContextNotes(c.Stderr, terminal.StyleFor(c.Stderr), places, reply)
	}
	if err == nil && len(reply.Passages) == 0 {
		return command.NoHits
	}
	return err
}
