package query

import (
	"fmt"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// stages tells how far every stage has come with each view.
func (x *explanation) stages() {
	for i := range x.heads {
		h := &x.heads[i]
		if h.Op == contract.OpPut {
			if g, ok := x.service.stores.Generation(h.Collection); ok {
				x.Stages = append(x.Stages, x.passing(h, g)...)
			}
			continue
		}
		// What is gone has to go from wherever it was.
		for _, g := range x.service.stores.Generations() {
			if _, cut := x.outputs.chunks[g]; cut {
				x.Stages = append(x.Stages, x.passing(h, g)...)
			}
		}
	}
}

// passing tells how far the stages have come with a version in a generation.
func (x *explanation) passing(h *contract.FileHead, g document.Generation) []contract.StageState {
	o := &x.outputs
	chunks := x.stage(contract.StageChunker, h, g, o.chunks[g], true, h.Time)
	embedder := x.stage(contract.StageEmbed, h, g, o.vectors[g], chunks.State == contract.StageDone, x.since(h, o.chunks[g]))
	list := []contract.StageState{chunks, embedder}
	for _, sink := range document.Sinks {
		before := chunks
		since := x.since(h, o.chunks[g])
		if sink == document.Vector {
			before, since = embedder, x.since(h, o.vectors[g])
		}
		out := o.indexed[bus.RecordKey{Generation: g, Sink: sink}]
		st := x.stage(sinkStage(sink), h, g, out, before.State == contract.StageDone, since)
		if out.msg == nil {
			list = append(list, st)
			continue
		}
		if st.Store, st.Holds = out.head.Store, x.service.index.Holds(&out.head); !st.Holds && st.State == contract.StageDone {
			st.State, st.Since = contract.StageWaiting, x.since(h, out)
			st.Note = "it was listed for a store that was exchanged or lost it; the indexer fills the store from the log"
		}
		list = append(list, st)
	}
	return list
}

// stage tells how far one stage has come; ready says that its input is there,
// since when it came.
func (x *explanation) stage(name contract.Stage, h *contract.FileHead, g document.Generation, out output, ready bool, since time.Time) contract.StageState {
	st := contract.StageState{
		Stage: name, View: h.View, Generation: g, Version: out.head.Covers.At(h.View).Version, Chunks: out.head.Count,
		State: contract.StageIdle,
	}
	if !seenBy(x).all(out.head.Covers) {
		st.Chunks = 0
	}
	if x.sight != nil && st.Version < h.Version {
		st.Version = 0
	}
	d, dead := x.outputs.dead[name]
	switch {
	case out.head.Covers.At(h.View).Version >= h.Version, h.Op != contract.OpPut && out.head.Covers.At(h.View).Hash == "":
		st.State, st.Since = contract.StageDone, x.since(h, out)
	case dead && d.Covers.At(h.View).Version >= h.Version:
		st.State, st.Since, st.Note = contract.StageFailed, d.Time, d.Reason
	case ready:
		st.State, st.Since = contract.StageWaiting, since
	}
	return st
}

// since is when an output was written, and the time of the version itself where it may
// have been written for one that is hidden.
func (x *explanation) since(h *contract.FileHead, out output) time.Time {
	if seenBy(x).all(out.head.Covers) {
		return out.at
	}
	return h.Time
}

// seenBy is what who asks sees of the document.
func seenBy(x *explanation) seenOf { return x.service.seenOf(x.sight, x.in.Source, x.doc) }

// judge puts the verdict into words.
func (x *explanation) judge() {
	if len(x.heads) == 0 {
		x.Verdict = contract.VerdictMissing
		x.Summary = x.name() + " is not in the log of " + string(x.in.Source) + "."
		if x.in.View != "" {
			x.Summary = x.name() + " is not in the view " + string(x.in.View) + " of " + string(x.in.Source) + "."
		}
		x.Next = []string{"Check the path: it is relative to the root of its source, as hits have it."}
		return
	}
	if x.unfinishedStage(contract.StageFailed, x.saidFailed) {
		return
	}
	h := &x.heads[0]
	if c := x.outputs.bodies[x.generationOf(h)].Of(h); c != nil && c.Textless != "" && h.Op == contract.OpPut {
		x.Verdict = contract.VerdictSkipped
		x.Summary = x.name() + " is known and not indexed: " + c.Textless + "."
		return
	}
	if x.unfinishedStage(contract.StageWaiting, x.saidWaiting) {
		return
	}
	version := fmt.Sprintf("version %d of %s", h.Version, moment(h.Time))
	switch h.Op {
	case contract.OpDelete:
		x.Verdict = contract.VerdictDeleted
		x.Summary = fmt.Sprintf("%s was deleted as version %d, %s, and is in no index any more.", x.name(), h.Version, moment(h.Time))
	case contract.OpSkipped:
		x.Verdict = contract.VerdictSkipped
		x.Summary = x.name() + " is known and not indexed: " + h.Reason + "."
	default:
		if _, ok := x.service.stores.Generation(h.Collection); !ok {
			x.Verdict = contract.VerdictUnserved
			x.Summary = x.name() + " belongs to the collection " + string(h.Collection) + ", which is not searched."
			x.Next = []string{"The collections that are searched: " + strings.Join(names(x.service.stores.Collections()), ", ") + "."}
			return
		}
		x.Verdict = contract.VerdictIndexed
		x.Summary = fmt.Sprintf("%s is indexed with %s: %s in both indexes.", x.name(), version, passages(len(x.passages)))
		if len(x.passages) == 0 {
			x.Summary = fmt.Sprintf("%s is indexed with %s, and has no passage: there is nothing in it to be found.", x.name(), version)
		}
		x.bare()
	}
}

// generationOf is the generation that shows a version.
func (x *explanation) generationOf(h *contract.FileHead) document.Generation {
	g, _ := x.service.stores.Generation(h.Collection)
	return g
}

// bare adds what keeps an indexed document from one of the channels.
func (x *explanation) bare() {
	none, lost := 0, 0
	for _, c := range x.Chunks {
		if c.Sinks[document.Vector] == contract.SinkBare {
			none++
		}
		for _, state := range c.Sinks {
			if state == contract.SinkLost {
				lost++
				break
			}
		}
	}
	if none > 0 {
		x.Next = append(x.Next, fmt.Sprintf("%s found by words only: the embedder knows no word of %s.", are(none), them(none)))
	}
	if lost > 0 {
		x.Summary += fmt.Sprintf(" But a store lacks %s of them.", passages(lost))
		x.Actions = append(x.Actions, document.Action{Do: document.DoVerifyRepair})
	}
}

// unfinishedStage finds the first stage in a state, of a newest version.
func (x *explanation) unfinishedStage(state string, say func(*contract.StageState)) bool {
	for i := range x.Stages {
		if x.Stages[i].State == state {
			say(&x.Stages[i])
			return true
		}
	}
	return false
}

func (x *explanation) saidFailed(st *contract.StageState) {
	x.Verdict = contract.VerdictFailed
	d := x.outputs.dead[st.Stage]
	x.Summary = fmt.Sprintf("%s failed at the %s after %s, %s: %s.", x.name(), st.Stage, tries(d.Attempts), moment(d.Time), strings.TrimRight(d.Reason, "."))
	switch st.Stage {
	case contract.StageEmbed, contract.StageVector:
		x.Next = append(x.Next, "It is found by its words only.")
	case contract.StageLexical:
		x.Next = append(x.Next, "It is found by its meaning only.")
	}
	letter := document.Action{Do: document.DoLetterShow, Source: x.in.Source, Path: x.in.Path}
	if d.State == contract.LetterRetrying {
		x.Next, x.Actions = append(x.Next, "The stage is to try it again."), append(x.Actions, letter)
		return
	}
	letter.Do = document.DoLetterRetry
	x.Next, x.Actions = append(x.Next, "A change of the file is tried by itself."), append(x.Actions, letter)
}

func (x *explanation) saidWaiting(st *contract.StageState) {
	x.Verdict = contract.VerdictPending
	x.Summary = fmt.Sprintf("%s waits for the %s since %s.", x.name(), st.Stage, moment(st.Since))
	if st.Note != "" {
		x.Next = append(x.Next, sentence(st.Note))
	}
	if err := x.service.bus.Room().For(0); err != nil && x.sight == nil {
		x.Next = append(x.Next, sentence(strings.TrimRight(err.Error(), ".")))
	}
	if h := x.headOf(st.View); h != nil && h.Op != contract.OpPut {
		x.Next = append(x.Next, "Answers leave it out already.")
		return
	}
	if h := x.headOf(st.View); h != nil && h.Format != "" {
		x.Next = append(x.Next, "Its text is still to be made, and is not searched meanwhile.")
	} else {
		x.Next = append(x.Next, "Its new text is searched as plain lines meanwhile.")
	}
	x.Actions = append(x.Actions, document.Acts(document.DoSearchWait, document.DoStatusShow)...)
}

func (x *explanation) headOf(v document.View) *contract.FileHead {
	for i := range x.heads {
		if x.heads[i].View == v {
			return &x.heads[i]
		}
	}
	return nil
}
