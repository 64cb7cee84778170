package deadletter

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Retry has the stages of letters handle their documents again. What is to be
// retried already stays as it is: its stage may be at it.
func (l *Letters) Retry(ctx context.Context, in contract.DeadChange) (contract.DeadChangeReply, error) {
	return l.change(ctx, in, contract.LetterRetrying)
}

// Drop dismisses letters: their versions stay settled, and nobody is told of
// them any more.
func (l *Letters) Drop(ctx context.Context, in contract.DeadChange) (contract.DeadChangeReply, error) {
	return l.change(ctx, in, contract.LetterDismissed)
}

func (l *Letters) change(ctx context.Context, in contract.DeadChange, to contract.LetterState) (contract.DeadChangeReply, error) {
	if !in.All && !in.Filter.Narrows() {
		return contract.DeadChangeReply{}, document.Errorf(document.InvalidRequest, "the filter leaves nothing out: name paths, stages, sources or kinds, or set all")
	}
	list, _, err := l.choose(ctx, in.Filter, in.After)
	if err != nil {
		return contract.DeadChangeReply{}, err
	}
	list, next := page(list, pageLetters)
	var keys []bus.DeadKey
	for _, d := range list {
		if d.State != to {
			keys = append(keys, bus.DeadKey{Stage: d.Stage, Source: d.Source, Doc: d.Doc, Build: d.Build})
		}
	}
	written, err := bus.DeadLettersOf(l.Bus).Mark(ctx, keys, to)
	if err != nil {
		return contract.DeadChangeReply{}, err
	}
	marked := map[bus.DeadKey]contract.DeadHead{}
	last := uint64(0)
	for _, d := range written {
		marked[bus.DeadKey{Stage: d.Stage, Source: d.Source, Doc: d.Doc, Build: d.Build}] = d
		last = max(last, d.Seq)
	}
	// Who is told that a letter is dropped is not shown it by the next answer.
	if err := l.Bus.Dead().Wait(ctx, last); err != nil {
		return contract.DeadChangeReply{}, err
	}
	reply := contract.DeadChangeReply{Letters: []contract.DeadRef{}, Next: next}
	for _, d := range list {
		if now, ok := marked[bus.DeadKey{Stage: d.Stage, Source: d.Source, Doc: d.Doc, Build: d.Build}]; ok {
			d = now
		} else if d.State != to {
			continue // cleared meanwhile
		}
		reply.Letters = append(reply.Letters, contract.DeadRef{Source: d.Source, Path: d.Path, Stage: d.Stage, Versions: versions(d.Covers), Seq: d.Seq})
	}
	return reply, nil
}

// Outcome tells what has become of retries.
func (l *Letters) Outcome(ctx context.Context, in contract.DeadOutcomeRequest) (contract.DeadOutcomeReply, error) {
	if err := bus.CatchUp(ctx, l.Bus, l.Bus.Dead()); err != nil {
		return contract.DeadOutcomeReply{}, err
	}
	reply := contract.DeadOutcomeReply{Outcomes: make([]contract.DeadOutcome, len(in.Letters))}
	var cleared []int
	for i := range in.Letters {
		if reply.Outcomes[i] = l.standing(&in.Letters[i]); reply.Outcomes[i].Outcome == "" {
			cleared = append(cleared, i)
		}
	}
	if len(cleared) == 0 {
		return reply, nil
	}
	// The index learns of a cleared letter after the table does.
	if err := l.Index.Reach(ctx, 0); err != nil {
		return contract.DeadOutcomeReply{}, err
	}
	for _, i := range cleared {
		reply.Outcomes[i] = l.progress(&in.Letters[i])
	}
	return reply, nil
}

// standing is the outcome as the letter itself tells it; none where it was
// cleared.
func (l *Letters) standing(ref *contract.DeadRef) contract.DeadOutcome {
	d, ok := l.get(ref.Stage, ref.Source, document.DocOf(ref.Path))
	switch {
	case !ok:
		return contract.DeadOutcome{}
	case d.State == contract.LetterDismissed:
		return contract.DeadOutcome{Outcome: contract.RetryDismissed}
	case d.State == contract.LetterRetrying || d.Seq < ref.Seq:
		return contract.DeadOutcome{Outcome: contract.RetryWaiting}
	}
	return contract.DeadOutcome{Outcome: contract.RetryFailed, Stage: d.Stage, Reason: d.Reason}
}

// progress is the outcome for a document whose letter was cleared.
func (l *Letters) progress(ref *contract.DeadRef) contract.DeadOutcome {
	doc := document.DocOf(ref.Path)
	for view := range ref.Versions {
		if l.Index.IsPending(bus.FileKey{Source: ref.Source, Doc: doc, View: view}) {
			return contract.DeadOutcome{Outcome: contract.RetryIndexing}
		}
	}
	for _, stage := range contract.Stages {
		d, ok := l.get(stage, ref.Source, doc)
		if !ok || stage == ref.Stage || d.State == contract.LetterDismissed || !l.newest(&d) {
			continue
		}
		if d.State == contract.LetterRetrying {
			return contract.DeadOutcome{Outcome: contract.RetryWaiting}
		}
		return contract.DeadOutcome{Outcome: contract.RetryFailed, Stage: stage, Reason: d.Reason}
	}
	return contract.DeadOutcome{Outcome: contract.RetryDone}
}
