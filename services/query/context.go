package query

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/pkg/tokenizer"
	"github.com/freshet-dev/freshet/services/query/internal/followup"
	"github.com/freshet-dev/freshet/services/query/internal/lease"
	"github.com/freshet-dev/freshet/services/query/internal/pack"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
)

const (
	// contextLimit bounds the contexts that are packed at the same time.
	contextLimit       = 8
	maxContextPassages = 50
	leastContextTokens = 64
	maxContextTokens   = 1 << 20
	// windowShare is the part of a window that a context takes by default; the rest
	// is for what was said, and for the answer.
	windowShare = 4
	// What a context has by default at most: with a model that reads more, and
	// without one.
	contextOfModel, contextOfNone = 16_000, 4_000
	// contextDiversity is what a score counts beside being unlike those before it,
	// where that is asked for: as much, so that a copy does not follow what it is of.
	contextDiversity = 0.5
)

func serveContext(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.Endpoint(ctx, svc, rpc.Options{
		Name: "context", Subject: contract.SubjectContext, Limit: contextLimit, Deadline: s.cfg.MaxDeadline,
	}, audited(s, contract.SubjectContext, lookContext, s.Context))
}

// packing is what a search knows that ends in a packed text.
type packing struct {
	format pack.Format
	budget contract.ContextBudget
	count  tokenizer.Counter
	alone  bool
	packed pack.Packed
}

// packed is the closing of a search that ends in a packed text: another ending of the
// same list.
var packedClosing = append(slices.Clone(closing), stage{name: "pack", do: packShown})

// Context answers with passages packed into one text. Errors are *document.Error.
func (s *Service) Context(ctx context.Context, in contract.ContextRequest) (contract.ContextReply, error) {
	reply, _, err := s.packed(ctx, &s.counters.contexts, in)
	return reply, err
}

// packed is a context, and the text of each of its passages as it is shown there; kind
// is as in framed.
func (s *Service) packed(ctx context.Context, kind *atomic.Uint64, in contract.ContextRequest) (reply contract.ContextReply, texts []string, err error) {
	reply, err = framed(s, kind, func(e *engine) (*question, contract.ContextReply, error) {
		q := newSearch(ctx, e)
		reply, err := q.context(ctx, in)
		for i := range reply.Passages {
			texts = append(texts, q.packing.packed.Parts[i].Text)
		}
		return &q.question, reply, err
	}, func(r *contract.ContextReply) ending { return ending{&r.Degraded, &r.Actions, &r.TookMS} })
	return reply, texts, err
}

func (q *search) context(ctx context.Context, in contract.ContextRequest) (contract.ContextReply, error) {
	search, completed, err := searchOf(in)
	if err != nil {
		return contract.ContextReply{}, err
	}
	if q.packing, err = q.service.packingOf(in); err != nil {
		return contract.ContextReply{}, err
	}
	if in.Select == contract.SelectMMR {
		q.diversity = contextDiversity
	}
	q.closing = packedClosing
	if err := q.lease.open(ctx, in.Lease); err != nil {
		return contract.ContextReply{}, err
	}
	if err := q.run(ctx, search); err != nil {
		return contract.ContextReply{}, err
	}
	reply := q.packedReply()
	if completed {
		reply.Query = search.Query
	}
	return reply, q.lease.give(ctx, q.last, &reply.Lease, func() ([]lease.Given, error) { return q.packedGiven(ctx) })
}

// searchOf is the search behind a context, and whether its question was completed.
func searchOf(in contract.ContextRequest) (out contract.SearchRequest, completed bool, err error) {
	if err := contract.CheckLimits(in); err != nil {
		return out, false, err
	}
	k, err := wantedPassages(in)
	if err != nil {
		return out, false, err
	}
	if in.Select != "" && in.Select != contract.SelectTop && in.Select != contract.SelectMMR {
		return out, false, document.Errorf(document.InvalidRequest, "select is %q: choose %s or %s", in.Select, contract.SelectTop, contract.SelectMMR)
	}
	question, before, err := conversation(in)
	if err != nil {
		return out, false, err
	}
	question, completed = followup.Complete(question, before)
	return contract.SearchRequest{
		Query: question, Variants: in.Variants, Collections: in.Collections, Filter: in.Filter, K: &k, MinScore: in.MinScore, MinConfidence: in.MinConfidence,
		Token: in.Token, Commit: in.Commit, DeadlineMS: in.DeadlineMS, Off: in.Off, Text: contract.TextNone,
	}, completed, nil
}

// wantedPassages is how many passages a request wants.
func wantedPassages(in contract.ContextRequest) (int, error) {
	if in.TopK < 0 || in.TopK > maxContextPassages {
		return 0, document.Errorf(document.InvalidRequest, "top_k is %d: choose 1 to %d", in.TopK, maxContextPassages)
	}
	name := in.Preset
	if name == "" {
		name = contract.PresetDefault
	}
	k, ok := contract.Presets[name]
	if !ok {
		byNumber := slices.SortedFunc(maps.Keys(contract.Presets), func(a, b string) int { return contract.Presets[a] - contract.Presets[b] })
		return 0, document.Errorf(document.InvalidRequest, "the preset is %q: choose %s", in.Preset, strings.Join(byNumber, ", "))
	}
	if in.TopK > 0 {
		k = in.TopK
	}
	return k, nil
}

// conversation returns the question, and what was said before it. Filters and quotes
// of earlier questions were meant for them.
func conversation(in contract.ContextRequest) (question string, before []followup.Turn, err error) {
	question = in.Query
	for i, t := range in.Turns {
		switch t.Role {
		case contract.TurnUser, contract.TurnAssistant:
		default:
			return "", nil, document.Errorf(document.InvalidRequest, "the role of turn %d is %q: choose %s or %s", i+1, t.Role, contract.TurnUser, contract.TurnAssistant)
		}
		before = append(before, followup.Turn{User: t.Role == contract.TurnUser, Text: t.Text})
	}
	if question == "" && len(before) > 0 {
		last := before[len(before)-1]
		if !last.User {
			return "", nil, document.Errorf(document.InvalidRequest, "the last turn is the %s's, and there is no query: end with what the user asks", contract.TurnAssistant)
		}
		question, before = last.Text, before[:len(before)-1]
	}
	for i := range before {
		if before[i].User {
			before[i].Text = reading.Read(before[i].Text).Text
		}
	}
	return question, before, nil
}

// packingOf is how a request wants its text.
func (s *engine) packingOf(in contract.ContextRequest) (*packing, error) {
	p := &packing{format: contract.FormatPlain, alone: in.Alone}
	if in.Format != "" {
		p.format = pack.Format(in.Format)
	}
	if !slices.Contains(contract.Formats, string(p.format)) {
		return nil, document.Errorf(document.InvalidRequest, "format is %q: choose %s", in.Format, strings.Join(contract.Formats, ", "))
	}
	model := tokenizer.ForModel(in.Model)
	if in.Tokenizer != "" {
		model.Vocabulary, model.Factor = in.Tokenizer, 1
	}
	if in.Window < 0 {
		return nil, document.Errorf(document.InvalidRequest, "window is %d: give the tokens that the model reads", in.Window)
	}
	if in.Window > 0 {
		model.Window, model.From = in.Window, "request"
	}
	var err error
	if p.count, err = s.counter(model); err != nil {
		return nil, err
	}
	most := contextOfNone
	if in.Model != "" || in.Window > 0 {
		most = contextOfModel
	}
	tokens := max(min(model.Window/windowShare, most), leastContextTokens)
	if in.MaxTokens != 0 {
		tokens = in.MaxTokens
	} else if in.Model == "" && in.Window == 0 {
		tokens = contextOfNone
	}
	if tokens < leastContextTokens || tokens > maxContextTokens {
		return nil, document.Errorf(document.InvalidRequest, "max_tokens is %d: choose %d to %d", tokens, leastContextTokens, maxContextTokens)
	}
	p.budget = contract.ContextBudget{Tokens: tokens, Tokenizer: model.Vocabulary, Exact: model.Factor == 1, Window: model.Window, From: model.From}
	if model.Factor != 1 {
		p.budget.Factor = model.Factor
	}
	return p, nil
}

// counter counts as a model does. The vocabularies stay in memory once they are used.
func (s *engine) counter(m tokenizer.Model) (tokenizer.Counter, error) {
	if t, ok := s.tokenizers[m.Vocabulary]; ok {
		return tokenizer.Counter{Tokenizer: t, Factor: m.Factor}, nil
	}
	_, err := tokenizer.New(m.Vocabulary)
	return tokenizer.Counter{}, err
}

// tokenizers are all that there are, not yet loaded.
func tokenizers() (map[string]*tokenizer.Tokenizer, error) {
	out := map[string]*tokenizer.Tokenizer{}
	for _, name := range tokenizer.Names() {
		t, err := tokenizer.New(name)
		if err != nil {
			return nil, err
		}
		out[name] = t
	}
	return out, nil
}
