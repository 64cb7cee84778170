package query

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/answers"
	"github.com/freshet-dev/freshet/services/query/internal/excerpt"
)

const (
	// summariesKept is how many summaries are made before they are kept: a kill loses no
	// more.
	summariesKept = 8
	// summariesTold is how often it is kept how far they are.
	summariesTold = time.Second
	// leastSummarized is the size in bytes below which a passage says itself what it is,
	// and mostSummarized how much of a longer one the model is given.
	leastSummarized, mostSummarized = 300, 8000
)

// errSpent says that the model may take no more tokens on this day.
var errSpent = errors.New("the tokens of the day are spent")

// sifted is what is kept of a document, without what is gone from it.
type sifted struct {
	key      string
	record   contract.Summaries
	revision uint64
	passages []summarizable // that a summary is made of
}

// summarizable is a passage that the model is given.
type summarizable struct {
	id     document.ChunkID
	digest document.Hash
	name   string // path, symbol and headings
	text   string
}

// makeAll has the model summarize what lacks a summary, what was written last first, until
// something changes, or it can go on no more.
func (t *summarizer) makeAll(ctx context.Context, generations []document.Generation) error {
	if time.Now().Before(t.closed) {
		return nil
	}
	order := slices.SortedFunc(maps.Keys(t.left), func(a, b bus.DocKey) int { return cmp.Compare(t.left[b], t.left[a]) })
	for i, k := range order {
		if i > 0 && len(t.wake) > 0 {
			return nil // what is left may be gone
		}
		head, live := t.shownOf(generations, k)
		if !live {
			continue // it is looked at
		}
		err := t.make(ctx, &head)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, bus.ErrConflict):
			continue // somebody else wrote: the next pass
		case errors.Is(err, errSpent):
			t.state.Waits, t.state.Error = contract.SummariesSpent, ""
			return nil
		case err != nil:
			t.pause = min(max(2*t.pause, time.Second), summariesPatience)
			t.closed = time.Now().Add(t.pause)
			t.state.Waits, t.state.Error = contract.SummariesFailed, err.Error()
			t.service.log.Warn("no summary was made: the model is asked again", "in", t.pause, "kind", document.KindOf(err), "error", err)
			return nil
		}
		t.pause, t.state.Waits, t.state.Error = 0, "", ""
		delete(t.left, k)
		if time.Since(t.toldAt) > summariesTold {
			if err := t.tell(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// sift reads the passages of a document, and takes out of what is kept of it what is gone.
// It is nil where the log shows another state of it by now: then it is looked at again.
func (t *summarizer) sift(ctx context.Context, head *contract.OutputHead) (*sifted, error) {
	b := t.service.bus
	subject := contract.ChunksSubject(head.Generation, head.Source, head.Doc)
	of, err := b.GetLast(ctx, contract.StreamChunks, subject)
	if err != nil {
		return nil, err
	}
	m := of[subject]
	if m == nil || m.Seq != head.Seq {
		return nil, nil
	}
	body, raw, err := bodyOf(ctx, b, m)
	if body == nil || err != nil {
		return nil, err
	}
	s := &sifted{key: contract.SummariesKey(head.Source, head.Doc)}
	kept, revision, err := b.Bucket(contract.BucketSummaries).Get(ctx, s.key)
	if err != nil {
		return nil, err
	}
	s.revision = revision
	var before contract.Summaries
	readable := json.Unmarshal(kept, &before) == nil
	s.record.By, s.record.Passages = before.By, []contract.Summary{}
	s.take(head, body, raw, before.Passages)
	if revision != 0 && (!readable || !slices.Equal(s.record.Passages, before.Passages)) {
		if err := t.keep(ctx, s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// take goes through the passages of a document: said is what was said of it before.
func (s *sifted) take(head *contract.OutputHead, body *contract.ChunksBody, raw []byte, said []contract.Summary) {
	known := map[document.Hash]string{}
	for _, p := range said {
		known[p.Digest] = p.Text
	}
	there := map[document.ChunkID]bool{}
	for i := range body.Contents {
		c := &body.Contents[i]
		text := raw[c.Offset : c.Offset+c.Size]
		for j := range c.Chunks {
			p := &c.Chunks[j]
			if there[p.ID] || p.EndByte-p.StartByte < leastSummarized || p.Kind == document.KindHeader || len(there) == contract.MostSummaries {
				continue
			}
			there[p.ID] = true
			s.passages = append(s.passages, summarizable{
				id: p.ID, digest: p.Digest, name: strings.Join(append([]string{head.Path.Raw(), p.Symbol}, p.Headings...), " "),
				text: excerpt.Valid(text[p.StartByte:min(p.EndByte, p.StartByte+mostSummarized)]),
			})
			if text, ok := known[p.Digest]; ok {
				s.record.Passages = append(s.record.Passages, contract.Summary{ID: p.ID, Digest: p.Digest, Text: text})
			}
		}
	}
}

// lacking are the passages of which the record says nothing yet. Where another model made
// it, it is begun anew.
func (s *sifted) lacking(by string) []summarizable {
	if s.record.By != by {
		s.record.By, s.record.Passages = by, []contract.Summary{}
	}
	said := map[document.ChunkID]bool{}
	for _, p := range s.record.Passages {
		said[p.ID] = true
	}
	return slices.DeleteFunc(s.passages, func(p summarizable) bool { return said[p.id] })
}

// make has the model summarize the passages of a document that lack it.
func (t *summarizer) make(ctx context.Context, head *contract.OutputHead) error {
	s, err := t.sift(ctx, head)
	if s == nil || err != nil {
		return err
	}
	for i, p := range s.lacking(t.by) {
		text, err := t.ask(ctx, head.Source, p)
		if err != nil {
			if i%summariesKept > 0 {
				err = errors.Join(err, t.keep(context.WithoutCancel(ctx), s))
			}
			return err
		}
		s.record.Passages = append(s.record.Passages, contract.Summary{ID: p.id, Digest: p.digest, Text: text})
		if (i+1)%summariesKept == 0 {
			if err := t.keep(ctx, s); err != nil {
				return err
			}
		}
	}
	s.record.Chunks, s.record.Version = head.Seq, head.Covers.Newest()
	return t.keep(ctx, s)
}

// keep writes what is kept of a document, unless that is gone meanwhile.
func (t *summarizer) keep(ctx context.Context, s *sifted) error {
	raw, err := json.Marshal(&s.record)
	if err != nil {
		return fmt.Errorf("encode summaries: %w", err)
	}
	if s.revision, err = t.service.bus.Bucket(contract.BucketSummaries).Update(ctx, s.key, raw, s.revision); err != nil {
		return err
	}
	source, doc, _ := strings.Cut(s.key, ".")
	k := bus.DocKey{Source: document.Source(source), Doc: document.DocID(doc)}
	t.mu.Lock()
	t.have[k] = summarized{s.record.Chunks, s.record.Version}
	t.mu.Unlock()
	// Of a source that was removed in this moment nobody else would take it away.
	if _, live := t.shownOf(t.served, k); !live {
		return t.forget(ctx, k)
	}
	return nil
}

// ask has the model summarize a passage of a source. The error is errSpent where it may
// take no more tokens today.
func (t *summarizer) ask(ctx context.Context, source document.Source, p summarizable) (string, error) {
	guard := t.service.configured.guard
	messages := answers.SummaryMessages(guard.Text(p.name, source), guard.Text(p.text, source))
	least, err := t.service.answering.usage(answers.Usage{}, messages, "")
	if err != nil {
		return "", err
	}
	t.turnDay()
	if t.state.Tokens+least.In+answers.SummaryTokens > t.cfg.Summaries {
		return "", errSpent
	}
	within, cancel := context.WithTimeout(ctx, t.cfg.Deadline)
	defer cancel()
	said, usage, failed := answers.Say(within, t.model, messages)
	took, err := t.service.answering.usage(usage, messages, said)
	if err != nil {
		return "", err
	}
	t.state.Tokens += took.In + took.Out
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case within.Err() != nil:
		return "", document.Errorf(document.Deadline, "the model had not summarized a passage after %s: allow more with query.answer.deadline", t.cfg.Deadline)
	case document.KindOf(failed) == document.InvalidRequest:
		return "", nil // it takes no such text, however often it is asked
	case failed != nil:
		return "", failed
	}
	judge := answers.Judge{Analyzer: t.service.configured.analyzer, Passages: []answers.Passage{{N: 1, Name: p.name, Text: p.text}}}
	return judge.Summary(said), nil
}

// turnDay begins to count anew on another day.
func (t *summarizer) turnDay() {
	if day := t.service.bus.Now().UTC().Format(time.DateOnly); t.state.Day != day {
		t.state.Day, t.state.Tokens = day, 0
	}
}

// load reads what was taken of the day, from which another process goes on.
func (t *summarizer) load(ctx context.Context) error {
	raw, _, err := t.service.bus.Bucket(contract.BucketMeta).Get(ctx, contract.KeySummaries)
	if err != nil {
		return err
	}
	_ = json.Unmarshal(raw, &t.state) // what cannot be read counts as nothing taken
	t.told = t.state
	return nil
}

// tell keeps how far the summaries are made.
func (t *summarizer) tell(ctx context.Context) error {
	if t.model == nil {
		return nil
	}
	t.turnDay()
	t.state.Model, t.state.PerDay = t.cfg.Model, t.cfg.Summaries
	t.mu.Lock()
	t.state.Left, t.state.Documents = len(t.left), 0
	for _, s := range t.have {
		if s.chunks > 0 {
			t.state.Documents++
		}
	}
	t.mu.Unlock()
	if t.state.Left == 0 {
		t.state.Waits, t.state.Error = "", "" // for nothing
	}
	if t.state == t.told {
		return nil
	}
	raw, err := json.Marshal(t.state)
	if err != nil {
		return fmt.Errorf("encode how far summaries are made: %w", err)
	}
	if _, err := t.service.bus.Bucket(contract.BucketMeta).Put(ctx, contract.KeySummaries, raw); err != nil {
		return err
	}
	t.told, t.toldAt = t.state, time.Now()
	return nil
}
