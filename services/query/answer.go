package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/pkg/secrets"
	"github.com/freshet-dev/freshet/pkg/tokenizer"
	"github.com/freshet-dev/freshet/services/query/internal/answers"
	"github.com/freshet-dev/freshet/services/query/internal/pack"
)

// answerLimit bounds the answers that a model is asked for at the same time.
const answerLimit = 8

// answering has a model answer from packed passages.
type answering struct {
	service *Service
	cfg     config.Answer
	model   answers.Model // nil: none is configured
}

func newAnswering(s *Service, cfg config.Answer) (*answering, error) {
	model, err := answers.Open(cfg)
	return &answering{service: s, cfg: cfg, model: model}, err
}

// named is the name of the model, "" where there is none.
func (a *answering) named() string {
	if a.model == nil {
		return ""
	}
	return a.cfg.Model
}

func serveAnswer(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.StreamEndpoint(ctx, svc, rpc.Options{Name: "answer", Subject: contract.SubjectAnswer, Limit: answerLimit}, auditedParts(s, contract.SubjectAnswer,
		func(in *contract.AnswerRequest) string { return in.Query },
		func(p *contract.AnswerPart, shown *seen) { lookPassages(p.Sources, shown) }, s.answering.Answer))
}

// Answer hands on the passages, the sentences of the model as they come, each held
// against the passages first, and the summary. It ends with ctx, when the caller leaves.
// Errors are *document.Error.
func (a *answering) Answer(ctx context.Context, in contract.AnswerRequest, send func(contract.AnswerPart) error) error {
	s := a.service
	s.counters.answers.Add(1)
	sum, err := a.answer(ctx, in, send)
	if err != nil {
		s.counters.errors.Add(1)
		return typed(err)
	}
	sum.TookMS = milliseconds(time.Since(rpc.Arrived(ctx)))
	return send(contract.AnswerPart{Summary: &sum})
}

func (a *answering) answer(ctx context.Context, in contract.AnswerRequest, send func(contract.AnswerPart) error) (contract.AnswerSummary, error) {
	if a.model == nil {
		return contract.AnswerSummary{}, document.Errorf(document.InvalidRequest, "no language model is configured: name one under query.answer")
	}
	if err := contract.CheckLimits(in); err != nil {
		return contract.AnswerSummary{}, err
	}
	plan, err := a.plan(ctx, in)
	if err != nil {
		return contract.AnswerSummary{}, err
	}
	packed, texts, err := a.service.packed(rpc.Arriving(ctx), nil, contract.ContextRequest{
		Query: in.Query, Variants: plan.wordings(), Turns: in.Turns, Collections: in.Collections, Filter: in.Filter, TopK: in.TopK, Preset: plan.preset(in),
		MinConfidence: max(in.MinConfidence, a.cfg.Confidence), MaxTokens: in.MaxTokens, Model: a.cfg.Model, Format: contract.FormatXML,
		Token: in.Token, Commit: in.Commit, DeadlineMS: in.DeadlineMS,
	})
	if err != nil {
		return contract.AnswerSummary{}, err
	}
	sum := contract.AnswerSummary{
		Outcome: contract.AnswerRefused, Query: packed.Query, Confidence: packed.Confidence, NothingRelevant: packed.NothingRelevant, Token: packed.Token,
		Pending: packed.Pending, Failed: packed.Failed, Degraded: packed.Degraded, Actions: packed.Actions,
	}
	if err := a.tellPlan(&sum, plan); err != nil {
		return sum, err
	}
	if len(packed.Passages) == 0 || packed.NothingRelevant {
		return sum, nil // a model would make something up
	}
	if err := send(contract.AnswerPart{Sources: packed.Passages}); err != nil {
		return sum, err
	}
	question, before, err := a.talk(in, packed.Budget)
	if err != nil {
		return sum, err
	}
	sum.Model = a.cfg.Model
	said := &spoken{judge: judgeOf(a.service.configured.analyzer, packed, texts, question), send: send, sum: &sum}
	messages := a.outgoing(before, packed, question)
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Deadline)
	defer cancel()
	usage, err := a.model.Write(ctx, messages, said.hear)
	if err == nil {
		err = said.end()
	}
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		return sum, document.Errorf(document.Deadline, "the model had not answered after %s: allow more with query.answer.deadline", a.cfg.Deadline)
	}
	if err != nil {
		return sum, err
	}
	sum.Cut = usage.Cut
	used, err := a.usage(usage, messages, said.all.String())
	sum.Usage = used.And(sum.Usage)
	return sum, err
}

// outgoing are the messages for the model, without the secrets in them.
func (a *answering) outgoing(before []answers.Message, packed contract.ContextReply, question string) []answers.Message {
	guard := a.service.configured.guard
	of := make([]document.Source, len(packed.Passages))
	for i, p := range packed.Passages {
		of[i] = p.Source
	}
	// What documents say is escaped in it, and known as a secret only as it was.
	found := guard.Secrets(pack.Unescape(packed.Text), of...)
	return answers.Messages(a.guarded(before), pack.Replace(packed.Text, found, secrets.Redacted), guard.Text(question))
}

// guarded is what was said before, without the secrets in it.
func (a *answering) guarded(before []answers.Message) []answers.Message {
	said := make([]answers.Message, len(before))
	for i, m := range before {
		said[i] = answers.Message{Role: m.Role, Text: a.service.configured.guard.Text(m.Text)}
	}
	return said
}

// talk is the question, and as much of what was said before it as has room beside the
// passages: the newest turns, a quarter of the window in all.
func (a *answering) talk(in contract.AnswerRequest, budget contract.ContextBudget) (question string, out []answers.Message, err error) {
	turns := in.Turns
	question = in.Query
	if question == "" && len(turns) > 0 {
		question, turns = turns[len(turns)-1].Text, turns[:len(turns)-1]
	}
	count, err := a.service.configured.counter(tokenizer.ForModel(a.cfg.Model))
	if err != nil {
		return "", nil, err
	}
	room := budget.Window / windowShare
	for _, t := range slices.Backward(turns) {
		if room -= count.Count(t.Text); room < 0 {
			break
		}
		out = append(out, answers.Message{Role: t.Role, Text: t.Text})
	}
	slices.Reverse(out)
	return question, out, nil
}

// usage is what was read and written, and its cost where there are prices.
func (a *answering) usage(u answers.Usage, messages []answers.Message, said string) (*contract.AnswerUsage, error) {
	out := &contract.AnswerUsage{In: u.In, Out: u.Out, Counted: u.Counted}
	if !u.Counted {
		count, err := a.service.configured.counter(tokenizer.ForModel(a.cfg.Model))
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			out.In += count.Count(m.Text)
		}
		out.Out = count.Count(said)
	}
	if a.cfg.InPrice > 0 || a.cfg.OutPrice > 0 {
		cost := (float64(out.In)*a.cfg.InPrice + float64(out.Out)*a.cfg.OutPrice) / 1e6
		out.Cost = &cost
	}
	return out, nil
}

// judgeOf holds sentences against passages as the model was given them.
func judgeOf(analyzer *analysis.Analyzer, packed contract.ContextReply, texts []string, question string) *answers.Judge {
	j := &answers.Judge{Analyzer: analyzer, Question: question, Passages: make([]answers.Passage, len(packed.Passages))}
	for i, p := range packed.Passages {
		j.Passages[i] = answers.Passage{N: p.N, Name: fmt.Sprintf("%s %s %s", p.Path, p.Symbol, strings.Join(p.Headings, " ")), Text: texts[i]}
	}
	return j
}

// spoken is what a model says, on its way to who asked.
type spoken struct {
	judge *answers.Judge
	send  func(contract.AnswerPart) error
	sum   *contract.AnswerSummary

	all      strings.Builder
	sentence answers.Splitter
	held     []string // sentences that are not told before it is known whether it is an answer
	cites    []int    // of the last sentence
}

// hear takes what the model says next.
func (s *spoken) hear(text string) error {
	s.all.WriteString(text)
	s.held = append(s.held, s.sentence.Feed(text)...)
	if answers.MayBeUnknown(s.all.String()) {
		return nil
	}
	return s.tell()
}

// end takes what is left.
func (s *spoken) end() error {
	s.held = append(s.held, s.sentence.Rest()...)
	if said := s.all.String(); answers.IsUnknown(said) || strings.TrimSpace(said) == "" {
		s.sum.Outcome = contract.AnswerUnknown
		return nil
	}
	s.sum.Outcome = contract.AnswerGiven
	return s.tell()
}

func (s *spoken) tell() error {
	for _, text := range s.held {
		v := s.judge.Judge(text, s.cites)
		s.cites = v.Cites
		s.sum.Sentences++
		if !v.Supported {
			s.sum.Unsupported++
		}
		if err := s.send(contract.AnswerPart{Sentence: &contract.AnswerSentence{Text: text, Cites: v.Cites, Supported: v.Supported, Why: v.Why}}); err != nil {
			return err
		}
	}
	s.held = nil
	return nil
}
